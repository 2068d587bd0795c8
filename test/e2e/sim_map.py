#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox sim --map as a user sees it: one function, one condition. Usage: sim_map.py NAME

What a verdict must be is worked out here again, from the rows of the results, by trying every pair."""

import csv
import io
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
TINY = "busy=5,30 gap=5,20 jobs=1,3 error=0,50 drive=36Z15:b"
MIXED = "busy=2,30 gap=8 jobs=2 error=25 drive=36Z15:a,PM981-assumed"
AXES = ("busy", "gap", "jobs", "error", "disks", "drive", "seed")


def siox(*options, status=0, **environment):
    done = subprocess.run([SIOX, "sim", *options], capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def table(path):
    with open(path) as f:
        return list(csv.DictReader(f))


def point_of(row):
    return ",".join(f"{a}={row[a]}" for a in AXES)


def points(rows):
    """The rows of each point, by scheme."""
    found = {}
    for row in rows:
        found.setdefault(point_of(row), {})[row["scheme"]] = row
    return found


def used_disks(point, disks):
    """Those that a job of the point's scenario has a stripe on."""
    used = set()
    for base, factor in re.findall(r"layout: (\d+):(\d+):", siox("--map", "--point", point, "--scenario").stdout):
        used |= {(int(base) + k) % disks for k in range(int(factor))}
    return len(used)


def disks_are_as_busy_as_asked():
    """From base's joules alone: a 36Z15 takes 13.5 W while it serves."""
    for busy, gap, jobs, disks in ((1, 5, 1, 8), (10, 5, 4, 8), (30, 20, 16, 8), (50, 10, 5, 8), (30, 10, 3, 100)):
        point = f"busy={busy},gap={gap},jobs={jobs},disks={disks},drive=36Z15:b"
        got = json.loads(siox("--map", "--point", point, "--json", "--schemes", "base").stdout)
        base = next(r for r in got["rows"] if r["scheme"] == "base")
        used = used_disks(point, disks)
        assert got["disks_used"] == used, (point, got["disks_used"], used)
        served = base["joules_by_state"]["active"] / 13.5
        share = 100 * served / base["seconds"] / used
        assert abs(share / busy - 1) < 0.02, (point, share)


def every_job_has_thirty_gaps():
    for gap in (1, 60):
        text = siox("--map", "--point", f"busy=10,gap={gap},jobs=5", "--scenario").stdout
        phases = [int(n) for n in re.findall(r"phases: (\d+)", text)]
        assert len(phases) == 5 and min(phases) >= 27, phases  # their own gaps are up to 10 % longer


def jobs_are_in_step_or_not_by_the_seed():
    ways = set()
    for seed in range(1, 9):
        text = siox("--map", "--point", f"busy=10,gap=10,jobs=4,seed={seed}", "--scenario").stdout
        starts = {float(s) for s in re.findall(r"start: ([0-9.]+)", text)}
        assert len(starts) in (1, 4), starts
        ways.add(len(starts))
    assert ways == {1, 4}, ways


def io_seconds(scenario):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(scenario)
        f.flush()
        got = json.loads(siox(f.name, "--json", "--schemes", "base", "--quiet").stdout)
    return next(r["io_seconds"] for r in got["rows"] if r["scheme"] == "base")


def noise_is_what_base_changes_by_when_jobs_begin_later():
    """In step on the same disks, bursts interleave or not by microseconds; apart they hardly meet."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        siox("--map", out, "--points", "busy=50 gap=5 jobs=1,16 error=0 drive=ES.3-assumed", "--schemes", "base", "--quiet")
        noise = {r["jobs"]: number(r, "noise_io") for r in table(out)}
        point = "busy=50,gap=5,jobs=16,error=0,drive=ES.3-assumed"
        text = siox("--map", "--point", point, "--scenario").stdout
        draw = random.Random(1)
        later = re.sub(r"start: 0\.0+", lambda _: f"start: {draw.random() * 0.002:.6f}", text)
        changed = abs(io_seconds(later) / io_seconds(text) - 1)
        assert noise["1"] == 0, noise
        assert changed > 0.2 and noise["16"] > 0.2, (changed, noise)


def a_scenario_of_a_point_gives_its_rows():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path, out = os.path.join(directory, "s.yaml"), os.path.join(directory, "m.csv")
        siox("--map", out, "--points", "busy=20 gap=10 jobs=3 error=25", "--schemes", "rt,siox", "--quiet")
        point, mapped = next(iter(points(table(out)).items()))
        with open(path, "w") as f:
            f.write(siox("--map", "--point", point, "--scenario").stdout)
        alone = csv.DictReader(io.StringIO(siox(path, "--schemes", "rt,siox", "--csv").stdout))
        for row in alone:
            assert row["joules"] == mapped[row["scheme"]]["joules"], row
        assert set(mapped) >= {"base", "static:6000", "rt", "siox", "oracle", "bound at 5 %"}, mapped.keys()


def a_tiny_map_from_end_to_end():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out, plots, report = (os.path.join(directory, n) for n in ("m.csv", "plots", "m.md"))
        done = siox("--map", out, "--points", TINY, "--points", MIXED, "--plot", plots, "--report", report)
        assert re.match(r"20 points; at 0 of them", done.stdout), done.stdout
        assert "100 %" in done.stderr, done.stderr
        assert len(points(table(out))) == 20
        names = os.listdir(plots)
        for name in names:
            xml.etree.ElementTree.parse(os.path.join(plots, name))
        for name in ("saved-36Z15-b-8.svg", "choice-36Z15-b-8-run5.svg", "choice-PM981-assumed-8-io5.svg"):
            assert name in names, names
        text = open(report).read()
        assert f'--points "{TINY}" --points "{MIXED}"' in text, text[:400]
        assert "`PM981-assumed`: **assumed**, not published: idle watts" in text, text[:600]
        for heading in ("Where siox loses", "Who saves most", "Where", "Wrong predictions", "Delay budgets"):
            assert f"\n## {heading}\n" in text, heading
        for link in re.findall(r"\]\((.*?)\)", text):
            assert os.path.exists(os.path.join(directory, link)), link


def number(row, column):
    return float(row[column])


def beats(a, b):
    """a is at least as good as b in joules and added I/O time, and better by more than 1 % and noise in one."""
    if number(a, "joules") > number(b, "joules") * (1 + 1e-9):
        return False
    if number(a, "added_io_time") > number(b, "added_io_time") + 1e-9:
        return False
    joules, io = (max(0.01, number(a, n)) for n in ("noise_joules", "noise_io"))
    return (number(a, "joules") < (1 - joules) * number(b, "joules")
            or number(a, "added_io_time") < number(b, "added_io_time") - io)


def expected(rows):
    """Points at which each thing is not as asked, as a list with one entry a case."""
    bad = {k: [] for k in ("dominated", "overspent", "above_bound", "budget_dominated", "budget_dearer", "loses")}
    rivals = ("base", "static", "timeout", "hw", "com", "rt")
    for point, schemes in points(rows).items():
        played = {n: r for n, r in schemes.items() if r["kind"] in ("base", "static", "scheme")}
        if any(beats(r, played["siox"]) for n, r in played.items() if n.split(":")[0] in rivals):
            bad["dominated"].append(point)
        if number(played["siox"], "error") >= 25 and number(played["siox"], "saved") < -max(
                1e-9, number(played["siox"], "noise_joules")):
            bad["loses"].append(point)
        for name, row in played.items():
            if not name.startswith("siox:delay="):
                continue
            budget = float(name.split("=")[1])
            if 100 * number(row, "slow_down") > budget + max(0.2, 100 * number(row, "noise_run")):
                bad["overspent"].append(point)
            if number(row, "joules") > 1.05 * number(row, "bound_joules"):
                bad["above_bound"].append(point)
            statics = [r for r in played.values()
                       if r["kind"] == "static" and number(r, "slow_down") <= budget / 100 + 0.002]
            if any(beats(r, row) for r in statics):
                bad["budget_dominated"].append(point)
            if any(number(r, "joules") < 0.99 * number(row, "joules") for r in statics):
                bad["budget_dearer"].append(point)
    return bad


def the_verdict_is_that_of_trying_every_pair():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        got = json.loads(siox("--map", out, "--points", TINY, "--points", MIXED, "--json", "--quiet").stdout)
        want = expected(table(out))
        assert sum(map(len, want.values())) > 0  # or it shows nothing
        for question, cases in want.items():
            told = [",".join(f"{a}={c[a]:g}" if isinstance(c[a], (int, float)) else f"{a}={c[a]}" for a in AXES)
                    for c in got[question]["bad"]]
            assert sorted(told) == sorted(cases), (question, told, cases)
            assert got[question]["points"] == len(set(cases)), question


LIMITS = (("no longer run time", "slow_down", 0), ("at most 1 % longer run time", "slow_down", 0.01),
          ("at most 5 % longer run time", "slow_down", 0.05), ("at most 5 % more I/O time", "added_io_time", 0.05),
          ("any delay", "added_io_time", 1e300))
KINDS = ("hints", "no difference", "static", "timeout", "hw", "nobody")


def kind_of(row):
    name = row["scheme"].split(":")[0]
    return row["kind"] if row["kind"] != "scheme" else name if name in ("timeout", "hw") else "hints"


def best_kind(schemes, column, limit):
    base = number(schemes["base"], "joules")
    played = [r for r in schemes.values() if r["kind"] in ("base", "static", "scheme") and number(r, column) <= limit + 0.002]
    others = [r for r in played if kind_of(r) != "hints"]
    best = min(others, key=lambda r: number(r, "joules"))
    hints = min([number(r, "joules") for r in played if kind_of(r) == "hints"], default=math.inf)
    if min(hints, number(best, "joules")) > 0.99 * base:
        return "nobody"
    if abs(hints - number(best, "joules")) <= 0.01 * base:
        return "no difference"
    return "hints" if hints < number(best, "joules") else kind_of(best)


def on_front(row, rows):
    j, t = number(row, "joules"), number(row, "added_io_time")
    return not any(number(r, "joules") <= j and number(r, "added_io_time") <= t and
                   (number(r, "joules") < j or number(r, "added_io_time") < t) for r in rows)


def the_report_counts_what_trying_every_pair_counts():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out, report = os.path.join(directory, "m.csv"), os.path.join(directory, "m.md")
        siox("--map", out, "--points", TINY, "--report", report, "--quiet")
        text, found = open(report).read(), list(points(table(out)).values())
        for what, column, limit in LIMITS:
            kinds = [best_kind(schemes, column, limit) for schemes in found]
            want = [f"{100 * kinds.count(k) / len(found):.0f}" for k in KINDS]
            got = re.search(rf"\| {re.escape(what)} \| (.*) \|\n", text).group(1).split(" | ")
            assert got == want, (what, got, want)
        lines = list(csv.DictReader(io.StringIO(siox("--map", out, "--points", TINY, "--csv").stdout)))
        names = {"any": "no difference", "nothing": "nobody"}
        for line, schemes in zip(lines, found):
            for key, (_, column, limit) in zip(("run0", "run1", "run5", "io5", "all"), LIMITS):
                best = line[f"best_{key}"]
                assert names.get(best, best) == best_kind(schemes, column, limit), (key, line)
        assert len(lines) == len(found)
        for name in ("base", "static:9000", "hw", "siox", "siox:delay=5"):
            n = 0
            for schemes in found:
                rows = [r for r in schemes.values() if r["kind"] in ("base", "static", "scheme")]
                n += on_front(schemes[name], rows)
            share = f"{100 * n / len(found):.0f} %"
            assert f"| 36Z15:b, 8 | {name} | {share} |" in text, (name, share)


def no_row_is_below_the_bound_at_its_delay():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        siox("--map", out, "--points", "busy=10,50 gap=5,30 jobs=1 error=0,25", "--quiet")
        for schemes in points(table(out)).values():
            oracle = number(schemes["oracle"], "joules")
            for row in schemes.values():
                if not row["bound_joules"]:
                    continue
                assert number(row, "joules") >= number(row, "bound_joules") * (1 - 1e-9), row
                if number(row, "added_io_time") == 0:
                    assert abs(number(row, "bound_joules") / oracle - 1) < 1e-9, row


def a_map_that_was_killed_goes_on():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out, whole = os.path.join(directory, "m.csv"), os.path.join(directory, "whole.csv")
        command = [SIOX, "sim", "--map", out, "--points", TINY]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "points" in run.stderr.readline()
        run.send_signal(signal.SIGKILL)
        run.communicate()
        results = os.path.join(directory, "m.csv.d")
        before = {n: os.stat(os.path.join(results, n)).st_mtime_ns for n in os.listdir(results) if n.endswith(".csv")}
        assert before
        so_far = siox("--map", out, "--points", TINY, "--so-far").stdout
        assert so_far.startswith(f"{len(before)} points"), (so_far, before)
        siox("--map", out, "--points", TINY)
        for name, time in before.items():
            assert os.stat(os.path.join(results, name)).st_mtime_ns == time, name
        siox("--map", whole, "--points", TINY)
        assert open(out).read() == open(whole).read()


def without_results_nothing_is_told():
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "new.csv")
        asked = siox("--map", out, "--points", TINY, "--so-far", status=1)
        assert asked.stdout == "" and "new.csv.d: no point is done yet" in asked.stderr, (asked.stdout, asked.stderr)
        assert os.listdir(place) == []


def ranks_share_a_map_and_one_tells():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out, alone = os.path.join(directory, "m.csv"), os.path.join(directory, "alone.csv")
        first = siox("--map", out, "--points", TINY, PMI_RANK="0", PMI_SIZE="2")
        assert first.stdout == "" and not os.path.exists(out), first.stdout
        assert len(os.listdir(out + ".d")) == 8
        second = siox("--map", out, "--points", TINY, PMI_RANK="1", PMI_SIZE="2")
        assert second.stdout.startswith("16 points"), second.stdout
        siox("--map", alone, "--points", TINY)
        assert open(out).read() == open(alone).read()
        assert siox("--map", out, "--read").stdout == second.stdout
        again = [siox("--map", out, "--points", TINY, PMI_RANK=r, PMI_SIZE="2").stdout for r in "01"]
        assert again[0] == second.stdout and again[1] == "", again


def a_rank_that_is_no_number_is_refused():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        for rank, size, name in (("x", "2", "PMI_RANK"), ("2", "2", "PMI_RANK"), ("0", "-1", "PMI_SIZE")):
            done = siox("--map", out, "--points", TINY, status=2, PMI_RANK=rank, PMI_SIZE=size)
            assert f"siox sim: {name}: " in done.stderr, done.stderr
        assert os.listdir(directory) == []


def a_scheme_that_cannot_run_is_tried_again():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        options = ("--map", out, "--points", "busy=10 gap=20 jobs=1,2", "--schemes", "siox,static:7000")
        done = siox(*options, status=1)
        assert re.search(r"jobs=1,.*seed=1: static:7000: ", done.stderr), done.stderr
        times = {n: os.stat(os.path.join(out + ".d", n)).st_mtime_ns for n in os.listdir(out + ".d")}
        assert len(times) == 2
        errors = {r["scheme"] for r in table(out) if r["failure"]}
        assert errors == {"static:7000"}, errors
        siox(*options, status=1)
        for name, time in times.items():
            assert os.stat(os.path.join(out + ".d", name)).st_mtime_ns != time, name


def a_result_that_cannot_be_put_is_an_error():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        os.makedirs(os.path.join(out + ".d", "00000000.csv"))
        done = siox("--map", out, "--points", "busy=10 gap=20 jobs=1", status=1)
        assert "00000000.csv: cannot be written" in done.stderr, done.stderr
        assert os.listdir(out + ".d") == ["00000000.csv"]  # no part is left


def a_point_that_cannot_be_is_said_to_be_so():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out = os.path.join(directory, "m.csv")
        done = siox("--map", out, "--points", "busy=1 gap=1 jobs=1,64")
        assert done.stdout.startswith("2 points; at 1 of them disks cannot be so little busy"), done.stdout
        done = siox("--map", "--point", "busy=1,gap=1,jobs=64", status=2)
        assert "busy: disks cannot be so little busy" in done.stderr, done.stderr


def assumed_profiles_only_add():
    """What the profile without assumptions states stands unchanged in the one with them."""
    drives = os.path.join(os.environ["SIOX_SOURCE"], "share", "drives")
    for name, keys in (("ES.3", ("idle_w", "active_w", "watts", "start_stop_per_day", "load_unload_per_day")),
                       ("PM981", ("active_w", "speed"))):
        stated, assumed = (re.sub(r"#.*", "", open(os.path.join(drives, f"{name}{end}.yaml")).read())
                           for end in ("", "-assumed"))
        for key in keys:
            find = rf"\b{key}: ([0-9.]+)"
            assert re.findall(find, stated) == re.findall(find, assumed) != [], (name, key)
        for change in re.findall(r"\{from: \d, to: \d, seconds: [0-9.e-]+", stated):
            assert change in assumed, change


def wrong_points_are_named():
    for points_text, what in (("busy=0", "busy: 0 is not between"), ("busy=1 gaps=3", "gaps=3: expected AXIS"),
                              ("jobs=1.5", "jobs: "), ("gap=1 gap=2", "gap: this axis is given twice"),
                              ("gap=1,,2", "gap: a value is empty"), ("busy", "busy: expected AXIS")):
        done = siox("--map", "/nonexistent/m.csv", "--points", points_text, status=2)
        assert done.stderr.startswith(f"siox sim: {what}"), (points_text, done.stderr)
    done = siox("--map", "--point", "drive=none", status=2)
    assert "none: no such drive profile" in done.stderr, done.stderr


if __name__ == "__main__":
    globals()[sys.argv[1]]()
