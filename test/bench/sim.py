#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the simulator is, and what memory it takes; prints markdown tables.

A service is one disk's part of a request. Services/s are of one thread's CPU time, the median of the rounds. Beside them
stands `bare`: an event loop of the same processes and disks that has a heap and the disks' queues and nothing else, run
in turn with the others, and the part of its rate that a scheme reaches. Instructions are those that one service more
takes: `perf stat` where the machine has counters, else the difference of two lengths under callgrind.

The jobs compute and move bursts of 4 MiB in requests that four disks serve (`test/bench/sim_load.c`); every process says
after its burst when it needs its disks again, off by up to 10 %, and the disks are busy for 30 % of the time. Jobs of up
to 64 processes share the disks, but for `one job`, in which all processes use all disks, 16 MiB a burst. The limits are
siox.yaml's. Memory is the peak of a whole run under `base` with one disk a request, of generated jobs and of a trace."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

EXAMPLES = """examples:
  python3 test/bench/sim.py                 everything: about a quarter of an hour, and 1 GB in the directory of $TMPDIR
  python3 test/bench/sim.py --quick         shorter runs, without the largest
  python3 test/bench/sim.py --only 1000 --schemes base,siox --json
SIOX_BUILD names the build directory (default: build)."""

LOAD = os.path.join(os.environ.get("SIOX_BUILD", "build"), "bin", "sim_load")
EVERY = ["base", "static:9000", "timeout", "hw", "com", "rt", "claims", "siox", "siox:delay=2"]

# name: processes, arguments, services of a run, schemes
SIZES = {
    "1": (1, [], 4e6, ["base", "siox"]),
    "8": (8, [], 4e6, ["base", "siox"]),
    "64": (64, [], 4e6, ["base", "siox"]),
    "1000": (1000, ["--disks", 64], 2e6, EVERY),
    "one job": (1000, ["--disks", 64, "--together", 1000, "--factor", 64, "--requests", 64], 2e6, EVERY),
    "16384": (16384, ["--disks", 10000, "--factor", 40], 4e6, EVERY),
}


def load(scheme, processes, arguments, services, before=(), program=LOAD):
    command = [*before, program, "--scheme", scheme, "--processes", processes, "--services", int(services), *arguments]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"sim.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout), done.stderr


def counters():
    """Does perf count instructions here?"""
    try:
        done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0 and done.stderr.split(",")[0].isdigit()


def instructions_of(scheme, processes, arguments, services, perf):
    if perf:
        result, text = load(scheme, processes, arguments, services, ["perf", "stat", "-x,", "-e", "instructions:u"])
        return result["services"], int(text.split(",")[0])
    with tempfile.TemporaryDirectory(prefix="siox-bench.") as directory:
        out, bare = os.path.join(directory, "out"), os.path.join(directory, "sim_load")
        subprocess.run(["strip", "--strip-debug", "-o", bare, LOAD], check=True)  # valgrind may not know its form
        result, text = load(scheme, processes, arguments, services,
                            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"], bare)
    return result["services"], int(text.rsplit("Collected :", 1)[1].split()[0])


def instructions(scheme, processes, arguments, perf):
    """Of one service more."""
    burst = 16 * 4
    if "--requests" in arguments:
        burst = 4 * arguments[arguments.index("--requests") + 1]
    phase = processes * burst
    few = max(1, round(20000 / phase))
    (n1, i1), (n2, i2) = (instructions_of(scheme, processes, arguments, k * phase, perf) for k in (few, 3 * few))
    return (i2 - i1) / (n2 - n1)


def rates(name, size, options, perf):
    processes, arguments, services, schemes = size
    services = services / 4 if options.quick else services
    schemes = [s for s in options.schemes.split(",") if s in EVERY] if options.schemes else schemes
    measured = {s: [] for s in ["bare", *schemes]}
    for _ in range(options.rounds):
        for scheme, found in measured.items():
            result, _ = load(scheme, processes, arguments, services)
            found.append(result["services"] / result["seconds"])
    rows = []
    for scheme, found in measured.items():
        row = {"size": name, "processes": processes, "scheme": scheme, "services_per_s": statistics.median(found)}
        row["of_bare"] = row["services_per_s"] / statistics.median(measured["bare"])
        if processes <= 1000 and not options.quick:
            row["instructions"] = instructions(scheme, processes, arguments, perf)
        rows.append(row)
    return rows


def memory(quick):
    rows = []
    arguments = ["--touch", 1, "--busy", 10]
    with tempfile.TemporaryDirectory(prefix="siox-bench.") as directory:
        for requests in (1e6, 1e7) if quick else (1e6, 1e7, 1e8):
            trace = os.path.join(directory, "load.siox")
            for what, more in (("generated", []), ("trace", ["--trace", trace])):
                result, _ = load("base", 64, arguments + more, requests)
                rows.append({"jobs": what, "requests": int(requests), "peak_mib": result["rss_kib"] / 1024})
                if more:
                    rows[-1]["trace_mib"] = os.path.getsize(trace) / 2**20
    return rows


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("| --- " * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="shorter runs, no instructions, no 100 million requests")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each figure (default: 3)")
    parser.add_argument("--only", metavar="SIZES", help="of these sizes: " + ", ".join(SIZES) + ", memory")
    parser.add_argument("--schemes", metavar="A,B", help="only these: " + ", ".join(EVERY))
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    options = parser.parse_args()
    if not os.path.exists(LOAD):
        sys.exit(f"sim.py: {LOAD} is not there: build first, or set SIOX_BUILD")
    names = options.only.split(",") if options.only else [*SIZES, "memory"]
    unknown = [n for n in names if n not in SIZES and n != "memory"]
    if unknown:
        sys.exit(f"sim.py: no such size: {unknown[0]}")
    perf, out = counters(), {"rates": [], "memory": []}
    for name in names:
        print(f"{name} ...", file=sys.stderr)
        if name == "memory":
            out["memory"] = memory(options.quick)
        else:
            out["rates"] += rates(name, SIZES[name], options, perf)
    if options.json:
        print(json.dumps(out, indent=1))
        return
    if out["rates"]:
        print(f"Services a second of one core, {options.rounds} rounds; instructions by {'perf' if perf else 'callgrind'}\n")
        table(["processes", "scheme", "M services/s", "of bare", "instructions a service"],
              [[r["size"], r["scheme"], f"{r['services_per_s'] / 1e6:.2f}", f"{100 * r['of_bare']:.0f} %",
                f"{r['instructions']:.0f}" if "instructions" in r else ""] for r in out["rates"]])
    if out["memory"]:
        table(["jobs", "requests", "peak MiB", "trace MiB"],
              [[r["jobs"], f"{r['requests']:,}", f"{r['peak_mib']:.0f}", f"{r['trace_mib']:.0f}" if "trace_mib" in r else ""]
               for r in out["memory"]])


if __name__ == "__main__":
    main()
