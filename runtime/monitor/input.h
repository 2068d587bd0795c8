/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small files below a root, as providers read them: /sys and /proc of a machine or of a captured
 * tree. */
#ifndef SIOX_MONITOR_INPUT_H
#define SIOX_MONITOR_INPUT_H
#include "siox/provider.h"
#include <stdbool.h>

/* The beginning of a file, NUL-terminated, without white space at its end: its length, or
 * SIOX_ENOENT, SIOX_EPERM, SIOX_EIO; SIOX_ERANGE where more than size - 1 bytes are there (cut). */
int siox__input_text(const char *root, const char *path, char *text, size_t size);
/* The whole file, for the caller to free; at most 16 MiB. */
int siox__input_all(const char *root, const char *path, char **text, size_t *length);
/* A file that is one decimal number; SIOX_ESYNTAX. */
int siox__input_u64(const char *root, const char *path, uint64_t *value);
/* Names in a directory in order of number and letter ("cpu2" before "cpu10"), without "." and "..",
 * for siox__input_names_free. */
int siox__input_names(const char *root, const char *path, char ***names, size_t *n);
void siox__input_names_free(char **names, size_t n);

/* A descriptor for reading the same file again and again: opened once, read at its beginning. Opens
 * it again where the file was replaced (a captured tree that a test writes anew) or went away and
 * came back. */
struct siox__input {
  char path[256]; /* with the root */
  int fd;         /* -1: not open */
  bool own;       /* of the machine itself: reading what went away fails there */
};
/* SIOX_ERANGE: the path is too long. Nothing is opened yet. */
int siox__input_at(struct siox__input *in, const char *root, const char *path);
int siox__input_again(struct siox__input *in, char *text, size_t size);
int siox__input_again_u64(struct siox__input *in, uint64_t *value);
void siox__input_close(struct siox__input *in);

/* Decimal digits at *at, which goes behind them; false: there are none, or more than 64 bits. */
bool siox__input_number(const char **at, uint64_t *value);
/* A source that is one readable file. */
void siox__probe_file(const struct siox_provider_env *env, const char *path,
                      struct siox_probe *probe);
/* The code for errno. */
int siox__input_error(int number);
/* The value of a setting; NULL: not set. Unknown settings are an error with file and line: list the
 * known ones, NULL last. */
const char *siox__setting(const struct siox_provider_env *env, const char *key);
int siox__settings_known(const struct siox_provider_env *env, const char *provider,
                         const char *const *known, struct siox_diag *diag);

/* A file that monitor.yaml names: relative to the directory of origin, the file that names it, as
 * it is for all settings. SIOX_ERANGE: it is too long. */
int siox__beside(const char *origin, const char *path, char *out, size_t size);

#endif
