/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Charging a transfer: what transfer.c and aio.c share. */
#ifndef SIOX_CLIENT_TRANSFER_H
#define SIOX_CLIENT_TRANSFER_H
#include "client/files.h"

#define SIOX_HERE (-1) /* offset: the descriptor's own position */
#define SIOX_NOT_CHARGED INT64_MIN

/* What a transfer of up to `bytes` at `offset` will really move: cut at the end of file for reads,
 * moved to the end for O_APPEND. False: nothing to charge (not ours any more, wrong mode, nothing
 * there). Calls no wrapper; the caller is under the guard. */
bool siox__transfer_extent(struct siox__file *file, int fd, bool write, int64_t *offset,
                           int64_t *bytes);
/* Charges such an extent. Completion time, or SIOX_NOT_CHARGED. */
int64_t siox__transfer_charge(struct siox__file *file, bool write, int64_t arrival, int64_t offset,
                              int64_t bytes, uint32_t flags, uint32_t request);

#endif
