#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox layout optimise as a user sees it: one function, one condition. Usage: layout_optimise.py NAME"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import wire  # noqa: E402
from wire import NEVER, SECOND  # noqa: E402

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
DISKS = 3
SMALL = ("--units", "64K", "--quiet")


def record(directory):
    """One process reads a and b by turns and writes c in the end; it knows when, 2 % too early. All on all disks."""
    path = os.path.join(directory, "run.siox")
    with wire.Daemon(disks=DISKS, policy="siox", record=path) as daemon:
        client = daemon.client().join()
        number = [client.open(daemon.file(name, 8 << 20), "0:3:64K")[0] for name in "abc"]
        now = 0
        for phase in range(7):
            gap = 9 * SECOND if phase % 2 else 14 * SECOND
            file, size = (number[phase % 2], 4 << 20) if phase < 6 else (number[2], 2 << 20)
            client.claim(now, [(0, DISKS, 6000, 0, now + gap * 98 // 100, NEVER)])
            now += gap
            for offset in range(0, size, 1 << 20):
                now = client.io(file, offset, 1 << 20, now, write=phase == 6)
        client.claim(now, [(0, DISKS, 6000, 0, 0, NEVER)])
        client.close()
        daemon.stop()
    return path


def disks_of(layout, offset, size):
    """Disks of bytes, the long way."""
    base, factor, unit = layout.split(":")
    unit = int(unit[:-1]) << 10
    return {(int(base) + stripe % int(factor)) % DISKS for stripe in range(offset // unit, (offset + size - 1) // unit + 1)}


def record_knowing(directory, where):
    """A program that knows of each disk when it next needs it, 2 % of the gap too early, with its files lying so."""
    path = os.path.join(directory, "knowing.siox")
    plan = [(14, "a"), (9, "b"), (21, "a"), (9, "c"), (30, "b"), (12, "a"), (9, "c")]
    touched = [disks_of(where[file], 0, 2 << 20) for _, file in plan]
    with wire.Daemon(disks=DISKS, policy="siox", record=path) as daemon:
        client = daemon.client().join()
        number = {name: client.open(daemon.file(name, 8 << 20), where[name])[0] for name in "abc"}
        now = 0
        for step in range(len(plan) + 1):
            runs = []
            for disk in range(DISKS):
                ahead = [k for k in range(step, len(plan)) if disk in touched[k]]
                gap = sum(plan[k][0] for k in range(step, ahead[0] + 1)) * SECOND if ahead else 0
                runs.append((disk, 1, 6000, 0, now + gap * 98 // 100 if ahead else 0, NEVER))
            client.claim(now, runs)
            if step < len(plan):
                now = client.io(number[plan[step][1]], 0, 2 << 20, now + plan[step][0] * SECOND)
        client.close()
        daemon.stop()
    return path


def hints_said_anew_are_what_the_program_says_there():
    """Recorded with its files in one place and played as in another, against recorded there. Without margins, for those
    are parts of how far ahead something was said."""
    places = [{"a": "0:3:64K", "b": "0:3:64K", "c": "0:3:64K"}, {"a": "0:1:64K", "b": "1:2:64K", "c": "2:1:64K"},
              {"a": "2:1:64K", "b": "0:2:64K", "c": "0:2:64K"}]
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        for there in places:
            exact = "early_quantile: 0\n"
            expected = sim(directory, exact + scenario(record_knowing(directory, there), {}))
            for here in places:
                got = sim(directory, exact + scenario(record_knowing(directory, here), there))
                near(got["base"]["joules"], expected["base"]["joules"])
                off = got["siox"]["joules"] / expected["siox"]["joules"] - 1
                assert abs(off) < 1e-6, (here, there, off)
                assert abs(got["siox"]["added_io_time"] - expected["siox"]["added_io_time"]) < 0.01, (here, there)


def run(*command, status=0):
    done = subprocess.run([SIOX, *command], capture_output=True, text=True)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


def optimise(*options):
    return json.loads(run("layout", "optimise", "--json", *options).stdout)


def sim(directory, text):
    path = os.path.join(directory, "s.yaml")
    with open(path, "w") as f:
        f.write(text)
    return {r["scheme"]: r for r in json.loads(run("sim", path, "--json", "--schemes", "siox").stdout)["rows"]}


def row(result, layouts, scheme="siox"):
    return next(r for r in result["rows"] if (r["layouts"], r["scheme"]) == (layouts, scheme))


def near(a, b):
    assert abs(a - b) <= 1e-9 * max(abs(a), abs(b)), (a, b)


def scenario(trace, where):
    entries = "".join(f"- {{file: {name}, layout: '{layout}'}}\n" for name, layout in where.items())
    return f"layouts:\n{entries}jobs: [{{trace: {trace}}}]\n" if where else f"jobs: [{{trace: {trace}}}]\n"


def the_result_is_that_of_trying_all():
    """Every combination for a and b, each by a siox sim of its own; the one process makes its I/O time the run's."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        grid = [f"{base}:{factor}:64K" for base in range(DISKS) for factor in range(1, DISKS + 1)]
        present = sim(directory, scenario(trace, {}))
        every = []
        for a, b in itertools.product(grid, grid):
            got = sim(directory, scenario(trace, {"a": a, "b": b}))["siox"]
            added = max(0, got["io_seconds"] / present["base"]["io_seconds"] - 1)
            every.append((got["joules"], added, a, b))
        answers = set()
        for bound in (1, 30, 80, 400):
            good = [e for e in every if e[1] <= bound / 100]
            best = min(good, default=None)
            got = optimise(trace, "--max-delay", str(bound), "--fixed", "c", *SMALL)
            assert got["exhaustive"] and got["evaluations"] == 100 and got["hints"] == "derived", got
            now = row(got, "present")
            near(now["joules"], present["siox"]["joules"])
            if not best or (now["added_io_time"] <= bound / 100 and best[0] >= now["joules"] * (1 - 1e-9)):
                assert not got["moves"], (got, best)
                continue
            assert got["moves"] and got["keeps_max_delay"], got
            near(row(got, "new")["joules"], best[0])
            assert row(got, "new")["added_io_time"] <= bound / 100 + 1e-9
            answers.add(tuple(f["layout"] for f in got["files"]))
        assert len(answers) > 1, answers  # the bound does decide


def descent_is_never_worse_and_what_it_says_is_true():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        out = os.path.join(directory, "layouts.yaml")
        for seed in ("1", "2"):
            got = optimise(trace, "--max-delay", "400", "--evaluations", "150", "--seed", seed, "-o", out, "--quiet")
            assert not got["exhaustive"] and got["evaluations"] <= 150, got
            assert got["moves"] and row(got, "new")["joules"] < row(got, "present")["joules"], got
            again = sim(directory, "layouts:\n" + open(out).read() + f"jobs: [{{trace: {trace}}}]\n")
            near(again["siox"]["joules"], row(got, "new")["joules"])
            near(again["base"]["joules"], row(got, "new", "base")["joules"])
            near(again["siox"]["io_seconds"], row(got, "new")["io_seconds"])


def the_same_question_has_the_same_answer():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        ask = (trace, "--max-delay", "100", "--evaluations", "80", "--quiet")
        one = optimise(*ask, "--jobs", "1")
        assert one == optimise(*ask, "--jobs", "2") == optimise(*ask, "--jobs", "1")


def fixed_files_stay_and_those_together_lie_alike():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        got = optimise(trace, "--max-delay", "400", "--fixed", "c", "--together", "[ab]", *SMALL)
        files = {os.path.basename(f["file"]): f for f in got["files"]}
        assert files["c"]["fixed"] and not files["c"]["moves"], files
        assert set(files) == {"[ab]", "c"} and got["evaluations"] == 10, got
        only = optimise(trace, "--max-delay", "400", "--files", "b", *SMALL)
        assert [f["fixed"] for f in only["files"]] == [True, False, True], only
        assert only["evaluations"] == 10, only


def files_that_cannot_gain_stay():
    """At full speed the layout changes nothing but waiting."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        got = optimise(trace, "--policy", "static:6000", "--max-delay", "0", *SMALL, "--fixed", "c")
        assert not got["moves"] and not got["keeps_max_delay"], got  # slower than full speed wherever files lie


def the_advice_can_be_followed():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        hints = os.path.join(directory, "hints")
        options = (trace, "--max-delay", "400", "--fixed", "c", "--romio-hints", hints, *SMALL)
        text = run("layout", "optimise", *options).stdout
        got = optimise(*options)
        moved = [f for f in got["files"] if f["moves"]]
        for f in moved:
            assert f'"striping_factor", "{f["striping_factor"]}"' in text, text
            assert f'"striping_unit", "{f["striping_unit"]}"' in text, text
            assert f'"start_iodevice", "{f["start_iodevice"]}"' in text, text
            assert f'lfs setstripe -c {f["striping_factor"]} -S 64K -i {f["start_iodevice"]} {f["file"]}' in text, text
            assert f["layout"] == f'{f["start_iodevice"]}:{f["striping_factor"]}:64K'
        written = [open(os.path.join(directory, n)).read() for n in sorted(os.listdir(directory)) if "hints" in n]
        assert len(written) == len({f["layout"] for f in moved}), written
        for f in moved:
            assert any(f["file"] in w and f'start_iodevice {f["start_iodevice"]}\n' in w for w in written), written


def a_generated_job_can_be_placed():
    """Two jobs that compute for 20 s each and never at the same time: on one disk each, the other disks are left alone."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        with open(path, "w") as f:
            f.write("disks: 4\ndefault_layout: 0:4:64K\njobs:\n"
                    "- generate: {processes: 1, phases: 3, gap: 20, burst: 256K}\n"
                    "- {start: 7, generate: {processes: 1, phases: 3, gap: 20, burst: 256K}}\n")
        got = optimise(path, "--max-delay", "1000", "--units", "64K,256K", "--quiet")
        assert got["exhaustive"] and got["moves"], got
        assert row(got, "new")["joules"] < row(got, "present")["joules"]
        assert [f["file"] for f in got["files"]] == ["jobs[0]", "jobs[1]"]


def what_is_wrong_is_named():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = record(directory)
        for options, text in ((("--bases", "0-3"), "--bases 0-3: expected a list"), (("--factors", "0"), "--factors 0"),
                              (("--units", "1X"), "--units 1X"), (("--files", "none"), "--files none: no file of the jobs matches"),
                              (("--fixed", "/x"), "--fixed /x: no file"), (("--together", "*.q"), "--together *.q: no file"),
                              (("--max-delay", "0x10"), "--max-delay 0x10"), (("--seed", "1.5"), "--seed 1.5"),
                              (("-o", "/nonexistent/l.yaml"), "/nonexistent/l.yaml: cannot be written"),
                              (("--romio-hints", ""), "cannot be written"),
                              (("--policy", "none"), "no scheme \"none\""),
                              (("--policy", "static:7"), "they do at 6000"), (("--policy", "timeout:x"), "its form is"), (("--max-delay", "-1"), "--max-delay -1")):
            done = run("layout", "optimise", trace, *options, status=2)
            assert text in done.stderr, (options, done.stderr)
        done = run("layout", "optimise", os.path.join(directory, "missing"), status=2)
        assert "missing" in done.stderr, done.stderr


if __name__ == "__main__":
    globals()[sys.argv[1]]()
