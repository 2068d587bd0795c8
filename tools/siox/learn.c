/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox learn: earlier runs of a database become a knowledge base (docs/knowledge.md). */
#include "cli/slip.h"
#include "siox/knowledge_file.h"
#include "siox/mpiio.h"
#include "siox_tool.h"
#include "store/base.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: siox learn DATABASE [-o FILE] [--gain PERCENT] [--confidence PERCENT] [--runs N]\n"
    "\n"
    "Looks in the database of a daemon (its setting `database`) for programs that did the same in\n"
    "several runs, with other hints at MPI_File_open or another policy, and writes down which\n"
    "settings took less time for the same bytes. Runs count that have all their activities\n"
    "(record_activities: all), and files that were opened with the same hints all through a job.\n"
    "\n"
    "  -o, --output FILE         knowledge.yaml; without it stdout\n"
    "      --gain PERCENT        least that a setting must save to be written down (5)\n"
    "      --confidence PERCENT  least confidence that it saves anything (95)\n"
    "      --runs N              least number of runs with either setting, from 2 on (2)\n"
    "\n"
    "Exit status 1: the database cannot be read, or the file cannot be written.\n"
    "\n"
    "examples:\n"
    "  siox learn /var/lib/siox/siox.db -o /etc/siox/knowledge.yaml\n"
    "  siox learn siox.db --confidence 80\n";

static int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("siox learn: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return EXIT_FAILURE;
}

/* What a job did with a file. */
struct use {
  char *key; /* RUN/JOB/FILE */
  struct siox_episode episode;
  struct siox_trail *trail;
  bool unlike, partial; /* opened with different hints; not all of it is known */
};
struct uses {
  struct use *use;
  size_t n, room;
  int error;
};

static int by_key(const void *a, const void *b) {
  return strcmp(((const struct use *)a)->key, ((const struct use *)b)->key);
}
static struct use *find(struct uses *u, const char *run, const char *job, const char *file) {
  char key[96];
  snprintf(key, sizeof key, "%.24s/%.24s/%.24s", run, job, file);
  const struct use like = {.key = key};
  return u->n ? bsearch(&like, u->use, u->n, sizeof *u->use, by_key) : NULL;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* run, job, file, program, ranks, hints, policy; in the order of the first three. */
static int take_open(void *context, const char *const *v) {
  struct uses *u = context;
  char key[96];
  struct siox_settings settings;
  if (!v[0] || !v[1] || !v[2] || !v[3] || !v[4] || !v[5] ||
      siox_settings_parse(&settings, v[5]) < 0)
    return 0;
  snprintf(settings.policy, sizeof settings.policy, "%.39s", v[6] ? v[6] : "");
  snprintf(key, sizeof key, "%.24s/%.24s/%.24s", v[0], v[1], v[2]);
  struct use *last = u->n ? &u->use[u->n - 1] : NULL;
  if (last && strcmp(last->key, key) == 0) {
    last->unlike |= memcmp(&last->episode.settings, &settings, sizeof settings) != 0;
    return 0;
  }
  if (u->n == u->room) {
    const size_t room = u->room ? 2 * u->room : 64;
    struct use *more = realloc(u->use, room * sizeof *more);
    if (!more)
      return u->error = SIOX_ENOMEM;
    u->use = more;
    u->room = room;
  }
  struct use *one = &u->use[u->n];
  *one = (struct use){.key = strdup(key), .episode = {.settings = settings}};
  if (!one->key || siox_trail_new(&one->trail) < 0) {
    free(one->key);
    return u->error = SIOX_ENOMEM;
  }
  u->n++;
  snprintf(one->episode.situation.program, sizeof one->episode.situation.program, "%.63s",
           file_name(v[3]));
  one->episode.situation.ranks = (uint32_t)strtoul(v[4], NULL, 10);
  return 0;
}

static int64_t whole(const char *text) { return text ? strtoll(text, NULL, 10) : 0; }

/* run, job, file, client, op, offset, bytes, start, finish, collective; a client's in a row. */
static int take_access(void *context, const char *const *v) {
  static const struct {
    bool moves, writes;
  } calls[] = {
#define READ true, false
#define WRITE true, true
#define OPEN false, false
#define CLOSE false, false
#define SEEK false, false
#define VIEW false, false
#define SYNC false, false
#define SIZE false, false
#define DELETE false, false
#define OTHER false, false
#define APART false, false
#define SIOX_MPIIO(name, class, ...) {class},
#include "siox/mpiio.def"
#undef SIOX_MPIIO
#undef READ
#undef WRITE
#undef OPEN
#undef CLOSE
#undef SEEK
#undef VIEW
#undef SYNC
#undef SIZE
#undef DELETE
#undef OTHER
#undef APART
  };
  struct uses *u = context;
  const int64_t op = whole(v[4]);
  if (!v[0] || !v[1] || !v[2] || op < 0 || op >= (int64_t)(sizeof calls / sizeof *calls) ||
      !calls[op].moves)
    return 0;
  struct use *use = find(u, v[0], v[1], v[2]);
  if (use)
    siox_trail_add(use->trail, (uint32_t)whole(v[3]), calls[op].writes, whole(v[9]) != 0,
                   whole(v[5]), whole(v[6]), whole(v[8]) - whole(v[7]));
  return 0;
}

/* run: its activities are not all there. */
static int take_partial(void *context, const char *const *v) {
  struct uses *u = context;
  const size_t length = v[0] ? strlen(v[0]) : 0;
  for (size_t i = 0; length && i < u->n; i++)
    u->use[i].partial |= strncmp(u->use[i].key, v[0], length) == 0 && u->use[i].key[length] == '/';
  return 0;
}

/* run, verdict; the most frequent one of a run first. */
static int take_verdict(void *context, const char *const *v) {
  struct uses *u = context;
  const size_t length = v[0] ? strlen(v[0]) : 0;
  for (size_t i = 0; length && v[1] && i < u->n; i++) {
    struct use *use = &u->use[i];
    if (strncmp(use->key, v[0], length) == 0 && use->key[length] == '/' && !*use->episode.verdict)
      snprintf(use->episode.verdict, sizeof use->episode.verdict, "%.23s", v[1]);
  }
  return 0;
}

static const struct {
  const char *sql;
  int (*take)(void *, const char *const *);
} questions[] = {
    {"SELECT o.run, p.job, o.file, p.program, o.ranks, o.hints, r.policy FROM opened o"
     " JOIN process p ON p.run = o.run AND p.client = o.client JOIN run r ON r.run = o.run"
     " ORDER BY o.run, p.job, o.file",
     take_open},
    {"SELECT a.run, p.job, a.file, a.client, a.op, a.\"offset\", a.bytes, a.start, a.finish,"
     " a.coll_uid FROM activity a JOIN process p ON p.run = a.run AND p.client = a.client"
     " WHERE a.layer = 'mpiio' AND a.result = 0 ORDER BY a.run, p.job, a.file, a.client, a.start",
     take_access},
    {"SELECT a.run FROM total a JOIN total s ON s.run = a.run WHERE a.name = 'activities'"
     " AND s.name = 'stored' AND s.value < a.value",
     take_partial},
    {"SELECT run, verdict, COUNT(*) FROM anomaly WHERE verdict <> 'nothing' GROUP BY run, verdict"
     " ORDER BY run, COUNT(*) DESC, verdict",
     take_verdict},
};

static int gather(struct uses *u, const char *where, struct siox_diag *diag) {
  struct siox__base *base;
  int r = siox__base_open(&base, where, SIOX__BASE_READ, NULL, diag);
  if (r == 0) {
    const int version = siox__schema_version(base, diag);
    r = version < 0 ? version : version < SIOX__STORE_VERSION ? SIOX_EVERSION : 0;
    if (version >= 0 && r < 0)
      snprintf(diag->text, sizeof diag->text,
               "is of version %d, which does not tell the hints of MPI_File_open; siox db migrate "
               "makes %d of it for runs to come",
               version, SIOX__STORE_VERSION);
  }
  if (r == 0)
    r = siox__base_begin(base, diag);
  for (size_t i = 0; r == 0 && i < sizeof questions / sizeof *questions; i++) {
    r = siox__base_query(base, questions[i].sql, questions[i].take, u, NULL, diag);
    if (u->error < 0) {
      r = u->error;
      snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(r));
    }
    if (i == 0 && u->n) /* the database orders numbers, keys are texts */
      qsort(u->use, u->n, sizeof *u->use, by_key);
  }
  siox__base_close(base);
  return r;
}

static size_t episodes_of(const struct uses *u, struct siox_episode *out) {
  size_t n = 0;
  for (size_t i = 0; i < u->n; i++) {
    struct siox_episode e = u->use[i].episode;
    if (!u->use[i].unlike && !u->use[i].partial && siox_trail_episode(u->use[i].trail, &e))
      out[n++] = e;
  }
  return n;
}

static int write_file(const char *path, const struct siox_lesson *lessons, size_t n,
                      const char *from) {
  FILE *out = path ? fopen(path, "w") : stdout;
  if (out)
    siox_knowledge_write(out, lessons, n, from);
  const bool bad = !out || ferror(out) || fflush(out) != 0;
  const int why = errno;
  if (out && path && fclose(out) != 0 && !bad)
    return fail("%s: %s", path, strerror(errno));
  return bad ? fail("%s: %s", path ? path : "stdout", strerror(why)) : EXIT_SUCCESS;
}

static int learn(const char *where, const char *path, const struct siox_learning *how) {
  struct uses u = {0};
  struct siox_diag diag = {""};
  struct siox_lesson *lessons = NULL;
  size_t n = 0, episodes = 0;
  int r = gather(&u, where, &diag);
  struct siox_episode *e = r == 0 ? malloc((u.n + 1) * sizeof *e) : NULL;
  if (e) {
    episodes = episodes_of(&u, e);
    r = siox_learn(e, episodes, how, &lessons, &n);
  }
  int status = EXIT_FAILURE;
  if (r < 0 || !e)
    fail("%s: %s", where, *diag.text ? diag.text : siox_strerror(r ? r : SIOX_ENOMEM));
  else
    status = write_file(path, lessons, n, where);
  if (status == EXIT_SUCCESS)
    fprintf(stderr,
            "siox learn: %zu lessons of %zu episodes; %zu others are of runs without all "
            "activities, or had several hints\n",
            n, episodes, u.n - episodes);
  for (size_t i = 0; i < u.n; i++) {
    free(u.use[i].key);
    siox_trail_free(u.use[i].trail);
  }
  free(u.use);
  free(e);
  free(lessons);
  return status;
}

/* A number of a command line, in [low, high]. */
static bool number(const char *text, double low, double high, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && *value >= low && *value <= high;
}

int siox__cmd_learn(int argc, char **argv) {
  enum { GAIN = 256, CONFIDENCE, RUNS };
  static const struct option known[] = {{"output", required_argument, NULL, 'o'},
                                        {"gain", required_argument, NULL, GAIN},
                                        {"confidence", required_argument, NULL, CONFIDENCE},
                                        {"runs", required_argument, NULL, RUNS},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  const char *path = NULL;
  double gain = 5, confidence = 95, runs = 2;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":o:h", known, NULL)) != -1;)
    switch (c) {
    case 'o':
      path = optarg;
      break;
    case GAIN:
      if (!number(optarg, 0, 100, &gain))
        return siox__slip(argv[0], "--gain: \"%s\": 0 to 100 are wanted", optarg);
      break;
    case CONFIDENCE:
      if (!number(optarg, 50, 100, &confidence))
        return siox__slip(argv[0], "--confidence: \"%s\": 50 to 100 are wanted", optarg);
      break;
    case RUNS:
      if (!number(optarg, 2, 1e6, &runs))
        return siox__slip(argv[0], "--runs: \"%s\": a number from 2 on is wanted", optarg);
      break;
    case 'h':
      fputs(usage, stdout);
      return EXIT_SUCCESS;
    default:
      return siox__slip_option(argv, known);
    }
  if (optind + 1 != argc)
    return siox__slip(argv[0], optind == argc ? "no database is named" : "more than one database");
  const struct siox_learning how = {
      .least_gain = gain / 100, .least_confidence = confidence / 100, .least_runs = (uint32_t)runs};
  return learn(argv[optind], path, &how);
}
