/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PostgreSQL. Rows of tables without a key, nearly all, go with COPY, in its binary form since that
 * formats no numbers; the others are prepared statements in a pipeline. Measured with
 * test/bench/store.py: docs/store.md. */
#include "store/postgres.h"
#include "store/trace_wire.h"
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct postgres {
  struct siox__base base;
  struct siox__pg pg;
  bool piping;
  bool prepared[SIOX__ROW_KINDS + 1]; /* the last: the change of a run */
  struct siox__out copy[SIOX__ROW_KINDS];
};
enum { CHANGE_RUN = SIOX__ROW_KINDS, KEEP_BYTES = 1 << 20 };

static struct postgres *of(struct siox__base *base) { return (struct postgres *)base; }

static int execute(struct postgres *b, const char *sql, struct siox_diag *diag) {
  return siox__pg_finish(&b->pg, PQsendQuery(b->pg.c, sql), NULL, NULL, NULL, diag);
}

static int postgres_open(struct siox__base **out, const char *where, enum siox__base_use use,
                         const struct siox__patience *patience, struct siox_diag *diag) {
  struct postgres *b = calloc(1, sizeof *b);
  if (!b)
    return SIOX_ENOMEM;
  b->base.type = &siox__base_postgres;
  b->pg.patience = *patience;
  *out = &b->base;
  if (gethostname(b->base.node, sizeof b->base.node - 1) < 0)
    b->base.node[0] = 0;
  int r = siox__pg_connect(&b->pg, where, diag);
  return r < 0 ? r : siox__schema_ready(&b->base, use, diag);
}

static void postgres_close(struct siox__base *base) {
  struct postgres *b = of(base);
  for (int i = 0; i < SIOX__ROW_KINDS; i++)
    free(b->copy[i].data);
  siox__pg_close(&b->pg);
  free(b);
}

static int postgres_begin(struct siox__base *base, struct siox_diag *diag) {
  return execute(of(base), "BEGIN", diag);
}

static int append(struct siox__out *buffer, const void *bytes, size_t n) {
  siox__out_bytes(buffer, bytes, n);
  return buffer->failed;
}

static int append_field(struct siox__out *buffer, const void *bytes, size_t n) {
  const uint32_t length = htobe32(bytes ? (uint32_t)n : UINT32_MAX);
  int r = append(buffer, &length, sizeof length);
  return r < 0 || !bytes ? r : append(buffer, bytes, n);
}

static int append_number(struct siox__out *buffer, uint64_t bits) {
  bits = htobe64(bits);
  return append_field(buffer, &bits, sizeof bits);
}

/* A tuple of COPY's binary form: the number of fields, and each with its length before it. */
static int append_row(struct postgres *b, const struct siox__store_row *row, int64_t run) {
  const struct siox__table *t = &siox__tables[row->kind];
  struct siox__out *buffer = &b->copy[row->kind];
  const uint16_t fields = htobe16((uint16_t)t->ncolumns);
  int r = append(buffer, &fields, sizeof fields), n = 0, x = 0, s = 0;
  uint64_t bits;
  for (unsigned i = 0; i < t->ncolumns && r == 0; i++)
    switch (t->column[i].type) {
    case SIOX__COLUMN_RUN:
      r = append_number(buffer, (uint64_t)run);
      break;
    case SIOX__COLUMN_NODE:
      r = append_field(buffer, b->base.node, strlen(b->base.node));
      break;
    case SIOX__COLUMN_MAYBE:
      if (row->number[n] == SIOX__ROW_NONE) {
        r = append_field(buffer, NULL, 0);
        n++;
        break;
      }
      /* fallthrough */
    case SIOX__COLUMN_NUMBER:
      r = append_number(buffer, (uint64_t)row->number[n++]);
      break;
    case SIOX__COLUMN_REAL:
      memcpy(&bits, &row->real[x++], sizeof bits);
      r = append_number(buffer, bits);
      break;
    case SIOX__COLUMN_TEXT:
      r = append_field(buffer, row->text[s], row->text[s] ? strlen(row->text[s]) : 0);
      s++;
      break;
    case SIOX__COLUMN_SERIAL:
    case SIOX__COLUMN_LATER:
      r = append_field(buffer, NULL, 0);
      break;
    }
  return r;
}

/* Columns of a row as texts, in the order of the statement's parameters; their number. */
enum { PARAMETERS = 20, DIGITS = 32 };
static int parameters(struct postgres *b, const struct siox__store_row *row, int64_t run,
                      const char *value[PARAMETERS], char text[PARAMETERS][DIGITS]) {
  const struct siox__table *t = &siox__tables[row->kind];
  int at = 0, n = 0, x = 0, s = 0;
  for (unsigned i = 0; i < t->ncolumns; i++) {
    const enum siox__column_type type = t->column[i].type;
    if (!siox__column_is_put(&t->column[i]))
      continue;
    value[at] = text[at];
    if (type == SIOX__COLUMN_RUN)
      snprintf(text[at], DIGITS, "%lld", (long long)run);
    else if (type == SIOX__COLUMN_NODE)
      value[at] = b->base.node;
    else if (type == SIOX__COLUMN_MAYBE && row->number[n] == SIOX__ROW_NONE)
      value[at] = NULL, n++;
    else if (type == SIOX__COLUMN_MAYBE || type == SIOX__COLUMN_NUMBER)
      snprintf(text[at], DIGITS, "%lld", (long long)row->number[n++]);
    else if (type == SIOX__COLUMN_REAL)
      snprintf(text[at], DIGITS, "%.17g", row->real[x++]);
    else
      value[at] = row->text[s++];
    at++;
  }
  return at;
}

static int end_pipeline(struct postgres *b, struct siox_diag *diag) {
  PGconn *c = b->pg.c;
  int failed = 0;
  if (!b->piping)
    return 0;
  if (!PQpipelineSync(c))
    return siox__pg_fail(&b->pg, diag);
  for (bool synced = false; !synced;) {
    PGresult *result;
    struct siox_diag later;
    int r = siox__pg_result(&b->pg, &result, failed ? &later : diag);
    failed = failed ? failed : r;
    if (r == SIOX_EGONE)
      return failed;
    synced = r == 0 && result && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    if (r == 0)
      PQclear(result);
  }
  b->piping = false;
  if (!PQexitPipelineMode(c) && !failed)
    failed = siox__pg_fail(&b->pg, diag);
  return failed;
}

static int pipe_row(struct postgres *b, const struct siox__store_row *row, int64_t run,
                    int statement, struct siox_diag *diag) {
  PGconn *c = b->pg.c;
  const char *value[PARAMETERS];
  char text[PARAMETERS][DIGITS], name[16];
  int n = parameters(b, row, run, value, text), sent = 1;
  if (statement == CHANGE_RUN) {
    snprintf(text[n], DIGITS, "%lld", (long long)run);
    value[n] = text[n];
    n++;
  }
  snprintf(name, sizeof name, "row_%d", statement);
  if (!b->piping && !PQenterPipelineMode(c))
    return siox__pg_fail(&b->pg, diag);
  b->piping = true;
  if (!b->prepared[statement]) {
    char *sql = statement == CHANGE_RUN ? siox__schema_change_run(SIOX__POSTGRESQL)
                                        : siox__schema_insert(row->kind, SIOX__POSTGRESQL);
    if (!sql)
      return SIOX_ENOMEM;
    sent = PQsendPrepare(c, name, sql, 0, NULL);
    free(sql);
    b->prepared[statement] = true;
  }
  sent = sent && PQsendQueryPrepared(c, name, n, value, NULL, NULL, 0);
  return sent ? 0 : siox__pg_fail(&b->pg, diag);
}

static int begin_run(struct postgres *b, const struct siox__store_row *row, int64_t *run,
                     struct siox_diag *diag) {
  const char *value[PARAMETERS];
  char text[PARAMETERS][DIGITS];
  int r = end_pipeline(b, diag);
  char *sql = siox__schema_insert(SIOX__ROW_RUN, SIOX__POSTGRESQL);
  const int n = parameters(b, row, *run, value, text);
  if (r == 0 && !sql)
    r = SIOX_ENOMEM;
  if (r == 0)
    r = siox__pg_finish(&b->pg, PQsendQueryParams(b->pg.c, sql, n, NULL, value, NULL, NULL, 0),
                        siox__base_take_number, run, NULL, diag);
  free(sql);
  return r;
}

static int postgres_put(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
                        struct siox_diag *diag) {
  struct postgres *b = of(base);
  const struct siox__table *t = &siox__tables[row->kind];
  if (row->kind == SIOX__ROW_RUN && *run == 0)
    return begin_run(b, row, run, diag);
  if (row->kind == SIOX__ROW_RUN)
    return pipe_row(b, row, *run, CHANGE_RUN, diag);
  if (t->change || t->repeated != SIOX__REPEATED_ADD)
    return pipe_row(b, row, *run, (int)row->kind, diag);
  return append_row(b, row, *run);
}

static int copy_rows(struct postgres *b, enum siox__row_kind kind, struct siox_diag *diag) {
  static const char head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"; /* flags and extension: none */
  static const char tail[] = "\377\377";
  struct siox__out *buffer = &b->copy[kind];
  char sql[1024];
  size_t n = (size_t)snprintf(sql, sizeof sql, "COPY \"%s\" (", siox__tables[kind].name);
  for (unsigned i = 0; i < siox__tables[kind].ncolumns; i++)
    n += (size_t)snprintf(sql + n, sizeof sql - n, "%s\"%s\"", i ? ", " : "",
                          siox__tables[kind].column[i].name);
  snprintf(sql + n, sizeof sql - n, ") FROM STDIN (FORMAT binary)");
  int r = execute(b, sql, diag);
  if (r == 0)
    r = siox__pg_copy(&b->pg, head, sizeof head - 1, diag);
  if (r == 0)
    r = siox__pg_copy(&b->pg, buffer->data, buffer->length, diag);
  if (r == 0)
    r = siox__pg_copy(&b->pg, tail, sizeof tail - 1, diag);
  if (r == 0)
    r = siox__pg_finish(&b->pg, PQputCopyEnd(b->pg.c, NULL) == 1, NULL, NULL, NULL, diag);
  return r;
}

static int postgres_commit(struct siox__base *base, int64_t run, int64_t batch,
                           struct siox_diag *diag) {
  struct postgres *b = of(base);
  int r = end_pipeline(b, diag);
  for (int i = 0; i < SIOX__ROW_KINDS && r == 0; i++)
    if (b->copy[i].length > 0)
      r = copy_rows(b, (enum siox__row_kind)i, diag);
  for (int i = 0; i < SIOX__ROW_KINDS; i++) {
    struct siox__out *buffer = &b->copy[i];
    buffer->length = 0;
    if (buffer->room > KEEP_BYTES) {
      free(buffer->data);
      *buffer = (struct siox__out){0};
    }
  }
  if (r < 0)
    return r;
  char sql[112];
  snprintf(sql, sizeof sql, "UPDATE run SET batch = %lld WHERE run = %lld; COMMIT",
           (long long)batch, (long long)run);
  r = execute(b, run && batch ? sql : "COMMIT", diag);
  return r == SIOX_EGONE ? SIOX_EUNKNOWN : r;
}

static int postgres_query(struct siox__base *base, const char *sql,
                          int (*each)(void *context, const char *const *value), void *context,
                          int64_t *changed, struct siox_diag *diag) {
  struct postgres *b = of(base);
  return siox__pg_finish(&b->pg, PQsendQuery(b->pg.c, sql), each, context, changed, diag);
}

static int take_any(void *context, const char *const *value) {
  (void)value;
  *(int *)context = 1;
  return 1;
}

static int postgres_has_table(struct siox__base *base, const char *table, struct siox_diag *diag) {
  char sql[128];
  int found = 0;
  snprintf(sql, sizeof sql, "SELECT 1 WHERE to_regclass('%.40s') IS NOT NULL", table);
  int r = postgres_query(base, sql, take_any, &found, NULL, diag);
  return r < 0 ? r : found;
}

const struct siox__base_type siox__base_postgres = {
    .dialect = SIOX__POSTGRESQL,
    .open = postgres_open,
    .close = postgres_close,
    .begin = postgres_begin,
    .put = postgres_put,
    .commit = postgres_commit,
    .query = postgres_query,
    .has_table = postgres_has_table,
};
