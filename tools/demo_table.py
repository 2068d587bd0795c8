#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table of the demonstration's runs from the JSON reports in a directory: SCENARIO-POLICY-PROGRAM.json."""
import json
import os
import sys

POLICIES = ["base", "siox", "claims", "rt"]
TITLES = {"alone": "one program alone", "two": "two programs at once on the same disks"}
HEAD = ["policy", "seconds", "joules", "saved", "added I/O", "transitions"]


def load(directory):
    reports = {}
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".json"):
            continue
        scenario, policy, program = name[: -len(".json")].split("-", 2)
        path = os.path.join(directory, name)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        if "run" not in report:
            reasons = "; ".join("%s: %s" % item for item in report.get("unavailable", {}).items())
            sys.exit("%s: the report has no figures: %s" % (path, reasons or "no reason is given"))
        reports[scenario, policy, program] = report
    if not reports:
        sys.exit("%s: no reports" % directory)
    return reports


def percent(value):
    return "n/a" if value is None else "%.1f %%" % (round(100 * value, 1) + 0.0)


def row(name, column, seconds=None):
    return [
        name,
        "%.2f" % (column["seconds"] if seconds is None else seconds),
        "%.0f" % column["joules"],
        percent(column["saved"]),
        percent(column["added_io_time"]),
        "%d" % column["transitions"],
    ]


def rows(reports, scenario):
    for policy in POLICIES:
        report = reports.get((scenario, policy, "mxm"))
        if report:
            yield row(policy, report["run"])
    hinted = reports.get((scenario, "siox", "mxm_hinted"))
    if hinted:
        yield row("siox, hints by hand", hinted["run"])
    base = reports.get((scenario, "base", "mxm"))
    if base:
        for column in base["static"]:
            yield row(column["policy"] + " (replay)", column)


def disturbed(reports):
    """What else kept the machine busy in runs whose I/O took notably longer: as siox run tells it, the worst of them."""
    told = [(report["run"]["added_io_time"] or 0, report["machine"]["busy"]) for report in reports.values()
            if (report.get("machine") or {}).get("notable")]
    return max(told)[1] if told else None


def show(title, lines):
    width = [max(len(line[i]) for line in [HEAD] + lines) for i in range(len(HEAD))]
    print(title)
    for line in [HEAD] + lines:
        cells = [line[0].ljust(width[0])] + [cell.rjust(w) for cell, w in zip(line[1:], width[1:])]
        print("  " + "   ".join(cells).rstrip())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: demo_table.py DIRECTORY")
    reports = load(sys.argv[1])
    first = True
    for scenario, title in TITLES.items():
        lines = list(rows(reports, scenario))
        if lines:
            if not first:
                print()
            first = False
            show(title, lines)
    print("seconds are those of the disks' users, joules of all eight disks; saved and added I/O against the same")
    print("accesses and pauses at full speed, replayed; static levels are replays of the base run")
    why = disturbed(reports)
    if why:
        print("the machine was busy: %s. That makes pauses uneven and their ends hard to foretell," % why)
        print("so added I/O and savings may come from that; run it again on a quiet machine")


main()
