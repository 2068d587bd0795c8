#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counting and recording a call costs: processor time and instructions a call, at start and end of a program, and how many single
calls a second the daemon takes. Each figure beside the program without Siox and two bare clock reads, rounds taken in turn; medians.

usage: test/bench/calls.py [--rounds N] [--only time,instructions,empty,ring]
Instructions are callgrind's (valgrind), which makes system calls of clock reads: those of the two reads are not in them."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.setdefault("SIOX_BUILD", os.path.join(TOP, "build"))
sys.path.insert(0, os.path.join(TOP, "test", "e2e"))
from wire import Daemon  # noqa: E402

LOAD = os.path.join(BUILD, "bin", "calls_load")
# Added to the same calls, measured on a machine like CI's (MPICH 4.0.2, tmpfs): ns a call; an empty program, ms.
PEERS = [("Darshan, counters", 318, 570, "5.5"), ("Darshan DXT, every call", 493, 986, "6.3"), ("Recorder, every call", 4510, 10325, "0.8")]
TARGETS = {"posix": None, "mpiio": 200}


def environment(daemon=None, library=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") and k != "LD_PRELOAD"}
    if daemon:
        env.update(SIOX_SOCKET=daemon.socket, LD_PRELOAD=library or os.path.join(BUILD, "lib", "libsiox.so"))
    return env


def load(what, env, directory, calls=20000, rounds=20, before=()):
    other = os.path.join(directory, "other")  # its open finds the daemon
    done = subprocess.run([*before, LOAD, what, str(calls), str(rounds), os.path.join("/dev/shm", f"siox-calls-{os.getpid()}"), other],
                          env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{LOAD} {what}: {done.stderr}")
    return float(done.stdout.split()[-1])


def daemons(directory):
    """Name and daemon: one that counts, and one that wants every call."""
    trace = os.path.join(directory, "trace.siox")
    return [("counted", Daemon(monitor_period=0.1, clock="monotonic")),
            ("recorded", Daemon(monitor_period=0.1, clock="monotonic", record=trace, record_layers="mpiio,posix"))]


def times(directory, rounds):
    with_daemons = daemons(directory)
    names = ["without"] + [name for name, _ in with_daemons]
    envs = [environment()] + [environment(d) for _, d in with_daemons]
    took = {(what, name): [] for what in ("clock", "posix", "mpiio") for name in names}
    for _ in range(rounds):
        for what in ("clock", "posix", "mpiio"):
            for name, env in zip(names, envs):
                if what != "clock" or name == "without":
                    took[what, name].append(load(what, env, directory))
    for _, daemon in with_daemons:
        daemon.__exit__(None)
    median = {k: statistics.median(v) for k, v in took.items() if v}
    clock = median["clock", "without"]
    print(f"two bare clock reads                {clock:8.1f} ns")
    print(f"{'ns of processor time a call':<28}{'without':>9}{'added':>9}{'above two clock reads':>23}")
    for name in names[1:]:
        for what, layers in (("posix", 1), ("mpiio", 2)):
            base, added = median[what, "without"], median[what, name] - median[what, "without"]
            print(f"{what + ', ' + name:<28}{base:9.1f}{added:9.1f}{added - clock:23.1f}")
        own = median["mpiio", name] - median["mpiio", "without"] - (median["posix", name] - median["posix", "without"])
        print(f"{'MPI-IO layer alone, ' + name:<28}{'':>9}{own:9.1f}{own - clock:23.1f}    target 100")
    print("target of mpiio, its POSIX call recorded: 200 above two clock reads")
    for name, posix, mpi, _ in PEERS:
        print(f"  {name:<26}{'posix':>9}{posix:9} {'mpiio':>9}{mpi:9}")


def instructions(directory):
    library = os.path.join(directory, "libsiox.so")
    subprocess.run(["strip", "-g", "-o", library, os.path.join(BUILD, "lib", "libsiox.so")], check=True)  # valgrind 3.19 knows no DWARF 5

    def by_function(what, env, calls):
        out = os.path.join(directory, "callgrind")
        load(what, env, directory, calls, 1, ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out])
        text = subprocess.run(["callgrind_annotate", "--threshold=100", out], capture_output=True, text=True, check=True).stdout
        found = {}
        for line in text.splitlines():
            if (m := re.match(r" *([\d,]+) \(.*?\) +(\S.*)$", line)) and "=>" not in line and "PROGRAM" not in line:
                found[m.group(2)] = found.get(m.group(2), 0) + int(m.group(1).replace(",", ""))
        return found

    print(f"\n{'instructions a call':<28}{'in libsiox':>12}{'with what it calls':>20}")
    for name, daemon in daemons(directory):
        added = {}
        for what in ("posix", "mpiio", "collective", "barrier"):
            sums = []
            for env in (environment(daemon, library), environment()):
                few, many = (by_function(what, env, calls) for calls in (1000, 3000))
                per = {k: (many[k] - few.get(k, 0)) / 2000 for k in many}
                sums.append((sum(v for k, v in per.items() if "libsiox" in k), sum(per.values())))
            added[what] = (sums[0][0], sums[0][1] - sums[1][1])
            print(f"{what + ', ' + name:<28}{added[what][0]:12.0f}{added[what][1]:20.0f}")
        for what in ("mpiio", "collective"):
            print(f"{'MPI-IO layer of ' + what + ', ' + name:<36}{added[what][0] - added['posix'][0]:4.0f}"
                  f"{added[what][1] - added['posix'][1]:20.0f}    target 250 a layer")
        daemon.__exit__(None)


def empty(directory, rounds):
    daemon = Daemon(monitor_period=0.1, clock="monotonic")
    took = {False: [], True: []}
    for _ in range(20 * rounds):
        for on in took:
            began = time.perf_counter()
            load("empty", environment(daemon if on else None), directory)
            took[on].append(time.perf_counter() - began)
    daemon.__exit__(None)
    added = (statistics.median(took[True]) - statistics.median(took[False])) * 1e3
    print(f"\nempty program, wall: + {added:.2f} ms (target 5; " + ", ".join(f"{name} {ms}" for name, _, _, ms in PEERS) + ")")


def ring(directory):
    print(f"\n{'single calls a second':<28}{'left out':>12}{'marked':>10}{'marked lost':>13}{'daemon, s/s':>13}")
    for rate in (250e3, 500e3, 1e6, 2e6):
        trace = os.path.join(directory, f"{rate:.0f}.siox")
        with Daemon(monitor_period=0.1, clock="monotonic", record=trace, record_layers="posix") as daemon:
            def spent():
                with open(f"/proc/{daemon.pid}/stat") as f:
                    return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
            before = spent()
            out = subprocess.run([os.path.join(BUILD, "bin", "daemon_load"), "activities", daemon.socket, "4", "3", str(rate)],
                                 capture_output=True, text=True, check=True).stdout.split()
            made, left_out, marked, lost, seconds = (float(x) for x in out)
            print(f"{made / seconds:<28.0f}{left_out:12.0f}{marked:10.0f}{lost:13.0f}{(spent() - before) / seconds:13.2f}")
        os.unlink(trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="time,instructions,empty,ring")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for part in args.only.split(","):
            {"time": lambda: times(directory, args.rounds), "instructions": lambda: instructions(directory),
             "empty": lambda: empty(directory, args.rounds), "ring": lambda: ring(directory)}[part]()
    os.path.exists(f"/dev/shm/siox-calls-{os.getpid()}") and os.unlink(f"/dev/shm/siox-calls-{os.getpid()}")


if __name__ == "__main__":
    main()
