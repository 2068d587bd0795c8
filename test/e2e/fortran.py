#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Fortran program that makes every MPI-IO call once, by mpif.h, module mpi or mpi_f08, with libsiox under a daemon: it
prints what it prints without, and each call is recorded once, with its offset, by the one recorder in C.
fortran.py mpif|mpi|mpi_f08; exits with 77 where MPICH has no Fortran compiler."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["SIOX_SOURCE"]
BUILD = os.environ["SIOX_BUILD"]
MPIEXEC = os.environ.get("SIOX_MPIEXEC", "mpiexec")
PROGRAM = os.path.join(SOURCE, "test/apps/every_call.F90")
OPTIONS = {"mpif": [], "mpi": ["-DUSE_MPI"], "mpi_f08": ["-DUSE_F08"]}
RANKS = 2
BYTES = 64  # of every access


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def rows(which=r"\w+"):
    with open(os.path.join(SOURCE, "include/siox/mpiio.def")) as f:
        return re.findall(rf"^SIOX_MPIIO\((\w+), +{which},", f.read(), re.M)


def expected_calls(rank):
    """What the program's text says that a rank calls, in order."""
    with open(PROGRAM) as f:
        calls = re.findall(r"^ +call (MPI_File_\w+)", f.read(), re.M)
    return [c for c in calls if rank == 0 or c != "MPI_File_delete"]


def main(interface):
    compiler = shutil.which("mpifort.mpich") or shutil.which("mpifort")
    if not compiler or not shutil.which("gfortran"):
        print("skipped: no mpifort of MPICH with gfortran")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="siox-e2e.") as work:
        os.mkdir(os.path.join(work, "store"))
        with open(os.path.join(work, "siox.yaml"), "w") as f:
            f.write(f"socket: {work}/siox.sock\nmount: {work}/store\ndisks: 4\ndrive: 36Z15\ntime_scale: 10\n")
        compile_ = [compiler, "-fallow-argument-mismatch", *OPTIONS[interface], PROGRAM]
        run(*compile_, "-o", "plain", cwd=work)
        lib = os.path.join(BUILD, "lib")
        run(*compile_, "-o", "with", "-L" + lib, "-Wl,--no-as-needed", "-lsiox", "-Wl,-rpath," + lib, cwd=work)
        alone = run(MPIEXEC, "-n", str(RANKS), "./plain", "f", cwd=work)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_")}
        said = run(os.path.join(BUILD, "bin/siox"), "run", "--quiet", "--policy", "base", "--config", "siox.yaml", "--record",
                   "run.siox", "--", MPIEXEC, "-n", str(RANKS), "./with", "store/f", cwd=work, env=environment)
        assert sorted(said.splitlines()) == sorted(alone.splitlines()), f"printed {said!r} instead of {alone!r}"
        # 11 reads that are counted, of 16 integers that are rank + 1.
        for r in range(RANKS):
            assert f"rank {r}: {11 * 16 * (r + 1)}" in alone.splitlines(), alone
            received = "".join(f"{10 * tag + 1 - r:4}" for tag in range(1, 9))
            assert f"rank {r} received{received}" in alone.splitlines(), alone
        events = [json.loads(line) for line in
                  run(os.path.join(BUILD, "bin/siox"), "trace", "cat", "run.siox", "--json", cwd=work).splitlines()]

    names = rows()
    # All but large counts, C's conversions, error handlers and representations.
    missing = {n for n in names if not n.endswith("_c")} - set(expected_calls(0)) - set(rows("APART"))
    assert not missing, f"the program does not call {sorted(missing)}"
    rank_of = {e["client"]: e["rank"] for e in events if e["event"] == "client" and "rank" in e}
    for rank in range(RANKS):
        calls = [e for e in events if e["event"] == "call" and rank_of[e["client"]] == rank]
        calls.sort(key=lambda e: e["start_ns"])
        found = [names[e["call"]] for e in calls]
        wanted = expected_calls(rank)
        assert found == wanted, f"rank {rank} of {interface}: recorded {found}, the program says {wanted}"
        for e in calls:
            name = names[e["call"]]
            assert e["result"] == 0, f"{name} failed"
            if re.search("read|write", name):
                assert e["bytes"] == BYTES, f"{name}: {e['bytes']} bytes"
            if re.search("(read|write)_at", name):
                assert e["offset"] == rank * BYTES, f"{name}: offset {e['offset']}"
            if re.search("_all|_ordered|open|close", name):
                assert int(e["uid"], 16) != 0, f"{name} has no collective"
        received = [e["tag"] for e in events if e["event"] == "message" and e["receive"] and rank_of[e["client"]] == rank]
        assert sorted(received) == list(range(1, 9)), f"rank {rank}: messages {received} were recorded as received"
        print(f"rank {rank}: {len(found)} calls, {len(set(found))} routines")


if __name__ == "__main__":
    main(sys.argv[1])
