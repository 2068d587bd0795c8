#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long requests of a recorded run waited for disks to change speed, beside what its releases can account for: one
longest transition each.

  transition_waits.py EVENTS.csv SEGMENTS.csv --transition SECONDS

EVENTS and SEGMENTS come from `siox trace cat`; SECONDS is the drive's longest change of speed by the wall clock. Of every
request and every disk that it lies on, what counts is the time between its arrival and the disk's last start of service
before it completed in which that disk was changing speed; a request waits for the slowest of its disks. Prints JSON; exits
1 when the waits exceed the releases' share, one request waited longer than one longest transition, or the input cannot be
read. Layouts must be BASE:FACTOR:UNIT."""
import argparse
import csv
import json
import sys

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def disks_of(layout, ndisks, offset, size):
    """Disks under the bytes [offset, offset + size) of a file striped BASE:FACTOR:UNIT, stripe by stripe."""
    base, factor, unit = layout.split(":")
    unit = int(unit[:-1]) * UNITS[unit[-1]] if unit[-1] in UNITS else int(unit)
    return {(int(base) + stripe % int(factor)) % ndisks
            for stripe in range(offset // unit, (offset + size - 1) // unit + 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("segments")
    parser.add_argument("--transition", type=float, required=True)
    args = parser.parse_args()
    moves, services = {}, {}
    with open(args.segments, newline="") as text:
        for row in csv.DictReader(text):
            disk, start, end = int(row["disk"]), int(row["start_ns"]), int(row["end_ns"])
            moves.setdefault(disk, set())
            services.setdefault(disk, set())
            if row["state"] in ("up", "down"):
                moves[disk].add((start, end))
            elif row["state"] == "active":
                services[disk].add(start)
    layouts, requests, releases, claimed = {}, [], 0, set()
    with open(args.events, newline="") as text:
        for row in csv.DictReader(text):
            detail = json.loads(row["detail"])
            if row["event"] == "file":
                layouts[row["file"]] = detail["layout"]
            elif row["event"] == "hint":
                releases += any(run["flag"] == 0 for run in detail["runs"])
                claimed |= {disk for run in detail["runs"] if run["flag"] == 1
                            for disk in range(run["first"], run["first"] + run["count"])}
            elif row["event"] == "io":
                requests.append((int(row["start_ns"]), int(row["end_ns"]), row["file"], int(row["offset"]), int(row["bytes"])))
    waits = []
    for arrival, completion, file, offset, size in requests:
        longest = 0
        for disk in disks_of(layouts[file], len(moves), offset, size):
            served = max((start for start in services[disk] if arrival <= start < completion), default=arrival)
            longest = max(longest, sum(max(0, min(end, served) - max(start, arrival)) for start, end in moves[disk]))
        waits.append(longest)
    allowed = releases * args.transition
    result = {"requests": len(requests), "waited": sum(1 for wait in waits if wait), "waits_s": sum(waits) * 1e-9,
              "longest_s": max(waits, default=0) * 1e-9, "releases": releases, "allowed_s": allowed, "claimed_disks": sorted(claimed)}
    print(json.dumps(result))
    return 0 if result["waits_s"] <= allowed and result["longest_s"] <= args.transition + 1e-9 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError, ValueError) as error:
        sys.exit("transition_waits.py: %s" % error)
