#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints around accesses that are begun and completed by different calls: MPI does their I/O when it likes, MPICH's nonblocking
collectives in the call that waits for them. Usage: nonblocking.py collectives | split"""
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
MPIEXEC = os.path.join(BUILD, "test", "mpiexec")  # waiting ranks sleep
PROGRAM = """
#include <mpi.h>
static char data[4][4096];
static volatile double x = 1;
static void compute(void) {
  for (int i = 0; i < 20000000; i++)
    x = x * 0.999 + 1;
}
int main(int argc, char **argv) {
  MPI_File f;
  MPI_Init(&argc, &argv);
  if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int step = 0; step < 8; step++) {
    MPI_Request request[4];
    BEGIN
    compute();
    COMPLETE
    compute();
  }
  MPI_File_close(&f);
  MPI_Finalize();
  return 0;
}
"""
SEVERAL = """for (int k = 0; k < 4; k++)
      MPI_File_%s(f, k * 65536, data[k], 4096, MPI_BYTE, &request[k]);"""
ONE_BY_ONE = """for (int k = 0; k < 4; k++)
      MPI_Wait(&request[k], MPI_STATUS_IGNORE);"""
ALL = "MPI_Waitall(4, request, MPI_STATUSES_IGNORE);"
TESTED = """for (int done = 0, k = 0; k < 4; k += done)
      MPI_Test(&request[k], &done, MPI_STATUS_IGNORE);"""
SOME = """for (int left = 4, done, which[4]; left; left -= done)
      MPI_Waitsome(4, request, &done, which, MPI_STATUSES_IGNORE);"""
WAYS = {
    "collectives": [(SEVERAL % "iwrite_at_all", end) for end in (ALL, ONE_BY_ONE, TESTED, SOME)],
    "split": [("(void)request; MPI_File_write_at_all_begin(f, 0, data, 16384, MPI_BYTE);",
               "MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);")],
}


def let_go_under_way(trace, splits):
    """Releases of a disk between the call that begins an access to it and the end of its I/O, or for split collectives, whose
    I/O ROMIO does at once, their end. Access k lies on disk k, a split one on disk 0."""
    text = subprocess.run([os.path.join(BUILD, "bin", "siox"), "trace", "cat", trace, "--events"], check=True, capture_output=True,
                          text=True).stdout
    events, calls = [], 0
    for row in csv.DictReader(text.splitlines()):
        what, detail = row["event"], json.loads(row["detail"])
        if what == "call" and int(row["bytes"]) > 0:
            calls += 1
            ends = splits and calls % 2 == 0
            events.append((int(row["start_ns" if ends else "end_ns"]), "ends" if ends else "begins", int(row["offset"]) // 65536))
        elif what == "io" and not splits:
            events.append((int(row["end_ns"]), "ends", int(row["offset"]) // 65536))
        elif what == "hint":
            released = {run["first"] + i for run in detail["runs"] if run["flag"] == 0 for i in range(run["count"])}
            events.append((int(row["end_ns"]), "releases", released))
    under_way, wrong = set(), []
    for time, what, disk in sorted(events, key=lambda e: e[0]):
        if what == "begins":
            under_way.add(disk)
        elif what == "ends":
            under_way.discard(disk)
        elif disk & under_way:
            wrong.append((time, disk & under_way))
    assert calls
    return wrong


def check(begin, complete):
    with Place() as place:
        source, program = (os.path.join(place.directory, n) for n in ("prog.c", "prog"))
        report, trace = (os.path.join(place.directory, n) for n in ("report.json", "trace.siox"))
        with open(source, "w") as f:
            f.write(PROGRAM.replace("BEGIN", begin).replace("COMPLETE", complete))
        subprocess.run([os.path.join(BUILD, "bin", "siox-cc"), "-std=gnu17", "-O2", source, "-o", program], check=True)
        run = place.run(MPIEXEC, "-n", "1", program, os.path.join(place.mount, "data"), options=[
            "--quiet", "--check-hints", f"--json={report}", "--record", trace, "--policy", "siox", "--set", "time_scale=1000",
            "--set", "default_layout=0:4:64K"])
        out, err = run.communicate(timeout=120)
        assert run.returncode in (0, 3), (run.returncode, out, err)
        with open(report) as f:
            told = json.load(f)["check"]
        assert told["passed"] and told["outside"] == 0 and told["accesses"] >= 8, (begin, complete, told)
        wrong = let_go_under_way(trace, "begin" in begin)
        assert not wrong, (begin, complete, wrong)
        # After they are complete their disks do rest: the second computation of each step is a gap that is used.
        assert told["windows"]["used"] > 0, (begin, complete, told)
        print(complete.split("(")[0], told["accesses"], told["windows"])


if __name__ == "__main__":
    for way in WAYS[sys.argv[1]]:
        check(*way)
