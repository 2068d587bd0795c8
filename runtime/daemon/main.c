/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sioxd: options, configuration, going to the background, and the loop. */
#include "cli/slip.h"
#include "common/log.h"
#include "common/stdio.h"
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, OVERRIDES = 64 };

static const char usage[] =
    "usage: sioxd [options]\n"
    "One daemon a node: it keeps the emulated disks' time, arbitrates their speeds between jobs\n"
    "and records what happened. A second sioxd on the same socket says so and ends with status "
    "0.\n"
    "\n"
    "  -c, --config FILE     read settings from FILE\n"
    "                        (default: $SIOX_CONFIG, then /etc/siox/siox.yaml)\n"
    "  -s, --set KEY=VALUE   one setting, over file and environment; may be repeated\n"
    "      --daemonize       return when the socket answers, and go on in the background\n"
    "      --foreground      stay (default)\n"
    "  -q, --quiet           do not say that there is a daemon already\n"
    "      --version         print the version\n"
    "  -h, --help            this text and every setting\n"
    "\n"
    "SIGTERM and SIGINT end it in order: trace and database are written, the socket is removed.\n"
    "\n"
    "example: sioxd --set mount=/scratch/siox --set disks=8 --set policy=siox \\\n"
    "               --set record=/tmp/day.siox\n"
    "\n";

struct options {
  const char *config;
  struct siox_config_override set[OVERRIDES];
  size_t nset;
  bool daemonize, quiet;
};

static int parse(int argc, char **argv, struct options *o) {
  enum { DAEMONIZE = 256, FOREGROUND, VERSION };
  static const struct option known[] = {{"config", required_argument, NULL, 'c'},
                                        {"set", required_argument, NULL, 's'},
                                        {"daemonize", no_argument, NULL, DAEMONIZE},
                                        {"foreground", no_argument, NULL, FOREGROUND},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"version", no_argument, NULL, VERSION},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":c:s:qh", known, NULL)) != -1;)
    switch (c) {
    case 'c':
      o->config = optarg;
      break;
    case 's':
      if (o->nset == OVERRIDES) {
        fprintf(stderr, "sioxd: --set: more than %d\n", OVERRIDES);
        return EXIT_USAGE;
      }
      o->set[o->nset++] = (struct siox_config_override){optarg, "--set"};
      break;
    case DAEMONIZE:
      o->daemonize = true;
      break;
    case FOREGROUND:
      o->daemonize = false;
      break;
    case 'q':
      o->quiet = true;
      break;
    case VERSION:
      puts("sioxd " SIOX_VERSION);
      exit(EXIT_SUCCESS);
    case 'h':
      fputs(usage, stdout);
      siox_config_describe(stdout);
      exit(EXIT_SUCCESS);
    default:
      return siox__slip_option(argv, known);
    }
  return optind < argc ? siox__slip("sioxd", "\"%s\": no such argument", argv[optind]) : 0;
}

/* The process that was started waits for one byte, the daemon's word that it listens (0) or the
 * status to end with; no byte at all means that it died. Returns the daemon's end of the pipe, in
 * the daemon only. */
static int go_to_background(void) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) < 0)
    return -1;
  pid_t child = fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    close(ready[0]);
    setsid();
    return ready[1];
  }
  close(ready[1]);
  unsigned char status = EXIT_FAILURE;
  while (read(ready[0], &status, 1) < 0 && errno == EINTR)
    ;
  _exit(status);
}

static void say_ready(int fd, unsigned char status) {
  if (fd < 0)
    return;
  while (write(fd, &status, 1) < 0 && errno == EINTR)
    ;
  close(fd);
}

/* Keeps nothing of the place it was started from: whoever reads the starter's output gets its end.
 * stderr is the log. */
static void let_go(const char *log_path) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    return;
  int log = log_path ? open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(log >= 0 ? log : null, STDERR_FILENO);
  close(null);
  if (log >= 0)
    close(log);
}

static int run(const struct siox_config *config, int ready, const struct options *o) {
  static struct siox__daemon d;
  struct siox_diag diag = {""};
  d.log = (struct siox__log){stderr, (enum siox__log_level)config->log_level};
  int r = siox__daemon_create(&d, config, &diag);
  if (r == 0)
    r = siox__listen(&d, config->socket, &diag);
  if (r == 0)
    r = siox__wear_open(&d);
  if (r < 0)
    siox__monitor_stop(d.monitor);
  if (r == SIOX_EEXIST) {
    if (!o->quiet)
      fprintf(stderr, "sioxd: a daemon is there already on %s\n", config->socket);
    say_ready(ready, EXIT_SUCCESS);
    return EXIT_SUCCESS;
  }
  if (r < 0) {
    fprintf(stderr, "sioxd: %s\n", *diag.text ? diag.text : siox_strerror(r));
    say_ready(ready, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  siox__log(&d.log, SIOX__LOG_INFO, "listening on %s: %u disks, policy %s", config->socket,
            d.drives.ndisks, config->policy);
  char log_path[4096];
  snprintf(log_path, sizeof log_path, "%s.log", config->socket);
  if (o->daemonize)
    let_go(log_path);
  siox__short_turns();
  say_ready(ready, EXIT_SUCCESS);
  uv_run(&d.loop, UV_RUN_DEFAULT);
  siox__daemon_destroy(&d);
  struct stat log;
  if (o->daemonize && stat(log_path, &log) == 0 && log.st_size == 0)
    unlink(log_path); /* it had nothing to say */
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  if (siox__stdio_fill() < 0)
    return EXIT_FAILURE; /* nowhere to say why */
  struct options options = {0};
  int status = parse(argc, argv, &options);
  if (status)
    return status;
  struct siox_config config;
  struct siox_diag diag = {""};
  int r = siox_config_load(&config, options.config, options.set, options.nset, &diag);
  if (r < 0) {
    fprintf(stderr, "sioxd: %s\n", *diag.text ? diag.text : siox_strerror(r));
    return EXIT_USAGE;
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a trace that grows too long is no reason to end */
  int ready = -1;
  if (options.daemonize && (ready = go_to_background()) < 0) {
    fprintf(stderr, "sioxd: cannot go to the background: %s\n", strerror(errno));
    return EXIT_FAILURE;
  }
  status = run(&config, ready, &options);
  siox_config_free(&config);
  return status;
}
