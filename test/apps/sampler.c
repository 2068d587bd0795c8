/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that reads its whole input, works on it in steps of a fixed length, and reads it again:
 * an instrument's poll loop. It knows of its file what argv says, its name. The steps sleep, so
 * that the time between two bursts of reading does not depend on what else the machine does. One
 * line on stdout that depends on the file and the options alone; exit status 1 and a message when
 * something cannot be read.
 *
 * usage: sampler FILE BURSTS STEPS STEP_MS */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PIECE_WORDS (1 << 18) /* 2 MiB a request */

static void fail(const char *what, const char *name) {
  fprintf(stderr, "sampler: %s: %s\n", name, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static uint64_t read_all(MPI_File file, const char *name, int64_t pieces, uint64_t *buffer) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < pieces; i++) {
    if (MPI_File_read_at(file, i * PIECE_WORDS * 8, buffer, PIECE_WORDS, MPI_UINT64_T,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS)
      fail("cannot be read", name);
    sum = sum * 31 + buffer[i % PIECE_WORDS];
  }
  return sum;
}

int main(int argc, char **argv) {
  MPI_File file;
  MPI_Offset size;
  uint64_t sum = 0;
  MPI_Init(&argc, &argv);
  int64_t bursts = argc == 5 ? atoll(argv[2]) : 0, steps = argc == 5 ? atoll(argv[3]) : 0,
          ms = argc == 5 ? atoll(argv[4]) : 0;
  if (bursts < 1 || steps < 1 || ms < 1) {
    fprintf(stderr, "usage: sampler FILE BURSTS STEPS STEP_MS\n");
    MPI_Finalize();
    return 2;
  }
  const struct timespec step = {ms / 1000, ms % 1000 * 1000000};
  uint64_t *buffer = malloc(PIECE_WORDS * sizeof *buffer);
  if (!buffer)
    fail("out of memory", "buffer");
  if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS)
    fail("cannot be opened", argv[1]);
  MPI_File_get_size(file, &size);
  for (int64_t burst = 0; burst < bursts; burst++) {
    sum ^= read_all(file, argv[1], size / (PIECE_WORDS * 8), buffer);
    for (int64_t i = 0; i < steps; i++) {
      nanosleep(&step, NULL);
      sum += buffer[i % PIECE_WORDS] >> 7;
    }
  }
  MPI_File_close(&file);
  free(buffer);
  printf("sampler: %" PRId64 " bursts, checksum %016" PRIx64 "\n", bursts, sum);
  MPI_Finalize();
  return 0;
}
