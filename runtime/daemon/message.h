/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checking what a peer sent before anything of it is used. Pure; wire.h has the formats. */
#ifndef SIOX_DAEMON_MESSAGE_H
#define SIOX_DAEMON_MESSAGE_H
#include "common/wire.h"
#include <stddef.h>

/* A checked packet. Pointers lead into the packet; texts are not NUL-terminated but contain no NUL.
 */
struct siox__message {
  struct siox_msg_head head;
  union {
    struct siox_msg_hello hello; /* a copy: it may have been shorter */
    struct {
      const struct siox_msg_open *head;
      const char *path, *layout;
    } open;
    const struct siox_msg_io *io;
    const struct siox_msg_drive *drive;
    struct {
      const struct siox_claim_header *head;
      const struct siox_claim_run *runs;
    } claim;
    struct {
      const char *text;
      size_t length;
    } control;
  } u;
};

/* packet is 8-byte aligned. 0, SIOX_EPROTO or SIOX_EVERSION, with *why a constant text naming the
 * field. */
int siox__message_check(const void *packet, size_t bytes, struct siox__message *out,
                        const char **why);

/* A checked ring record (siox__ring_get has checked its length against the ring). */
struct siox__record {
  struct siox_rec_head head;
  union {
    struct {
      const struct siox_claim_header *head;
      const struct siox_claim_run *runs;
    } claim;
    struct {
      const struct siox_rec_site *head;
      const char *file, *function, *call;
    } site;
    struct siox_rec_call call; /* a copy: it may have been shorter */
    const struct siox_rec_sync *sync;
    const struct siox_rec_message *message;
    const struct siox_rec_wait *wait;
    const struct siox_rec_missing *missing;
    const struct siox_rec_enter *enter;
    struct {
      const struct siox_rec_opened *head;
      const char *hints; /* without an end */
    } opened;
    const struct siox_rec_posix *posix;
  } u;
};
int siox__record_check(const void *record, size_t bytes, struct siox__record *out,
                       const char **why);

#endif
