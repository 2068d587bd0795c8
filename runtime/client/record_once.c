/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said once a connection: of which place in the program a key is, and what could not be
 * recorded. */
#include "client/client.h"
#include <string.h>

/* Keys of sites already sent on this connection; a full table only means that some are sent again.
 */
#define NSITES 4096
static _Atomic uint64_t sent[NSITES];
static _Atomic uint32_t sent_connection;
static _Atomic uint32_t missing_said;

uint64_t siox__record_site(const struct siox_site *site) {
  if (!site)
    return 0;
  if (!siox__wanted(SIOX_WANT_MPI | SIOX_WANT_POSIX))
    return site->key;
  uint32_t connection = atomic_load(&siox__client.connection);
  if (atomic_load_explicit(&sent_connection, memory_order_relaxed) != connection) {
    for (size_t i = 0; i < NSITES; i++)
      atomic_store(&sent[i], 0);
    atomic_store(&sent_connection, connection);
  }
  _Atomic uint64_t *slot = &sent[(site->key ^ site->key >> 32) % NSITES];
  if (atomic_load_explicit(slot, memory_order_relaxed) == site->key)
    return site->key;
  struct {
    struct siox_rec_site fixed;
    char text[768];
  } record = {.fixed = {.key = site->key, .line = site->line, .column = site->column}};
  size_t used = 0;
  const char *const texts[] = {site->file, site->function, site->call};
  uint16_t *const lengths[] = {&record.fixed.file_length, &record.fixed.function_length,
                               &record.fixed.call_length};
  for (int i = 0; i < 3;
       i++) { /* 256 bytes of each: the key tells sites apart, texts are for people */
    size_t length = texts[i] ? strnlen(texts[i], 256) : 0;
    if (length)
      memcpy(record.text + used, texts[i], length);
    *lengths[i] = (uint16_t)length;
    used += length;
  }
  if (siox__record(SIOX_REC_SITE, &record.fixed, sizeof record.fixed, record.text, used) == 0)
    atomic_store_explicit(slot, site->key, memory_order_relaxed);
  return site->key;
}

void siox__record_missing(enum siox_missing what) {
  /* One record a kind and process: the report says that there is a gap, not how wide it is. */
  if (atomic_fetch_or(&missing_said, 1u << what) & 1u << what)
    return;
  struct siox_rec_missing record = {.what = what, .count = 1};
  siox__record(SIOX_REC_MISSING, &record, sizeof record, NULL, 0);
}

void siox__record_once_reset(void) { atomic_store(&missing_said, 0); }
