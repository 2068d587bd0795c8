#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Delay budgets of siox against static levels, on disks that several jobs share."""
import json
import os
import subprocess
import sys
import tempfile

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
RATE = 55e6  # bytes/s of a disk at full speed
BUDGETS = (1, 2, 5)


def rows(busy, gap, jobs, phases, rule="b", error=0):
    """`jobs` on 8 disks that are busy for `busy` % of the time, begun at other times of their period."""
    share = busy / 100 / jobs
    burst = int(gap * share / (1 - share) * RATE * 8) // 65536 * 65536
    made = [f"- {{name: j{j}, start: {gap * j * 0.618 % gap:.3f}, generate: {{processes: 1, phases: {phases}, gap: {gap}, "
            f"burst: {burst}, request: {min(burst, 1 << 20)}, error: {error}, seed: {j + 1}, hints: true}}}}\n"
            for j in range(jobs)]
    schemes = ",".join(["siox"] + [f"siox:delay={b}" for b in BUDGETS])
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(f"disks: 8\ndrive: 36Z15\ntransition_rule: {rule}\njobs:\n" + "".join(made))
        f.flush()
        done = subprocess.run([SIOX, "sim", f.name, "--json", "--schemes", schemes, "--quiet"],
                              capture_output=True, text=True, check=True)
    return {r["scheme"]: r for r in json.loads(done.stdout)["rows"]}


POINTS = [(1, 5, 1, 80), (10, 4, 1, 200), (1, 60, 4, 40), (10, 5, 2, 100), (10, 20, 4, 60), (30, 10, 8, 40)]


def slowdown(got, scheme):
    return got[scheme]["seconds"] / got["base"]["seconds"] - 1


def a_budget_is_kept_on_shared_disks():
    for point in POINTS:
        got = rows(*point)
        for b in BUDGETS:
            assert slowdown(got, f"siox:delay={b}") <= b / 100 + 0.002, (point, b, slowdown(got, f"siox:delay={b}"))


def a_budget_only_saves_more():
    for point in POINTS:
        got = rows(*point)
        for b in BUDGETS:
            more = got[f"siox:delay={b}"]["joules"] - got["siox"]["joules"]
            assert more <= 0.01 * got["base"]["joules"], (point, b, more)


def no_static_level_within_the_budget_saves_more():
    # not the last: its jobs never meet on a disk, and siox allows for their waiting for each other
    for point in POINTS[:-1]:
        got = rows(*point)
        for b in BUDGETS:
            for name, row in got.items():
                if row["kind"] == "static" and slowdown(got, name) <= b / 100:
                    # a level that is learnt during the run misses what went before
                    assert got[f"siox:delay={b}"]["joules"] <= row["joules"] + 0.02 * got["base"]["joules"], (point, b, name)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
