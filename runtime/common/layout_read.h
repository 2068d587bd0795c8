/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a layout's text without allocating, where a signal handler may have interrupted malloc.
 */
#ifndef SIOX_COMMON_LAYOUT_READ_H
#define SIOX_COMMON_LAYOUT_READ_H
#include "siox/layout.h"

/* As siox_layout_parse, for a text that siox_layout_format wrote: of nodes that are there twice
 * nothing is said. The nodes are put into `nodes`, which has room for ndisks and must outlive the
 * layout; it is not to be freed. Async-signal-safe. SIOX_ESYNTAX, SIOX_ERANGE. */
int siox__layout_read(struct siox_layout *l, uint32_t ndisks, uint32_t *nodes, const char *text);

#endif
