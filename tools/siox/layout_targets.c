/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which disk each storage target is. */
#include "layout.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A number and what is behind it; false: there is none. */
static bool number(const char **text, uint64_t *value) {
  char *end;
  *text += strspn(*text, " \t");
  if (**text < '0' || **text > '9')
    return false;
  errno = 0;
  *value = strtoull(*text, &end, 0);
  *text = end + strspn(end, " \t");
  return errno == 0;
}

static int read_line(const char *line, struct siox_target_range *range) {
  uint64_t disk;
  if (!number(&line, &range->first))
    return SIOX_ESYNTAX;
  range->last = range->first;
  if (*line == '-' && (line++, !number(&line, &range->last)))
    return SIOX_ESYNTAX;
  if (!number(&line, &disk) || *line)
    return SIOX_ESYNTAX;
  if (range->last < range->first || disk >= SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  range->disk = (uint32_t)disk;
  return 0;
}

int layout_targets_load(struct siox_targets *targets, const char *path, struct siox_diag *diag) {
  struct siox_target_range *range = NULL;
  char *line = NULL;
  size_t room = 0;
  int rc = 0;
  FILE *in = fopen(path, "re");
  if (!in) {
    snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, strerror(errno));
    return SIOX_ENOENT;
  }
  errno = 0;
  for (unsigned n = 1; rc == 0 && getline(&line, &room, in) >= 0; n++) {
    line[strcspn(line, "#\r\n")] = 0;
    if (!line[strspn(line, " \t")])
      continue;
    struct siox_target_range *more = realloc(range, (targets->count + 1) * sizeof *range);
    if (!more) {
      rc = SIOX_ENOMEM;
      break;
    }
    range = more;
    rc = read_line(line, &range[targets->count]);
    targets->count += rc == 0;
    if (rc)
      snprintf(diag->text, sizeof diag->text, "%.350s:%u: \"%.80s\": %s", path, n, line,
               rc == SIOX_ERANGE
                   ? "the first target comes after the last, or the disk is beyond 65535"
                   : "expected TARGET DISK or FIRST-LAST DISK");
  }
  if (rc == 0 && ferror(in)) { /* a directory opens, too */
    rc = SIOX_EIO;
    snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, strerror(errno));
  }
  free(line);
  fclose(in);
  targets->range = range;
  if (rc)
    layout_targets_free(targets);
  return rc;
}

void layout_targets_free(struct siox_targets *targets) {
  free((void *)(uintptr_t)targets->range);
  targets->range = NULL;
  targets->count = 0;
}
