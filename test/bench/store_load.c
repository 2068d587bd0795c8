/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How fast the store is: rows a second into a database of each kind, beside bare loops, and what is
 * dropped when activities come faster. Started by store.py; prints a table.
 *
 *   store_load PLACE...            rows a second into each, written at once
 *   store_load --bare FILE         the same rows by a plain loop into SQLite
 *   store_load --pipeline URL      the same by prepared statements in a pipeline into PostgreSQL
 *   store_load --flood RATE PLACE  activities put at a rate for SECONDS */
#include "common/clock.h"
#include "store/base.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#ifdef SIOX_HAVE_LIBPQ
#include <libpq-fe.h>
#endif

enum { ROWS = 400000, BATCH = 4000, SECONDS = 5 };

static struct siox__store_row activity(int64_t i) {
  return (struct siox__store_row){.kind = SIOX__ROW_ACTIVITY,
                                  .number = {i % 64, 0, 1000000 * i, 1000000 * i + 250000, 7,
                                             65536 * i, 65536, 0x123456789, 1, i, 2, 0},
                                  .text = {"mpiio"}};
}

/* Wall time, and processor time of this process, which a busy machine leaves alone. */
struct times {
  int64_t wall, cpu;
};

static struct times times_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (struct times){siox__now_ns(), t.tv_sec * INT64_C(1000000000) + t.tv_nsec};
}

static void result(const char *what, int64_t rows, struct times since) {
  const struct times now = times_now();
  const double wall = (double)(now.wall - since.wall), cpu = (double)(now.cpu - since.cpu);
  printf("%-50s %9.0f rows/s, %6.2f us of processor time a row\n", what, 1e9 * (double)rows / wall,
         1e-3 * cpu / (double)rows);
}

static int die(const char *what, const char *why) {
  fprintf(stderr, "store_load: %s: %s\n", what, why);
  return 1;
}

static int fill(const char *place) {
  struct siox__base *base;
  struct siox_diag diag = {""};
  int64_t run = 0;
  const struct siox__store_row begin = {.kind = SIOX__ROW_RUN, .text = {"siox", "bench"}};
  if (siox__base_open(&base, place, SIOX__BASE_WRITE, NULL, &diag) < 0)
    return die("open", diag.text);
  const struct times start = times_now();
  for (int64_t i = 0; i < ROWS; i += BATCH) {
    int r = siox__base_begin(base, &diag);
    if (i == 0 && r == 0)
      r = siox__base_put(base, &begin, &run, &diag);
    for (int64_t k = i; k < i + BATCH && r == 0; k++) {
      const struct siox__store_row row = activity(k);
      r = siox__base_put(base, &row, &run, &diag);
    }
    if (r == 0)
      r = siox__base_commit(base, run, i / BATCH + 1, &diag);
    if (r < 0)
      return die(place, diag.text);
  }
  char what[64];
  snprintf(what, sizeof what, "store, %.40s",
           !strncmp(place, "csv:", 4)       ? "CSV"
           : !strncmp(place, "postgres", 8) ? "PostgreSQL, COPY"
                                            : "SQLite");
  result(what, ROWS, start);
  siox__base_close(base);
  return 0;
}

static int bare(const char *path) {
  sqlite3 *db;
  sqlite3_stmt *insert;
  char *tables = siox__schema_tables(SIOX__SQLITE);
  const char *sql = "INSERT INTO activity VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
  if (sqlite3_open(path, &db) ||
      sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL,
                   NULL) ||
      sqlite3_exec(db, tables, NULL, NULL, NULL) || sqlite3_prepare_v2(db, sql, -1, &insert, NULL))
    return die(path, sqlite3_errmsg(db));
  free(tables);
  const struct times start = times_now();
  for (int64_t i = 0; i < ROWS; i += BATCH) {
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (int64_t k = i; k < i + BATCH; k++) {
      const struct siox__store_row row = activity(k);
      sqlite3_bind_int64(insert, 1, 1);
      for (int n = 0; n < 12; n++)
        sqlite3_bind_int64(insert, n + 2, row.number[n]);
      sqlite3_bind_text(insert, 14, row.text[0], -1, SQLITE_STATIC);
      if (sqlite3_step(insert) != SQLITE_DONE)
        return die(path, sqlite3_errmsg(db));
      sqlite3_reset(insert);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  }
  result("bare SQLite loop", ROWS, start);
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return 0;
}

#ifdef SIOX_HAVE_LIBPQ
static int pipeline(const char *url) {
  PGconn *c = PQconnectdb(url);
  char *sql = siox__schema_insert(SIOX__ROW_ACTIVITY, SIOX__POSTGRESQL);
  PQclear(PQprepare(c, "put", sql, 0, NULL));
  free(sql);
  const struct times start = times_now();
  for (int64_t i = 0; i < ROWS; i += BATCH) {
    PQclear(PQexec(c, "BEGIN"));
    PQenterPipelineMode(c);
    PQsetnonblocking(c, 1);
    for (int64_t k = i; k < i + BATCH; k++) {
      const struct siox__store_row row = activity(k);
      char text[13][24];
      const char *value[14];
      for (int n = 0; n < 13; n++) {
        snprintf(text[n], sizeof text[n], "%lld", (long long)(n ? row.number[n - 1] : 1));
        value[n] = text[n];
      }
      value[13] = row.text[0];
      if (!PQsendQueryPrepared(c, "put", 14, value, NULL, NULL, 0))
        return die("pipeline", PQerrorMessage(c));
      PQconsumeInput(c);
    }
    PQpipelineSync(c);
    PQsetnonblocking(c, 0);
    for (bool synced = false; !synced;) {
      PGresult *r = PQgetResult(c);
      synced = r && PQresultStatus(r) == PGRES_PIPELINE_SYNC;
      if (r && PQresultStatus(r) == PGRES_FATAL_ERROR)
        return die("pipeline", PQresultErrorMessage(r));
      PQclear(r);
    }
    PQexitPipelineMode(c);
    PQclear(PQexec(c, "COMMIT"));
  }
  result("bare PostgreSQL pipeline of prepared statements", ROWS, start);
  PQfinish(c);
  return 0;
}
#else
static int pipeline(const char *url) { return die(url, "built without libpq"); }
#endif

/* Puts in bursts of a millisecond, as the daemon's loop does. */
static int flood(double rate, const char *place) {
  struct siox__store *store;
  const struct siox__log log = {NULL, SIOX__LOG_ERROR};
  if (siox__store_open(&store, place, &log) < 0)
    return die(place, "no memory");
  siox__store_put(store,
                  &(struct siox__store_row){.kind = SIOX__ROW_RUN, .text = {"siox", "bench"}});
  const int64_t start = siox__now_ns();
  int64_t put = 0, busy = 0;
  for (int64_t now; (now = siox__now_ns()) < start + SECONDS * INT64_C(1000000000);) {
    const int64_t due = (int64_t)(rate * 1e-9 * (double)(now - start));
    for (; put < due; put++) {
      const struct siox__store_row row = activity(put);
      siox__store_put(store, &row);
    }
    busy += siox__now_ns() - now;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 500000}, NULL);
  }
  const struct siox__store_counts counts = siox__store_counts(store);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const char *kind = !strncmp(place, "csv:", 4)       ? "CSV"
                     : !strncmp(place, "postgres", 8) ? "PostgreSQL"
                                                      : "SQLite";
  printf("%9.0f activities/s for %d s into %-10s: %5.1f %% dropped (%llu of %lld), %.0f ns a put, "
         "%.0f MiB\n",
         rate, SECONDS, kind, 100.0 * (double)counts.dropped / (double)put,
         (unsigned long long)counts.dropped, (long long)put, (double)busy / (double)put,
         (double)usage.ru_maxrss / 1024);
  siox__store_close(store);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--bare"))
    return bare(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "--pipeline"))
    return pipeline(argv[2]);
  if (argc == 4 && !strcmp(argv[1], "--flood"))
    return flood(strtod(argv[2], NULL), argv[3]);
  int status = argc < 2;
  for (int i = 1; i < argc && !status; i++)
    status = fill(argv[i]);
  return status;
}
