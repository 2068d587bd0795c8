# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node made of one run: a tree of /proc and /sys (SIOX_SYSFS_ROOT) whose processors do what the run's processes do, and whose
package has an energy counter (powercap). The counter is scripted, for this machine has none:

  watts = (idle + dynamic x busy processors / processors) x (1 + noise)

with the processor time that the run really takes. The processes' own files are the kernel's. While an anomaly of the meter
lasts, the watts are multiplied, or the counter stands still."""

import os
import random
import threading
import time

CORES = len(os.sched_getaffinity(0))
TICK = os.sysconf("SC_CLK_TCK")
EVERY = 0.02
BEGIN_UJ, RANGE_UJ = 10**15, 10**17  # counts of one width, which are written in place


def children(pid):
    found, waiting = [], [pid]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as f:
                    waiting += map(int, f.read().split())
        except (OSError, ValueError):
            pass  # it is gone
    return found


def used(pid):
    """Seconds of processor time, of all its threads."""
    seconds = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat") as f:
                seconds += int(f.read().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        pass
    return seconds


class Tree(threading.Thread):
    """idle, dynamic: watts; noise: a deviation of each 20 ms. What happens to the meter: (begin, end, factor), in seconds of
    CLOCK_MONOTONIC, factor 0: it stands still."""

    def __init__(self, directory, idle, dynamic, noise, seed):
        super().__init__(daemon=True)
        self.root, self.idle, self.dynamic, self.noise = os.path.join(directory, "root"), idle, dynamic, noise
        self.random, self.faults, self.others, self.over = random.Random(seed), [], [], threading.Event()
        self.known, self.gone, self.pid, self.lock = {}, 0.0, None, threading.Lock()
        zone = os.path.join(self.root, "sys/class/powercap/intel-rapl:0")
        os.makedirs(zone)
        os.makedirs(os.path.join(self.root, "proc"))
        for name, text in (("name", "package-0"), ("max_energy_range_uj", RANGE_UJ)):
            with open(os.path.join(zone, name), "w") as f:
                f.write(f"{text}\n")
        os.symlink("/proc/meminfo", os.path.join(self.root, "proc/meminfo"))
        self.stat = os.open(os.path.join(self.root, "proc/stat"), os.O_RDWR | os.O_CREAT)
        self.energy = os.open(os.path.join(zone, "energy_uj"), os.O_RDWR | os.O_CREAT)
        self.uj, self.busy, self.began = float(BEGIN_UJ), 0.0, time.monotonic()
        self.write(self.began)

    def of(self, process):
        """The run whose processes are the node's, with those that are added by adopt()."""
        self.pid = process.pid

    def adopt(self, process):
        with self.lock:
            self.others.append(process.pid)

    def link(self, pid):
        path = os.path.join(self.root, "proc", str(pid))
        if not os.path.islink(path):
            os.symlink(f"/proc/{pid}", path)

    def look(self):
        """Processor seconds of all, those that have ended included."""
        with self.lock:
            roots = self.others + ([self.pid] if self.pid else [])
        there = {p for root in roots for p in children(root)}
        for pid in there:
            self.link(pid)
            self.known[pid] = max(self.known.get(pid, 0), used(pid))
        return sum(self.known.values())

    def write(self, now):
        whole = CORES * (now - self.began)
        busy, idle = int(self.busy * TICK), int(max(0, whole - self.busy) * TICK)
        rows = ["cpu  %012d 0 0 %012d 0 0 0 0 0 0" % (busy, idle)]
        rows += ["cpu%d %012d 0 0 %012d 0 0 0 0 0 0" % (i, busy // CORES, idle // CORES) for i in range(CORES)]
        os.pwrite(self.stat, ("\n".join(rows) + "\n").encode(), 0)
        os.pwrite(self.energy, b"%d\n" % int(self.uj), 0)

    def run(self):
        before = time.monotonic()
        while not self.over.wait(EVERY):
            now, busy = time.monotonic(), self.look()
            factor = next((f for a, b, f in self.faults if a <= now < b), 1)
            work = max(0, busy - self.busy)
            joules = self.idle * (now - before) + self.dynamic * work / CORES
            self.uj += 1e6 * factor * joules * max(0, 1 + self.random.gauss(0, self.noise))
            self.busy, before = max(self.busy, busy), now
            self.write(now)

    def stop(self):
        self.over.set()
        self.join(10)
        os.close(self.stat)
        os.close(self.energy)
