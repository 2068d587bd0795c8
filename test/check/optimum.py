#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least energy with no delay at all, by trying everything: in each disk's every gap between services (and before the
first and after the last), staying at full speed or going to any one level and back, where both changes fit in the gap.
Knows nothing of policies. Reads `siox trace cat --segments` of a run (or replay) with every disk at full speed.

  optimum.py SEGMENTS.csv --profile share/drives/36Z15.yaml [--rule b] [--time-scale S] [--end NS]

Prints {"joules_base", "joules_optimum", "saved_percent", "gaps": number, "used": gaps in which a level pays}."""
import argparse
import csv
import json
import math
import sys

from energy import Drive, read_profile


def gap_joules(drive, levels, gap_ns):
    """Joules of each way to spend a gap, the first of them staying at full speed."""
    ways = [drive.joules("idle", 0, gap_ns, drive.full, drive.full)]
    for level in levels:
        change = drive.ramp_s * (drive.full - level) / drive.full * 1e9 / drive.scale
        if level == drive.full or 2 * change > gap_ns:
            continue
        ways.append(drive.joules("down", 0, change, drive.full, level)
                    + drive.joules("idle", 0, gap_ns - 2 * change, level, level)
                    + drive.joules("up", 0, change, level, drive.full))
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segments")
    parser.add_argument("--profile", required=True)
    parser.add_argument("--rule", choices="abc")
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("--end", type=int, help="end of the run; default: of the last segment")
    args = parser.parse_args()
    profile = read_profile(args.profile)
    drive = Drive(profile, args.rule, args.time_scale)
    levels = [level["speed"] for level in profile["levels"]]
    active, first, last = {}, {}, {}
    with open(args.segments, newline="") as text:
        for row in csv.DictReader(text):
            disk, start, end = int(row["disk"]), int(row["start_ns"]), int(row["end_ns"])
            first[disk], last[disk] = min(first.get(disk, start), start), max(last.get(disk, end), end)
            if row["state"] in ("up", "down") or float(row["from_speed"]) != drive.full:
                sys.exit("optimum.py: disk %d leaves full speed at %d: this is no base run" % (disk, start))
            if row["state"] == "active" and float(row["share"]) > 0:
                active.setdefault(disk, set()).add((start, end))
    end_of_run = args.end if args.end is not None else max(last.values(), default=0)
    base, optimum, gaps, used = [], [], 0, 0
    for disk in sorted(first):
        at = first[disk]
        for start, end in sorted(active.get(disk, ())) + [(end_of_run, end_of_run)]:
            if start > at:
                ways = gap_joules(drive, levels, start - at)
                base.append(ways[0])
                optimum.append(min(ways))
                gaps += 1
                used += min(ways) < ways[0]
            service = drive.joules("active", start, end, drive.full, drive.full)
            base.append(service)
            optimum.append(service)
            at = max(at, end)
    total, least = math.fsum(base), math.fsum(optimum)
    print(json.dumps({"joules_base": total, "joules_optimum": least,
                      "saved_percent": 100 * (1 - least / total) if total else 0.0, "gaps": gaps, "used": used}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
