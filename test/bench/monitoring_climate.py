# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table 3 of the monitoring paper: how much of a climate model's activities is stored when only abnormal phases are."""

import os
import random
import sqlite3
import sys
import time

from monitoring_run import Place
from monitoring_tree import Tree

RANKS, PERIOD, IDLE_WATTS, DYNAMIC_WATTS, NOISE, FACTOR = 4, 0.4, 55, 95, 0.01, 2
STEPS, OUTPUT_EVERY, RESTART_EVERY = 1200, 10, 120
OPTIONS = ("--grid", 128, "--layers", 8, "--work", 600, "--steps", STEPS, "--output-every", OUTPUT_EVERY,
           "--restart-every", RESTART_EVERY)
STATISTICS, EFFICIENCY = "{plugin: statistics, config: {learning: 40}}", "{plugin: efficiency, config: {k: 2, stabilisation: 30}}"
CONFIGURATIONS = {"none": "", "S": STATISTICS, "E": EFFICIENCY, "S&E": STATISTICS + ", " + EFFICIENCY}
PAPER = {  # average, min, max
    "S": ((0.3, 0.2, 0.4), (6.9, 6.7, 7.4)), "E": ((5.8, 4.6, 7.2), (12.7, 6.5, 18.4)), "S&E": ((39.4, 3.0, 87.7), (11.3, 6.5, 18.4))}


def monitor(detectors):
    return "providers: [processors, processes, utilisation, powercap, drives]\ndetectors: [%s]\n" % detectors


def one(name, seed):
    with Place(monitor(CONFIGURATIONS[name]), disks=8, monitor_period=PERIOD,
               record_activities="anomalies" if CONFIGURATIONS[name] else "all") as place:
        place.settings["database"] = place.path("db")
        tree, chance = Tree(place.directory, IDLE_WATTS, DYNAMIC_WATTS, NOISE, seed), random.Random(seed)
        tree.start()
        began, at, faults = time.monotonic(), 22.0, []
        for _ in range(2):
            at += 4 + 6 * chance.random()
            faults.append((at, at + 1.2))
            at += 1.2
        tree.faults = [(began + a, began + b, FACTOR) for a, b in faults]
        report, _ = place.run(RANKS, "climate", *OPTIONS, "store/run", environment={"SIOX_SYSFS_ROOT": tree.root}, started=tree.of)
        tree.stop()
        place.wait()
        if report["wall_seconds"] < faults[-1][1] + PERIOD:
            sys.exit("monitoring_climate.py: the run took %.0f s, and a fault was to come after it: more steps are needed here" % report["wall_seconds"])
        with sqlite3.connect(place.path("db")) as db:
            abnormal = [t / 1e9 for t, in db.execute("SELECT time FROM cycle WHERE state != 'GOOD'")]
    told = sum(any(a <= t < b + 2 * PERIOD for t in abnormal) for a, b, _ in tree.faults)
    recording = report["recording"]
    return {"seconds": report["wall_seconds"], "cycles": recording["cycles"], "abnormal": recording["abnormal_cycles"], "kept": recording["kept_cycles"],
            "activities": recording["activities"], "stored": recording["stored"], "dropped": recording["dropped"], "faults": len(faults), "told": told,
            "late": report["late"], "records_dropped": report["records_dropped"]}


def measure(repeats):
    rows = {}
    for repeat in range(repeats):
        for name in CONFIGURATIONS:
            print("climate: %s, %d of %d" % (name, repeat + 1, repeats), file=sys.stderr, flush=True)
            rows.setdefault(name, []).append(one(name, repeat + 1))
    return {"repeats": repeats, "rows": rows, "load": os.getloadavg()[2]}


def spread(values, form):
    return form % (sum(values) / len(values)) + " (%s to %s)" % (form % min(values), form % max(values))


def percent(runs, part, whole):
    return spread([100 * r[part] / r[whole] for r in runs], "%.1f") + " %"


def table(results):
    yield ("| detectors | run time, s | abnormal phases: paper | ours | activities | stored: paper | ours | cycles kept | "
           "faults of the meter told |")
    yield "|" + " --- |" * 9
    for name, runs in results["rows"].items():
        paper = ["%.1f (%.1f to %.1f) %%" % p for p in PAPER[name]] if name in PAPER else ["", ""]
        yield "| %s | %s | %s | %s | %s | %s | %s | %s | %d of %d |" % (
            name, spread([r["seconds"] for r in runs], "%.1f"), paper[0], percent(runs, "abnormal", "cycles"),
            spread([r["activities"] for r in runs], "%.0f"), paper[1], percent(runs, "stored", "activities"),
            percent(runs, "kept", "cycles"), sum(r["told"] for r in runs), sum(r["faults"] for r in runs))
