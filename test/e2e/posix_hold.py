#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints of programs that use files of the store by POSIX calls as well, outside of MPI-IO: nothing foretells these accesses, so
the files' disks are held from the open on. posix_hold.py CASE; exits with 77 where a compiler is missing."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
LIBRARIES = os.path.join(BUILD, "lib")
MPIEXEC = os.path.join(BUILD, "test", "mpiexec")
PARAMETERS = "".join(f"{n} {n * n}\n" for n in range(40))

# DATA by MPI-IO, PARAMETERS by POSIX calls. Gaps pay from 4.4 ms on.
PROGRAM = """
#include <fcntl.h>
#include <mpi.h>
#include <siox/siox.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static char block[262144], text[4096];
static MPI_File data;
static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
static void every_disk(int flag, int64_t need_by) {
  struct siox_mask all;
  if (siox_mask_init(&all, siox_ndisks()) == 0) {
    siox_mask_fill(&all);
    siox_set_speed_at(&all, flag ? SIOX_SPEED_FULL : SIOX_SPEED_LOWEST, flag, need_by, SIOX_NEVER, NULL);
    siox_mask_free(&all);
  }
}
static void write_data(void) { MPI_File_write_at(data, 0, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE); }
static int open_parameters(const char *path) {
  int file = open(path, O_RDONLY);
  ssize_t got = read(file, text, 100);
  if (got > 0 && pread(file, text + got, sizeof text - 1 - got, got) >= 0)
    fputs(text, stdout);
  return file;
}
static void rest(int ms) { /* a hint that moves a little at each step, as the predictor's do */
  const int64_t end = now() + ms * INT64_C(1000000);
  for (int i = 0; now() < end; i++) {
    every_disk(0, end + i);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  every_disk(1, 0);
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &data) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  BODY
  MPI_File_close(&data);
  MPI_Finalize();
  return 0;
}
"""
READ = """write_data();
  every_disk(0, 0);
  close(open_parameters(argv[2]));
  write_data();"""
READ_FIRST = "close(open_parameters(argv[2])); write_data();"
RELEASED_MEANWHILE = """write_data();
  int file = open_parameters(argv[2]);
  every_disk(0, 0);
  pread(file, text, 10, 20);
  close(file);"""
APPENDED = """write_data();
  int file = open(argv[2], O_WRONLY | O_APPEND);
  for (int i = 0; i < 3; i++) {
    rest(100);
    every_disk(0, 0);
    if (write(file, block, 100000) != 100000)
      return 1;
  }
  close(file);"""
INHERITED = """write_data();
  int file = open_parameters(argv[2]);
  every_disk(0, 0);
  fflush(stdout);
  pid_t child = fork();
  if (!child)
    _exit(pread(file, text, 10, 20) == 10 ? 0 : 1);
  int status;
  if (waitpid(child, &status, 0) != child || status)
    return 1;
  close(file);"""
LEFT_OPEN = """int file = open_parameters(argv[2]);
  write_data();
  rest(400);
  write_data();
  close(file);"""

FORTRAN = """
program parameters
  use mpi
  implicit none
  integer :: number, square, ierr, file, i
  character(len=256) :: name
  integer :: data(1024)
  call MPI_Init(ierr)
  call get_command_argument(2, name)
  open(unit=7, file=trim(name), status='old')
  do i = 1, 40
    read(7, *) number, square
    print '(i0,1x,i0)', number, square
  end do
  close(7)
  call get_command_argument(1, name)
  data = 5
  call MPI_File_open(MPI_COMM_SELF, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
  call MPI_File_write(file, data, 1024, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
  call MPI_Finalize(ierr)
end program
"""


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def compiled(place, body):
    compiler = shutil.which("mpicc.mpich") or shutil.which("mpicc")
    if not compiler:
        skip("no mpicc of MPICH")
    source, program = (os.path.join(place.directory, n) for n in ("prog.c", "prog"))
    with open(source, "w") as f:
        f.write(PROGRAM.replace("BODY", body).replace("<unistd.h>", "<unistd.h>\n#include <sys/wait.h>"))
    subprocess.run([compiler, "-std=gnu17", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "../../include"), source, "-o", program, "-L", LIBRARIES,
                    "-Wl,--no-as-needed", "-lsiox", "-Wl,--enable-new-dtags,-rpath," + LIBRARIES], check=True)
    return program


def report(place, program, policy="siox", options=(), scale=1000):
    """What the run prints, what is in its files, and the check of its hints."""
    out, parameters = os.path.join(place.directory, "report.json"), os.path.join(place.mount, "parameters")
    with open(parameters, "w") as f:
        f.write(PARAMETERS)
    run = place.run(MPIEXEC, "-n", "1", program, os.path.join(place.mount, "data"), parameters, options=[
        "--quiet", "--check-hints", f"--json={out}", "--policy", policy, "--set", f"time_scale={scale}", "--set",
        "default_layout=0:4:64K", *options])
    said, err = run.communicate(timeout=120)
    assert run.returncode in (0, 3), (run.returncode, said, err)
    with open(out) as f, open(parameters, "rb") as p:
        return said, p.read(), json.load(f)["check"]


def all_foretold(body, accesses, policy="siox", written=b"", **more):
    with Place() as place:
        said, left, check = report(place, compiled(place, body), policy, **more)
        assert said == (PARAMETERS if "open_parameters" in body else ""), said
        assert left == PARAMETERS.encode() + written, left
        assert (check["passed"], check["outside"], check["accesses"]) == (True, 0, accesses), check
        return check


def a_file_that_is_read_after_a_release():
    for policy in ("siox", "claims", "rt"):
        all_foretold(READ, 4, policy)


def a_file_that_is_read_before_any_hint():
    all_foretold(READ_FIRST, 3)


def a_file_whose_disks_are_released_while_it_is_open():
    all_foretold(RELEASED_MEANWHILE, 4)


def a_file_that_is_written_now_and_then():
    check = all_foretold(APPENDED, 4, written=bytes(300000))
    assert check["windows"]["used"] >= 1, check


def a_file_that_a_child_has_inherited():
    all_foretold(INHERITED, 4)


def a_file_that_is_left_open_keeps_no_disk_up():
    check = all_foretold(LEFT_OPEN, 4)
    assert check["windows"]["used"] >= 1, check


def the_files_of_fortrans_run_time():
    compiler = shutil.which("mpifort.mpich") or shutil.which("mpifort")
    if not compiler or not shutil.which("gfortran"):
        skip("no mpifort of MPICH with gfortran")
    for preload in (False, True):
        with Place() as place:
            source, program = (os.path.join(place.directory, n) for n in ("prog.f90", "prog"))
            with open(source, "w") as f:
                f.write(FORTRAN)
            linked = [] if preload else ["-L" + LIBRARIES, "-Wl,--no-as-needed", "-lsiox", "-Wl,-rpath," + LIBRARIES]
            subprocess.run([compiler, source, "-o", program, *linked], check=True, cwd=place.directory)
            said, _, check = report(place, program, options=["--preload"] if preload else [])
            assert said.split() == PARAMETERS.split(), said
            assert check["passed"] and check["outside"] == 0 and check["accesses"] >= 2, (preload, check)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
