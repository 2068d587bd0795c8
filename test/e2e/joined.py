#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that have joined and said nothing yet: one function, one condition. Usage: joined.py NAME; exits with 77 where
there is no MPI compiler."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import MPI, NEVER, REJOIN, SECOND, Daemon  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
SIOX = os.path.join(BUILD, "bin", "siox")
PRELOAD = os.path.join(BUILD, "lib", "libsiox-preload.so")
LOW = 6000
WAITING = """#include <mpi.h>
#include <stdio.h>
int main(void) {
  MPI_Init(NULL, NULL);
  puts("here");
  fflush(stdout);
  while (getchar() != EOF)
    ;
  return MPI_Finalize();
}
"""


def lets_go(client, at):
    """Of all disks, for good; then round trips: the daemon's loop has turned, and the table of levels is written."""
    client.claim(at, [(0, client.ndisks, LOW, 0, 0, NEVER)])
    for _ in range(2):
        client.ask("flush")


def are(client, at, speeds):
    """Time moves with stamps: a hint that says nothing new, a moment later."""
    lets_go(client, at)
    client.reaches(speeds)


def joined(daemon, **hello):
    """One that speaks, and another one that has not yet."""
    speaks = daemon.client().join(job="speaks", time=0)
    silent = daemon.client().join(job="silent", time=SECOND // 10, **hello)
    lets_go(speaks, 2 * SECOND)
    return speaks, silent


def a_rank_that_has_said_nothing_keeps_disks_at_full_speed():
    with Daemon(policy="siox", disks=2) as daemon:
        speaks, _ = joined(daemon, flags=MPI)
        are(speaks, 50 * SECOND, [15000, 15000])


def it_ends_when_it_opens_a_file():
    with Daemon(policy="siox", disks=2) as daemon:
        speaks, silent = joined(daemon, flags=MPI)
        silent.open(daemon.file("a", 1 << 20), "1:1:64K", time=5 * SECOND)
        are(speaks, 6 * SECOND, [LOW, 15000])


def it_ends_when_it_leaves():
    with Daemon(policy="siox", disks=2) as daemon:
        speaks, silent = joined(daemon, flags=MPI)
        silent.close()
        deadline = time.monotonic() + 20
        while speaks.ask("status")["clients"] > 1:
            assert time.monotonic() < deadline
        are(speaks, 6 * SECOND, [LOW, LOW])


def it_ends_after_hold_joined():
    with Daemon(policy="siox", disks=2, hold_joined=30, time_scale=10) as daemon:
        speaks, _ = joined(daemon, flags=MPI)
        are(speaks, 3100 * 10**6 - 1, [15000, 15000])
        are(speaks, 3100 * 10**6 + 1, [LOW, LOW])


def who_runs_no_mpi_keeps_none():
    for hello in (dict(), dict(rank=-1, size=0, flags=MPI), dict(flags=MPI | REJOIN)):
        with Daemon(policy="siox", disks=2) as daemon:
            speaks, _ = joined(daemon, **hello)
            are(speaks, 6 * SECOND, [LOW, LOW])


def recorded(record, **hello):
    """Two that use a disk each; joules of the run."""
    with Daemon(policy="siox", disks=2, record=record) as daemon:
        speaks, silent = joined(daemon, **hello)
        number, _ = silent.open(daemon.file("a", 1 << 20), "1:1:64K", time=40 * SECOND)
        silent.io(number, 0, 65536, 40 * SECOND)
        lets_go(speaks, 60 * SECOND)
        speaks.close()
        silent.close()
        daemon.stop()
    done = subprocess.run([SIOX, "sim", record, "--schemes", "siox", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def a_replay_waits_for_whom_the_daemon_waited_for():
    """The store's own joules again in closed loop; and those who wait take more."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        took = []
        for flags in (MPI, 0):
            got = recorded(os.path.join(directory, "run.siox"), flags=flags)
            row = next(r for r in got["rows"] if r["scheme"] == "siox")
            assert abs(row["joules"] - got["recorded"]["joules"]) < 1e-6 * row["joules"], (row, got["recorded"])
            took.append(row["joules"])
        assert took[0] > took[1] * 1.05, took


def launched(daemon, *command):
    """A rank under libsiox that waits until its input ends."""
    return subprocess.Popen([os.path.join(BUILD, "test", "mpiexec"), "-n", "1", *command], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True,
                            env=dict(os.environ, LD_PRELOAD=PRELOAD, SIOX_SOCKET=daemon.socket))


def program(daemon):
    compiler = shutil.which("mpicc.mpich") or shutil.which(os.environ.get("SIOX_MPICC", "mpicc"))
    if not compiler:
        print("skipped: no mpicc")
        sys.exit(77)
    source, out = (os.path.join(daemon.directory, n) for n in ("waiting.c", "waiting"))
    with open(source, "w") as f:
        f.write(WAITING)
    subprocess.run([compiler, source, "-o", out], check=True)
    return out


def a_program_between_mpi_init_and_its_first_file_is_waited_for():
    with Daemon(policy="siox", disks=2, clock="monotonic", hold_joined=3600) as daemon:
        rank = launched(daemon, program(daemon))
        assert rank.stdout.readline() == "here\n"
        client = daemon.client().join(job="speaks", time=time.monotonic_ns())
        lets_go(client, time.monotonic_ns())
        assert client.ask("status")["clients"] == 2
        assert client.speeds() == [15000, 15000]
        rank.communicate()
        assert rank.returncode == 0
        client.reaches([LOW, LOW])


def a_tool_that_is_launched_like_a_rank_is_not():
    with Daemon(policy="siox", disks=2, clock="monotonic", hold_joined=3600) as daemon:
        other = os.path.join(daemon.directory, "other")
        tool = launched(daemon, "sh", "-c", f"exec 3>{other}; echo here; read line")
        assert tool.stdout.readline() == "here\n"
        client = daemon.client().join(job="speaks", time=time.monotonic_ns())
        lets_go(client, time.monotonic_ns())
        assert client.ask("status")["clients"] == 2
        client.reaches([LOW, LOW])
        tool.communicate()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
