#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints placed by the pass against hints placed by hand, under policy siox on disks ten times faster than life.
Usage: automatic_hints.py PROGRAM SCALE, PROGRAM mxm or relay, SCALE x0.1, x1 or x10.

x1, x10: alone and with a second instance of itself the compiled program saves at least 95 % of what the hand-hinted one
does, and waits for its I/O at most 1 percentage point longer (`siox run --json`: saved, added_io_time). A phase never
takes equally long twice, so each run's savings are first divided by what was possible in its own trace without delaying
a request (test/check/optimum.py). The two programs run side by side, on disks and with a daemon of their own each,
when they run alone, so that both see the same machine; one after the other when there are two instances of each. A
round that misses is repeated twice, and then the medians of the three count.

x0.1: gaps too short to pay. No disk changes its speed as long as a request is still to come, and the run takes at most
0.5 % more energy than at full speed; every disk is used by the program, in every phase or every second one.

Seconds of computing between two bursts (the disks' own time is ten times that), and how many, so that a case takes less
than two minutes: x10 begins from a smaller base, and has fewer gaps, than x1."""

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

BUILD = os.environ["SIOX_BUILD"]
SOURCE = os.environ.get("SIOX_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MPIEXEC = os.environ.get("SIOX_MPIEXEC") or shutil.which("mpiexec.mpich") or "mpiexec"
SIOX = os.path.join(BUILD, "bin", "siox")
ROUNDS = 3

MXM, RELAY = ["--n", "1024"], ["--n", "512"]
GAPS = {  # seconds of each gap, options that make their number
    ("mxm", "x0.1"): (0.15, ["--k", "4"]), ("relay", "x0.1"): (0.06, ["--steps", "5"]),
    ("mxm", "x1"): (2.2, ["--k", "4"]), ("relay", "x1"): (2.0, ["--steps", "3"]),
    ("mxm", "x10"): (4.0, ["--k", "3"]), ("relay", "x10"): (4.0, ["--steps", "2"]),
}
# mxm says nothing of disks. At x0.1 its C, written once, lies with A and B: else its disks would have one long gap.
LAYOUTS = {"x0.1": ("0:4:64K", "2:4:64K", "0:3:64K", 6), "else": ("0:4:64K", "2:4:64K", "4:3:64K", 8)}


class Program:
    def __init__(self, name, scale, directory):
        self.name, self.scale = name, scale
        self.gap, more = GAPS[name, scale]
        self.options = (MXM if name == "mxm" else RELAY) + more
        self.plain = os.path.join(BUILD, "bin", name)
        self.hand = self.plain + "_hinted"
        self.auto = os.path.join(directory, name)
        subprocess.run([os.path.join(BUILD, "bin", "siox-cc"), "-O2", "-D_GNU_SOURCE", name + ".c", "-o", self.auto, "-lm"],
                       cwd=os.path.join(SOURCE, "test", "apps"), check=True)
        self.work = None
        files = self.prepare(directory, 0)
        timings = [line.split()[-2] for _ in range(2) for line in subprocess.run(
            self.command(self.plain, files, "0.1", "--time"), check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr.splitlines()
            if "multiply" in line or "sweeps" in line]
        least = min(float(seconds) for seconds in timings)  # of a tenth of --work 1
        self.work = "%.1f" % max(0.1, 0.1 * self.gap / least)

    def command(self, binary, files, work=None, *more):
        return [MPIEXEC, "-n", "1", binary, *self.options, "--work", work or self.work, *more, *files]

    def prepare(self, store, instance):
        """Makes what an instance reads; returns the arguments that name its files."""
        prefix = os.path.join(store, "%s%d" % (self.name, instance))
        if self.name == "relay":
            return [prefix + ".a", prefix + ".b"]
        subprocess.run(self.command(self.plain, ["--files", prefix], "0.1", "--generate"), check=True,
                       stdin=subprocess.DEVNULL)
        return ["--files", prefix]


class Place:
    """Disks and a daemon of their own."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        store = os.path.join(directory, "store")
        os.makedirs(store)
        a, b, c, disks = LAYOUTS.get(program.scale, LAYOUTS["else"])
        if program.name == "relay" and program.scale == "x0.1":
            disks = 7
        with open(os.path.join(directory, "layouts.yaml"), "w", encoding="utf-8") as f:
            for end, layout in (("a", a), ("b", b), ("c", c)):
                f.write('- {file: "*.%s", layout: "%s"}\n' % (end, layout))
        with open(os.path.join(directory, "siox.yaml"), "w", encoding="utf-8") as f:
            f.write("socket: {0}/sock\nmount: {0}/store\nlayouts: {0}/layouts.yaml\ndisks: {1}\ndrive: 36Z15\ntime_scale: 10\n"
                    .format(directory, disks))
        self.files = [program.prepare(store, i) for i in range(2)]

    def start(self, binary, instances):
        commands = [" ".join(self.program.command(binary, self.files[i])) for i in range(instances)]
        script = " & ".join("%s >%s/out%d" % (c, self.directory, i) for i, c in enumerate(commands))
        script += " & for p in $(jobs -p); do wait $p || exit; done"
        return subprocess.Popen(
            [SIOX, "run", "--quiet", "--policy", "siox", "--config", self.directory + "/siox.yaml", "--record",
             self.directory + "/run.siox", "--json=" + self.directory + "/run.json", "--", "bash", "-c", script],
            stdin=subprocess.DEVNULL, cwd=self.directory)

    def finish(self, process):
        """(report, share of the savings that were possible, how much that was)"""
        if process.wait() != 0:
            sys.exit("siox run: status %d" % process.returncode)
        with open(self.directory + "/run.json", encoding="utf-8") as f:
            report = json.load(f)
        with open(self.directory + "/segments.csv", "w", encoding="utf-8") as f:
            subprocess.run([SIOX, "trace", "cat", self.directory + "/run.siox", "--segments"], check=True, stdout=f)
        # Slow services give status 2; their delay is judged by the report's added I/O time.
        text = subprocess.run([sys.executable, os.path.join(SOURCE, "test", "check", "optimum.py"),
                               self.directory + "/segments.csv", "--time-scale", "10", "--profile",
                               os.path.join(SOURCE, "share", "drives", "36Z15.yaml")], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout
        possible = json.loads(text)["saved_percent"] / 100
        return report, report["run"]["saved"] / possible if possible > 0 else 1.0, possible


def show(what, report, share, possible):
    run = report["run"]
    print("  %-5s saved %6.2f %% of possible %6.2f %%: share %6.2f %%, added I/O %5.2f %%, transitions %3d, missed %3d, late %d, %6.2f s"
          % (what, 100 * run["saved"], 100 * possible, 100 * share, 100 * run["added_io_time"], run["transitions"],
             run["missed"], report["late"], run["seconds"]), flush=True)


def one_round(places, instances):
    """Of hand and auto: share and added I/O time."""
    program = places[0].program
    binaries = (program.hand, program.auto)
    if instances == 1:
        started = [place.start(binary, 1) for place, binary in zip(places, binaries)]
        results = [place.finish(process) for place, process in zip(places, started)]
    else:
        results = [place.finish(place.start(binary, instances)) for place, binary in zip(places, binaries)]
    for what, result in zip(("hand", "auto"), results):
        show(what, *result)
    return [(share, report["run"]["added_io_time"]) for report, share, _ in results]


def measures_up(rounds):
    hand, auto = ([statistics.median(r[who][what] for r in rounds) for what in (0, 1)] for who in (0, 1))
    return auto[0] >= 0.95 * hand[0] and auto[1] <= hand[1] + 0.01


def compare(places, instances):
    rounds = [one_round(places, instances)]
    if not measures_up(rounds):
        rounds += [one_round(places, instances) for _ in range(ROUNDS - 1)]
    return measures_up(rounds)


def moved_before_last_request(segments):
    """Disks that left full speed though a request was still to come, from `siox trace cat --segments`."""
    down, last = {}, {}
    with open(segments, newline="") as text:
        for row in csv.DictReader(text):
            disk, start = int(row["disk"]), int(row["start_ns"])
            if row["state"] == "down":
                down.setdefault(disk, start)
            elif row["state"] == "active":
                last[disk] = max(last.get(disk, 0), start)
    return sorted(disk for disk in down if down[disk] < last.get(disk, 0))


def short_gaps(place, instances):
    for _ in range(ROUNDS):  # on a busy machine a gap can last long enough to pay: such a run says nothing
        report, share, possible = place.finish(place.start(place.program.auto, instances))
        show("auto", report, share, possible)
        if possible <= 0:
            break
    moved = moved_before_last_request(place.directory + "/segments.csv")
    if moved:
        print("  disks that changed their speed between requests:", moved)
    return not moved and report["run"]["joules"] <= 1.005 * report["base"]["joules"]


def main():
    name, scale = sys.argv[1:3]
    for variable in ("SIOX_SOCKET", "SIOX_CONFIG", "SIOX_JOB"):
        os.environ.pop(variable, None)
    directory = tempfile.mkdtemp(prefix="siox-e2e.")
    wrong = []
    try:
        program = Program(name, scale, directory)
        places = [Place(program, os.path.join(directory, who)) for who in ("hand", "auto")]
        for instances in (1, 2):
            scenario = "alone" if instances == 1 else "two at once"
            print("%s %s (--work %s), %s, load %.1f:" % (name, scale, program.work, scenario, os.getloadavg()[0]), flush=True)
            good = short_gaps(places[1], instances) if scale == "x0.1" else compare(places, instances)
            if not good:
                wrong.append(scenario)
        if wrong and os.environ.get("SIOX_KEEP"):
            shutil.copytree(directory, os.environ["SIOX_KEEP"], dirs_exist_ok=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if wrong:
        sys.exit("FAILED: %s" % ", ".join(wrong))


if __name__ == "__main__":
    main()
