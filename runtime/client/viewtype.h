/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI's description of a datatype as a file type (common/filetype.h). */
#ifndef SIOX_CLIENT_VIEWTYPE_H
#define SIOX_CLIENT_VIEWTYPE_H
#include "client/mpi.h"
#include "common/filetype.h"

/* The type's data, by MPI_Type_get_envelope and _get_contents; what is too large or too deep is
 * left as bytes somewhere between its bounds. NULL: no memory, or not to be known. The caller drops
 * it. */
struct siox__filetype *siox__viewtype(MPI_Datatype type);

#endif
