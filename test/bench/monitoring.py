#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experiments of "Monitoring Energy Consumption With SIOX" (Kunkel et al. 2015, sections 6.2 and 6.3) on this machine, with
emulated disks: Table 2 and Fig. 4, Table 3, and whether anomalies
that are made are found. Prints docs/monitoring-results.md, or writes it with --write. Figures are kept in a file of
results, so that each part can be measured alone and the document be made of all of them."""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
import monitoring_climate  # noqa: E402
import monitoring_detectors  # noqa: E402
import monitoring_document  # noqa: E402
import monitoring_levels  # noqa: E402
from monitoring_run import SOURCE  # noqa: E402

EXAMPLES = """examples:
  python3 test/bench/monitoring.py --write                        all of it, as docs/monitoring-results.md has it
  python3 test/bench/monitoring.py --only levels --scale 0.005 --repeats 1
  python3 test/bench/monitoring.py --only none --results r.json   the document from figures that are there
SIOX_BUILD names the build directory (default: build)."""

PARTS = ("levels", "climate", "detectors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PARTS + ("none",), help="measure this part (may be repeated)")
    parser.add_argument("--scale", type=float, default=0.02, help="levels: part of the paper's 6400 blocks a rank (0.02)")
    parser.add_argument("--repeats", type=int, default=3, help="levels: runs of each row (3)")
    parser.add_argument("--runs", type=int, default=5, help="climate: runs of each row (5)")
    parser.add_argument("--trials", type=int, default=3, help="detectors: runs (3)")
    parser.add_argument("--detectors", action="store_true", help="the same as --only detectors")
    parser.add_argument("--results", help="file of figures: read where it is there, and written")
    parser.add_argument("--write", action="store_true", help="docs/monitoring-results.md and its picture in place of standard output")
    args = parser.parse_args()
    if not args.scale > 0 or args.repeats < 1 or args.runs < 1 or args.trials < 1:
        parser.error("--scale, --repeats, --runs and --trials: more than 0 is wanted")
    results = {}
    if args.results and os.path.exists(args.results):
        with open(args.results) as f:
            results = json.load(f)
    parts = (args.only or []) + (["detectors"] if args.detectors else []) or PARTS
    results["cores"] = len(os.sched_getaffinity(0))
    if "levels" in parts:
        results["levels"] = monitoring_levels.measure(args.scale, args.repeats)
    if "climate" in parts:
        results["climate"] = monitoring_climate.measure(args.runs)
    if "detectors" in parts:
        results["detectors"] = monitoring_detectors.measure(args.trials)
    if args.results:
        with open(args.results + ".part", "w") as f:
            json.dump(results, f)
        os.replace(args.results + ".part", args.results)
    text, pictures = monitoring_document.make(results)
    if not args.write:
        print(text, end="")
        return
    for name, content in [("monitoring-results.md", text), *pictures.items()]:
        path = os.path.join(SOURCE, "docs", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(content)


if __name__ == "__main__":
    main()
