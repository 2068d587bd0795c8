/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with a command line, in one line that names it and where help is. */
#ifndef SIOX_TOOLS_CLI_SLIP_H
#define SIOX_TOOLS_CLI_SLIP_H
#include <getopt.h>

enum { SIOX__SLIP = 2 }; /* exit status of a wrong command line */

/* "siox run: WHAT; try siox run --help" on stderr. Returns SIOX__SLIP. */
int siox__slip(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for the option that getopt_long has just refused, in place of its own message of another
 * form: call getopt_long with opterr 0. argv[0] is the command's name. */
int siox__slip_option(char **argv, const struct option *known);

#endif
