/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox: finds the command and hands over. */
#include "cli/slip.h"
#include "common/stdio.h"
#include "siox_tool.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *help;
  int (*run)(int argc, char **argv);
} commands[] = {
#define SIOX_COMMAND(name, help) {#name, help, siox__cmd_##name},
#include "commands.def"
#undef SIOX_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *out) {
  fputs("usage: siox COMMAND [options]\n\n", out);
  for (int i = 0; i < COMMANDS; i++)
    fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
  fputs("\nexample: siox run --config share/siox.yaml -- mpiexec -n 2 ./solver /tmp/siox/input\n",
        out);
  fputs("\nsiox COMMAND --help explains a command. Settings: sioxd --help. Version: siox "
        "--version.\n",
        out);
}

/* A full disk under stdout is an error of every command that had none of its own. */
static int written(int status) {
  bool lost = fflush(stdout) != 0 || ferror(stdout);
  if (status || !lost)
    return status;
  fputs("siox: standard output cannot be written\n", stderr);
  return 1;
}

/* Where it was closed nothing may be written either: not into /dev/null, as if it had been kept. */
static int fill(void) {
  bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
  int fd, rc = siox__stdio_fill();
  if (rc < 0 || !closed)
    return rc;
  if ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
    return -1;
  rc = dup2(fd, STDOUT_FILENO);
  close(fd);
  return rc;
}

int main(int argc, char **argv) {
  if (fill() < 0)
    return 1; /* nowhere to say why */
  const char *name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    help(stdout);
    return written(0);
  }
  if (!strcmp(name, "--version")) {
    puts("siox " SIOX_VERSION);
    return written(0);
  }
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(name, commands[i].name)) {
      char called[32]; /* what getopt begins its messages with */
      snprintf(called, sizeof called, "siox %s", name);
      argv[1] = called;
      return written(commands[i].run(argc - 1, argv + 1));
    }
  if (*name == '-')
    return siox__slip("siox", "no option %s", name);
  if (*name)
    return siox__slip("siox", "there is no command \"%s\"", name);
  help(stderr);
  return SIOX__USAGE;
}
