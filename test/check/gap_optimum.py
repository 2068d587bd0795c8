#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best that was possible in a recorded run without delaying a request: for every disk and every gap between its
requests all levels are tried, from full speed and back to it. Reads `siox timeline TRACE --list`; the drive is the paper's
IBM 36Z15 (Table I) and nothing is taken from the code under test.

usage: gap_optimum.py LIST TIME_SCALE [LEAST]     prints the joules and the share of the possible savings that the run
got; exit status 1 if that is below LEAST or if a request was delayed by a slow or changing disk."""
import sys

FULL, LEVELS = 15000.0, [6000.0, 9000.0, 12000.0, 15000.0]
SECONDS_PER_RPM = 10.9 / 15000  # 2.18 s per 3000 RPM


def idle_watts(rpm):
    return 2.5 + 7.7 * (rpm / FULL) ** 2


def ramp(low, high):
    """Seconds and joules of a change of speed: idle power along a linear ramp."""
    seconds = (high - low) * SECONDS_PER_RPM
    a, b = low / FULL, high / FULL
    mean = 2.5 + 7.7 * (a * a + a * b + b * b) / 3
    return seconds, seconds * mean


def best(gap):
    """Least joules over a gap of so many seconds with full speed before and after it."""
    least = idle_watts(FULL) * gap
    for rpm in LEVELS[:-1]:
        seconds, joules = ramp(rpm, FULL)
        if 2 * seconds <= gap:
            least = min(least, 2 * joules + idle_watts(rpm) * (gap - 2 * seconds))
    return least


def best_at_end(gap):
    """After the last request: the way back costs joules but no time, and a ramp may be turned anywhere."""
    least = idle_watts(FULL) * gap
    for rpm in LEVELS[:-1]:
        seconds, joules = ramp(rpm, FULL)
        if seconds <= gap:
            least = min(least, 2 * joules + idle_watts(rpm) * (gap - seconds))
        else:
            least = min(least, 2 * ramp(FULL - gap / SECONDS_PER_RPM, FULL)[1])
    return least


def read(path):
    disks, delayed, end = {}, 0, 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            field = line.rstrip("\n").split(",")
            if field[0] == "client":
                continue
            if field[0] != "segment":
                continue
            disk = disks.setdefault(int(field[1]), {"joules": 0.0, "busy": [], "end": 0, "last": 0})
            state, start, stop = field[2], int(field[3]), int(field[4])
            disk["joules"] += float(field[8])
            if state == "active":
                if float(field[5]) < FULL:
                    delayed += 1
                disk["busy"].append((start, stop, float(field[8])))
            if state in ("idle", "active"):
                disk["end"] = max(disk["end"], stop)
    end = max(disk["end"] for disk in disks.values())
    return disks, delayed, end


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    scale = float(sys.argv[2])
    disks, delayed, end = read(sys.argv[1])
    base = actual = optimum = 0.0
    for disk in disks.values():
        at, busy = 0, sorted(disk["busy"])
        actual += disk["joules"]
        for start, stop, joules in busy:
            gap = (start - at) / 1e9 * scale
            base += idle_watts(FULL) * gap + joules
            optimum += best(gap) + joules
            at = stop
        gap = max(0, end - at) / 1e9 * scale
        base += idle_watts(FULL) * gap
        optimum += best_at_end(gap)
    share = (base - actual) / (base - optimum) if base > optimum else 1.0
    print("full speed %.1f J, this run %.1f J, optimum %.1f J: %.2f %% of the possible savings" %
          (base, actual, optimum, 100 * share))
    if delayed:
        sys.exit("%d requests were served below full speed" % delayed)
    if len(sys.argv) == 4 and share < float(sys.argv[3]):
        sys.exit("less than %s" % sys.argv[3])


main()
