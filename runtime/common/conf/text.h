/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values from text, for files, environment and command line alike. Each returns 0, SIOX_EINVAL or
 * SIOX_ERANGE with the reason in what; the caller adds the place. Pure. */
#ifndef SIOX_RUNTIME_COMMON_CONF_TEXT_H
#define SIOX_RUNTIME_COMMON_CONF_TEXT_H
#include <stddef.h>

/* A finite decimal number in [low, high]. */
int siox__text_number(const char *text, double low, double high, double *value, char *what,
                      size_t size);
/* The same without a fraction. */
int siox__text_integer(const char *text, long low, long high, long *value, char *what, size_t size);

#endif
