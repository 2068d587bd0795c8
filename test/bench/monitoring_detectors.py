# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real programs on emulated disks to which things happen at random times, over about 5 % of a run: are they found, kept and named?"""

import csv
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

from monitoring_run import SIOX, Place, prefer
from monitoring_tree import CORES, Tree, children
from wire import Client

RANKS, DISKS, PERIOD, NOISE = 4, 8, 0.1, 0.01
LEARNING, SLOTS, SLOT = 40, 45, 25  # seconds: before that nothing is judged here; where the first slot begins; of each
KINDS = ("slow disk", "spinning neighbour", "dead sensor", "runaway rank")
MONITOR = """providers: [processors, processes, utilisation, powercap, drives]
detectors: [{plugin: statistics, config: {learning: 300}}, efficiency, sensor, drift, response, hung]
"""
OPTIONS = ("--grid", 128, "--layers", 4, "--variables", "1,2", "--work", 20, "--pause", 0.04, "--output-every", 1, "--rollover", 50,
           "--restart-every", 0, "--steps", 1000000)


class Events(threading.Thread):
    """Makes them happen. episodes: (kind, begin, end, what the verdict has to name)."""

    def __init__(self, place, tree, seed, process):
        super().__init__(daemon=True)
        self.place, self.tree, self.chance, self.process, self.episodes, self.said = place, tree, random.Random(seed), process, [], None
        self.order = self.chance.sample(KINDS, len(KINDS))

    def ranks(self):
        found = []
        for pid in children(self.process.pid):
            try:
                with open(f"/proc/{pid}/comm") as f:
                    found += [pid] if f.read().strip() == "climate" else []
            except OSError:
                pass
        return sorted(found)

    def happen(self, kind, seconds):
        """Returns what is named; it is over after that many seconds."""
        if kind == "slow disk":
            disk = self.chance.randrange(DISKS)
            client = Client(self.place.socket)
            client.ask("slow", disks=[[disk, disk]], factor=6, seconds=seconds)
            client.close()
            time.sleep(seconds)
            return f"disk{disk}"
        if kind == "spinning neighbour":
            spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(CORES)]
            for spinner in spinners:
                prefer(spinner.pid, -20)
                self.tree.adopt(spinner)
            time.sleep(seconds)
            for spinner in spinners:
                spinner.kill()
                spinner.wait()
            return "cpu"
        if kind == "dead sensor":
            now = time.monotonic()
            self.tree.faults.append((now, now + seconds, 0))
            time.sleep(seconds)
            return "energy of package-0"
        pid = self.chance.choice(self.ranks())
        os.kill(pid, signal.SIGUSR1)  # with the next step; for two seconds (--spin-signal)
        time.sleep(2)
        return str(pid)

    def run(self):
        try:
            begin = time.monotonic()
            while len(self.ranks()) < RANKS and time.monotonic() < begin + 10:
                time.sleep(0.1)
            for pid in self.ranks():
                prefer(pid, -15)
            for i, kind in enumerate(self.order):
                at = begin + SLOTS + i * SLOT + self.chance.uniform(0, SLOT - 8)
                time.sleep(max(0, at - time.monotonic()))
                start = time.monotonic()
                what = self.happen(kind, self.chance.uniform(1.5, 2.5))
                self.episodes.append((kind, start, time.monotonic(), what))
            time.sleep(max(0, begin + SLOTS + len(KINDS) * SLOT + 5 - time.monotonic()))
        except Exception as error:  # told by the main thread
            self.said = error
        self.process.send_signal(signal.SIGTERM)


def is_right(kind, what, node):
    subject, verdict = node["subject"], node["verdict"]
    if kind == "spinning neighbour":
        return verdict == "high load" and node["category"] == "cpu"
    return verdict == "fault" and (subject.split("@")[0] if kind == "runaway rank" else subject) == what


def activities(place):
    """When each ended, in seconds."""
    cat = subprocess.Popen([SIOX, "trace", "cat", place.path("run.siox"), "--events"], stdout=subprocess.PIPE, text=True)
    ends = [int(row["end_ns"]) / 1e9 for row in csv.DictReader(cat.stdout) if row["event"] in ("io", "call", "sync", "message", "wait")]
    cat.wait()
    return ends


def one(seed):
    events = []
    with Place(MONITOR, disks=DISKS, monitor_period=PERIOD, default_layout="0:8:16K", record_activities="anomalies") as place:
        place.settings["database"] = place.path("db")
        tree = Tree(place.directory, 55, 95, NOISE, seed)
        tree.start()

        def started(process):
            tree.of(process)
            events.append(Events(place, tree, seed, process))
            events[0].start()

        report, seen = place.run(RANKS, "climate", *OPTIONS, "--spin-signal", 2, "store/run", environment={"SIOX_SYSFS_ROOT": tree.root},
                                 started=started, killed=True)
        tree.stop()
        if events[0].said:
            raise events[0].said
        place.wait()
        with sqlite3.connect(place.path("db")) as db:
            abnormal = [t / 1e9 for t, in db.execute("SELECT time FROM cycle WHERE state != 'GOOD' ORDER BY time")]
            stored = [t / 1e9 for t, in db.execute("SELECT finish FROM activity")]
            why = [(t / 1e9, f"{detector}: {evidence}") for t, detector, evidence in db.execute("SELECT time, detector, evidence FROM anomaly")]
        ends = activities(place)
    begin, episodes = seen[0][0], events[0].episodes
    judged = [t for t in abnormal if t >= begin + LEARNING]
    inside = lambda t, more=0.0: any(a <= t <= b + more for _, a, b, _ in episodes)  # noqa: E731
    told = []
    for kind, a, b, what in episodes:
        looks = [m["node"] for t, m, _ in seen if a + PERIOD <= t <= b + 2 * PERIOD and m["node"]["state"] != "GOOD"]
        right = [node for node in looks if is_right(kind, what, node)]
        told.append({"kind": kind, "what": what, "seconds": b - a, "cycles": round((b - a) / PERIOD),
                     "told": sum(a + PERIOD <= t <= b + PERIOD for t in judged), "looks": len(looks), "right": len(right),
                     "evidence": (right or looks or [{"evidence": ""}])[0]["evidence"], "verdict": looks[0]["verdict"] if looks else "none"})
    recording = report["recording"]
    return {"episodes": told, "seconds": seen[-1][0] - begin, "cycles": recording["cycles"], "abnormal": recording["abnormal_cycles"],
            "judged": len(judged), "right": sum(inside(t, 3 * PERIOD) for t in judged),
            "false": sorted({text for t, text in why if t >= begin + LEARNING and not inside(t, 3 * PERIOD)})[:40],
            "activities": recording["activities"], "stored": recording["stored"], "dropped": recording["dropped"],
            "late_activities": sum(t >= begin + LEARNING for t in ends), "late_stored": sum(t >= begin + LEARNING for t in stored),
            "inside": sum(map(inside, ends)), "inside_stored": sum(map(inside, stored)),
            "injected": sum(b - a for _, a, b, _ in episodes)}


def measure(runs):
    results = []
    for i in range(runs):
        print("detectors: %d of %d" % (i + 1, runs), file=sys.stderr, flush=True)
        results.append(one(i + 1))
    return {"runs": results}


def table(results):
    yield "| what happens | times | found | of its cycles told | named rightly | in the words of the node |"
    yield "|" + " --- |" * 6
    for kind in KINDS:
        all_of = [e for r in results["runs"] for e in r["episodes"] if e["kind"] == kind]
        right = [e for e in all_of if e["right"]]
        yield "| %s | %d | %d | %.0f %% | %d | %s |" % (
            kind, len(all_of), sum(e["told"] > 0 for e in all_of), 100 * sum(e["told"] for e in all_of) / max(1, sum(e["cycles"] for e in all_of)),
            len(right), (right or all_of)[0]["evidence"].replace("|", "/"))
