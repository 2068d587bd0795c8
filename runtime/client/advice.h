/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The knowledge base at MPI_File_open (docs/knowledge.md): which hints were in force is told the
 * daemon by rank 0; what its knowledge base says is offered, and done where SIOX_KNOWLEDGE_APPLY=1
 * asks for it. */
#ifndef SIOX_CLIENT_ADVICE_H
#define SIOX_CLIENT_ADVICE_H
#include "client/mpiio.h"

struct siox__advice {
  MPI_Info info;  /* to open with */
  bool made;      /* it is ours */
  unsigned flags; /* SIOX_OPENED_* */
};
/* Before the open. With SIOX_KNOWLEDGE_APPLY=1 it talks to all ranks of the communicator. */
void siox__advise(struct siox__advice *a, MPI_Comm comm, int amode, MPI_Info info);
/* After an open of the collective c that went well. */
void siox__advice_opened(const struct siox__advice *a, const struct siox__call *c, int amode);
void siox__advice_done(struct siox__advice *a);

#endif
