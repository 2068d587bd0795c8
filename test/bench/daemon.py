#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The daemon's figures, each beside a baseline taken in the same run: claims a second beside rings and sockets that are only
read, hints beside two looks at the clock, memory with many jobs and disks, and what the daemon costs when nobody wants
anything. A figure per second of the daemon's own CPU time does not depend on what else the machine does; the others do, so
the load is printed. Targets are stated, not asserted.

usage: daemon.py [--seconds S] [--idle S] [--jobs N] [--json FILE] [--processes]

example: SIOX_BUILD=build python3 test/bench/daemon.py --seconds 3 --idle 30"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
os.environ.setdefault("SIOX_BUILD", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build"))
from wire import Daemon  # noqa: E402

BIN = os.path.join(os.environ["SIOX_BUILD"], "bin")
LOAD = os.path.join(BIN, "daemon_load")
TICKS = os.sysconf("SC_CLK_TCK")
rows = []


def row(what, value, unit, target="", met=None):
    rows.append(dict(what=what, value=value, unit=unit, target=target, met=met))
    mark = "" if met is None else "  yes" if met else "  NO"
    print(f"{what:<58} {value:>14,.4g} {unit:<18} {target:<14}{mark}", flush=True)


def load(*words):
    messages, seconds, cpu = subprocess.run([LOAD, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return int(messages), float(seconds), float(cpu)


def cpu_of(pid):
    """Seconds, to the nanosecond where the kernel tells them."""
    try:
        return sum(int(open(f"/proc/{pid}/task/{t}/schedstat").read().split()[0]) for t in os.listdir(f"/proc/{pid}/task")) / 1e9
    except (FileNotFoundError, ValueError):
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)) / 1024


def claims(seconds):
    ring, ring_s, ring_cpu = load("ring", 64, seconds)
    row("64 rings that are only read", ring / ring_cpu, "/s of the reader")
    sock, sock_s, sock_cpu = load("socket", 64, seconds)
    row("64 sockets that are only read", sock / sock_cpu, "/s of the reader")
    for policy, disks, which in (("base", 256, "of its own"), ("claims", 256, "of its own"), ("siox", 256, "of its own"),
                                 ("siox", 4, "that are everybody's")):
        with Daemon(clock="monotonic", policy=policy, disks=disks) as daemon:
            before = cpu_of(daemon.pid)
            count, wall, _ = load("claims", daemon.socket, 64, seconds, 4)
            cpu = cpu_of(daemon.pid) - before
            target = dict(target=">= 300,000", met=count / cpu >= 300000) if policy == "siox" else {}
            row(f"64 clients claim, each 4 disks {which}, {policy}", count / cpu, "/s of the daemon", **target)
            row(f"  the same by the wall clock", count / wall, "/s")
            row(f"  beside the bare ring", count / cpu / (ring / ring_cpu), "of it")


def hints():
    with Daemon(clock="monotonic", policy="claims", disks=8, time_scale=1000) as daemon:
        text = subprocess.run([os.path.join(BIN, "hint_cost"), "", str(daemon.pid)], check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "SIOX_SOCKET": daemon.socket}).stdout
    found = {name: (float(median), float(best))
             for name, median, best in re.findall(r"^\s*(\S.*?) +([\d.]+) ns median +([\d.]+) best", text, re.M)}
    row("two looks at the clock, median", found["two clock_gettime"][0], "ns")
    for name, most in (("hint, unchanged", 20), ("hint, changed", 1000), ("hint, changed, asleep", 10000), ("hint, until visible", 100000),
                       ("less waits for a core", 100000)):
        if name in found:
            row(("  " if name.startswith("less") else "") + name + ", median", found[name][0], "ns", f"<= {most:,}", found[name][0] <= most)
            row("  best", found[name][1], "ns")


def crowd(policy, jobs, disks, a_run, wanted):
    with Daemon(clock="monotonic", policy=policy, disks=disks) as daemon:
        empty = resident(daemon.pid)
        begin = time.monotonic()
        peer = subprocess.Popen([LOAD, "crowd", daemon.socket, str(jobs), "8", str(a_run)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert peer.stdout.readline() == "ready\n"
        client = daemon.client()
        client.socket.settimeout(600)
        answer = client.ask("disks", first=0, count=1)
        full, took = resident(daemon.pid), time.monotonic() - begin
        assert answer["clients"] == jobs, answer["clients"]
        all_of_them = empty + (full - empty) * wanted / jobs
        row(f"memory, {jobs} jobs x {disks} disks, 8 runs of {a_run}, {policy}", full, "MiB")
        row("  before they came", empty, "MiB")
        row(f"  in proportion, {wanted} jobs", all_of_them, "MiB", "<= 256", all_of_them <= 256)
        row("  time to take them in", took, "s")
        peer.communicate("\n")


def idle(seconds, clients):
    with Daemon(clock="monotonic", policy="siox", disks=8) as daemon:
        peer = subprocess.Popen([LOAD, "idle", daemon.socket, str(clients)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert peer.stdout.readline() == "ready\n"
        before, begin = cpu_of(daemon.pid), time.monotonic()
        perf = shutil.which("perf")
        counted = None
        if perf:
            run = subprocess.run([perf, "stat", "-x,", "-e", "instructions:u", "-p", str(daemon.pid), "--", "sleep", str(seconds)],
                                 stderr=subprocess.PIPE, text=True)
            got = re.search(r"^(\d+),,instructions", run.stderr, re.M)
            counted = int(got.group(1)) if got else None
        else:
            time.sleep(seconds)
        part = (cpu_of(daemon.pid) - before) / (time.monotonic() - begin) * 100
        row(f"idle, {clients} clients, {seconds} s", part, "% of a core", "<= 1", part <= 1)
        if counted is not None:
            row("  instructions", counted / seconds, "/s")
        peer.communicate("\n")


def processes(seconds, count, counted=False):
    """What measuring costs with so many processes, which do nothing: reading them is what it costs. counted: they have made I/O
    calls, whose counts are looked at, too."""
    with Daemon(clock="monotonic", policy="siox", disks=8) as daemon:
        peer = subprocess.Popen([LOAD, "counted" if counted else "processes", daemon.socket, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert peer.stdout.readline() == "ready\n"
        time.sleep(2)  # they come
        before, begin = cpu_of(daemon.pid), time.monotonic()
        time.sleep(seconds)
        part = (cpu_of(daemon.pid) - before) / (time.monotonic() - begin) * 100
        client = daemon.client()
        monitor = client.ask("status")["monitor"]
        assert monitor["processes"]["count"] == count, monitor["processes"]
        row(f"{count} processes of a job{', calls counted' * counted}, {seconds} s", part, "% of a core", "<= 1", part <= 1)
        row("  resident", resident(daemon.pid), "MiB", "<= 32", resident(daemon.pid) <= 32)
        for source in monitor["sources"]:
            if source.get("note"):
                print(f"  {source['name']}: {source['note']}")
        peer.communicate("\n")


def many_descriptors(wanted):
    """The daemon has three a client; root may raise the limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, hard), max(wanted, hard)))
    except (ValueError, OSError):
        return (hard - 100) // 3
    return (max(wanted, hard) - 100) // 3


def everything_else(options):
    claims(options.seconds)
    hints()
    jobs = min(options.jobs, many_descriptors(65536))
    crowd("siox", jobs, 10000, 8, options.jobs)
    for clients in (0, 64):
        idle(options.idle, clients)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement of throughput")
    parser.add_argument("--idle", type=int, default=30, help="seconds of idleness")
    parser.add_argument("--jobs", type=int, default=10000)
    parser.add_argument("--processes", action="store_true", help="only what measuring processes costs")
    parser.add_argument("--json", help="write the table here, too")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if not options.processes:
        everything_else(options)
    for count in (1, 128, 1000):
        processes(options.idle, count)
    processes(options.idle, 1000, counted=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
