/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox db: what a database of the store needs now and then. */
#include "db.h"
#include "cli/slip.h"
#include "common/url.h"
#include "siox/reductions.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: siox db COMMAND PLACE [options]\n"
    "\n"
    "PLACE is the setting `database` of sioxd: the path of an SQLite database,\n"
    "postgresql://USER@HOST/DATABASE, or, for create, csv:DIRECTORY. A daemon may go on writing.\n"
    "\n"
    "  create PLACE            make it; sioxd does that by itself, too\n"
    "  migrate PLACE           bring an old one to this version, all or nothing; sioxd does that, "
    "too\n"
    "  info PLACE              version, runs, rows of each table, bytes, oldest and newest\n"
    "  rollup PLACE            long intervals in place of short ones: averages, minima, maxima "
    "and\n"
    "                          sums stay what they were. 100 ms become 1 s after an hour, 10 s "
    "after\n"
    "                          a day, 1 min after 7 days and 10 min after 90 days, or, with\n"
    "      --older AGE         what is older becomes\n"
    "      --to LENGTH         1s, 10s, 1min or 10min (10min)\n"
    "  purge PLACE --older AGE delete activities, levels, claims, intervals, anomalies and cycles "
    "that\n"
    "                          are older; nothing is asked\n"
    "      --runs              and whole runs that have nothing newer, but the last of each node\n"
    "      --dry-run           only say how many rows that would be\n"
    "\n"
    "      --json              as JSON\n"
    "\n"
    "AGE is a number of days, hours, minutes or seconds: 30d, 12h, 15m, 90s.\n"
    "\n"
    "examples: siox db info siox.db\n"
    "          siox db rollup siox.db --older 7d --to 1min\n"
    "          siox db purge postgresql://siox@db/siox --older 90d --runs --dry-run\n";

static int create(struct siox__db *db) {
  if (!siox__db_open(db, SIOX__BASE_CREATE))
    return 1;
  if (db->json)
    siox__db_print(json_pack("{s:s, s:i}", "place", db->name, "version", SIOX__STORE_VERSION));
  else
    printf("%s: made, version %d\n", db->name, SIOX__STORE_VERSION);
  return 0;
}

static int migrate(struct siox__db *db) {
  struct siox_diag diag = {""};
  if (!siox__db_open(db, SIOX__BASE_READ))
    return 1;
  const int before = siox__schema_version(db->base, &diag);
  siox__base_close(db->base);
  db->base = NULL;
  if (before < 0)
    return siox__db_fail(db, before, &diag);
  if (!siox__db_open(db, SIOX__BASE_MIGRATE))
    return 1;
  if (db->json)
    siox__db_print(json_pack("{s:s, s:i, s:i}", "place", db->name, "before", before, "version",
                             SIOX__STORE_VERSION));
  else if (before == SIOX__STORE_VERSION)
    printf("%s: is version %d already\n", db->name, before);
  else
    printf("%s: version %d is now version %d\n", db->name, before, SIOX__STORE_VERSION);
  return 0;
}

static const struct {
  const char *name;
  int (*run)(struct siox__db *db);
  bool ages; /* takes --older */
} commands[] = {{"create", create, false},
                {"migrate", migrate, false},
                {"info", siox__db_info, false},
                {"rollup", siox__db_rollup, true},
                {"purge", siox__db_purge, true}};
enum { COMMANDS = sizeof commands / sizeof *commands };

bool siox__db_open(struct siox__db *db, enum siox__base_use use) {
  struct siox_diag diag = {""};
  int r = siox__base_open(&db->base, db->place, use, NULL, &diag);
  if (r < 0)
    siox__db_fail(db, r, &diag);
  return r == 0;
}

int siox__db_fail(const struct siox__db *db, int code, const struct siox_diag *diag) {
  fprintf(stderr, "siox db %s: %s: %s\n", db->what, db->name,
          *diag->text ? diag->text : siox_strerror(code));
  return 1;
}

void siox__db_print(json_t *o) {
  json_dumpf(o, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(o);
}

/* ns; negative: not an age. */
static int64_t read_age(const char *text) {
  char *end;
  const double n = strtod(text, &end);
  const double seconds = !strcmp(end, "d")   ? 86400
                         : !strcmp(end, "h") ? 3600
                         : !strcmp(end, "m") ? 60
                         : !strcmp(end, "s") ? 1
                                             : -1;
  return end == text || seconds < 0 || !(n >= 0) || n * seconds > 3e9
             ? -1
             : (int64_t)(n * seconds * 1e9);
}

/* ns; 0: not a length, or the shortest, which nothing can become. */
static int64_t read_length(const char *text) {
  const enum siox_reduction length = siox_reduction_find(text);
  return length > 0 && length < SIOX_NREDUCTIONS ? siox_reduction_ns(length) : 0;
}

/* 0, or the exit status + 1. */
static int parse(int argc, char **argv, struct siox__db *db, int *command) {
  enum { JSON = 256, OLDER, TO, RUNS, DRY };
  static const struct option known[] = {{"json", no_argument, NULL, JSON},
                                        {"older", required_argument, NULL, OLDER},
                                        {"to", required_argument, NULL, TO},
                                        {"runs", no_argument, NULL, RUNS},
                                        {"dry-run", no_argument, NULL, DRY},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  *db = (struct siox__db){.older = -1};
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
    switch (c) {
    case JSON:
      db->json = true;
      break;
    case OLDER:
      if ((db->older = read_age(optarg)) < 0)
        return siox__slip(argv[0], "--older: \"%s\": an age as 30d, 12h, 15m or 90s is wanted",
                          optarg) +
               1;
      break;
    case TO:
      if (!(db->to = read_length(optarg)))
        return siox__slip(argv[0], "--to: \"%s\": 1s, 10s, 1min or 10min is wanted", optarg) + 1;
      break;
    case RUNS:
      db->runs = true;
      break;
    case DRY:
      db->dry_run = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return 1;
    default:
      return siox__slip_option(argv, known) + 1;
    }
  if (optind == argc)
    return siox__slip(argv[0], "a command is missing") + 1;
  for (*command = 0; *command < COMMANDS; ++*command)
    if (!strcmp(argv[optind], commands[*command].name))
      break;
  if (*command == COMMANDS)
    return siox__slip(argv[0], "there is no command \"%s\"", argv[optind]) + 1;
  db->what = argv[optind];
  db->place = argv[optind + 1];
  if (!db->place || !*db->place)
    return siox__slip(argv[0], "%s: a database is missing", db->what) + 1;
  if (optind + 2 < argc)
    return siox__slip(argv[0], "\"%s\": no such argument", argv[optind + 2]) + 1;
  return 0;
}

/* Options of other commands. 0, or the exit status + 1. */
static int check(char **argv, const struct siox__db *db, int command) {
  const bool purges = !strcmp(db->what, "purge"), rolls = !strcmp(db->what, "rollup");
  if (db->older >= 0 && !commands[command].ages)
    return siox__slip(argv[0], "--older is of rollup and purge") + 1;
  if ((db->runs || db->dry_run) && !purges)
    return siox__slip(argv[0], "%s is of purge", db->runs ? "--runs" : "--dry-run") + 1;
  if (db->to && !rolls)
    return siox__slip(argv[0], "--to is of rollup") + 1;
  if (db->to && db->older < 0)
    return siox__slip(argv[0], "--to needs --older") + 1;
  if (rolls && db->older >= 0 && db->older < INT64_C(60000000000)) /* rows on their way */
    return siox__slip(argv[0], "rollup: --older is at least 1m") + 1;
  if (purges && db->older < 0)
    return siox__slip(argv[0], "purge: --older is missing") + 1;
  return 0;
}

int siox__cmd_db(int argc, char **argv) {
  struct siox__db db;
  int command, told = parse(argc, argv, &db, &command);
  if (told == 0)
    told = check(argv, &db, command);
  if (told != 0)
    return told - 1;
  db.name = siox__url_public(db.place);
  if (!db.name)
    return 1;
  const int status = commands[command].run(&db);
  siox__base_close(db.base);
  free(db.name);
  return status;
}
