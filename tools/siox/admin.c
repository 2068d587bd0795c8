/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox admin: what an administrator does to a daemon that runs. The daemon decides who that is. */
#include "cli/slip.h"
#include "common/conf/text.h"
#include "disks.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox admin [--socket PATH] [--config FILE] ACTION\n"
    "\n"
    "For root and the user whose daemon it is; others are refused.\n"
    "\n"
    "  level DISKS SPEED      disks (0-15,40) go to a speed, full or lowest, and stay there\n"
    "                         whatever is claimed; auto gives them back to the policy\n"
    "  slow DISKS FACTOR SECONDS  whatever they begin in the next SECONDS takes them FACTOR times "
    "as\n"
    "                         long, as if they were failing; for trials of monitoring\n"
    "  release JOB [--uid N]  the claims of a job, as siox disks names it, are taken away: its\n"
    "                         processes go on, and are heard again when they say something new\n"
    "  drain [off]            no new process is taken in; when the last has left, the daemon ends\n"
    "  stop                   the daemon ends now, in order; programs go on without it\n"
    "\n"
    "      --socket PATH      daemon to speak to (default: setting socket)\n"
    "  -c, --config FILE      settings from FILE\n"
    "\n"
    "examples: siox admin level 0-3 full\n"
    "          siox admin level 0-3 auto\n"
    "          siox admin slow 2 5 30\n"
    "          siox admin release slurm/4711.0 --uid 1000\n"
    "          siox admin drain\n";

static json_t *list_of(const struct siox__ranges *ranges) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < ranges->count; i++)
    json_array_append_new(list, json_pack("[I, I]", (json_int_t)ranges->range[i].first,
                                          (json_int_t)ranges->range[i].last));
  return list;
}

static json_t *slow(char **argument, int count, const char **why) {
  struct siox__ranges ranges;
  char *end[2] = {"", ""};
  *why = "slow: DISKS, FACTOR and SECONDS are wanted";
  if (count != 3)
    return NULL;
  *why = "slow: disks are written like 0-15,40";
  if (siox__ranges_parse(&ranges, argument[0]) < 0)
    return NULL;
  double factor = strtod(argument[1], &end[0]), seconds = strtod(argument[2], &end[1]);
  *why = "slow: a factor is a number from 1 to 1e6, and so are seconds, or 0";
  if (end[0] == argument[1] || *end[0] || end[1] == argument[2] || *end[1] ||
      !(factor >= 1 && factor <= 1e6) || !(seconds >= 0 && seconds <= 1e6))
    return NULL;
  return json_pack("{s:s, s:o, s:f, s:f}", "ask", "slow", "disks", list_of(&ranges), "factor",
                   factor, "seconds", seconds);
}

static json_t *level(char **argument, int count, const char **why) {
  struct siox__ranges ranges;
  char *end = "";
  *why = "level: DISKS and SPEED are wanted";
  if (count != 2)
    return NULL;
  *why = "level: disks are written like 0-15,40";
  if (siox__ranges_parse(&ranges, argument[0]) < 0)
    return NULL;
  json_t *speed;
  int32_t named;
  if (siox__speed_of(argument[1], &named) || !strcmp(argument[1], SIOX__SPEED_AUTO)) {
    speed = json_string(argument[1]);
  } else {
    long number = strtol(argument[1], &end, 10);
    *why = "level: a speed is a number, full, lowest or auto";
    if (end == argument[1] || *end || number < 0 || number > INT32_MAX)
      return NULL;
    speed = json_integer(number);
  }
  return json_pack("{s:s, s:o, s:o}", "ask", "level", "disks", list_of(&ranges), "speed", speed);
}

static json_t *release(char **argument, int count, const char *uid, const char **why) {
  char *end = "";
  long number = uid ? strtol(uid, &end, 10) : 0;
  *why = count == 1 ? "--uid: a number is wanted" : "release: one JOB is wanted";
  if (count != 1 || *end || number < 0 || (uid && end == uid))
    return NULL;
  json_t *ask = json_pack("{s:s, s:s}", "ask", "release", "job", argument[0]);
  if (uid)
    json_object_set_new(ask, "uid", json_integer(number));
  return ask;
}

static json_t *question(char **argument, int count, const char *uid, const char **why) {
  const char *action = count ? argument[0] : "";
  if (!strcmp(action, "level"))
    return level(argument + 1, count - 1, why);
  if (!strcmp(action, "slow"))
    return slow(argument + 1, count - 1, why);
  if (!strcmp(action, "release"))
    return release(argument + 1, count - 1, uid, why);
  bool off = count == 2 && !strcmp(argument[1], "off");
  *why = "there is nothing to add but off to drain, and nothing to stop";
  if (!strcmp(action, "drain"))
    return count == 1 || off ? json_pack("{s:s, s:b}", "ask", "drain", "on", !off) : NULL;
  if (!strcmp(action, "stop"))
    return count == 1 ? json_pack("{s:s}", "ask", "stop") : NULL;
  *why = "an action is wanted: level, slow, release, drain or stop";
  return NULL;
}

static void tell(const char *action, const json_t *answer) {
  if (!strcmp(action, "level"))
    printf("%d disks\n", (int)json_integer_value(json_object_get(answer, "set")));
  else if (!strcmp(action, "slow"))
    printf("%d disks\n", (int)json_integer_value(json_object_get(answer, "slowed")));
  else if (!strcmp(action, "release"))
    printf("%d processes\n", (int)json_integer_value(json_object_get(answer, "processes")));
  else if (!strcmp(action, "drain"))
    printf(json_is_true(json_object_get(answer, "draining")) ? "draining, %d processes are left\n"
                                                             : "takes processes in again, has %d\n",
           (int)json_integer_value(json_object_get(answer, "clients")));
}

int siox__cmd_admin(int argc, char **argv) {
  enum { SOCKET = 256, UID };
  static const struct option known[] = {{"socket", required_argument, NULL, SOCKET},
                                        {"config", required_argument, NULL, 'c'},
                                        {"uid", required_argument, NULL, UID},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  const char *socket_path = NULL, *file = NULL, *uid = NULL, *why = "";
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":c:h", known, NULL)) != -1;)
    switch (c) {
    case SOCKET:
      socket_path = optarg;
      break;
    case 'c':
      file = optarg;
      break;
    case UID:
      uid = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 0;
    default:
      return siox__slip_option(argv, known);
    }
  json_t *ask = question(argv + optind, argc - optind, uid, &why);
  if (!ask)
    return siox__slip(argv[0], "%s", why);
  struct siox_config config;
  struct siox_diag diag = {""};
  if (siox_config_load(&config, file, NULL, 0, &diag) < 0) {
    fprintf(stderr, "siox admin: %s\n", diag.text);
    json_decref(ask);
    return SIOX__USAGE;
  }
  const char *path = socket_path ? socket_path : config.socket;
  int fd = siox__daemon_connect(path, SIOX__PATIENCE_S);
  json_t *answer = fd >= 0 ? siox__daemon_ask_about(fd, ask, &diag) : NULL;
  if (fd < 0)
    fprintf(stderr, "siox admin: %s: %s; is sioxd running there?\n", path, strerror(errno));
  else if (!answer)
    fprintf(stderr, "siox admin: %s\n", diag.text);
  else
    tell(argv[optind], answer);
  int status = answer ? EXIT_SUCCESS : EXIT_FAILURE;
  json_decref(answer);
  json_decref(ask);
  if (fd >= 0)
    close(fd);
  siox_config_free(&config);
  return status;
}
