#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The joules of a run whose processes say, after each use of a disk, when they use it next, and are believed. Places these
hints by itself, from a recorded run whose services were all at full speed, and adds up what each disk takes: a disk is
held from the earliest request of a use until every process that took part has left it (a request's end; the end of a
collective call), and goes through the time between two such spans in the cheapest way: at full speed, at one level and
back, or on a ramp that is turned round; after the last one, and where nobody uses it, to the lowest level if that pays. Knows nothing of
policies. For runs in which the hints change no time, at rule b or c.

  truth.py EVENTS.csv SEGMENTS.csv --profile share/drives/36Z15.yaml [--rule b] [--time-scale S] [--given JOULES]

EVENTS and SEGMENTS come from `siox trace cat`. Prints JSON: {"joules": all disks, "joules_base": at full speed, "disks": of
each, "hints": that are placed}. Exits 1 when JOULES are others, 2 when the input cannot be read. Layouts must be
BASE:FACTOR:UNIT."""
import argparse
import csv
import json
import math
import sys

sys.dont_write_bytecode = True
from energy import Drive, read_profile  # noqa: E402
from optimum import end_joules, gap_joules, read  # noqa: E402
from transition_waits import disks_of  # noqa: E402


def turned(drive, levels, gap_ns):
    """Down until half of the gap has passed, and up again; where that is not lower than the lowest level."""
    speed = drive.full * (1 - gap_ns / 2 * drive.scale / 1e9 / drive.ramp_s)
    if speed < min(levels):
        return math.inf
    return drive.joules("down", 0, gap_ns / 2, drive.full, speed) + drive.joules("up", 0, gap_ns / 2, speed, drive.full)


def uses_of(path, ndisks):
    """Of each process [(first request, left, disks)], when it came and went, and the number of hints."""
    layouts, requests, leavings, come, end = {}, {}, {}, {}, 0
    with open(path, newline="") as text:
        for row in csv.DictReader(text):
            kind, client, key = row["event"], row["client"], (row["uid"], row["seq"])
            start = int(row["start_ns"] or 0)
            end = max(end, int(row["end_ns"] or 0))  # a scripted process may leave before its last request is done
            if kind == "file":
                layouts[row["file"]] = json.loads(row["detail"])["layout"]
            elif kind == "join":
                come[client] = start
            elif kind == "io":
                disks = disks_of(layouts[row["file"]], ndisks, int(row["offset"]), int(row["bytes"]))
                alone = int(row["uid"], 16) == 0
                requests.setdefault((client, len(requests)) if alone else key, []).append(
                    (start, int(row["end_ns"]), disks, client))
            elif kind in ("call", "sync") and int(row["uid"], 16):
                leavings.setdefault(key, {})[client] = int(row["end_ns"])
    uses = {client: [] for client in come}
    for key, parts in requests.items():
        first, disks = min(p[0] for p in parts), set().union(*(p[2] for p in parts))
        for client, left in (leavings[key] if key in leavings else {parts[0][3]: parts[0][1]}).items():
            uses[client].append((first, left, disks))
    return uses, come, end, sum(len(u) for u in uses.values()) + len(uses)


def spans_of(uses, disk):
    """When somebody holds a disk, in order, without overlaps."""
    spans = []
    for start, left in sorted((u[0], u[1]) for all_of in uses.values() for u in all_of if disk in u[2]):
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], left)
        else:
            spans.append([start, left])
    return spans


def with_hints(drive, levels, spans, begin, came, end):
    """Joules of a disk from its beginning on, but for what serving takes more than idling. It can be let go from when the first
    process came."""
    parts, at = [drive.joules("idle", begin, came, drive.full, drive.full)], came
    for start, left in spans:
        if start > at:
            parts.append(min(gap_joules(drive, levels, start - at) + [turned(drive, levels, start - at)]))
        parts.append(drive.joules("idle", start, left, drive.full, drive.full))
        at = left
    if end > at:
        parts.append(min(end_joules(drive, [min(levels)], end - at)))
    return math.fsum(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("segments")
    parser.add_argument("--profile", required=True)
    parser.add_argument("--rule", choices="bc", default="b")
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("--given", type=float)
    args = parser.parse_args()
    profile = read_profile(args.profile)
    drive = Drive(profile, args.rule, args.time_scale)
    levels = [level["speed"] for level in profile["levels"]]
    services, first, _, _, slow = read(args.segments, drive)
    if slow:
        sys.exit("truth.py: %d services were slower than full speed" % slow)
    uses, come, end, hints = uses_of(args.events, len(first))
    came = min(come.values())
    per_disk, base = {}, []
    for disk in sorted(first):
        active = sum(stop - start for start, stop in services.get(disk, ()))
        extra = drive.joules("active", 0, active, drive.full, drive.full) - drive.joules("idle", 0, active, drive.full, drive.full)
        base.append(drive.joules("idle", first[disk], end, drive.full, drive.full) + extra)
        per_disk[disk] = extra + with_hints(drive, levels, spans_of(uses, disk), first[disk], came, end)
    total = math.fsum(per_disk.values())
    print(json.dumps({"joules": total, "joules_base": math.fsum(base), "disks": per_disk, "hints": hints}))
    if args.given is not None and abs(args.given - total) > 1e-6 * total:
        print("truth.py: %.12g J, not %.12g J" % (total, args.given), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
