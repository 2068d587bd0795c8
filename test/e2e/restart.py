#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A daemon that is killed under a running MPI program and started anew: one function, one condition.
Usage: restart.py NAME"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import FULL, Daemon  # noqa: E402

RANKS = 2
LATER = 10**18  # need_by: not while this test runs


class Holder:
    """test/apps/holder.c on two ranks, told one line at a time."""

    def __init__(self, mount, **environment):
        self.process = subprocess.Popen(
            [os.environ["SIOX_MPIEXEC"], "-n", str(RANKS), os.path.join(os.environ["SIOX_BUILD"], "bin", "holder"), mount],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "XDG_RUNTIME_DIR": mount, **environment})

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", self.process.stderr.read()

    def end(self):
        out, err = self.process.communicate("end\n", timeout=60)
        assert self.process.returncode == 0, err
        return out, err


def claims(daemon):
    client = daemon.client()
    status = client.ask("status")
    client.close()
    return [[(c["rank"], c["speed"], c["needed"], c["need_by"]) for c in disk["claims"]] for disk in status["disks"]]


def until(what, step, seconds=60):
    """The program goes on, step by step, until it is so."""
    last = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < last, "never"
        step()


def claims_are_back_after_a_restart_and_the_result_is_the_same():
    """Hints are given of disks 0 and 1, one a rank; the ranks' files lie on disks 2 and 3, which are held for them."""
    with Daemon(clock="monotonic", policy="siox", time_scale=10, default_layout="2:2:64K") as daemon:
        holder = Holder(daemon.mount, SIOX_SOCKET=daemon.socket)
        steps = 0

        def io():
            nonlocal steps
            holder.tell("io")
            steps += 1

        io()
        holder.tell(f"hint {FULL} 0 {LATER}")
        wanted = [[(0, FULL, False, LATER)], [(1, FULL, False, LATER)]]

        def are_there():
            now = claims(daemon)
            held = [sorted(c[:3] for c in disk) for disk in now[2:]]
            return now[:2] == wanted and held == 2 * [[(rank, FULL, True) for rank in range(RANKS)]]

        until(are_there, lambda: None)
        daemon.kill()
        assert daemon.wait()
        for _ in range(3):  # each passes straight through
            io()
        holder.tell(f"hint 6000 1 {LATER}")  # what is said meanwhile counts, too
        daemon.start()
        wanted = [[(0, 6000, True, LATER)], [(1, 6000, True, LATER)]]
        until(are_there, io)
        out, err = holder.end()
        assert err.count("\n") <= 1 and err.startswith("siox: sioxd is gone"), err
        alone = Holder(daemon.mount, SIOX_SOCKET="")
        for _ in range(steps):
            alone.tell("io")
        assert alone.end() == (out, "")


def a_restart_with_other_disks_leaves_the_program_alone():
    with Daemon(clock="monotonic", policy="siox", time_scale=10) as daemon:
        holder = Holder(daemon.mount, SIOX_SOCKET=daemon.socket)
        holder.tell("io")
        daemon.kill()
        assert daemon.wait()
        daemon.settings["disks"] = 3
        daemon.start()
        for _ in range(20):
            holder.tell("io")
        until(lambda: all(not c for c in claims(daemon)), lambda: None)
        out, err = holder.end()
        assert "right" in out and err.count("\n") == 1, (out, err)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
