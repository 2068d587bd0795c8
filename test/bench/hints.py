#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints placed by the pass against hints placed by hand, under policy siox on disks ten times faster than life; prints
a markdown table.

  share      of the savings that were possible in the run's own trace without delaying a request (test/check/optimum.py):
             no phase takes equally long twice, so savings themselves do not compare
  ratio      share of the pass's hints / share of the hints by hand
  base I/O   what the slowest rank waits for its I/O with every disk at full speed
  added      I/O time of the run beyond that. Base I/O is some milliseconds: one wake-up that comes late on a busy
             machine can be more than 100 %, so look at the milliseconds
  moves      changes of speed by the pass / by hand, of the medians of the rounds; the target is at most 1.1
  windows    gaps that pay whose disks were all given up in time, of all such gaps, by hand and by the pass (docs/check-hints.md)
  held       disks that the pass's hints held for a burst, per disk that its requests touched; the target is at most 1.25
  late       wake-ups that came after a request was done
  target     reached when ratio >= 0.95 and the pass's hints add at most 1 percentage point more than those by hand, else
             missed; beside it what else missed its target: moves, held. Hints
             by hand are the yardstick, and marked where they get less than 95 % of what was possible themselves

The two programs run side by side, on disks and with a daemon of their own each, when there is one instance of each, so
that both see the same machine; one after the other when there are two instances of each. A row has the medians of its
rounds, of missed and late the sums. The status is 0 whatever the figures are, and 1 when a run fails."""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import hint_programs  # noqa: E402
from hint_programs import OtherLoad, Place, Program  # noqa: E402

EXAMPLES = """examples:
  python3 test/bench/hints.py                                  everything, three rounds: about eight minutes
  python3 test/bench/hints.py --only mxm --scale x1 --rounds 1
  python3 test/bench/hints.py --json >hints.json
SIOX_BUILD names the build directory (default: build)."""


def figures(place, report):
    run, possible = report["run"], place.possible()
    base_ms = 1000 * report["base"]["io_seconds"]
    return {"saved": run["saved"], "possible": possible, "share": run["saved"] / possible if possible > 0 else 1.0,
            "base_io_ms": base_ms, "added_io": run["added_io_time"], "added_io_ms": run["added_io_time"] * base_ms,
            "windows": report["check"]["windows"]["used"], "eligible": report["check"]["windows"]["eligible"],
            "held": report["check"]["predicted_per_touched"] or 1.0,
            "transitions": run["transitions"], "missed": run["missed"], "late": report["late"]}


def one_round(places, instances):
    """Figures by hand and by the pass."""
    program = places[0].program
    binaries = (program.hand, program.auto)
    if instances == 1:
        started = [place.start(binary, 1, check=True) for place, binary in zip(places, binaries)]
        return [figures(place, place.finish(process)) for place, process in zip(places, started)]
    return [figures(place, place.finish(place.start(binary, instances, check=True))) for place, binary in zip(places, binaries)]


def summary(results):
    """Of the rounds of one side."""
    return {key: (sum if key in ("missed", "late", "windows", "eligible") else statistics.median)(r[key] for r in results) for key in results[0]}


def measure(places, instances, rounds):
    program, load, results = places[0].program, OtherLoad(), []
    for i in range(rounds):
        print("%s %s, instances: %d, round %d of %d" % (program.name, program.scale, instances, i + 1, rounds),
              file=sys.stderr, flush=True)
        results.append(one_round(places, instances))
    hand, auto = (summary([r[who] for r in results]) for who in (0, 1))
    ratio = auto["share"] / hand["share"] if hand["share"] > 0 else 1.0
    return {"program": program.name, "scale": program.scale, "instances": instances, "rounds": rounds, "hand": hand,
            "auto": auto, "ratio": ratio, "moves": auto["transitions"] / max(1, hand["transitions"]), "reached": ratio >= 0.95 and auto["added_io"] <= hand["added_io"] + 0.01,
            "other_load_cores": load.cores()}


COLUMNS = ("program", "scale", "instances", "share by hand", "by the pass", "ratio", "base I/O", "added by hand",
           "by the pass", "transitions", "moves", "windows by hand", "by the pass", "held", "missed", "late", "cores busy with others", "target")


def cells(row):
    hand, auto = row["hand"], row["auto"]
    target = "reached" if row["reached"] else "missed"
    if hand["share"] < 0.95:
        target += ", by hand < 95 %"
    target += ", moves missed" if row["moves"] > 1.1 else ""
    target += ", held missed" if auto["held"] > 1.25 else ""
    added = ["%.2f %% = %.2f ms" % (100 * side["added_io"], side["added_io_ms"]) for side in (hand, auto)]
    transitions, *pairs = ["%g / %g" % (hand[key], auto[key]) for key in ("transitions", "missed", "late")]
    windows = ["%d of %d" % (side["windows"], side["eligible"]) for side in (hand, auto)]
    return [row["program"], row["scale"], str(row["instances"]), "%.1f %%" % (100 * hand["share"]),
            "%.1f %%" % (100 * auto["share"]), "%.3f" % row["ratio"], "%.1f ms" % auto["base_io_ms"], *added, transitions,
            "%.2f" % row["moves"], *windows, "%.2f" % auto["held"], *pairs,
            "%.1f" % row["other_load_cores"], target]


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of each row (default 3)")
    parser.add_argument("--only", choices=("mxm", "relay"), help="one program")
    parser.add_argument("--scale", choices=("x1", "x10"), help="one scale")
    parser.add_argument("--json", action="store_true", help="JSON in place of the table")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds: at least 1 is needed, not %d" % args.rounds)
    hint_programs.own_daemons_only()
    before, rows = os.getloadavg()[0], []
    for name in (args.only,) if args.only else ("mxm", "relay"):
        for scale in (args.scale,) if args.scale else ("x1", "x10"):
            directory = tempfile.mkdtemp(prefix="siox-bench.")
            try:
                program = Program(name, scale, directory)
                places = [Place(program, os.path.join(directory, who)) for who in ("hand", "auto")]
                rows += [measure(places, instances, args.rounds) for instances in (1, 2)]
            finally:
                shutil.rmtree(directory, ignore_errors=True)
    machine = {"cores": len(os.sched_getaffinity(0)), "load_before": before,
               "other_load_cores": max(row["other_load_cores"] for row in rows)}
    if args.json:
        json.dump({"machine": machine, "rows": rows}, sys.stdout, indent=1)
        print()
        return
    for line in (COLUMNS, ["---"] * len(COLUMNS), *map(cells, rows)):
        print("| " + " | ".join(line) + " |")
    others = machine["other_load_cores"]
    print("\nMedians; rounds: %d; pairs are by hand / by the pass. %d cores, load average %.1f before; other processes kept "
          "up to %.1f cores busy%s." % (args.rounds, machine["cores"], before, others,
                                        "" if others < 0.2 else ": times and shares suffer from that"))


if __name__ == "__main__":
    main()
