# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mxm and relay with hints by hand and with the pass's, under policy siox on disks ten times faster than life: what
automatic_hints.py judges and test/bench/hints.py measures.

Gaps are seconds of computing between two bursts (the disks' own time is ten times that), and so many that a run takes
about ten seconds: x10 begins from a smaller base, and has fewer gaps, than x1. At x0.1 no gap pays; every disk is used
by the program, in every phase or every second one."""

import csv
import json
import os
import resource
import shutil
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SIOX_SOURCE") or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SIOX_BUILD") or os.path.join(SOURCE, "build")
MPIEXEC = os.environ.get("SIOX_MPIEXEC") or shutil.which("mpiexec.mpich") or "mpiexec"
SIOX = os.path.join(BUILD, "bin", "siox")
TIME_SCALE = 10

MXM, RELAY = ["--n", "1024"], ["--n", "512"]
GAPS = {  # seconds of each gap, options that make their number
    ("mxm", "x0.1"): (0.15, ["--k", "4"]), ("relay", "x0.1"): (0.06, ["--steps", "5"]),
    ("mxm", "x1"): (2.2, ["--k", "4"]), ("relay", "x1"): (2.0, ["--steps", "3"]),
    ("mxm", "x10"): (4.0, ["--k", "3"]), ("relay", "x10"): (4.0, ["--steps", "2"]),
}
# mxm says nothing of disks. At x0.1 its C, written once, lies with A and B: else its disks would have one long gap.
LAYOUTS = {"x0.1": ("0:4:64K", "2:4:64K", "0:3:64K", 6), "else": ("0:4:64K", "2:4:64K", "4:3:64K", 8)}


def own_daemons_only():
    for variable in ("SIOX_SOCKET", "SIOX_CONFIG", "SIOX_JOB", "SIOX_POLICY"):
        os.environ.pop(variable, None)
    os.environ["XDG_RUNTIME_DIR"] = "/nonexistent"  # where the default socket would be


def at_once(commands):
    """A shell script: all of (words, file for their output) at once; it fails when one of them does."""
    return " & ".join(shlex.join(words) + " >" + shlex.quote(out) for words, out in commands) + " & for p in $(jobs -p); do wait $p || exit; done"


class OtherLoad:
    """Cores that other processes keep busy, from /proc/stat less what our children used."""

    @staticmethod
    def now():
        with open("/proc/stat") as f:
            ticks = [int(word) for word in f.readline().split()[1:9]]
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # all but idle and iowait
        return time.monotonic(), busy, ours.ru_utime + ours.ru_stime

    def __init__(self):
        self.start = self.now()

    def cores(self):
        seconds, busy, ours = (b - a for a, b in zip(self.start, self.now()))
        return max(0.0, (busy - ours) / seconds)


class Program:
    """One program at one scale: plain, hinted by hand and compiled with the pass, with --work such that a gap lasts as
    long as the scale says when the program has a core for itself."""

    def __init__(self, name, scale, directory):
        self.name, self.scale = name, scale
        self.gap, more = GAPS[name, scale]
        self.options = (MXM if name == "mxm" else RELAY) + more
        self.plain = os.path.join(BUILD, "bin", name)
        self.hand = self.plain + "_hinted"
        self.auto = os.path.join(directory, name)
        compiler = os.path.join(BUILD, "bin", "siox-cc")
        subprocess.run([compiler, "-O2", "-D_GNU_SOURCE", name + ".c", "-o", self.auto, "-lm"],
                       cwd=os.path.join(SOURCE, "test", "apps"), check=True)
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

    def written(self, store, instance):
        """The files that an instance writes."""
        ends = "ab" if self.name == "relay" else "c"
        return [os.path.join(store, "%s%d.%s" % (self.name, instance, end)) for end in ends]


class Place:
    """Disks and a daemon of their own."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.store = os.path.join(directory, "store")
        self.segments = os.path.join(directory, "segments.csv")
        os.makedirs(self.store)
        a, b, c, disks = LAYOUTS.get(program.scale, LAYOUTS["else"])
        if program.name == "relay" and program.scale == "x0.1":
            disks = 7
        with open(os.path.join(directory, "layouts.yaml"), "w", encoding="utf-8") as f:
            for end, layout in (("a", a), ("b", b), ("c", c)):
                f.write('- {file: "*.%s", layout: "%s"}\n' % (end, layout))
        with open(os.path.join(directory, "siox.yaml"), "w", encoding="utf-8") as f:
            f.write("socket: {0}/sock\nmount: {0}/store\nlayouts: {0}/layouts.yaml\ndisks: {1}\ndrive: 36Z15\ntime_scale: {2}\n"
                    .format(directory, disks, TIME_SCALE))
        self.files = [program.prepare(self.store, i) for i in range(2)]

    def output(self, instance):
        return os.path.join(self.directory, "out%d" % instance)

    def start(self, binary, instances, check=False):
        script = at_once([(self.program.command(binary, self.files[i]), self.output(i)) for i in range(instances)])
        return subprocess.Popen(
            [SIOX, "run", "--quiet", "--policy", "siox", "--config", self.directory + "/siox.yaml", "--record",
             self.directory + "/run.siox", "--json=" + self.directory + "/run.json", *(["--check-hints"] if check else []),
             "--", "bash", "-c", script],
            stdin=subprocess.DEVNULL, cwd=self.directory)

    def finish(self, process):
        """The report; the disks' segments are in self.segments."""
        if process.wait() not in (0, 3):  # 3: only the check of hints did not pass
            sys.exit("siox run: status %d" % process.returncode)
        with open(self.segments, "w", encoding="utf-8") as f:
            subprocess.run([SIOX, "trace", "cat", self.directory + "/run.siox", "--segments"], check=True, stdout=f)
        with open(self.directory + "/run.json", encoding="utf-8") as f:
            return json.load(f)

    def possible(self):
        """What the last run could have saved without delaying a request (test/check/optimum.py), of 1."""
        # Slow services give status 2; their delay is what the report's added I/O time says.
        text = subprocess.run([sys.executable, os.path.join(SOURCE, "test", "check", "optimum.py"), self.segments,
                               "--time-scale", str(TIME_SCALE), "--profile",
                               os.path.join(SOURCE, "share", "drives", "36Z15.yaml")], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout
        return json.loads(text)["saved_percent"] / 100

    def moved_between_requests(self):
        """Disks that left full speed in the last run though a request was still to come."""
        down, last = {}, {}
        with open(self.segments, newline="") as text:
            for row in csv.DictReader(text):
                disk, start = int(row["disk"]), int(row["start_ns"])
                if row["state"] == "down":
                    down.setdefault(disk, start)
                elif row["state"] == "active":
                    last[disk] = max(last.get(disk, 0), start)
        return {disk for disk in down if down[disk] < last.get(disk, 0)}
