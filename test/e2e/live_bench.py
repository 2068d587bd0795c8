#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test/bench/live.py with small programs, and where it cannot do what it is asked: one function, one condition. Usage: live_bench.py NAME"""

import json
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["SIOX_BUILD"]
SOURCE = os.environ["SIOX_SOURCE"]
STATES = ("idle", "active", "up", "down")


def live(*words, status=0):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "test", "bench", "live.py"), "--build", BUILD, *words], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=500, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr, done
    return done


def content(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def runs_are_made_played_again_and_told():
    policies = ["base", "siox", "static:6000"]
    with tempfile.TemporaryDirectory() as top:
        work, docs = os.path.join(top, "work"), os.path.join(top, "docs")
        live("--quick", "--policies", ",".join(policies), "--work", work, "--docs", docs, "--write")
        figures = json.loads(content(docs, "live-results", "figures.json"))
        assert not figures["failed"] and os.listdir(os.path.join(work, "store")) == []
        for policy in policies:
            one, two = (figures["runs"][f"{scenario} {policy}"] for scenario in ("s1", "x2"))
            # Each of 4 ranks reads two slabs a phase and writes its block: (2 * 4 + 1) * 4 requests.
            assert one["requests"] == 36 and two["requests"] == 72, (one, two)
            for run in (one, two):
                assert near(run["joules"], run["meter"]) and near(run["joules"], sum(run["states"][s] for s in STATES)), run
                assert run["moves"] == 8 if policy == "static:6000" else True, run  # each of 8 disks goes down once
                assert run["seconds"] > 0 and run["simulated"]["seconds"] > 0 and run["lost"] == 0, run
                assert (run["hinted"] > 0) == (policy == "siox"), run
        assert set(figures["predictions"]) == {"s1 s1", "x2 x2", "x2 s1"}, figures["predictions"]
        assert set(figures["predictions"]["x2 s1"]) == set(policies)
        page = content(docs, "live-results.md")
        assert f"`test/bench/live.py --quick --policies {','.join(policies)} --docs DIR --write`" in page and "These figures mean nothing" in page, page
        assert all(f"| {name} | `{policy}` |" in page for name in ("MxM alone (S1)", "two MxM at once") for policy in policies), page
        assert content(docs, "live-results", "speeds.svg").count("<polyline ") == 2 * 3  # live, simulated, from S1: speed and power
        # Of figures that are kept the same page is made, and nothing is run.
        assert live("--read", os.path.join(docs, "live-results", "figures.json")).stdout == page
        again = live("--quick", "--policies", ",".join(policies), "--work", work, "--json")
        assert again.stderr.count(" is there\n") == 6 and json.loads(again.stdout)["runs"] == figures["runs"], again.stderr


def parts_of_a_difference_are_all_of_it():
    sys.path.insert(0, os.path.join(SOURCE, "test", "bench"))
    import live_page
    run = {"seconds": 10.0, "states": {"idle": 100.0, "active": 7.0, "up": 3.0, "down": 2.0}}
    other = {"seconds": 8.0, "states": {"idle": 96.0, "active": 6.0, "up": 1.0, "down": 1.0}}
    # 2 s longer at 96 / 8 = 12 W of idle disks; 4 J more of idle time in all, so that 20 J less are due to levels.
    assert live_page.parts(run, other) == {"time": 24.0, "levels": -20.0, "requests": 1.0, "changes of speed": 3.0}


def an_unknown_policy_is_named_before_anything_runs():
    with tempfile.TemporaryDirectory() as top:
        said = live("--quick", "--policies", "siox,foo", "--work", os.path.join(top, "w"), status=1).stderr
        assert 'foo' in said and "is not one of base" in said and " of 4: " not in said, said


def a_place_below_dev_is_refused_before_anything_runs():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        said = live("--quick", "--work", os.path.join(work, "w"), status=1).stderr
        assert "mount -t tmpfs" in said and " of 4: " not in said, said


def a_daemon_that_does_not_answer_is_named_with_policy_and_place():
    sys.path.insert(0, os.path.join(SOURCE, "test", "bench"))
    import live_run
    live_run.PATIENCE = 0.2
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(os.path.join(top, "bin"))
        with open(os.path.join(top, "bin", "siox"), "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as f:
            f.write("#!/bin/sh\nexec sleep 600\n")
        try:
            live_run.Place(top, os.path.join(top, "work"), live_run.SMALL).probe("rt")
        except live_run.Failed as wrong:
            assert str(wrong) == f"rt in {top}/work: `siox run -- true` has not ended after 0.2 s", wrong
        else:
            raise AssertionError("it has waited")


def a_machine_that_could_not_be_looked_at_is_not_called_quiet():
    with tempfile.TemporaryDirectory() as top:
        kept = os.path.join(top, "figures.json")
        figures = json.loads(content(SOURCE, "docs", "live-results", "figures.json"))
        assert "How busy the machine was" not in live("--read", os.path.join(SOURCE, "docs", "live-results", "figures.json")).stdout
        figures["runs"]["s1 siox"]["load"] = None
        with open(kept, "w") as f:
            json.dump(figures, f)
        page = live("--read", kept).stdout
        assert f"How busy the machine was with other things is not known of 1 of {len(figures['runs'])} runs" in page, page
        assert next(line for line in page.splitlines() if line.startswith("| MxM alone (S1) | `siox` |") and line.endswith(" ? |"))


def a_busy_machine_is_named_as_siox_run_judged_it():
    with tempfile.TemporaryDirectory() as top:
        kept, why = os.path.join(top, "figures.json"), "other processes kept 1.4 of 2 cores busy"
        figures = json.loads(content(SOURCE, "docs", "live-results", "figures.json"))
        figures["runs"]["s1 siox"]["busy"] = why
        with open(kept, "w") as f:
            json.dump(figures, f)
        assert f"**The machine was busy** (MxM alone (S1), `siox`: {why})" in live("--read", kept).stdout


def quick_figures_do_not_go_into_the_docs():
    assert "--quick: its figures are no good for docs" in live("--quick", "--write", status=2).stderr


def figures_that_are_none_are_named():
    with tempfile.TemporaryDirectory() as top:
        kept = os.path.join(top, "figures.json")
        for text, wrong in (("{", kept + ": Expecting"), ("[]", kept + ": these are no figures"), ("{}", kept + ": runs is missing")):
            with open(kept, "w") as f:
                f.write(text)
            assert f"live.py: {wrong}" in live("--read", kept, status=1).stderr, text


def what_lies_in_a_place_for_work_stays():
    """It empties its store: a directory of the user's own of that name must not be taken for it."""
    with tempfile.TemporaryDirectory() as top:
        mine = os.path.join(top, "store", "mine")
        os.mkdir(os.path.dirname(mine))
        with open(mine, "w"):
            pass
        said = live("--quick", "--work", top, status=1).stderr
        assert "holds what is not from here" in said and os.path.exists(mine) and os.listdir(top) == ["store"], said


def what_is_not_there_is_named():
    with tempfile.TemporaryDirectory() as top:
        assert f"live.py: {top}/none: " in live("--read", os.path.join(top, "none"), status=1).stderr
        work = os.path.join(top, "work")
        assert "siox is not there" in live("--quick", "--work", work, "--build", top, status=1).stderr
        assert "--scenarios: s3" in live("--scenarios", "s3", status=2).stderr


if __name__ == "__main__":
    globals()[sys.argv[1]]()
