#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joules of a trace's disks, integrated without Siox's code: from the text of `siox trace cat --segments` and the drive's
parameters. Speed changes are integrated by Simpson's rule over the ramp (exact for the quadratic of rule b).

  energy.py SEGMENTS.csv --profile share/drives/36Z15.yaml [--rule b] [--time-scale S] [--total JOULES]
            [--disk DISK=JOULES ...] [--tolerance 1e-9]

Prints JSON; exits 1 when a given total differs by more than the (relative) tolerance, or segments do not tile a disk's
time; 2 when the input cannot be read."""
import argparse
import csv
import json
import math
import re
import sys


def scalar(text):
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        return text.strip("'\"")


def read_profile(path):
    """A mapping of scalars, mappings of scalars, and lists of {k: v} mappings: all that a drive profile uses."""
    root, section, items = {}, None, None
    for number, raw in enumerate(open(path), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw.rstrip("\n")).rstrip()
        if not line:
            continue
        body = line.strip()
        if body.startswith("- "):
            entry = {}
            for pair in body[2:].strip().strip("{}").split(","):
                key, _, value = pair.partition(":")
                entry[key.strip()] = scalar(value)
            if not isinstance(root.get(section), list):
                root[section] = []
            root[section].append(entry)
            continue
        key, colon, value = body.partition(":")
        if not colon:
            sys.exit("%s:%d: not understood: %s" % (path, number, body))
        if line[0] == " ":
            root[section][key] = scalar(value)
        elif value.strip():
            root[key] = scalar(value)
        else:
            section = key
            root[section] = {}
    return root


class Drive:
    def __init__(self, profile, rule, scale):
        spindle = profile["spindle"]
        self.base, self.span = spindle["idle_base_w"], spindle["idle_span_w"]
        self.extra = spindle["active_extra_w"]
        self.full = max(level["speed"] for level in profile["levels"])
        self.ramp_s = spindle["full_ramp_s"]
        self.kinetic = (spindle.get("kinetic_up", 0.0), spindle.get("kinetic_down", 0.0))
        self.rule, self.scale = rule or profile.get("transition_rule", "b"), scale

    def idle(self, speed):
        return self.base + self.span * (speed / self.full) ** 2

    def joules(self, state, start, end, low, high):
        seconds = (end - start) * 1e-9 * self.scale  # the drive's own time
        if state == "idle":
            return self.idle(low) * seconds
        if state == "active":
            return (self.idle(low) + self.extra) * seconds
        # a change: the ramp is linear in time
        if self.rule == "a":
            return self.idle(max(low, high)) * seconds
        if self.rule == "b":
            return seconds / 6 * (self.idle(low) + 4 * self.idle((low + high) / 2) + self.idle(high))
        share = self.kinetic[0] if high > low else self.kinetic[1]
        kinetic = share * abs(high * high - low * low) / (self.full * self.full)
        return max(kinetic, self.base * seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segments")
    parser.add_argument("--profile", required=True)
    parser.add_argument("--rule", choices="abc")
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("--total", type=float)
    parser.add_argument("--disk", action="append", default=[])
    parser.add_argument("--tolerance", type=float, default=1e-9)
    args = parser.parse_args()
    drive = Drive(read_profile(args.profile), args.rule, args.time_scale)
    pieces, joules, problems = {}, {}, []
    with open(args.segments, newline="") as text:
        for row in csv.DictReader(text):
            disk, start, end, share = int(row["disk"]), int(row["start_ns"]), int(row["end_ns"]), float(row["share"])
            part = drive.joules(row["state"], start, end, float(row["from_speed"]), float(row["to_speed"]))
            joules.setdefault(disk, []).append(part * share)
            shares = pieces.setdefault(disk, {})
            shares.setdefault((start, end), []).append(share)
    for disk, shares in sorted(pieces.items()):
        at = None
        for (start, end), parts in sorted(shares.items()):
            if at is not None and start != at:
                problems.append("disk %d: %d ns between %d and %d" % (disk, start - at, at, start))
            if end > start and abs(math.fsum(parts) - 1) > 1e-9:
                problems.append("disk %d at %d: shares add up to %.12g" % (disk, start, math.fsum(parts)))
            at = end
    per_disk = {disk: math.fsum(parts) for disk, parts in joules.items()}
    total = math.fsum(per_disk.values())
    expected = [("total", total, args.total)] if args.total is not None else []
    for text in args.disk:
        name, _, value = text.partition("=")
        expected.append(("disk " + name, per_disk.get(int(name), 0.0), float(value)))
    for name, mine, theirs in expected:
        if abs(mine - theirs) > args.tolerance * max(abs(mine), abs(theirs), 1e-300):
            problems.append("%s: integrated %.12g J, given %.12g J" % (name, mine, theirs))
    print(json.dumps({"joules": total, "disks": {str(d): j for d, j in sorted(per_disk.items())}, "problems": problems}))
    for problem in problems:
        print("energy.py: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
