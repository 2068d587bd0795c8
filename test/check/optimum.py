#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least energy without delaying a request, by trying everything: in each disk's every gap between services (and
before the first), staying at full speed or going to any one level and back, where both changes fit in the gap; after the
last service, where the way back costs joules but no time, also going down for as long as there is time. Knows nothing
of policies. Reads `siox trace cat --segments` of a run, under any policy, whose services were all at full speed.

  optimum.py SEGMENTS.csv --profile share/drives/36Z15.yaml [--rule b] [--time-scale S] [--end NS] [--least SHARE]

Prints {"joules_base": all the time at full speed, "joules_run": as it was, "joules_optimum", "saved_percent": by the
optimum, "share": of the joules that the optimum saves the run saved so many, "gaps": number, "used": gaps in which a
level pays, "slow": services below full speed}. Exits 1 when the share is less than SHARE, 2 when there were slow services
(the other figures then say little) or the input cannot be read."""
import argparse
import csv
import json
import math
import sys

sys.dont_write_bytecode = True
from energy import Drive, read_profile  # noqa: E402


def change_ns(drive, level):
    return drive.ramp_s * (drive.full - level) / drive.full * 1e9 / drive.scale


def gap_joules(drive, levels, gap_ns):
    """Joules of each way to spend a gap, the first of them staying at full speed."""
    ways = [drive.joules("idle", 0, gap_ns, drive.full, drive.full)]
    for level in levels:
        change = change_ns(drive, level)
        if level == drive.full or 2 * change > gap_ns:
            continue
        ways.append(drive.joules("down", 0, change, drive.full, level)
                    + drive.joules("idle", 0, gap_ns - 2 * change, level, level)
                    + drive.joules("up", 0, change, level, drive.full))
    return ways


def end_joules(drive, levels, gap_ns):
    """The same after the last service."""
    ways = [drive.joules("idle", 0, gap_ns, drive.full, drive.full)]
    for level in levels:
        change = min(change_ns(drive, level), gap_ns)
        if level == drive.full:
            continue
        speed = drive.full * (1 - change * drive.scale / 1e9 / drive.ramp_s)
        ways.append(drive.joules("down", 0, change, drive.full, speed)
                    + drive.joules("idle", 0, gap_ns - change, speed, speed)
                    + drive.joules("up", 0, change, speed, drive.full))
    return ways


def read(path, drive):
    """Services, first moment of each disk, end of the run, joules as they were, and services below full speed."""
    services, first, end, joules, slow = {}, {}, 0, [], 0
    with open(path, newline="") as text:
        for row in csv.DictReader(text):
            disk, start, stop = int(row["disk"]), int(row["start_ns"]), int(row["end_ns"])
            speed = float(row["from_speed"])
            first[disk] = min(first.get(disk, start), start)
            joules.append(float(row["share"])
                          * drive.joules(row["state"], start, stop, speed, float(row["to_speed"])))
            if row["state"] in ("idle", "active"):  # the way back to the first level lies behind the end
                end = max(end, stop)
            if row["state"] == "active":
                slow += speed != drive.full
                services.setdefault(disk, set()).add((start, stop))
    return services, first, end, math.fsum(joules), slow


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segments")
    parser.add_argument("--profile", required=True)
    parser.add_argument("--rule", choices="abc")
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("--end", type=int, help="end of the run; default: of the last idle or active segment")
    parser.add_argument("--least", type=float, help="least share of the possible savings")
    args = parser.parse_args()
    profile = read_profile(args.profile)
    drive = Drive(profile, args.rule, args.time_scale)
    levels = [level["speed"] for level in profile["levels"]]
    services, first, end, run, slow = read(args.segments, drive)
    end = args.end if args.end is not None else end
    base, optimum, gaps, used = [], [], 0, 0
    for disk in sorted(first):
        at = first[disk]
        for start, stop in sorted(services.get(disk, ())) + [(end, end)]:
            if start > at:
                ways = (end_joules if start == end else gap_joules)(drive, levels, start - at)
                base.append(ways[0])
                optimum.append(min(ways))
                gaps += 1
                used += min(ways) < ways[0]
            service = drive.joules("active", start, stop, drive.full, drive.full)
            base.append(service)
            optimum.append(service)
            at = max(at, stop)
    total, least = math.fsum(base), math.fsum(optimum)
    share = (total - run) / (total - least) if total > least else 1.0
    print(json.dumps({"joules_base": total, "joules_run": run, "joules_optimum": least,
                      "saved_percent": 100 * (1 - least / total) if total else 0.0, "share": share, "gaps": gaps,
                      "used": used, "slow": slow}))
    if slow:
        print("optimum.py: %d services were slower than full speed" % slow, file=sys.stderr)
        return 2
    if args.least is not None and share < args.least:
        print("optimum.py: %.4f of the possible savings, not %g" % (share, args.least), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
