/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which disk each storage target is. */
#include "common/conf/lines.h"
#include "layout.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS_MOST = 1 << 20 };

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
  struct siox__lines lines = {.in = fopen(path, "re")};
  int rc = 0, got = 0;
  if (!lines.in) {
    snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, strerror(errno));
    return SIOX_ENOENT;
  }
  while (rc == 0 && (got = siox__lines_next(&lines)) > 0) {
    char *line = lines.text;
    line[strcspn(line, "#\r\n")] = 0;
    if (!line[strspn(line, " \t")])
      continue;
    bool many = targets->count == TARGETS_MOST;
    struct siox_target_range *more =
        many ? NULL : realloc(range, (targets->count + 1) * sizeof *range);
    if (!more) {
      got = many ? SIOX_ERANGE : SIOX_ENOMEM;
      snprintf(lines.what, sizeof lines.what, "%s",
               many ? "more than 1048576 targets" : siox_strerror(got));
      break;
    }
    range = more;
    rc = read_line(line, &range[targets->count]);
    targets->count += rc == 0;
    if (rc)
      snprintf(diag->text, sizeof diag->text, "%.350s:%zu: \"%.80s\": %s", path, lines.number, line,
               rc == SIOX_ERANGE
                   ? "the first target comes after the last, or the disk is beyond 65535"
                   : "expected TARGET DISK or FIRST-LAST DISK");
  }
  if (rc == 0 && got < 0) {
    rc = got;
    if (rc == SIOX_EIO)
      snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, lines.what);
    else
      snprintf(diag->text, sizeof diag->text, "%.400s:%zu: %s", path, lines.number, lines.what);
  }
  siox__lines_free(&lines);
  fclose(lines.in);
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
