/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox disks: the daemon's disks and jobs now, once or again and again. */
#include "disks.h"
#include "cli/slip.h"
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox disks [--watch[=SECONDS]] [--disk LIST] [--all] [--json]\n"
    "                  [--socket PATH] [--config FILE]\n"
    "\n"
    "Shows each disk of the daemon: drive, speed, target, speed changes since the start and "
    "today,\n"
    "what is left of the day's slow-downs that wear, joules (estimated by the drive's profile), "
    "and\n"
    "who claims it: job:ranks of a user, what speed they need, or release it to, and in how many\n"
    "seconds they need it. Then the jobs that have processes now. Neighbours that are alike are "
    "one\n"
    "line.\n"
    "\n"
    "  -w, --watch[=SECONDS]  again every second, or so often, until it is interrupted\n"
    "  -d, --disk LIST        only these, for example 0-15,40\n"
    "  -a, --all              one line a disk\n"
    "      --json             as JSON; with --watch a line each time\n"
    "      --socket PATH      daemon to ask (default: setting socket)\n"
    "  -c, --config FILE      settings from FILE\n"
    "\n"
    "~ speed is changing, ! an administrator has set it (siox admin level)\n"
    "\n"
    "examples: siox disks --watch\n"
    "          siox disks --json --disk 0-3 | python3 -m json.tool\n";

struct options {
  bool json, all, watch;
  double seconds;
  const char *socket, *config;
  struct siox__ranges disks;
};

static volatile sig_atomic_t ended;
static void on_end(int number) {
  (void)number;
  ended = 1;
}

static int parse(int argc, char **argv, struct options *o) {
  enum { JSON = 256, SOCKET };
  static const struct option known[] = {{"json", no_argument, NULL, JSON},
                                        {"watch", optional_argument, NULL, 'w'},
                                        {"disk", required_argument, NULL, 'd'},
                                        {"all", no_argument, NULL, 'a'},
                                        {"socket", required_argument, NULL, SOCKET},
                                        {"config", required_argument, NULL, 'c'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  char *end = NULL;
  o->seconds = 1;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":w::d:ahc:", known, NULL)) != -1;)
    switch (c) {
    case JSON:
      o->json = true;
      break;
    case 'w':
      o->watch = true;
      if (optarg && (!((o->seconds = strtod(optarg, &end)) >= 0.01) || *end || o->seconds > 1e6)) {
        fprintf(stderr, "siox disks: --watch: \"%s\": seconds from 0.01 on are wanted\n", optarg);
        return SIOX__USAGE + 1;
      }
      break;
    case 'd':
      if (siox__ranges_parse(&o->disks, optarg) < 0) {
        fprintf(stderr, "siox disks: --disk: \"%s\": a list like 0-15,40 is wanted\n", optarg);
        return SIOX__USAGE + 1;
      }
      break;
    case 'a':
      o->all = true;
      break;
    case SOCKET:
      o->socket = optarg;
      break;
    case 'c':
      o->config = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 1;
    default:
      return siox__slip_option(argv, known) + 1;
    }
  if (optind < argc)
    return siox__slip(argv[0], "\"%s\": no such argument", argv[optind]) + 1;
  return 0;
}

/* One page after the other of the answer to ask; each has `list`. False: diag says why. */
static bool pages(int fd, const char *ask, const char *list, uint32_t first, uint32_t last,
                  json_t **out, struct siox_diag *diag) {
  for (json_int_t next = first; next <= (json_int_t)last;) {
    json_int_t left = (json_int_t)last - next + 1;
    json_t *question = json_pack("{s:s, s:I, s:I}", "ask", ask, "first", next, "count",
                                 left < 65536 ? left : 65536);
    json_t *page = siox__daemon_ask_about(fd, question, diag);
    json_decref(question);
    if (!page)
      return false;
    json_t *more = json_object_get(page, "next");
    json_int_t at = json_is_integer(more) ? json_integer_value(more) : (json_int_t)UINT32_MAX + 1;
    if (!*out) {
      *out = page;
    } else {
      json_array_extend(json_object_get(*out, list), json_object_get(page, list));
      json_decref(page);
    }
    if (at <= next)
      break; /* a daemon that goes nowhere */
    next = at;
  }
  return true;
}

static json_t *fetch(int fd, const struct options *o, struct siox_diag *diag) {
  json_t *all = NULL, *jobs = NULL;
  bool good = true;
  static const struct siox__ranges every = {.count = 1, .range = {{0, UINT32_MAX - 1}}};
  const struct siox__ranges *wanted = o->disks.count ? &o->disks : &every;
  for (uint32_t i = 0; i < wanted->count && good; i++)
    good = pages(fd, "disks", "disks", wanted->range[i].first, wanted->range[i].last, &all, diag);
  good = good && pages(fd, "jobs", "jobs", 0, UINT32_MAX - 1, &jobs, diag);
  if (good) {
    json_object_set(all, "jobs", json_object_get(jobs, "jobs"));
    json_object_set(all, "unattributed", json_object_get(jobs, "unattributed"));
    json_object_set(all, "forgotten", json_object_get(jobs, "forgotten"));
    json_object_del(all, "next");
  } else {
    json_decref(all);
    all = NULL;
  }
  json_decref(jobs);
  return all;
}

/* On a terminal each picture takes the place of the one before, as far as there is room. */
static void draw(const char *text, bool terminal) {
  struct winsize size = {.ws_row = 24};
  if (!terminal) {
    fputs(text, stdout);
    putchar('\n');
    fflush(stdout);
    return;
  }
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  fputs("\033[H", stdout);
  int row = 1;
  for (const char *end; *text && (end = strchr(text, '\n')); text = end + 1, row++) {
    if (row + 1 >= size.ws_row && strchr(end + 1, '\n')) {
      fputs("... more than fits here: --disk LIST\033[K\n", stdout);
      break;
    }
    fwrite(text, 1, (size_t)(end - text), stdout);
    fputs("\033[K\n", stdout);
  }
  fputs("\033[J", stdout);
  fflush(stdout);
}

static void show(const json_t *answer, const struct options *o, bool terminal) {
  if (o->json) {
    json_dumpf(answer, stdout,
               JSON_REAL_PRECISION(17) | (o->watch ? JSON_COMPACT : JSON_INDENT(1)));
    putchar('\n');
    fflush(stdout);
    return;
  }
  char *text = NULL;
  size_t bytes = 0;
  FILE *page = open_memstream(&text, &bytes);
  if (!page)
    return;
  siox__disks_print(page, answer, o->all);
  fclose(page);
  if (o->watch)
    draw(text, terminal);
  else
    fputs(text, stdout);
  free(text);
}

static void rest(double seconds) {
  struct timespec time = {.tv_sec = (time_t)seconds};
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL); /* a signal ends it */
}

static int watch(const char *socket_path, const struct options *o) {
  struct sigaction action = {.sa_handler = on_end};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  bool terminal = isatty(STDOUT_FILENO) && !o->json, away = false, ever = false;
  if (terminal)
    fputs("\033[2J", stdout);
  int fd = -1;
  for (; !ended; rest(o->seconds)) {
    struct siox_diag diag = {""};
    if (fd < 0)
      fd = siox__daemon_connect(socket_path, SIOX__PATIENCE_S);
    const struct timeval patience = {.tv_sec = 5};
    if (fd >= 0)
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    json_t *answer = fd >= 0 ? fetch(fd, o, &diag) : NULL;
    if (answer) {
      if (away)
        fprintf(stderr, "siox disks: the daemon on %s is %s\n", socket_path,
                ever ? "back" : "there");
      away = false;
      ever = true;
      show(answer, o, terminal);
      json_decref(answer);
      if (ferror(stdout))
        break;
      continue;
    }
    if (fd >= 0)
      close(fd);
    fd = -1;
    if (!away && !ended)
      fprintf(stderr, "siox disks: the daemon on %s is %s; waiting for it\n", socket_path,
              ever ? "gone" : "not there");
    away = true;
  }
  if (fd >= 0)
    close(fd);
  return EXIT_SUCCESS;
}

static int once(const char *socket_path, const struct options *o) {
  struct siox_diag diag = {""};
  int fd = siox__daemon_connect(socket_path, SIOX__PATIENCE_S);
  if (fd < 0) {
    fprintf(stderr, "siox disks: %s: %s; is sioxd running there?\n", socket_path, strerror(errno));
    return EXIT_FAILURE;
  }
  json_t *answer = fetch(fd, o, &diag);
  close(fd);
  if (!answer) {
    fprintf(stderr, "siox disks: %s\n", diag.text);
    return EXIT_FAILURE;
  }
  int status = EXIT_SUCCESS;
  if (o->disks.count && !json_array_size(json_object_get(answer, "disks"))) {
    fprintf(stderr, "siox disks: --disk: the last disk is %d\n",
            (int)json_integer_value(json_object_get(answer, "ndisks")) - 1);
    status = EXIT_FAILURE;
  } else {
    show(answer, o, false);
  }
  json_decref(answer);
  return status;
}

int siox__cmd_disks(int argc, char **argv) {
  static struct options o;
  int r = parse(argc, argv, &o);
  if (r)
    return r - 1;
  struct siox_config config;
  struct siox_diag diag = {""};
  if (siox_config_load(&config, o.config, NULL, 0, &diag) < 0) {
    fprintf(stderr, "siox disks: %s\n", diag.text);
    return SIOX__USAGE;
  }
  const char *path = o.socket ? o.socket : config.socket;
  r = o.watch ? watch(path, &o) : once(path, &o);
  siox_config_free(&config);
  return r;
}
