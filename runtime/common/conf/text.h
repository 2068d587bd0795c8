/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values from text, for files, environment and command line alike. Each returns 0, SIOX_EINVAL or
 * SIOX_ERANGE with the reason in what; the caller adds the place. Pure. */
#ifndef SIOX_COMMON_CONF_TEXT_H
#define SIOX_COMMON_CONF_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finite decimal number in [low, high]. */
int siox__text_number(const char *text, double low, double high, double *value, char *what,
                      size_t size);
/* The same without a fraction. */
int siox__text_integer(const char *text, long low, long high, long *value, char *what, size_t size);

/* The speeds that have names, full and lowest (SIOX_SPEED_FULL, SIOX_SPEED_LOWEST). False: there is
 * none of this name; *speed stays. */
bool siox__speed_of(const char *name, int32_t *speed);
const char *siox__speed_name(int32_t speed); /* NULL: a number */
/* What gives a disk whose level an administrator set back to the policy. */
#define SIOX__SPEED_AUTO "auto"

#endif
