/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that commands write: whole under their name, or what was there before stays. */
#ifndef SIOX_TOOLS_OUTPUT_H
#define SIOX_TOOLS_OUTPUT_H
#include <stdbool.h>
#include <stdio.h>

/* Written beside its place and put there at the end. A device, a pipe, or a file in a directory
 * that takes no new ones is written where it is. */
struct siox__output {
  FILE *file;
  char *path, *part; /* part NULL: written in its place */
};
/* 0, or -1 with errno. */
int siox__output_open(struct siox__output *o, const char *path);
/* Where the bytes go until then, for who opens it again. */
const char *siox__output_place(const struct siox__output *o);
/* Ends it; not good, or when writing failed: nothing is left of it. 0, or -1 with errno, as -1 for
 * what was not good. */
int siox__output_close(struct siox__output *o, bool good);
/* Opens, lets write say it all (0, or SIOX_E…), and ends it. 0, or 1 after a message on stderr that
 * begins with command. */
int siox__output_write(const char *command, const char *path,
                       int (*write)(void *context, FILE *out), void *context);
/* The same for the file `name` of a directory. */
int siox__output_write_in(const char *command, const char *directory, const char *name,
                          int (*write)(void *context, FILE *out), void *context);

/* Before anything long runs: whether path can be opened for that. False after a message. */
bool siox__output_possible(const char *command, const char *path);

/* A directory that is there already is one, too, if it takes files. 0, or 1 after a message. */
int siox__output_directory(const char *command, const char *path);

/* How a file names a path that lies below its own directory; any other path is as it was given. */
const char *siox__seen_from(const char *file, const char *path);

/* Whether both paths lead to one file that is there. Devices and pipes are nobody's content. */
bool siox__same_file(const char *a, const char *b);

#endif
