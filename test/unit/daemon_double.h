/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The other end of wire.h for tests of libsiox: a thread that welcomes connections, keeps what it
 * is told and answers as the test wants. It shares no code with sioxd, so that what a client sends
 * is judged by the header alone. */
#ifndef SIOX_TEST_UNIT_DAEMON_DOUBLE_H
#define SIOX_TEST_UNIT_DAEMON_DOUBLE_H
#include "common/tally.h"
#include "common/wire.h"
#include "siox/drive.h"
#include <stdbool.h>

#define DOUBLE_FILE 7 /* number given to every file */

struct double_message {
  uint16_t type;
  int connection;  /* 0 is the first */
  uint32_t length; /* of body */
  unsigned char body[4096];
};

struct double_options {
  uint32_t ndisks, lead_kind, ring_bytes;
  int64_t lead_ns, min_gap_ns;
  bool first_of_job;
  const char *layout; /* answered to every open */
};

/* Makes a temporary directory with a socket and a mount and points SIOX_SOCKET at it. */
void double_start(const struct double_options *options);
void double_stop(void);
const char *double_mount(void);
void double_delay(int64_t ns);   /* completions lie so far behind arrivals */
void double_silent(bool silent); /* takes messages, answers none */
void double_hang_up(void);       /* closes all connections */
void double_forget(void);        /* starts counting anew */
/* How many messages of a type came since, and the last of them. */
int double_count(uint16_t type, struct double_message *last);
/* Next record of a connection's ring: its bytes, 0 when empty. */
int double_record(int connection, void *buffer, size_t size);
/* Hints that a connection's client says its program gave. */
uint64_t double_issued(int connection);
/* Leaves only so little of the ring free that no record fits, or gives it back. */
void double_clog(int connection, bool clog);
int double_connections(void);
/* What came along with a connection's HELLO: its seals, -1: nothing; mapped as sioxd does. */
const struct siox_tally *double_tally(int connection, int *seals);

#endif
