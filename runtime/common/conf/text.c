/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values from text; see text.h. Numbers are read independent of the locale's decimal point. */
#include "common/conf/text.h"
#include "siox/drive.h"
#include "siox/error.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits, point, exponent and sign only: strtod would also take 0x10, inf and nan. */
static int is_decimal(const char *text) {
  return *text && text[strspn(text, "0123456789+-.eE")] == '\0';
}

int siox__text_number(const char *text, double low, double high, double *value, char *what,
                      size_t size) {
  char *end = NULL;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double v = c ? strtod_l(text, &end, c) : strtod(text, &end);
  if (c)
    freelocale(c);
  if (!is_decimal(text) || end == text || *end || !isfinite(v)) {
    snprintf(what, size, "\"%.80s\" is not a number", text);
    return SIOX_EINVAL;
  }
  if (v < low || v > high) {
    if (isfinite(high))
      snprintf(what, size, "%.80s is not between %.12g and %.12g", text, low, high);
    else
      snprintf(what, size, "%.80s is less than %.12g", text, low);
    return SIOX_ERANGE;
  }
  *value = v;
  return 0;
}

int siox__text_integer(const char *text, long low, long high, long *value, char *what,
                       size_t size) {
  char *end;
  errno = 0;
  long v = strtol(text, &end, 10);
  if (!is_decimal(text) || end == text || *end) {
    snprintf(what, size, "\"%.80s\" is not a whole number", text);
    return SIOX_EINVAL;
  }
  if (errno == ERANGE || v < low || v > high) {
    snprintf(what, size, "%.80s is not between %ld and %ld", text, low, high);
    return SIOX_ERANGE;
  }
  *value = v;
  return 0;
}

static const struct {
  const char *name;
  int32_t speed;
} named[] = {{"full", SIOX_SPEED_FULL}, {"lowest", SIOX_SPEED_LOWEST}};

bool siox__speed_of(const char *name, int32_t *speed) {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (!strcmp(named[i].name, name)) {
      *speed = named[i].speed;
      return true;
    }
  return false;
}

const char *siox__speed_name(int32_t speed) {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (named[i].speed == speed)
      return named[i].name;
  return NULL;
}
