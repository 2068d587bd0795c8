#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ranks' joint report (SIOX_REPORT=mpi), and what is said where it cannot be made. reporters_mpi.py CASE"""
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from reporters import LIBRARY, MPICC, MPIEXEC, Place, heads, row  # noqa: E402

# Rank r writes 4 (r + 1) pieces of 1000 bytes by MPI-IO.
WRITES = """
#include <mpi.h>
static int rank, size;
static void pieces(const char *name) {
  char own[4200];
  MPI_File file;
  snprintf(own, sizeof own, "%s.%d", name, rank);
  MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < 4 * (rank + 1); i++)
    MPI_File_write_at(file, 1000 * i, piece, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
static void begin(int *c, char ***v) {
  MPI_Init(c, v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}
"""


def program(place, main, *flags):
    return place.compiled(WRITES + main, *flags, compiler=MPICC)


def ranks(place, n, *command, report="mpi"):
    return place.run(MPIEXEC, "-n", str(n), *command, report=report, timeout=120)


def plain(out):
    """UCX says on stdout of messages that were left over that they were."""
    return "".join(line for line in out.splitlines(True) if "UCX  WARN" not in line)


def spread(text, name):
    """minimum, average, maximum, rank."""
    found = re.search(rf"^  {re.escape(name)} +(\S+) +(\S+) +(\S+)  rank (\d+)$", text, re.M)
    return float(found[1]), float(found[2]), float(found[3]), int(found[4])


# They come to MPI_Finalize together: rank 0 waits for nobody longer than a second.
PLAIN = "int main(int c, char **v) { begin(&c, &v); pieces(v[1]); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }"


def minimum_average_maximum_and_the_slowest_rank():
    with Place() as place:
        status, out, err = ranks(place, 4, program(place, PLAIN), place.data)
        assert (status, out) == (0, ""), (status, out)
        assert len(heads(err)) == 1 and "joint report of program, 4 of 4 ranks on 1 node" in err, err
        assert spread(err, "ACCESSED_IO_BYTES") == (4000, 10000, 16000, 3), err
        least, average, most, _ = spread(err, "CONSUMED_CPU_SECONDS")
        assert 0 < least <= average <= most < 60
        # MPI-IO: an open, a close and 4 (r + 1) writes, and at least as many calls below.
        assert spread(err, "calls")[3] == 3 and spread(err, "calls")[0] >= 12, err
        assert re.search(r"^  mpiio write_at +40 +40000 +[0-9.]+ +[0-9.]+ +[0-9.]+  rank [0-3]$", err, re.M), err
        assert re.search(r"^  posix pwrite\w* +40 +40000 +[0-9.]+ +[0-9.]+ +[0-9.]+  rank [0-3]$", err, re.M), err
        assert re.search(r"slowest in I/O: rank [0-3] on \S+, ", err), err
        assert "siox itself: " in err


def one_file_gets_the_joint_report():
    with Place() as place:
        status, _, err = ranks(place, 3, program(place, PLAIN), place.data, report="mpi:" + place.file)
        assert (status, err) == (0, ""), (status, err)
        assert len(place.blocks()) == 1 and "3 of 3 ranks" in place.blocks()[0], place.blocks()


def io_of_attributes_that_are_deleted_in_finalize_is_counted():
    with Place() as place:
        main = """
            static int deleted(MPI_Comm comm, int key, void *value, void *extra) {
              (void)comm, (void)key, (void)extra;
              pieces(value);
              return MPI_SUCCESS;
            }
            int main(int c, char **v) {
              int key;
              begin(&c, &v);
              MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
              MPI_Comm_set_attr(MPI_COMM_SELF, key, v[1]);
              MPI_Barrier(MPI_COMM_WORLD);
              return MPI_Finalize();
            }"""
        _, _, err = ranks(place, 2, program(place, main), place.data)
        assert spread(err, "ACCESSED_IO_BYTES") == (4000, 6000, 8000, 1), err


def a_rank_without_libsiox_is_named_and_waited_for_a_second():
    with Place() as place:
        p = program(place, PLAIN)
        begin = time.monotonic()
        status, _, err = place.run(MPIEXEC, "-n", "2", "env", f"LD_PRELOAD={LIBRARY}", p, place.data, ":", "-n", "1", p,
                                   place.data, report="mpi", preload=False)
        assert status == 0 and "2 of 3 ranks" in err and "no word from rank 2: without libsiox" in err, (status, err)
        assert time.monotonic() - begin < 20
        status, out, err = place.run(MPIEXEC, "-n", "1", p, place.data, ":", "-n", "2", "env", f"LD_PRELOAD={LIBRARY}", p,
                                     place.data, report="mpi", preload=False)
        assert (status, plain(out), err) == (0, "", ""), (status, out, err)  # nobody is there to say it


def a_rank_that_comes_late_is_named_and_nobody_waits_for_it():
    with Place() as place:
        main = "int main(int c, char **v) { begin(&c, &v); pieces(v[1]); if (rank == 1) sleep(3); return MPI_Finalize(); }"
        status, out, err = ranks(place, 3, program(place, main), place.data)
        assert (status, plain(out)) == (0, "") and "2 of 3 ranks" in err and "no word from rank 1:" in err, (status, out, err)


def a_receive_of_anything_gets_the_programs_messages_only():
    """Rank 1 is in MPI_Finalize, and has sent its share, while rank 0 still receives from anybody with any tag."""
    with Place() as place:
        main = """
            int main(int c, char **v) {
              int got[2] = {0}, told[2] = {7, 8};
              begin(&c, &v);
              if (rank == 2) { sleep(2); MPI_Send(told, 2, MPI_INT, 0, 5, MPI_COMM_WORLD); }
              if (rank == 0) {
                MPI_Status s;
                MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
                if (got[0] != 7 || got[1] != 8 || s.MPI_SOURCE != 2 || s.MPI_TAG != 5) MPI_Abort(MPI_COMM_WORLD, 3);
              }
              return MPI_Finalize();
            }"""
        status, out, err = ranks(place, 3, program(place, main), place.data)
        assert status == 0 and "3 of 3 ranks" in err, (status, out, err)


def without_finalize_each_process_reports_for_itself():
    with Place() as place:
        main = """
            int main(int c, char **v) {
              begin(&c, &v);
              pieces(v[1]);
              switch (atoi(v[2])) {
              case 0: exit(0);
              case 1: _exit(3);
              case 2: MPI_Abort(MPI_COMM_WORLD, 4);
              }
              abort();
            }"""
        p = program(place, main)
        for way in range(4):
            plain, _, _ = place.run(p, place.data, str(way), preload=False)  # alone: a job that ends so is ended by its launcher
            status, _, err = place.run(p, place.data, str(way), report="mpi")
            assert status == plain and len(heads(err)) == 1 and "siox: report of program, rank 0" in err, (way, status, err)
            assert row(err, "mpiio write_at")[:2] == (4, 4000), err


def a_program_without_mpi_reports_for_itself():
    with Place() as place:
        p = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 2); return 0; }")
        _, _, err = place.run(p, place.data, report="mpi")
        assert len(heads(err)) == 1 and row(err, "posix write")[0] == 2, err


def threads_that_all_call_mpi_are_counted_to_the_call():
    with Place() as place:
        main = """
            static MPI_File file;
            static void *work(void *i) {
              for (int k = 0; k < 200; k++)
                MPI_File_write_at(file, ((long)i * 200 + k) * 100, piece, 100, MPI_CHAR, MPI_STATUS_IGNORE);
              return 0;
            }
            int main(int c, char **v) {
              pthread_t t[16];
              int level;
              MPI_Init_thread(&c, &v, MPI_THREAD_MULTIPLE, &level);
              if (level < MPI_THREAD_MULTIPLE) return 77;
              MPI_File_open(MPI_COMM_WORLD, v[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
              for (long i = 0; i < 16; i++) pthread_create(&t[i], 0, work, (void *)i);
              for (int i = 0; i < 16; i++) pthread_join(t[i], 0);
              MPI_File_close(&file);
              return MPI_Finalize();
            }"""
        status, _, err = ranks(place, 2, program(place, main), place.data)
        if status == 77:
            print("skipped: this MPI library has no MPI_THREAD_MULTIPLE")
            sys.exit(77)
        assert status == 0 and re.search(r"^  mpiio write_at +6400 +640000 +[0-9.]+ ", err, re.M), (status, err)
        assert re.search(r"^  posix pwrite\w* +6400 +640000 +[0-9.]+ ", err, re.M), err


def kinds_for_which_there_is_no_room_are_told_as_partial():
    """Many calls of MPI-IO and of POSIX, with six sizes each: more kinds than 256."""
    with Place() as place:
        main = """
            #include <sys/uio.h>
            int main(int c, char **v) {
              MPI_File file;
              MPI_Status s;
              MPI_Request r;
              static char big[5000000];
              static const int sizes[] = {1, 1100, 9000, 70000, 600000, 4300000};
              begin(&c, &v);
              MPI_File_open(MPI_COMM_WORLD, v[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
              int fd = data(v[2]);
              for (int k = 0; k < 6; k++) {
                int n = sizes[k];
                struct iovec part = {big, n};
            #define TWICE(call) (void)!call
                lseek(fd, 0, SEEK_SET);
                TWICE(pwrite(fd, big, n, 0)); TWICE(pwrite64(fd, big, n, 0)); TWICE(write(fd, big, n));
                TWICE(pwritev(fd, &part, 1, 0)); TWICE(pwritev64(fd, &part, 1, 0)); TWICE(writev(fd, &part, 1));
                TWICE(pwritev2(fd, &part, 1, 0, 0));
                lseek(fd, 0, SEEK_SET);
                TWICE(pread(fd, big, n, 0)); TWICE(pread64(fd, big, n, 0)); TWICE(read(fd, big, n));
                TWICE(preadv(fd, &part, 1, 0)); TWICE(preadv64(fd, &part, 1, 0)); TWICE(readv(fd, &part, 1));
                TWICE(preadv2(fd, &part, 1, 0, 0));
            #define AT(name) MPI_File_##name(file, 0, big, n, MPI_CHAR, &s); MPI_File_##name##_c(file, 0, big, n, MPI_CHAR, &s);
            #define ON(name) MPI_File_seek(file, 0, MPI_SEEK_SET); MPI_File_##name(file, big, n, MPI_CHAR, &s); \\
                MPI_File_##name##_c(file, big, n, MPI_CHAR, &s);
            #define LATER(name) MPI_File_##name(file, 0, big, n, MPI_CHAR, &r); MPI_Wait(&r, &s); \\
                MPI_File_##name##_c(file, 0, big, n, MPI_CHAR, &r); MPI_Wait(&r, &s);
            #define THEN(name) MPI_File_seek(file, 0, MPI_SEEK_SET); MPI_File_##name(file, big, n, MPI_CHAR, &r); MPI_Wait(&r, &s);
                AT(write_at) AT(read_at) AT(write_at_all) AT(read_at_all) LATER(iwrite_at) LATER(iread_at)
                ON(write) ON(read) ON(write_all) ON(read_all) ON(write_shared) ON(write_ordered)
                LATER(iwrite_at_all) LATER(iread_at_all) THEN(iwrite) THEN(iread) THEN(iwrite_all) THEN(iread_all)
              }
              close(fd);
              MPI_File_close(&file);
              MPI_Finalize();
              return 6;
            }"""
        status, _, err = ranks(place, 1, program(place, main), place.data, place.data + "2")
        assert status == 6 and re.search(r"^  partial: \d+ more calls were not counted", err, re.M), (status, err)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
