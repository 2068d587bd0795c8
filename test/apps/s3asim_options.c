/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of s3asim. */
#include "s3asim.h"
#include <getopt.h>

static const char usage[] =
    "usage: s3asim [options] FILE      search, write the hits to FILE, read them back\n"
    "  --queries N            sequences that are looked for (default 8)\n"
    "  --fragments N          parts of the database (default 16)\n"
    "  --results MIN[:MAX]    hits of a query in a fragment, each number as often (default 4:12)\n"
    "  --sizes A:B:W,...      bytes of a hit with its header of 32: from A to B, as often as W "
    "says,\n"
    "                         K, M and G may be used (default 64:1K:50,1K:8K:40,8K:64K:10)\n"
    "  --letters N            of each sequence that is aligned, at most 512 (default 64)\n"
    "  --work N               alignments for a hit (default 1)\n"
    "  --queries-per-write N  (default 1)\n"
    "  --write collective|list|individual   all hits of a rank at once through a view, together\n"
    "                         with the other ranks' or by itself; or each alone (default "
    "collective)\n"
    "  --sync                 MPI_File_sync after each write\n"
    "  --balanced             the master decides beforehand who searches what\n"
    "  --paper                the size in Son & Kandemir: --queries 20 --fragments 128 --results "
    "80:116\n"
    "  --seed N               other sequences and sizes (default 1)\n"
    "  --info KEY=VALUE       a hint for MPI_File_open; may be repeated\n"
    "  --time                 timings on stderr\n"
    "Example: mpiexec -n 4 s3asim --queries 4 --write individual hits\n";

static int slip(const char *where, const char *what) {
  if (s3asim_rank == 0)
    fprintf(stderr, "s3asim: %s%s%s; try s3asim --help\n", where, *where ? ": " : "", what);
  return 2;
}

static bool parse_results(const char *text, struct options *o) {
  char copy[64];
  if (strlen(text) >= sizeof copy)
    return false;
  strcpy(copy, text);
  char *colon = strchr(copy, ':');
  if (colon)
    *colon++ = 0;
  return option_whole(copy, 1, 1000000, &o->results_least) &&
         option_whole(colon ? colon : copy, o->results_least, 1000000, &o->results_most);
}

static bool parse_sizes(const char *text, struct options *o) {
  char copy[2048], *rest, *inner;
  if (strlen(text) >= sizeof copy)
    return false;
  strcpy(copy, text);
  o->nboxes = 0;
  o->weight = 0;
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    struct box *b = &o->box[o->nboxes];
    char *part[4];
    for (int i = 0; i < 4; i++)
      part[i] = strtok_r(i ? NULL : word, ":", &inner);
    if (o->nboxes++ == BOXES || !part[2] || part[3] ||
        !option_bytes(part[0], 64, INT64_C(1) << 26, &b->least) ||
        !option_bytes(part[1], b->least, INT64_C(1) << 26, &b->most) ||
        !option_real(part[2], 0, 1e9, &b->weight))
      return false;
    o->weight += b->weight;
  }
  return o->weight > 0;
}

static bool parse_strategy(const char *text, struct options *o) {
  static const char *const names[] = {"collective", "list", "individual"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      o->strategy = (enum strategy)i;
      return true;
    }
  return false;
}

static bool parse_option(int option, const char *text, struct options *o) {
  switch (option) {
  case 'q':
    return option_whole(text, 1, 1000000, &o->queries);
  case 'f':
    return option_whole(text, 1, 1000000, &o->fragments);
  case 'r':
    return parse_results(text, o);
  case 's':
    return parse_sizes(text, o);
  case 'l':
    return option_whole(text, 1, LETTERS, &o->letters);
  case 'w':
    return option_whole(text, 1, 1000000, &o->work);
  case 'p':
    return option_whole(text, 1, 1000000, &o->per_write);
  case 'W':
    return parse_strategy(text, o);
  case 'e':
    return option_whole(text, 0, INT64_MAX, &o->seed);
  case 'i':
    return info_option_add(&o->hints, text);
  default:
    return false;
  }
}

int s3asim_parse(int argc, char **argv, struct options *o) {
  static const struct option table[] = {
      {"queries", 1, NULL, 'q'}, {"fragments", 1, NULL, 'f'},
      {"results", 1, NULL, 'r'}, {"sizes", 1, NULL, 's'},
      {"letters", 1, NULL, 'l'}, {"work", 1, NULL, 'w'},
      {"write", 1, NULL, 'W'},   {"queries-per-write", 1, NULL, 'p'},
      {"sync", 0, NULL, 'S'},    {"balanced", 0, NULL, 'b'},
      {"paper", 0, NULL, 'P'},   {"seed", 1, NULL, 'e'},
      {"info", 1, NULL, 'i'},    {"time", 0, NULL, 't'},
      {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
  *o = (struct options){.queries = 8,
                        .fragments = 16,
                        .results_least = 4,
                        .results_most = 12,
                        .letters = 64,
                        .work = 1,
                        .per_write = 1,
                        .seed = 1};
  parse_sizes("64:1K:50,1K:8K:40,8K:64K:10", o);
  opterr = s3asim_rank == 0;
  for (int c, i = 0; (c = getopt_long(argc, argv, "", table, &i)) != -1;) {
    switch (c) {
    case 'h':
      if (s3asim_rank == 0)
        fputs(usage, stdout);
      return -1;
    case '?':
      return 2;
    case 'S':
      o->sync = true;
      break;
    case 'b':
      o->balanced = true;
      break;
    case 't':
      o->time = true;
      break;
    case 'P':
      o->queries = 20;
      o->fragments = 128;
      o->results_least = 43;
      o->results_most = 65;
      break;
    default:
      if (!parse_option(c, optarg, o)) {
        char where[64];
        snprintf(where, sizeof where, "--%s", table[i].name);
        return slip(where, "not a value that can be used");
      }
    }
  }
  if (argc - optind != 1)
    return slip("", "one file name is needed");
  o->name = argv[optind];
  return 0;
}
