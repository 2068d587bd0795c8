/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments of Fortran's mpi_f08 routines: all by address; handles are structs of one INTEGER. */
#ifndef SIOX_CLIENT_F08_H
#define SIOX_CLIENT_F08_H
#include "client/mpi.h"

typedef const MPI_Fint *in; /* INTEGER, LOGICAL or handle */
typedef MPI_Fint *out;

_Static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status) &&
                   sizeof(MPI_Request) == sizeof(MPI_Fint) && sizeof(MPI_Comm) == sizeof(MPI_Fint),
               "statuses and handles of mpi_f08 are those of C");

static inline void siox__f08_end(out ierror, int result) { /* NULL: absent */
  if (ierror)
    *ierror = result;
}

#endif
