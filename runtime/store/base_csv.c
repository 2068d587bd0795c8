/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CSV: a directory with a file for each kind of row, RFC 4180 with a line of names first. Rows are
 * gathered and written at the commit, whole or not at all: a file is cut back to what it was when
 * not all of it could be written. Each row of the kind run has its number; the last one of a number
 * holds. */
#include "common/url.h"
#include "store/base.h"
#include "store/trace_wire.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct csv {
  struct siox__base base;
  int directory, lock;
  int64_t last_run; /* that any row has */
  struct sheet {
    int fd; /* -1: not opened yet */
    struct siox__out out;
  } sheet[SIOX__ROW_KINDS];
};

static struct csv *of(struct siox__base *base) { return (struct csv *)base; }

static int fail(struct siox_diag *diag, const char *what) {
  snprintf(diag->text, sizeof diag->text, "%s%s%s", what, *what ? ": " : "", strerror(errno));
  return SIOX_EIO;
}

static void file_name(enum siox__row_kind kind, char name[32]) {
  size_t n = 0;
  for (const char *c = siox__tables[kind].kind; *c && n < 26; c++)
    name[n++] = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
  strcpy(name + n, ".csv");
}

/* Where the last whole line ends: a writer that was killed may have left part of one. Line ends in
 * quotes are part of a field. */
static off_t whole_lines(FILE *in) {
  off_t at = 0, end = 0;
  bool quoted = false;
  for (int c; (c = getc_unlocked(in)) != EOF;) {
    at++;
    quoted ^= c == '"';
    if (c == '\n' && !quoted)
      end = at;
  }
  return end;
}

/* The greatest first field of a line. */
enum { MOST_RUNS = 100000000 };
static int64_t last_number(FILE *in) {
  int64_t number = 0, value = 0;
  bool quoted = false, begins = true;
  rewind(in);
  for (int c; (c = getc_unlocked(in)) != EOF;) {
    quoted ^= c == '"';
    if (begins && c >= '0' && c <= '9' && value < MOST_RUNS)
      value = 10 * value + (c - '0');
    else
      begins = false;
    if (c == '\n' && !quoted) {
      number = value > number ? value : number;
      value = 0;
      begins = true;
    }
  }
  return number;
}

static int append(struct sheet *s, const char *text, size_t n) {
  siox__out_bytes(&s->out, text, n);
  return s->out.failed;
}

static int put_head(struct sheet *s, const struct siox__table *t) {
  int r = t->column[0].type == SIOX__COLUMN_SERIAL ? append(s, "run,", 4) : 0;
  bool first = true;
  for (unsigned i = 0; i < t->ncolumns && r == 0; i++) {
    if (!siox__column_is_put(&t->column[i]))
      continue;
    r = first ? 0 : append(s, ",", 1);
    first = false;
    if (r == 0)
      r = append(s, t->column[i].name, strlen(t->column[i].name));
  }
  return r < 0 ? r : append(s, "\r\n", 2);
}

/* The file of a kind, ready for more: what a writer left unfinished is cut off. */
static int open_sheet(struct csv *b, enum siox__row_kind kind, struct siox_diag *diag) {
  struct sheet *s = &b->sheet[kind];
  char name[32];
  file_name(kind, name);
  /* Where others may write into the directory, a link there leads to a file that is not ours. */
  const int how = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  struct stat st;
  s->fd = openat(b->directory, name, how, 0640);
  if ((s->fd < 0 && errno == ELOOP) ||
      (s->fd >= 0 && fstat(s->fd, &st) == 0 && !S_ISREG(st.st_mode))) {
    snprintf(diag->text, sizeof diag->text, "%s: is a link, or no file", name);
    return SIOX_EIO;
  }
  if (s->fd < 0)
    return fail(diag, name);
  int copy = dup(s->fd);
  FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
  char last = '\n';
  int r = 0;
  if (!in || fstat(s->fd, &st) < 0)
    r = fail(diag, name);
  if (r == 0 && st.st_size > 0 && pread(s->fd, &last, 1, st.st_size - 1) != 1)
    r = fail(diag, name);
  if (r == 0 && last != '\n') {
    rewind(in);
    off_t end = whole_lines(in);
    if (ferror(in) || ftruncate(s->fd, end) < 0)
      r = fail(diag, name);
    st.st_size = end;
  }
  if (r == 0 && kind == SIOX__ROW_RUN)
    b->last_run = last_number(in);
  if (r == 0 && st.st_size == 0)
    r = put_head(s, &siox__tables[kind]);
  if (in)
    fclose(in);
  else if (copy >= 0)
    close(copy);
  return r;
}

static int csv_open(struct siox__base **out, const char *where, enum siox__base_use use,
                    const struct siox__patience *patience, struct siox_diag *diag) {
  struct csv *b = calloc(1, sizeof *b);
  const char *path = where + strlen(SIOX__CSV_PREFIX);
  (void)patience; /* files answer */
  if (!b)
    return SIOX_ENOMEM;
  b->base.type = &siox__base_csv;
  b->directory = b->lock = -1;
  for (int i = 0; i < SIOX__ROW_KINDS; i++)
    b->sheet[i].fd = -1;
  *out = &b->base;
  if (gethostname(b->base.node, sizeof b->base.node - 1) < 0)
    b->base.node[0] = 0;
  if (use == SIOX__BASE_READ || use == SIOX__BASE_MIGRATE) {
    snprintf(diag->text, sizeof diag->text,
             "files of CSV are only ever added to: a database of SQLite or PostgreSQL is wanted");
    return SIOX_EINVAL;
  }
  if (mkdir(path, 0750) < 0 && errno != EEXIST)
    return fail(diag, "");
  b->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (b->directory < 0)
    return fail(diag, "");
  /* Numbers of runs and the cut ends of files are one writer's. */
  b->lock = dup(b->directory);
  if (b->lock < 0 || flock(b->lock, LOCK_EX | LOCK_NB) < 0) {
    if (errno != EWOULDBLOCK)
      return fail(diag, "");
    snprintf(diag->text, sizeof diag->text, "another one writes there");
    return SIOX_EIO;
  }
  return open_sheet(b, SIOX__ROW_RUN, diag);
}

static void csv_close(struct siox__base *base) {
  struct csv *b = of(base);
  for (int i = 0; i < SIOX__ROW_KINDS; i++) {
    free(b->sheet[i].out.data);
    if (b->sheet[i].fd >= 0)
      close(b->sheet[i].fd);
  }
  if (b->lock >= 0)
    close(b->lock);
  if (b->directory >= 0)
    close(b->directory);
  free(b);
}

static int csv_begin(struct siox__base *base, struct siox_diag *diag) {
  (void)base, (void)diag;
  return 0;
}

/* In quotes, which are doubled within; NULL is an empty field, an empty text two quotes. */
static int put_text(struct sheet *s, const char *text) {
  int r = text ? append(s, "\"", 1) : 0;
  while (text && *text && r == 0) {
    size_t n = strcspn(text, "\"");
    r = append(s, text, n);
    text += n;
    if (r == 0 && *text)
      r = append(s, "\"\"", 2), text++;
  }
  return r < 0 || !text ? r : append(s, "\"", 1);
}

static int put_number(struct sheet *s, int64_t number) {
  char text[24];
  return append(s, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)number));
}

static int put_real(struct sheet *s, double x) {
  char text[32];
  const int n = isnan(x)   ? snprintf(text, sizeof text, "nan")
                : isinf(x) ? snprintf(text, sizeof text, x > 0 ? "inf" : "-inf")
                           : snprintf(text, sizeof text, "%.17g", x);
  return append(s, text, (size_t)n);
}

static int csv_put(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
                   struct siox_diag *diag) {
  struct csv *b = of(base);
  const struct siox__table *t = &siox__tables[row->kind];
  struct sheet *s = &b->sheet[row->kind];
  int r = s->fd < 0 ? open_sheet(b, row->kind, diag) : 0, n = 0, x = 0, texts = 0;
  if (row->kind == SIOX__ROW_RUN && *run == 0)
    *run = b->last_run + 1;
  bool first = true;
  for (unsigned i = 0; i < t->ncolumns && r == 0; i++) {
    const enum siox__column_type type = t->column[i].type;
    if (type == SIOX__COLUMN_LATER)
      continue;
    r = first ? 0 : append(s, ",", 1);
    first = false;
    if (r < 0)
      break;
    if (type == SIOX__COLUMN_RUN || type == SIOX__COLUMN_SERIAL)
      r = put_number(s, *run);
    else if (type == SIOX__COLUMN_NODE)
      r = put_text(s, b->base.node);
    else if (type == SIOX__COLUMN_MAYBE && row->number[n] == SIOX__ROW_NONE)
      n++;
    else if (type == SIOX__COLUMN_MAYBE || type == SIOX__COLUMN_NUMBER)
      r = put_number(s, row->number[n++]);
    else if (type == SIOX__COLUMN_REAL)
      r = put_real(s, row->real[x++]);
    else
      r = put_text(s, row->text[texts++]);
  }
  return r < 0 ? r : append(s, "\r\n", 2);
}

static bool write_all(int fd, const char *text, size_t n) {
  while (n > 0) {
    ssize_t w = write(fd, text, n);
    if (w < 0 && errno == EINTR)
      continue;
    if (w <= 0)
      return false;
    text += w;
    n -= (size_t)w;
  }
  return true;
}

static int csv_commit(struct siox__base *base, int64_t run, int64_t batch, struct siox_diag *diag) {
  struct csv *b = of(base);
  off_t before[SIOX__ROW_KINDS];
  int r = 0, upto = 0;
  (void)batch;
  for (; upto < SIOX__ROW_KINDS && r == 0; upto++) {
    struct sheet *s = &b->sheet[upto];
    char name[32];
    struct stat st;
    if (!s->out.length)
      continue;
    file_name((enum siox__row_kind)upto, name);
    if (fstat(s->fd, &st) < 0)
      r = fail(diag, name), st.st_size = -1;
    before[upto] = st.st_size;
    if (r == 0 && !write_all(s->fd, (const char *)s->out.data, s->out.length))
      r = fail(diag, name);
  }
  for (int i = 0; i < SIOX__ROW_KINDS; i++) {
    struct sheet *s = &b->sheet[i];
    if (r < 0 && i < upto && s->out.length && before[i] >= 0)
      (void)!ftruncate(s->fd, before[i]);
    s->out.length = 0;
  }
  if (r == 0 && run > b->last_run)
    b->last_run = run;
  return r;
}

const struct siox__base_type siox__base_csv = {
    .dialect = SIOX__SQLITE,
    .open = csv_open,
    .close = csv_close,
    .begin = csv_begin,
    .put = csv_put,
    .commit = csv_commit,
};
