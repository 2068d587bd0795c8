/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox layout: entries of layouts.yaml for files that are there. */
#include "layout.h"
#include "cli/slip.h"
#include "output.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: siox layout FILE... [--map|--json] [-o layouts.yaml] [--disks N] [--targets FILE]\n"
    "                   [--config FILE] [--xattr-prefix PREFIX]\n"
    "       siox layout optimise --help\n"
    "\n"
    "Tells where files lie, as entries of layouts.yaml for compiler and run time. In this order:\n"
    "what Siox stored with the file, Lustre, OrangeFS (PVFS2), BeeGFS, a running sioxd, and for\n"
    "files below the mount the configuration.\n"
    "\n"
    "  --map                which bytes lie on which disk, for people\n"
    "  --json               the same as JSON\n"
    "  -o FILE              the entries go into FILE\n"
    "  --disks N            number of disks (default: the configuration's where it is stated, "
    "else\n"
    "                       one more than the greatest that a file is on)\n"
    "  --targets FILE       which disk each storage target is: lines \"TARGET DISK\" or\n"
    "                       \"FIRST-LAST DISK\" of OST indices, BeeGFS target IDs or ranges of\n"
    "                       PVFS2 handles (default: target N is disk N)\n"
    "  --config FILE        settings from FILE\n"
    "  --xattr-prefix PREFIX  file systems' attributes are read as PREFIXlustre.lov and so on: of\n"
    "                       copies that kept them under user.\n"
    "\n"
    "examples:\n"
    "  siox layout /lustre/run7/*.h5 -o layouts.yaml\n"
    "  siox layout /beegfs/data --targets targets.txt --map\n"
    "\n"
    "Exit status: 1 when some file's layout is not known, 2 for a wrong command line.\n";

struct options {
  const char *output, *targets, *config, *prefix;
  long disks;
  bool map, json;
};

static int parse(int argc, char **argv, struct options *o) {
  static const struct option known[] = {{"map", no_argument, NULL, 'm'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"disks", required_argument, NULL, 'd'},
                                        {"targets", required_argument, NULL, 't'},
                                        {"config", required_argument, NULL, 'c'},
                                        {"xattr-prefix", required_argument, NULL, 'x'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  char *end = NULL;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":ho:c:", known, NULL)) != -1;)
    switch (c) {
    case 'm':
      o->map = true;
      break;
    case 'j':
      o->json = true;
      break;
    case 'o':
      o->output = optarg;
      break;
    case 'd':
      o->disks = strtol(optarg, &end, 10);
      if (*end || o->disks < 1 || o->disks > SIOX_MAX_DISKS) {
        fprintf(stderr, "siox layout: --disks %s: expected 1 to %d\n", optarg, SIOX_MAX_DISKS);
        return SIOX__USAGE;
      }
      break;
    case 't':
      o->targets = optarg;
      break;
    case 'c':
      o->config = optarg;
      break;
    case 'x':
      o->prefix = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return -1;
    default:
      return siox__slip_option(argv, known);
    }
  if (optind == argc)
    return siox__slip(argv[0], "whose layout? FILE... is wanted");
  return o->map && o->json ? siox__slip(argv[0], "one of --map and --json at a time") : 0;
}

static int show_all(const struct options *o, const struct layout_reader *reader, char **file,
                    FILE *out) {
  json_t *all = json_array();
  int status = 0;
  for (; *file; file++) {
    struct layout_found found;
    struct siox_diag diag = {""};
    int rc = layout_read(reader, *file, &found, &diag);
    if (rc) {
      fprintf(stderr, "siox layout: no layout known for %s: %s\n", *file,
              *diag.text ? diag.text : siox_strerror(rc));
      status = 1;
      continue;
    }
    if (o->json)
      json_array_append_new(all, layout_show_json(&found));
    else if (o->map)
      layout_show_map(out, &found);
    else
      layout_show_entry(out, &found);
    layout_found_free(&found);
  }
  if (o->json) {
    json_dumpf(all, out, JSON_INDENT(1));
    fputc('\n', out);
  }
  json_decref(all);
  return status;
}

/* Neither what it tells of nor what it reads may be written. */
static bool output_free(const struct options *o, const struct siox_config *config, char **file) {
  const char *const read[] = {o->targets, config->file, config->layouts};
  const char *what = NULL;
  for (; *file && !what; file++)
    what = siox__same_file(o->output, *file) ? "one of the files it is about" : NULL;
  for (size_t i = 0; i < sizeof read / sizeof *read && !what; i++)
    what = read[i] && siox__same_file(o->output, read[i]) ? "read by this command" : NULL;
  if (what)
    fprintf(stderr, "siox layout: -o %s: it is %s\n", o->output, what);
  return !what;
}

static int show(const struct options *o, const struct siox_config *config, char **file) {
  struct layout_reader reader = {
      .config = config, .disks = (uint32_t)o->disks, .prefix = o->prefix ? o->prefix : ""};
  struct siox_diag diag = {""};
  struct siox__output whole;
  if (o->output && !output_free(o, config, file))
    return SIOX__USAGE;
  if (!reader.disks && config->given[SIOX_SETTING_disks])
    reader.disks = config->disks;
  if (o->targets && layout_targets_load(&reader.targets, o->targets, &diag)) {
    fprintf(stderr, "siox layout: %s\n", diag.text);
    return SIOX__USAGE;
  }
  reader.targets.ndisks = reader.disks;
  bool failed = o->output && siox__output_open(&whole, o->output) < 0;
  int status = failed ? 1 : show_all(o, &reader, file, o->output ? whole.file : stdout);
  if (failed || (o->output && siox__output_close(&whole, true) < 0)) {
    fprintf(stderr, "siox layout: %s: cannot be written: %s\n", o->output, strerror(errno));
    status = 1;
  }
  layout_targets_free(&reader.targets);
  return status;
}

int siox__cmd_layout(int argc, char **argv) {
  static char optimise[] = "siox layout optimise";
  if (argc > 1 && (!strcmp(argv[1], "optimise") || !strcmp(argv[1], "optimize")) &&
      (argv[1] = optimise))
    return layout_optimise(argc - 1, argv + 1);
  struct options o = {0};
  int status = parse(argc, argv, &o);
  if (status)
    return status > 0 ? status : 0;
  struct siox_config config;
  struct siox_diag diag = {""};
  if (siox_config_load(&config, o.config, NULL, 0, &diag) < 0) {
    fprintf(stderr, "siox layout: %s\n", diag.text);
    return SIOX__USAGE;
  }
  status = show(&o, &config, argv + optind);
  siox_config_free(&config);
  return status;
}
