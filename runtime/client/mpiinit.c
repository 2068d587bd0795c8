/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI_Init and MPI_Finalize. What MPI itself opens and reads while it starts is not the program's.
 */
#include "client/mpi.h"
#include "client/report.h"
#include <dlfcn.h>
#include <stdlib.h>

/* The name that MPICH and the libraries of its ABI share. */
#define MPI_LIBRARY "libmpich.so.12"

/* A linker that leaves out libraries it sees no use for (--as-needed) leaves a program that calls
 * nothing but what is wrapped here without its MPI library. Weak routines are bound when they are
 * first called (libsiox is linked for that), so it is not too late to open it. Without one the
 * program ends as it does on any error in MPI_Init: the default error handler is fatal. */
static void need_mpi(void) {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init"))
    return;
  const char *now = getenv("LD_BIND_NOW");
  bool bound = now && *now; /* then to nothing, for good */
  if (!bound && dlopen(MPI_LIBRARY, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE) &&
      dlsym(RTLD_DEFAULT, "PMPI_Init"))
    return;
  siox__warn_once("the program was linked without an MPI library; link it with -Wl,--no-as-needed");
  exit(EXIT_FAILURE);
}

static int started(int result) {
  if (result != MPI_SUCCESS)
    return result;
  int saved = errno;
  bool first = siox__enter();
  if (!siox__welcomed()) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &siox__client.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &siox__client.size);
    siox__client.mpi = true;
  }
  siox__report_mpi_start(); /* before others set attributes */
  if (siox__client_ready())
    siox__comm_start();
  if (first)
    siox__exit();
  errno = saved;
  return result;
}

SIOX_EXPORT int MPI_Init(int *argc, char ***argv) {
  bool first = siox__enter();
  need_mpi();
  int result = PMPI_Init(argc, argv);
  if (first)
    siox__exit();
  return started(result);
}

SIOX_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  bool first = siox__enter();
  need_mpi();
  int result = PMPI_Init_thread(argc, argv, required, provided);
  if (first)
    siox__exit();
  return started(result);
}

SIOX_EXPORT int MPI_Finalize(void) {
  if (siox__welcomed() && siox__enter()) {
    int saved = errno;
    siox__client_check();
    siox__comm_stop();
    siox__exit();
    errno = saved;
  }
  /* Not under the guard: attributes of MPI_COMM_SELF are deleted in there first, and libraries do
   * I/O when theirs are. */
  return PMPI_Finalize();
}
