/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs of when_twin.py need. */
#include <mpi.h>
#include <stdint.h>

void begin(void); /* when_twin.c */
int over(void);
int opaque(int value);
void opaque_bytes(const void *bytes);
void touch(void *bytes);
void skip(void *index);
extern int at_loop;
static MPI_File f;
static char b[8];
static int calls;
static volatile int one = 1, zero;
static volatile double x;

static __attribute__((noinline, unused)) void gap(void) {
  for (int k = 0; k < 10; k++)
    x = x * 2;
}
static __attribute__((noinline, unused)) void pause_(void) { x = x + 1; }
static __attribute__((unused)) void look(const void *p) {
  if (p == b)
    x = x + 2;
}
static __attribute__((noinline, unused)) void save(int n) {
  MPI_File_write_at(f, n * 8, b, 8, MPI_BYTE, MPI_STATUS_IGNORE);
}
