#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""share/paper, the workloads of the evaluation: one function, one condition. Usage: paper_workloads.py NAME

Expected numbers are the paper's (Tables I to III) or follow from the applications' rules, written down here again."""

import functools
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

SOURCE, BUILD = os.environ["SIOX_SOURCE"], os.environ["SIOX_BUILD"]
SIOX, PAPER = os.path.join(BUILD, "bin", "siox"), os.path.join(SOURCE, "share", "paper")
PHASES = (2, 4, 8, 12, 24)
SECONDS = {"s3asim": 396.2, "nial": 308.9, "btio": 483.9} | {f"mxm-k{k}": 244.8 for k in PHASES}  # Table II
SCENARIOS = {f"alone-{name}": [name] for name in ("s3asim", "nial", "btio")} | {f"mxm-k{k}": [f"mxm-k{k}"] for k in PHASES} | {
    "alone-mxm": ["mxm-k8"], "mxm-x2": ["mxm-k8"], "mxm-x3": ["mxm-k8"], "mxm-x2-cache": ["mxm-k8"], "mxm-x3-cache": ["mxm-k8"],
    "s2": ["mxm-k8", "s3asim"], "s3": ["mxm-k8", "s3asim", "nial"]} | {
    name: ["mxm-k8", "s3asim", "nial", "btio"] for name in ("s4", "layout-1", "layout-2", "layout-3")}


SHORTEST = 4.36  # seconds, the least pause in which a change of speed fits: to 12000 RPM and back
PAUSES = {"s3asim": 20, "nial": 90, "btio": 40} | {f"mxm-k{k}": k for k in PHASES}  # of a run, between two bursts of I/O


def pause(name):
    return SECONDS[name] / PAUSES[name]


def path(name):
    return os.path.join(PAPER, name)


def text(name):
    with open(path(name + ".yaml")) as f:
        return f.read()


def sums_match_the_files():
    with open(path("SHA256SUMS")) as f:
        sums = dict(reversed(line.split()) for line in f)
    expected = {f"{name}.siox" for name in SECONDS} | {f"{name}.yaml" for name in SCENARIOS}
    there = {os.path.basename(name) for end in ("*.siox", "*.yaml") for name in glob.glob(path(end))}
    assert set(sums) == expected == there, (set(sums) ^ expected, there ^ expected)
    for name, given in sums.items():
        with open(path(name), "rb") as f:
            assert hashlib.sha256(f.read()).hexdigest() == given, f"{name}: not what SHA256SUMS says; run tools/paper-record --only"


def traces_take_twenty_megabytes_at_most():
    assert sum(os.path.getsize(path(name + ".siox")) for name in SECONDS) <= 20e6


def a_trace_has_one_factor_wherever_it_is_played():
    factors = {}
    for name, traces in SCENARIOS.items():
        jobs = re.findall(r"^  - \{trace: ([\w-]+)\.siox, name: \w+, start: 0, think: ([\d.]+)", text(name), re.M)
        assert [trace for trace, _ in jobs] == traces, (name, jobs)
        for trace, factor in jobs:
            factors.setdefault(trace, set()).add(factor)
    assert all(len(of) == 1 for of in factors.values()), factors


def alone_each_takes_the_seconds_of_table_two():
    for name, traces in SCENARIOS.items():
        if name.startswith(("alone-", "mxm-k")):
            done = subprocess.run([SIOX, "sim", path(name + ".yaml"), "--schemes", "base", "--json", "--quiet"], stdout=subprocess.PIPE,
                                  text=True, check=True)
            base, wanted = json.loads(done.stdout)["rows"][0]["seconds"], SECONDS[traces[0]]
            assert abs(base - wanted) <= 0.005 * wanted, (name, base, wanted)


def pauses_that_pay_when_they_are_played_paid_when_they_were_recorded():
    """Else the program had no reason for hints."""
    for name, traces in SCENARIOS.items():
        if name.startswith(("alone-", "mxm-k")):
            each, factor = pause(traces[0]), float(re.search(r"think: ([\d.]+)", text(name))[1])
            assert each < SHORTEST or each / factor > SHORTEST, (name, each, factor)


def bases_are_drawn_from_their_text():
    for n in (1, 2, 3):
        entries = re.findall(r'- \{file: "([^"]+)", base: (\d+), factor: 8, unit: 64K\}', text(f"layout-{n}"))
        assert [e[0] for e in entries] == ["mxm.a", "mxm.b", "mxm.c", "s3asim", "nial.*", "btio"], entries
        for pattern, base in entries:
            assert int(base) == int(hashlib.sha256(f"layout {n}: {pattern}".encode()).hexdigest(), 16) % 15, (n, pattern)


def traces_were_recorded_on_the_disks_of_table_one():
    for name in SECONDS:
        done = subprocess.run([SIOX, "trace", "cat", path(name + ".siox"), "--header"], stdout=subprocess.PIPE, text=True, check=True)
        head = json.loads(done.stdout)
        assert (head["policy"], head["time_scale"], head["waits_told"]) == ("siox", 1, True), (name, head)
        assert head["disks"] == 8 * [{"drive": "36Z15", "initial_speed": 15000}], (name, head)


@functools.cache
def events(name):
    """What is looked at of a trace: ranks, layouts, bytes by operation, releases, claims."""
    with subprocess.Popen([SIOX, "trace", "cat", path(name + ".siox"), "--json"], stdout=subprocess.PIPE, text=True) as cat:
        ranks, layouts, moved, hints = set(), set(), [0, 0, 0], [0, 0]
        for line in cat.stdout:
            if line.startswith(('{"event":"client"', '{"event":"file"', '{"event":"io"', '{"event":"hint"')):
                e = json.loads(line)
                if e["event"] == "client":
                    ranks.add((e["rank"], e["size"]))
                elif e["event"] == "file":
                    layouts.add(e["layout"])
                elif e["event"] == "io":
                    moved[e["op"]] += e["bytes"]
                else:
                    for run in e["runs"]:
                        hints[run["flag"]] += 1
    assert cat.returncode == 0, name
    return ranks, layouts, moved[:2], hints


def four_processes_on_the_layout_of_table_one():
    for name in SECONDS:
        ranks, layouts, _, _ = events(name)
        assert ranks == {(rank, 4) for rank in range(4)} and layouts == {"0:8:64K"}, (name, ranks, layouts)


def the_compilers_hints_are_in_every_trace():
    for name in SECONDS:
        releases, claims = events(name)[3]
        if pause(name) < SHORTEST:  # NIAL's: nothing is to be let go
            assert claims > 0, (name, releases, claims)
        else:  # of each rank after each pause but for a few; s3asim's master does no I/O of its own
            assert releases > 0 and claims >= 0.95 * 3 * PAUSES[name], (name, releases, claims)


def mix(seed, i):
    """test/apps/options.h: the finalizer of SplitMix64."""
    mask = (1 << 64) - 1
    z = ((seed ^ ((i + 1) * 0xd1342543de82ef95 & mask)) + 0x9e3779b97f4a7c15) & mask
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & mask
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & mask
    return z ^ (z >> 31)


def bytes_of_hits():
    """s3asim --paper: 20 queries, 128 fragments, 43 to 65 hits in each, each of a size from one of three boxes."""
    all_bytes = 0
    boxes = ((50, 1 << 6, 1 << 10), (40, 1 << 10, 8 << 10), (10, 8 << 10, 64 << 10))
    count, size, box = (mix(1, stream) for stream in (1, 2, 3))
    for query in range(20):
        for fragment in range(128):
            for index in range(43 + mix(mix(mix(count, query), fragment), 0) % 23):
                at = (mix(mix(mix(box, query), fragment), index) >> 11) * 2.0**-53 * 100
                for weight, least, most in boxes:
                    if at < weight or most == 64 << 10:
                        break
                    at -= weight
                all_bytes += least + mix(mix(mix(size, query), fragment), index) % (most - least + 1)
    return all_bytes


def traces_have_the_bytes_of_the_papers_sizes():
    matrix, dumps, solution, hits = 8 * 2827**2, 90 * 8 * 100**3, 40 * 5 * 8 * 64**3, bytes_of_hits()
    assert round(3 * matrix / 1e6, 1) == 191.8 and dumps == 720e6 and round(solution / 1e6, 2) == 419.43, "Table II"
    assert abs(hits / 798.3e6 - 1) < 0.001, hits
    for k in PHASES:  # each of the 2 x 2 processes reads half of A and half of B
        assert events(f"mxm-k{k}")[2] == [4 * matrix, matrix], (k, events(f"mxm-k{k}"))
    assert events("nial")[2] == [dumps, dumps], events("nial")
    assert events("btio")[2] == [solution, solution], events("btio")
    read, written = events("s3asim")[2]
    # Pieces of 4 MiB are read, and of each what a hit was cut off from (64 KiB at most) again.
    assert written == hits and hits <= read <= hits * (1 + 64 / 4032), (read, written, hits)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
