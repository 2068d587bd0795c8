/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox disks: the daemon's disks now. */
#include "siox_tool.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox disks [--json] [--socket PATH] [--config FILE]\n"
    "\n"
    "Shows each disk of the daemon: drive, speed, target, transitions, joules (estimated by\n"
    "the drive's profile), the claims on it and its last error.\n"
    "\n"
    "  --json         the daemon's answer as it is\n"
    "  --socket PATH  daemon to ask (default: setting socket)\n"
    "  --config FILE  settings from FILE\n"
    "\n"
    "example: siox disks --json | python3 -m json.tool\n";

static void print_claims(const json_t *claims) {
  size_t i;
  json_t *c;
  json_array_foreach(claims, i, c) {
    printf("%s%s:%d %s %d", i ? ", " : "  ", json_string_value(json_object_get(c, "job")),
           (int)json_integer_value(json_object_get(c, "rank")),
           json_is_true(json_object_get(c, "needed")) ? "needs" : "releases to",
           (int)json_integer_value(json_object_get(c, "speed")));
  }
}

static void print(const json_t *status) {
  printf("%5s  %-12s %7s %7s %6s %12s  %-10s  claims\n", "disk", "drive", "speed", "target",
         "moves", "joules", "last error");
  size_t i;
  json_t *d;
  json_array_foreach(json_object_get(status, "disks"), i, d) {
    const char *error = json_string_value(json_object_get(d, "last_error"));
    printf("%5d  %-12s %6d%s %7d %6d %12.3f  %-10s",
           (int)json_integer_value(json_object_get(d, "disk")),
           json_string_value(json_object_get(d, "drive")),
           (int)json_integer_value(json_object_get(d, "speed")),
           json_is_true(json_object_get(d, "moving")) ? "~" : " ",
           (int)json_integer_value(json_object_get(d, "target")),
           (int)(json_integer_value(json_object_get(d, "transitions_up")) +
                 json_integer_value(json_object_get(d, "transitions_down"))),
           json_real_value(json_object_get(json_object_get(d, "joules"), "total")),
           error ? error : "-");
    print_claims(json_object_get(d, "claims"));
    putchar('\n');
  }
  printf("policy %s, %d clients, joules since the first client; ~ is changing\n",
         json_string_value(json_object_get(status, "policy")),
         (int)json_integer_value(json_object_get(status, "clients")));
}

int siox__cmd_disks(int argc, char **argv) {
  static const struct option known[] = {{"json", no_argument, NULL, 'j'},
                                        {"socket", required_argument, NULL, 's'},
                                        {"config", required_argument, NULL, 'c'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  bool json = false;
  const char *socket_path = NULL, *file = NULL;
  for (int c; (c = getopt_long(argc, argv, "hc:", known, NULL)) != -1;)
    switch (c) {
    case 'j':
      json = true;
      break;
    case 's':
      socket_path = optarg;
      break;
    case 'c':
      file = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 0;
    default:
      fputs(usage, stderr);
      return SIOX__USAGE;
    }
  struct siox_config config;
  struct siox_diag diag = {""};
  int r = siox_config_load(&config, file, NULL, 0, &diag);
  if (r < 0) {
    fprintf(stderr, "siox disks: %s\n", diag.text);
    return SIOX__USAGE;
  }
  int status = EXIT_FAILURE, fd = siox__daemon_connect(socket_path ? socket_path : config.socket);
  json_t *answer = fd >= 0 ? siox__daemon_ask(fd, "status", &diag) : NULL;
  if (fd < 0)
    fprintf(stderr, "siox disks: %s: %s; is sioxd running there?\n",
            socket_path ? socket_path : config.socket, strerror(errno));
  else if (!answer)
    fprintf(stderr, "siox disks: %s\n", diag.text);
  else {
    status = EXIT_SUCCESS;
    if (json) {
      json_dumpf(answer, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
      putchar('\n');
    } else {
      print(answer);
    }
  }
  json_decref(answer);
  if (fd >= 0)
    close(fd);
  siox_config_free(&config);
  return status;
}
