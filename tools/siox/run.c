/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox run: a daemon (found or started), the command, the report, the command's status. */
#include "activities.h"
#include "check.h"
#include "cli/slip.h"
#include "common/clock.h"
#include "output.h"
#include "preload.h"
#include "profile.h"
#include "siox_tool.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox run [options] -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND against the emulated disks of sioxd, which is started unless one listens\n"
    "already, and reports the energy it took beside replays of the same accesses with every disk\n"
    "at full speed and at each lower level. The report goes to stderr; the status is the\n"
    "command's, or 128 + n when signal n ended it.\n"
    "\n"
    "  -p, --policy POLICY   a scheme that sets the levels (setting policy); sioxd --help lists\n"
    "                        them\n"
    "      --delay-budget PERCENT  part of its run time that the command may lose by being\n"
    "                        served at lower speeds (setting delay_budget), as far as the daemon\n"
    "                        allows\n"
    "      --job NAME        what the job is called (default: $SIOX_JOB, else run-PID-TIME)\n"
    "  -c, --config FILE     settings from FILE\n"
    "  -s, --set KEY=VALUE   one setting; sioxd --help lists them\n"
    "      --json[=FILE]     the report as one line of JSON on stdout after the command's output,\n"
    "                        or in FILE\n"
    "      --record FILE     keep the trace in FILE\n"
    "      --check-hints     compare every request with what the program's hints said of its\n"
    "                        disks, and report what was wrong and what was left unused\n"
    "                        (docs/check-hints.md); status 3 when a request came to a disk that\n"
    "                        was not predicted and the command itself succeeded\n"
    "      --profile FILE    measure how long loops and calls between accesses take; a "
    "compilation\n"
    "                        with SIOX_PROFILE=FILE plans with these times (docs/using.md)\n"
    "      --preload         put libsiox into COMMAND's programs, which then need no compilation "
    "with\n"
    "                        siox-cc: without hints, but with all that is recorded and reported;\n"
    "                        they have to be linked dynamically\n"
    "      --keep            keep the trace where it was made, and say where\n"
    "  -q, --quiet           no table on stderr\n"
    "\n"
    "While another siox run has its daemon up, this one joins it: the report covers the daemon's\n"
    "whole trace so far. A daemon whose settings differ from those given here is not joined\n"
    "(status 2).\n"
    "\n"
    "SIOX_REPORT=console or mpi in the environment: COMMAND's processes report themselves, too,\n"
    "when they end (docs/client.md).\n"
    "\n"
    "examples:\n"
    "  siox run --set mount=/scratch/siox -- mpiexec -n 4 ./mxm --files /scratch/siox/m\n"
    "  siox run --policy base --json=base.json -- mpiexec -n 4 ./mxm --files /scratch/siox/m\n"
    "  siox run --check-hints -- mpiexec -n 4 ./mxm --files /scratch/siox/m\n"
    "  siox run --profile m.yaml -- mpiexec -n 4 ./mxm --files /scratch/siox/m\n"
    "  siox run --preload -- mpiexec -n 4 ./unchanged /scratch/siox/data\n"
    "  siox run --job night --delay-budget 2 -- mpiexec -n 4 ./mxm --files /scratch/siox/m\n";

enum { OVERRIDES = 64, TRIES = 20, UNSOUND = 3 /* exit status: the check of hints failed */ };

struct options {
  const char *config, *json_file, *record, *job, *profile;
  int json_fd;
  bool json, keep, quiet, check, preload;
  struct siox_config_override set[OVERRIDES];
  size_t nset;
  char policy_text[128], budget_text[64], record_text[PATH_MAX + 16], stop_text[32];
  char directory[PATH_MAX]; /* of a trace of our own, "" none */
  char library[PATH_MAX];   /* to be preloaded, "" none */
};

static int add(struct options *o, const char *text, const char *origin) {
  if (o->nset == OVERRIDES) {
    fprintf(stderr, "siox run: more than %d settings\n", OVERRIDES);
    return -1;
  }
  o->set[o->nset++] = (struct siox_config_override){text, origin};
  return 0;
}

static bool is_set(const struct options *o, const char *key) {
  size_t length = strlen(key);
  for (size_t i = 0; i < o->nset; i++)
    if (!strncmp(o->set[i].text, key, length) && o->set[i].text[length] == '=')
      return true;
  return false;
}

/* 0 go on, otherwise an exit status + 1. */
static int parse(int argc, char **argv, struct options *o) {
  enum { JSON = 256, RECORD, KEEP, BUDGET, JOB, CHECK, PROFILE, PRELOAD };
  static const struct option known[] = {{"policy", required_argument, NULL, 'p'},
                                        {"config", required_argument, NULL, 'c'},
                                        {"set", required_argument, NULL, 's'},
                                        {"json", optional_argument, NULL, JSON},
                                        {"record", required_argument, NULL, RECORD},
                                        {"keep", no_argument, NULL, KEEP},
                                        {"delay-budget", required_argument, NULL, BUDGET},
                                        {"job", required_argument, NULL, JOB},
                                        {"check-hints", no_argument, NULL, CHECK},
                                        {"profile", required_argument, NULL, PROFILE},
                                        {"preload", no_argument, NULL, PRELOAD},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, "+:p:c:s:qh", known, NULL)) != -1;)
    switch (c) {
    case 'p':
      snprintf(o->policy_text, sizeof o->policy_text, "policy=%s", optarg);
      if (add(o, o->policy_text, "--policy") < 0)
        return SIOX__USAGE + 1;
      break;
    case 'c':
      o->config = optarg;
      break;
    case 's':
      if (add(o, optarg, "--set") < 0)
        return SIOX__USAGE + 1;
      break;
    case JSON:
      o->json = true;
      o->json_file = optarg;
      break;
    case RECORD:
      o->record = optarg;
      break;
    case BUDGET:
      snprintf(o->budget_text, sizeof o->budget_text, "delay_budget=%s", optarg);
      if (add(o, o->budget_text, "--delay-budget") < 0)
        return SIOX__USAGE + 1;
      break;
    case JOB:
      if (!*optarg) {
        fputs("siox run: --job: a name is wanted\n", stderr);
        return SIOX__USAGE + 1;
      }
      o->job = optarg;
      break;
    case CHECK:
      o->check = true;
      break;
    case PROFILE:
      o->profile = optarg;
      break;
    case PRELOAD:
      o->preload = true;
      break;
    case KEEP:
      o->keep = true;
      break;
    case 'q':
      o->quiet = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return EXIT_SUCCESS + 1;
    default:
      return siox__slip_option(argv, known) + 1;
    }
  return optind == argc ? siox__slip(argv[0], "no command") + 1 : 0;
}

/* The settings of a daemon that is started for this run: a trace, and an end when nobody is
 * connected. */
static int settings(struct options *o, const struct siox_config *config) {
  if (o->record) {
    char *real = *o->record == '/' ? strdup("") : getcwd(NULL, 0);
    snprintf(o->record_text, sizeof o->record_text, "record=%s%s%s", real ? real : "",
             real && *real ? "/" : "", o->record);
    free(real);
  } else if (!config->record) {
    const char *tmp = getenv("TMPDIR");
    snprintf(o->directory, sizeof o->directory, "%.4000s/siox-run.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    char *real = mkdtemp(o->directory) ? realpath(o->directory, NULL) : NULL;
    if (!real) {
      fprintf(stderr, "siox run: TMPDIR: %s: %s\n", o->directory, strerror(errno));
      return -1;
    }
    snprintf(o->directory, sizeof o->directory, "%s", real);
    free(real);
    snprintf(o->record_text, sizeof o->record_text, "record=%.4000s/trace.siox", o->directory);
  }
  if (*o->record_text && add(o, o->record_text, "--record") < 0)
    return -1;
  /* A daemon of one run is not the node's; the machine's file means that one. */
  if (config->etcd.count > 0 && !config->given[SIOX_SETTING_etcd] &&
      add(o, "etcd=", "siox run") < 0)
    return -1;
  if (!is_set(o, "stop_when_idle") && config->stop_when_idle < 0) {
    strcpy(o->stop_text, "stop_when_idle=0");
    return add(o, o->stop_text, "siox run");
  }
  return 0;
}

/* A connection that is held until the report is made keeps the daemon there. One that is just
 * leaving is replaced: sioxd --daemonize waits for its end (listen.c), so this is not a busy loop.
 */
static int get_daemon(const struct options *o, const char *socket_path, json_t **status,
                      struct siox_diag *diag) {
  for (int i = 0; i < TRIES; i++) {
    if (siox__daemon_ensure(o->config, o->set, o->nset, diag) < 0)
      return -1;
    int fd = siox__daemon_connect(socket_path, 0);
    if (fd < 0) {
      snprintf(diag->text, sizeof diag->text, "%s: %s", socket_path, strerror(errno));
      continue;
    }
    if ((*status = siox__daemon_ask(fd, "status", diag)))
      return fd;
    close(fd);
  }
  return -1;
}

/* Was the daemon started for this run, by its trace? Otherwise it was joined. */
static int check_daemon(const struct options *o, const struct siox_config *config,
                        const json_t *status) {
  char *set = config->record ? siox_config_text(config, SIOX_SETTING_record) : NULL;
  const char *wanted = *o->record_text ? o->record_text + strlen("record=") : set;
  const char *record = json_string_value(json_object_get(status, "record"));
  bool ours = record && wanted && !strcmp(record, wanted);
  bool asked = o->record || config->given[SIOX_SETTING_record];
  int r = siox__join_check(config, asked ? wanted : NULL, status);
  if (r == 0 && !ours)
    fprintf(stderr,
            "siox run: joined the daemon on %s (policy %s): the report covers all of its trace so "
            "far\n",
            config->socket, json_string_value(json_object_get(status, "policy")));
  free(set);
  return r;
}

static void export(const struct options *o, const struct siox_config *config, char *job,
                   size_t size) {
  const char *given = o->job ? o->job : getenv("SIOX_JOB");
  if (given && *given)
    snprintf(job, size, "%s", given);
  else
    snprintf(job, size, "run-%d-%lld", (int)getpid(), (long long)(siox__wall_ns() / 1000000));
  setenv("SIOX_JOB", job, 1);
  setenv("SIOX_SOCKET", config->socket, 1);
  char *budget = siox_config_text(config, SIOX_SETTING_delay_budget);
  if (budget && config->given[SIOX_SETTING_delay_budget])
    setenv("SIOX_DELAY_BUDGET", budget, 1);
  free(budget);
}

/* Before anything runs: a report that has nowhere to go is noticed now. What lies there is replaced
 * when there is a report. */
static int open_json(struct options *o, const struct siox_config *config) {
  const char *const taken[] = {config->file, config->layouts, o->record};
  o->json_fd = STDOUT_FILENO;
  for (size_t i = 0; o->json_file && i < sizeof taken / sizeof *taken; i++)
    if (taken[i] && (siox__same_file(o->json_file, taken[i]) || !strcmp(o->json_file, taken[i]))) {
      fprintf(stderr, "siox run: --json: %s is %s\n", o->json_file,
              taken[i] == o->record ? "the trace, too" : "read by this run");
      return -1;
    }
  if (o->json_file)
    o->json_fd = open(o->json_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (o->json_fd < 0)
    fprintf(stderr, "siox run: --json: %s: %s\n", o->json_file, strerror(errno));
  return o->json_fd < 0 ? -1 : 0;
}

static int write_json(const struct options *o, const json_t *report) {
  errno = 0;
  if (o->json_file && ftruncate(o->json_fd, 0) < 0 && errno == EINVAL)
    errno = 0; /* a pipe or a device */
  FILE *out = o->json_file ? fdopen(o->json_fd, "w") : stdout;
  size_t flags = JSON_REAL_PRECISION(17) | (o->json_file ? JSON_INDENT(1) : JSON_COMPACT);
  bool good = out && json_dumpf(report, out, flags) == 0 && fputc('\n', out) != EOF;
  if (out && (o->json_file ? fclose(out) : fflush(out)) != 0)
    good = false;
  if (!good)
    fprintf(stderr, "siox run: %s: %s\n", o->json_file ? o->json_file : "stdout",
            errno ? strerror(errno) : "cannot be written");
  return good ? 0 : -1;
}

/* A trace of the daemon's that nobody asked to keep goes with the last run that used it, whoever
 * started it. */
static void tidy(const struct options *o, const json_t *live, const struct siox__outcome *outcome) {
  const char *record = json_string_value(json_object_get(live, "record"));
  const char *mark = record ? strstr(record, "/siox-run.") : NULL;
  bool temporary = mark && !strcmp(mark + strlen("/siox-run.XXXXXX"), "/trace.siox");
  bool written = json_is_true(json_object_get(live, "begun"));
  if ((o->record || o->keep) && !written) /* whatever lies there is of another run */
    fprintf(stderr, "siox run: %s: no trace was written: %s\n", o->record ? o->record : "--keep",
            siox__command_unseen(outcome));
  if (temporary && o->keep && written)
    fprintf(stderr, "siox run: trace kept in %s\n", record);
  else if (temporary && json_is_true(json_object_get(live, "finished"))) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s",
             (int)(mark - record) + (int)strlen("/siox-run.XXXXXX"), record);
    unlink(record);
    rmdir(directory);
  }
  if (*o->directory)
    rmdir(o->directory); /* empty when another's daemon was joined */
}

/* Of a trace with holes nothing can be said. */
static json_t *check(const json_t *live, const struct siox__outcome *outcome) {
  const json_t *counters = json_object_get(live, "counters");
  const char *trace = json_string_value(json_object_get(live, "record")), *why = NULL;
  if (!json_is_true(json_object_get(live, "begun")))
    why = siox__command_unseen(outcome);
  else if (!trace)
    why = "the daemon records no trace";
  else if (!counters || json_integer_value(json_object_get(counters, "trace_lost")))
    why = "the trace is not whole";
  else if (json_integer_value(json_object_get(counters, "records_dropped")))
    why = "records were lost on their way to the daemon";
  return siox__check_hints(trace, why);
}

static const char *setting_of(const json_t *status, const char *key) {
  return json_string_value(json_object_get(json_object_get(status, "settings"), key));
}

/* A daemon that ends with its clients has measured for this run; one that stays goes on for others:
 * it is asked for what there is so far. */
static json_t *results(int fd, const json_t *status, struct siox_diag *diag) {
  const char *idle = setting_of(status, "stop_when_idle");
  if (!idle || strtod(idle, NULL) >= 0)
    return siox__daemon_ask(fd, "finish", diag);
  json_t *flushed = siox__daemon_ask(fd, "flush", diag);
  json_t *live = flushed ? siox__daemon_ask(fd, "report", diag) : NULL;
  json_decref(flushed);
  return live;
}

/* Whoever looks into the database after this run finds it there: the daemon writes the rest when
 * its last client has left. */
static void let_it_write(const json_t *live, bool stayed) {
  enum { PATIENCE_MS = 5000 };
  const char *idle = setting_of(live, "stop_when_idle");
  const json_int_t pid = json_integer_value(json_object_get(live, "pid"));
  if (!stayed || !idle || strtod(idle, NULL) != 0 || pid <= 0 ||
      !json_is_string(json_object_get(live, "database")) ||
      json_integer_value(json_object_get(live, "connections")) > 1)
    return;
  const int process = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
  if (process < 0) /* it has ended, or an older kernel */
    return;
  struct pollfd end = {.fd = process, .events = POLLIN};
  (void)poll(&end, 1, PATIENCE_MS);
  close(process);
}

static int measure(struct options *o, const struct siox_config *config, char **command) {
  struct siox_diag diag = {""};
  json_t *status = NULL;
  int fd = get_daemon(o, config->socket, &status, &diag);
  int refused = fd < 0 ? -1 : check_daemon(o, config, status);
  if (fd < 0)
    fprintf(stderr, "siox run: %s\n", diag.text);
  if (refused < 0) {
    json_decref(status);
    if (fd >= 0)
      close(fd);
    if (*o->directory)
      rmdir(o->directory);
    return SIOX__USAGE;
  }
  char job[96];
  struct siox__outcome outcome = {.status = EXIT_FAILURE};
  struct siox__profile profile = {0};
  if (o->profile && siox__profile_begin(&profile, o->profile) < 0) {
    json_decref(status);
    close(fd);
    if (*o->directory)
      rmdir(o->directory);
    return SIOX__USAGE;
  }
  export(o, config, job, sizeof job);
  if (*o->library &&
      siox__preload_set(o->library) < 0) /* after the daemon, which is to be without */
    fprintf(stderr, "siox run: --preload: %s\n", siox_strerror(SIOX_ENOMEM));
  const int daemon = (int)json_integer_value(json_object_get(status, "pid"));
  struct siox__load load;
  siox__load_begin(&load, daemon);
  if (siox__command_run(command, &outcome) < 0)
    fprintf(stderr, "siox run: %s\n", strerror(errno));
  siox__load_end(&load, daemon);
  char *drive = siox_config_text(config, SIOX_SETTING_drive);
  double scale = json_number_value(json_object_get(status, "time_scale"));
  bool profiled =
      siox__profile_end(&profile, drive, scale ? scale : config->time_scale, o->quiet) == 0;
  free(drive);
  json_t *live = results(fd, status, &diag);
  const bool there = live;
  if (!live) { /* killed, say: its trace is readable to the last flush, the rest is as it was at the
                  start */
    fprintf(stderr, "siox run: %s; the report is of its trace as far as it was written\n",
            diag.text);
    json_object_set_new(status, "begun", json_true());
    json_object_set_new(status, "finished", json_true());
    json_object_del(status, "counters");
    live = json_incref(status);
  }
  const json_t *counters = json_object_get(live, "counters");
  if (json_is_true(json_object_get(counters, "store_broken")))
    fprintf(stderr, "siox run: the daemon cannot write its database: %lld records are not in it\n",
            (long long)json_integer_value(json_object_get(counters, "store_waiting")));
  json_t *report = siox__report_make(live, &outcome, &load, job);
  json_object_set_new(report, "command", siox__words(command));
  if (o->check)
    json_object_set_new(report, "check", check(live, &outcome));
  if (!o->quiet)
    siox__report_print(stderr, report);
  if (o->check && !json_is_true(json_object_get(json_object_get(report, "check"), "passed")) &&
      !outcome.status)
    outcome.status = UNSOUND;
  if (!profiled && !outcome.status)
    outcome.status = EXIT_FAILURE;
  if (o->json && write_json(o, report) < 0 && !outcome.status)
    outcome.status = EXIT_FAILURE; /* what was asked for is not there */
  tidy(o, live, &outcome);
  close(fd);
  let_it_write(live, there);
  json_decref(report);
  json_decref(live);
  json_decref(status);
  return outcome.status;
}

int siox__cmd_run(int argc, char **argv) {
  static struct options o;
  int r = parse(argc, argv, &o);
  if (r)
    return r - 1;
  struct siox_config config;
  struct siox_diag diag = {""};
  if (siox_config_load(&config, o.config, o.set, o.nset, &diag) < 0) {
    fprintf(stderr, "siox run: %s\n", diag.text);
    return SIOX__USAGE;
  }
  if (o.preload && siox__preload_possible(argv + optind, o.library, &diag) < 0) {
    fprintf(stderr, "siox run: %s\n", diag.text);
    siox_config_free(&config);
    return SIOX__USAGE;
  }
  if (o.json && open_json(&o, &config) < 0) {
    siox_config_free(&config);
    return SIOX__USAGE;
  }
  int status = settings(&o, &config) < 0 ? EXIT_FAILURE : measure(&o, &config, argv + optind);
  siox_config_free(&config);
  return status;
}
