/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The level table: what every client may read and none may write or cut (memfd seals; the daemon's
 * own mapping is made before F_SEAL_FUTURE_WRITE takes effect). */
#include "daemon/daemon.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static size_t table_bytes(const struct siox__daemon *d) {
  return sizeof(struct siox_level_table) + d->drives.ndisks * sizeof(int32_t);
}

int siox__table_create(struct siox__daemon *d, struct siox_diag *diag) {
  size_t bytes = table_bytes(d);
  d->table_fd = memfd_create("siox levels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (d->table_fd >= 0 && ftruncate(d->table_fd, (off_t)bytes) == 0) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->table_fd, 0);
    d->table = at == MAP_FAILED ? NULL : at;
  }
  if (!d->table || fcntl(d->table_fd, F_ADD_SEALS,
                         F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0) {
    snprintf(diag->text, sizeof diag->text, "level table: %s", strerror(errno));
    return SIOX_EIO;
  }
  d->table->version = SIOX_WIRE_VERSION;
  d->table->ndisks = d->drives.ndisks;
  const char *argument;
  d->table->policy_lead_kind = siox_policy_find(d->config->policy, &argument)->lead;
  siox__table_update(d);
  return 0;
}

void siox__table_update(struct siox__daemon *d) {
  for (uint32_t i = 0; i < d->drives.ndisks; i++) {
    uint32_t level = d->drives.initial_level[i], target;
    bool moving;
    if (d->bank)
      siox_bank_disk_now(d->bank, i, &level, &target, &moving);
    atomic_store_explicit(&d->table->speed[i], d->drives.disk[i]->level[level].speed,
                          memory_order_relaxed);
  }
}

void siox__table_destroy(struct siox__daemon *d) {
  if (d->table)
    munmap(d->table, table_bytes(d));
  if (d->table_fd >= 0)
    close(d->table_fd);
}
