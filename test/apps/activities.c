/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An MPI program that makes calls in numbers that are known (test/e2e/activities.py), some of them
 * by threads, some while MPI ends. It says nothing and knows nothing of Siox.
 *
 *   activities DIRECTORY THREADS */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WRITES = 20, TOGETHER = 5, READS = 3, LATER = 2, BY_THREAD = 25 };
static char path[4096], data[4096];
static const char *directory;
static int rank;

static void must(int result) {
  if (result != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_File own_file(const char *what, long number) {
  char own[4400];
  MPI_File file;
  snprintf(own, sizeof own, "%s/%s.%d.%ld", directory, what, rank, number);
  must(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  return file;
}

static void *work(void *number) {
  MPI_File file = own_file("thread", (long)number);
  for (int i = 0; i < BY_THREAD; i++)
    must(MPI_File_write_at(file, i * 64, data, 64, MPI_BYTE, MPI_STATUS_IGNORE));
  must(MPI_File_close(&file));
  return NULL;
}

/* Attributes of MPI_COMM_SELF go first when MPI ends; this is how libraries close their files. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  MPI_File *file = value;
  must(MPI_File_write_at(*file, 0, data, 64, MPI_BYTE, MPI_STATUS_IGNORE));
  return MPI_File_close(file);
}

int main(int argc, char **argv) {
  static MPI_File last;
  int provided, key;
  pthread_t thread[64];
  const long threads = argc > 2 ? atol(argv[2]) : 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  directory = argc > 1 ? argv[1] : ".";
  snprintf(path, sizeof path, "%s/shared", directory);
  MPI_File file;
  must(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  const MPI_Offset at = (MPI_Offset)rank * 65536;
  for (int i = 0; i < WRITES; i++)
    must(MPI_File_write_at(file, at + i * 64, data, 64, MPI_BYTE, MPI_STATUS_IGNORE));
  for (int i = 0; i < TOGETHER; i++)
    must(MPI_File_write_at_all(file, at, data, 4096, MPI_BYTE, MPI_STATUS_IGNORE));
  for (int i = 0; i < READS; i++)
    must(MPI_File_read_at(file, at, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  for (int i = 0; i < LATER; i++) {
    MPI_Request request;
    must(MPI_File_iwrite_at(file, at, data, 64, MPI_BYTE, &request));
    must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  must(MPI_File_sync(file));
  must(MPI_File_close(&file));
  for (long i = 0; i < threads && i < 64; i++)
    if (pthread_create(&thread[i], NULL, work, (void *)i))
      return 1;
  for (long i = 0; i < threads && i < 64; i++)
    pthread_join(thread[i], NULL);
  last = own_file("last", 0);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &last);
  MPI_Finalize();
  return 0;
}
