/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every generated program begins with (programs.py puts it first): bytes to write, a checksum
 * of whatever a rank sees, things that take time, and a line a scene on stdout. */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  PART = 1 << 18,
  BUFFER = 1 << 16,
  PENDING = 4
}; /* PART: bytes of a file that are one rank's */

static int rank, ranks;
static MPI_Datatype holed; /* in memory: 2048 bytes, four of each eight */
static _Thread_local int data[4096];
static _Thread_local uint64_t sum;
static _Thread_local unsigned char buffer[BUFFER], pending[PENDING][4096];
static volatile int zero;

struct box {
  int pad;
  MPI_File file;
};

/* The same number, which the compiler does not know. */
static __attribute__((noinline)) int opaque(int value) { return value + zero; }

static void note(uint64_t value) {
  sum = (sum ^ value) * UINT64_C(0x100000001b3);
  sum ^= sum >> 29;
}
static uint64_t scramble(uint64_t value) {
  value = (value + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return value ^ value >> 31;
}
static void fill(unsigned char *bytes, int n) {
  uint64_t state = sum + (uint64_t)rank;
  for (int i = 0; i < n; i++) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    bytes[i] = (unsigned char)(state >> 56);
  }
}
static void got(const unsigned char *bytes, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++)
    h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
  note(h);
}
/* The class of a result and, if there is one, the count. */
static int saw(int result, const MPI_Status *status) {
  int class = MPI_SUCCESS, count = 0;
  if (result != MPI_SUCCESS)
    MPI_Error_class(result, &class);
  else if (status)
    MPI_Get_count(status, MPI_BYTE, &count);
  note((uint64_t) class);
  note((uint64_t)count);
  return class;
}
static int scene_failed(const char *what, int result) {
  if (result != MPI_SUCCESS) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return result;
}

/* Takes time: some microseconds a unit, with a result that counts. */
static __attribute__((noinline)) void spin(int units) {
  volatile uint64_t x = 1;
  for (int i = 0; i < units * 1000; i++)
    x = x * 5 + 1;
  note(x);
}
static void rest(int microseconds) {
  struct timespec t = {0, microseconds * 1000L};
  nanosleep(&t, NULL);
}

static void with_info(MPI_Info *info, const char *key, const char *value) {
  if (*info == MPI_INFO_NULL)
    MPI_Info_create(info);
  MPI_Info_set(*info, key, value);
}
static void sized(MPI_File f, MPI_Offset bytes) {
  scene_failed("size", MPI_File_set_size(f, bytes));
}

static void scene_over(const char *name) {
  uint64_t all[64] = {0};
  MPI_Gather(&sum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; i++)
    printf("%s rank %d %016llx\n", name, i, (unsigned long long)all[i]);
  fflush(stdout);
}
