#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that nobody compiled for Siox, under siox run --preload. preload.py CASE; exits with 77 where something is not
installed."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
MPIEXEC = "mpiexec"  # a shell script before it would be a process of its own
OPEN_MPI = os.environ.get("SIOX_OPENMPI_LIBRARY", "/usr/lib/x86_64-linux-gnu/libmpi.so.40")
RANKS, CALLS, BYTES = 2, 8, 65536

# Each rank writes 8 pieces of 64 KiB, and rank 0 prints the sum of the ranks' numbers.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  static char piece[65536];
  MPI_File file;
  int rank, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < 8; i++)
    MPI_File_write_at(file, (8LL * rank + i) * 65536, piece, 65536, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d\\n", sum);
  return MPI_Finalize();
}
"""

# The same by Open MPI's ABI, where a handle is a pointer: its header need not be there. One process of its own, for which
# MPI_Init would want orted, so that nothing but calls before MPI_Init is left: these say that arguments arrive whole.
POINTERS = """
#include <stdio.h>
int MPI_Initialized(int *flag);
int MPI_Get_version(int *version, int *subversion);
int MPI_Finalized(int *flag);
int MPI_File_delete(const char *name, void *info);
int MPI_Wait(void **request, void *status);
extern char ompi_mpi_info_null[], ompi_request_null[];
int main(int argc, char **argv) {
  int flag = 7;
  MPI_Initialized(&flag);
  printf("initialized %d\\n", flag);
  if (argc > 1) { /* both are wrapped by libsiox; before MPI_Init Open MPI ends the program and names the routine */
    void *request = ompi_request_null;
    MPI_Wait(&request, 0);
  }
  return 0;
}
"""


def compiled(place, text, *flags, name="program"):
    source = os.path.join(place.directory, name + ".c")
    with open(source, "w") as f:
        f.write(text)
    program = os.path.join(place.directory, name)
    subprocess.run([*flags[:1], source, "-o", program, *flags[1:]], check=True)
    return program


def run(place, *command, options=()):
    report = os.path.join(place.directory, "report.json")
    process = place.run(*command, options=["--preload", f"--json={report}", "--set", "time_scale=100", *options])
    out, err = process.communicate(timeout=120)
    found = {}
    if os.path.exists(report):
        with open(report) as f:
            found = json.loads(f.read() or "{}")
    return process.returncode, out, err, found


def an_mpi_program_as_it_is():
    with Place() as place:
        program = compiled(place, PROGRAM, os.environ.get("SIOX_MPICC", "mpicc"))
        status, out, err, report = run(place, MPIEXEC, "-n", str(RANKS), program, os.path.join(place.mount, "f"))
        assert (status, out) == (0, "sum 1\n"), (status, out, err)
        assert report["run"]["requests"] == RANKS * CALLS, report["run"]
        # The launcher carries the library, too, and is no part of the job.
        assert len(report["jobs"]) == 1, report["jobs"]


def a_program_linked_with_libsiox_has_it_once():
    with Place() as place:
        lib = os.path.join(BUILD, "lib")
        program = compiled(place, PROGRAM, os.environ.get("SIOX_MPICC", "mpicc"), f"-L{lib}", "-Wl,--no-as-needed", "-lsiox",
                           f"-Wl,-rpath,{lib}")
        status, out, err, report = run(place, MPIEXEC, "-n", str(RANKS), program, os.path.join(place.mount, "f"))
        assert (status, out) == (0, "sum 1\n"), (status, out, err)
        assert report["run"]["requests"] == RANKS * CALLS, report["run"]


def a_program_without_mpi():
    with Place() as place:
        program = compiled(place, """
            #include <fcntl.h>
            #include <unistd.h>
            int main(int argc, char **argv) {
              static char piece[65536];
              int fd = open(argv[1], O_CREAT | O_WRONLY, 0600);
              return write(fd, piece, sizeof piece) != sizeof piece;
            }""", "clang-19")
        status, _, err, report = run(place, program, os.path.join(place.mount, "f"))
        assert status == 0 and report["run"]["requests"] == 1, (status, err, report)


def a_static_program_is_refused_before_it_runs():
    with Place() as place:
        program = compiled(place, "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n", "clang-19", "-static")
        for command in ([program], [MPIEXEC, "-n", "2", program], [MPIEXEC, "-n", "1", "true", ":", "-n", "1", program]):
            status, out, err, _ = run(place, *command)
            assert status == 2 and not out, (status, out)
            assert f"{program}: is linked statically" in err and "siox-cc" in err, err


def a_program_with_anothers_rights_is_refused():
    with Place() as place:
        program = compiled(place, "int main(void) { return 0; }\n", "clang-19")
        os.chmod(program, 0o4755)
        status, _, err, _ = run(place, program)
        assert status == 2 and "set-user-ID" in err, (status, err)


def calls_of_open_mpi_pass_unchanged():
    """A routine that libsiox wraps goes to Open MPI with its arguments as they came."""
    if not os.path.exists(OPEN_MPI):
        print(f"skipped: there is no {OPEN_MPI} (SIOX_OPENMPI_LIBRARY)")
        sys.exit(77)
    with Place() as place:
        program = compiled(place, POINTERS, "clang-19", OPEN_MPI)
        status, out, err, _ = run(place, program)
        assert (status, out) == (0, "initialized 0\n"), (status, out, err)
        status, out, err, _ = run(place, program, "more")
        assert "siox: the program uses Open MPI" in err, err
        assert status != 0 and "MPI_Wait()" in err and "before MPI_INIT" in err, (status, err)
        plain = subprocess.run([program, "more"], capture_output=True, text=True)
        assert plain.returncode == status, (plain.returncode, status)


def a_job_of_open_mpi_is_charged():
    if not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        print("skipped: no mpicc.openmpi and mpirun.openmpi")
        sys.exit(77)
    with Place() as place:
        program = compiled(place, PROGRAM, "mpicc.openmpi")
        place.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader",
                          OMPI_MCA_rmaps_base_oversubscribe="1")
        status, out, err, report = run(place, "mpirun.openmpi", "-n", str(RANKS), program, os.path.join(place.mount, "f"))
        assert (status, out) == (0, "sum 1\n"), (status, out, err)
        assert report["run"]["requests"] == RANKS * CALLS, report["run"]
        assert err.count("uses Open MPI") == 1, err


if __name__ == "__main__":
    globals()[sys.argv[1]]()
