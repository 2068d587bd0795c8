/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for PostgreSQL. No message has a password in it: libpq's about connections have none, and
 * what it says about a URL that it cannot read, which may, is not passed on. */
#include "store/postgres.h"
#include "common/clock.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
static const int64_t SLICE_NS = 200 * MS; /* between two looks at patience->end */
static const int64_t CONNECT_NS = 10000 * MS;

static void say(struct siox_diag *diag, const char *text) {
  size_t n = 0;
  for (; *text && n < sizeof diag->text - 1; text++)
    if (*text != '\n')
      diag->text[n++] = *text == '\t' ? ' ' : *text;
    else if (text[1])
      diag->text[n++] = ' ';
  diag->text[n] = 0;
}

int siox__pg_fail(struct siox__pg *pg, struct siox_diag *diag) {
  say(diag, PQerrorMessage(pg->c));
  return SIOX_EIO;
}

/* Waits for the socket until a time; 0: for ever. SIOX_EGONE with a message. */
static int wait_for(struct siox__pg *pg, short events, int64_t by, struct siox_diag *diag) {
  for (;;) {
    const int64_t now = siox__now_ns(), end = pg->patience.end ? *pg->patience.end : 0;
    if ((by && now >= by) || (end && now >= end)) {
      snprintf(diag->text, sizeof diag->text, "the server does not answer");
      return SIOX_EGONE;
    }
    const int64_t left = by && by - now < SLICE_NS ? by - now : SLICE_NS;
    struct pollfd fd = {PQsocket(pg->c), events, 0};
    const int n = poll(&fd, 1, (int)(left / MS) + 1);
    if (n > 0)
      return 0;
    if (n < 0 && errno != EINTR) {
      snprintf(diag->text, sizeof diag->text, "poll: %s", strerror(errno));
      return SIOX_EGONE;
    }
  }
}

static int64_t deadline(int64_t ns) { return ns ? siox__now_ns() + ns : 0; }

/* The URL's own connect_timeout holds, but for who has little patience and no end to it told. */
static int64_t connect_ns(struct siox__pg *pg) {
  int64_t ns = pg->patience.connect_ns ? pg->patience.connect_ns : CONNECT_NS;
  if (pg->patience.connect_ns && !pg->patience.end)
    return ns;
  PQconninfoOption *options = PQconninfo(pg->c);
  for (PQconninfoOption *o = options; o && o->keyword; o++)
    if (!strcmp(o->keyword, "connect_timeout") && o->val && atoi(o->val) > 0)
      ns = atoi(o->val) * 1000 * MS;
  PQconninfoFree(options);
  return ns;
}

static void ignore(void *unused, const PGresult *notice) { (void)unused, (void)notice; }

static int connect_by(struct siox__pg *pg, int64_t by, struct siox_diag *diag) {
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    int r = wait_for(pg, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, by, diag);
    if (r < 0)
      return r;
    state = PQconnectPoll(pg->c);
    if (state == PGRES_POLLING_FAILED)
      return siox__pg_fail(pg, diag);
  }
  return 0;
}

int siox__pg_connect(struct siox__pg *pg, const char *url, struct siox_diag *diag) {
  char *unsaid = NULL;
  PQconninfoOption *parsed = PQconninfoParse(url, &unsaid);
  PQfreemem(unsaid);
  if (!parsed) {
    snprintf(diag->text, sizeof diag->text,
             "the URL cannot be read; postgresql://USER@HOST:PORT/DATABASE?NAME=VALUE is wanted, "
             "with %%XX for characters that have a meaning there");
    return SIOX_ESYNTAX;
  }
  PQconninfoFree(parsed);
  /* What comes behind dbname wins over the URL, what falls back does not. */
  const char *const names[] = {"fallback_application_name", "dbname", "client_encoding", NULL};
  const char *const values[] = {"siox", url, "UTF8", NULL};
  pg->c = PQconnectStartParams(names, values, 1);
  if (!pg->c)
    return SIOX_ENOMEM;
  if (PQstatus(pg->c) == CONNECTION_BAD)
    return siox__pg_fail(pg, diag);
  PQsetNoticeReceiver(pg->c, ignore, NULL);
  int r = connect_by(pg, siox__now_ns() + connect_ns(pg), diag);
  if (r == 0 && PQsetnonblocking(pg->c, 1) < 0)
    r = siox__pg_fail(pg, diag);
  /* The server ends what nobody waits for any longer. */
  char sql[96];
  snprintf(sql, sizeof sql, "SET statement_timeout = %lld",
           (long long)(pg->patience.statement_ns / MS));
  if (r == 0 && pg->patience.statement_ns)
    r = siox__pg_finish(pg, PQsendQuery(pg->c, sql), NULL, NULL, NULL, diag);
  return r;
}

void siox__pg_close(struct siox__pg *pg) {
  PQfinish(pg->c);
  pg->c = NULL;
}

/* Until all that was given to libpq is with the kernel; answers are taken meanwhile. */
static int flush(struct siox__pg *pg, int64_t by, struct siox_diag *diag) {
  for (int left; (left = PQflush(pg->c)) != 0;) {
    if (left < 0 || !PQconsumeInput(pg->c)) {
      siox__pg_fail(pg, diag);
      return SIOX_EGONE;
    }
    int r = wait_for(pg, POLLIN | POLLOUT, by, diag);
    if (r < 0)
      return r;
  }
  return 0;
}

/* SQLSTATE classes: 22 data exception, 23 integrity, 54 limits of the program. */
static int blame(const PGresult *result) {
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (!state)
    return SIOX_EGONE; /* libpq made it: the connection is lost */
  return !strncmp(state, "22", 2) || !strncmp(state, "23", 2) || !strncmp(state, "54", 2)
             ? SIOX_EINVAL
             : SIOX_EIO;
}

int siox__pg_result(struct siox__pg *pg, PGresult **result, struct siox_diag *diag) {
  const int64_t by = deadline(pg->patience.statement_ns);
  int r = flush(pg, by, diag);
  *result = NULL;
  while (r == 0 && PQisBusy(pg->c)) {
    r = wait_for(pg, POLLIN, by, diag);
    if (r == 0 && !PQconsumeInput(pg->c)) {
      siox__pg_fail(pg, diag);
      r = SIOX_EGONE;
    }
  }
  if (r < 0)
    return r;
  PGresult *got = PQgetResult(pg->c);
  const ExecStatusType status = PQresultStatus(got);
  if (got && (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE)) {
    say(diag, PQresultErrorMessage(got));
    r = blame(got);
    PQclear(got);
    return r;
  }
  if (!got && PQstatus(pg->c) != CONNECTION_OK) {
    siox__pg_fail(pg, diag);
    return SIOX_EGONE;
  }
  *result = got;
  return 0;
}

static int give_rows(const PGresult *result, int (*each)(void *context, const char *const *value),
                     void *context) {
  enum { COLUMNS = 32 };
  for (int i = 0; i < PQntuples(result); i++) {
    const char *value[COLUMNS] = {NULL};
    for (int k = 0; k < PQnfields(result) && k < COLUMNS; k++)
      value[k] = PQgetisnull(result, i, k) ? NULL : PQgetvalue(result, i, k);
    if (each(context, value))
      return 1;
  }
  return 0;
}

int siox__pg_finish(struct siox__pg *pg, int sent,
                    int (*each)(void *context, const char *const *value), void *context,
                    int64_t *changed, struct siox_diag *diag) {
  if (!sent)
    return siox__pg_fail(pg, diag);
  PGresult *result, *last = NULL;
  int failed = 0, r;
  /* After an error the rest of the statement's results is still to be taken. */
  while ((r = siox__pg_result(pg, &result, diag)) < 0 || result) {
    failed = failed ? failed : r;
    if (r == SIOX_EGONE)
      break;
    if (r < 0)
      continue;
    PQclear(last);
    last = result;
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COPY_IN) /* has no further result before the data */
      break;
  }
  if (!failed && last && each)
    give_rows(last, each, context);
  if (!failed && last && changed)
    *changed = strtoll(PQcmdTuples(last), NULL, 10);
  PQclear(last);
  return failed;
}

int siox__pg_copy(struct siox__pg *pg, const void *data, size_t bytes, struct siox_diag *diag) {
  const int64_t by = deadline(pg->patience.statement_ns);
  for (size_t at = 0; at < bytes;) {
    const size_t part = bytes - at < 65536 ? bytes - at : 65536;
    const int put = PQputCopyData(pg->c, (const char *)data + at, (int)part);
    if (put < 0)
      return siox__pg_fail(pg, diag);
    at += put > 0 ? part : 0;
    int r = put == 0 ? wait_for(pg, POLLIN | POLLOUT, by, diag) : 0;
    if (r == 0 && put == 0 && PQflush(pg->c) < 0)
      r = siox__pg_fail(pg, diag);
    if (r < 0)
      return r;
  }
  return 0;
}
