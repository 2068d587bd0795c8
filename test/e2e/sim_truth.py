#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints that siox sim places from what a job does (`hints: truth`), against test/check/truth.py, which places them by
itself. One function, one condition. Usage: sim_truth.py NAME"""

import csv
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
SOURCE = os.environ["SIOX_SOURCE"]
DISKS = 4


class Recording:
    """A run of scripted processes, with the trace that the daemon made of it."""

    def __init__(self, directory, name="r", **settings):
        self.path = os.path.join(directory, name + ".siox")
        self.daemon = wire.Daemon(disks=DISKS, record=self.path, **settings)

    def process(self, rank=0, size=1):
        return self.daemon.client().join(rank=rank, size=size)

    def file(self, client, name, layout):
        return client.open(self.daemon.file(name, 64 << 20), layout)[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, *more):
        if not kind:
            self.daemon.stop()
        self.daemon.__exit__(kind, *more)


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


def rows(trace, job="hints: truth", *options, scenario=""):
    """The table of a scenario of one job. Without margins: those are the policy's, not the hints'."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        with open(path, "w") as f:
            f.write(f"{scenario}jobs: [{{trace: {trace}, {job}}}]\n")
        return {r["scheme"]: r for r in json.loads(run(SIOX, "sim", path, "--json", *options).stdout)["rows"]}


def agree(trace, rule="b"):
    """The program's figures and the checker's, of a trace recorded at full speed."""
    table = {}
    for kind in ("events", "segments"):
        table[kind] = f"{trace}.{kind}"
        with open(table[kind], "w") as f:
            subprocess.run([SIOX, "trace", "cat", trace, f"--{kind}"], stdout=f, check=True)
    got = rows(trace, "hints: truth", "--schemes", "siox:early=0", scenario=f"transition_rule: {rule}\n")
    took = got["siox:early=0"]
    said = json.loads(run(sys.executable, os.path.join(SOURCE, "test", "check", "truth.py"), table["events"], table["segments"],
                          "--profile", os.path.join(SOURCE, "share", "drives", "36Z15.yaml"), "--rule", rule,
                          "--given", repr(took["joules"])).stdout)
    wire.close_to(got["base"]["joules"], said["joules_base"], 1e-6)
    assert took["added_io_time"] == 0 and took["missed"] == 0, took
    assert took["joules"] < 0.9 * got["base"]["joules"], (took, got["base"])
    return got, said


def one_process_takes_what_it_can():
    """Gaps of every kind: too short for anything, for a turned ramp, for one level, for the lowest; and two files."""
    for rule in "bc":
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
            with Recording(directory) as r:
                client = r.process()
                file = [r.file(client, "a", "0:2:64K"), r.file(client, "b", "1:2:64K")]
                now = 0
                for k, gap in enumerate((0.001, 4, 9, 30, 17, 2, 60, 13, 25)):
                    now = client.io(file[k % 3 == 2], k << 20, 1 << 20, now + int(gap * SECOND))
                client.close()
            got, said = agree(r.path, rule)
            # But for the way back from the lowest speed at the end (Table I: 6.54 s, idling at 3.73 W), which nobody starts before it.
            most = got["oracle"]["joules"] + DISKS * 6.54 * 3.732
            assert got["oracle"]["joules"] - 1e-6 < got["siox:early=0"]["joules"] < most + 1e-6, (got, said)


def processes_hold_a_disk_for_each_other():
    """Two that share a disk, out of step, and have one each for themselves."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with Recording(directory) as r:
            clients = [r.process(rank, 2) for rank in range(2)]
            file = [[r.file(c, "both", "0:1:64K"), r.file(c, f"own{n}", f"{n + 1}:1:64K")] for n, c in enumerate(clients)]
            now = [0, 3 * SECOND]
            for k in range(10):
                n = now.index(min(now))
                now[n] = clients[n].io(file[n][k % 4 == 3], k << 20, 1 << 20, now[n] + (11 + 7 * n) * SECOND)
            for c in clients:
                c.close()
        agree(r.path)


def members_of_a_collective_use_what_its_aggregators_do():
    """Rank 0 moves the data of three; they enter and leave at times of their own."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with Recording(directory) as r:
            clients = [r.process(rank, 3) for rank in range(3)]
            file = [r.file(c, "all", "0:3:64K") for c in clients]
            now = 0
            for k in range(4):
                key = (77, k + 1)
                enter = [now + (20 + 3 * rank) * SECOND for rank in range(3)]
                done = max(enter)
                for part in range(3):
                    done = clients[0].io(file[0], (3 * k + part) << 20, 1 << 20, done + SECOND // 100, collective=key)
                for rank, c in enumerate(clients):
                    c.call(enter[rank], done + rank * SECOND // 2, key, file[rank], k << 20, 1 << 20)
                now = done + SECOND
            for c in clients:
                c.close()
        agree(r.path)


def program(r, size=6):
    """One process that computes for 20 s and reads; says what is not true where it says anything."""
    client = r.process()
    file = r.file(client, "a", "0:4:64K")
    now = 0
    for k in range(size):
        client.claim(now, [(0, DISKS, 6000, 0, now + 31 * SECOND, NEVER)])
        now = client.io(file, k << 20, 1 << 20, now + 20 * SECOND)
    client.close()


def it_does_not_matter_how_a_trace_was_recorded():
    """Under other policies requests waited, so all that followed came later: what is placed is what full speed makes of it."""
    joules = []
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        for policy in ("base", "timeout:2", "siox", "claims", "hw"):
            with Recording(directory, policy.replace(":", ""), policy=policy) as r:
                program(r)
            got = rows(r.path, "hints: truth", "--schemes", "siox:early=0")
            assert got["siox:early=0"]["missed"] == 0 and got["siox:early=0"]["added_io_time"] < 1e-6, (policy, got)
            assert got["siox:early=0"]["joules"] < got["oracle"]["joules"] * 1.001, (policy, got)
            joules.append(got["siox:early=0"]["joules"])
    assert max(joules) < min(joules) * (1 + 1e-6), joules


def truth_saves_and_wrong_hints_cost():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with Recording(directory, policy="siox") as r:
            program(r)
        schemes = ("--schemes", "com,rt,claims,siox")
        truth, recorded, none = (rows(r.path, f"hints: {h}", *schemes) for h in ("truth", "recorded", "none"))
        for scheme in ("com", "rt", "claims", "siox"):
            assert truth[scheme]["joules"] < 0.8 * truth["base"]["joules"], (scheme, truth[scheme])
            assert truth[scheme]["added_io_time"] < 0.001 < recorded[scheme]["added_io_time"], (scheme, truth, recorded)
        for scheme in ("com", "rt", "claims"):
            wire.close_to(none[scheme]["joules"], none["base"]["joules"])
        assert none["siox"]["missed"] == none["siox"]["requests"], none["siox"]


def jobs_side_by_side_and_dilated_have_it_too():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with Recording(directory) as r:
            program(r, 4)
        got = rows(r.path, "hints: truth, think: 2.5, instances: 2, repeats: 2, pause: 9, start: 4", "--schemes", "siox:early=0",
                   scenario="default_layout: 0:2:64K\ndisks: 3\n")
        assert got["base"]["requests"] == 16, got["base"]
        assert got["siox:early=0"]["missed"] == 0 and got["siox:early=0"]["added_io_time"] == 0, got["siox:early=0"]
        assert got["siox:early=0"]["saved"] > 0.97 * got["oracle"]["saved"], got


def what_is_wrong_is_named():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        for text, place in (("jobs:\n- generate: {burst: 1M}\n  hints: true\n", "s.yaml:3: jobs[0].hints: expected recorded, truth or none"),
                            ("jobs: [{generate: {burst: 1M}, hints: }]\n", "jobs[0].hints"),
                            ("jobs:\n- {generate: {burst: 1M}}\nhints: truth\n", "s.yaml:3: hints: unknown key")):
            with open(path, "w") as f:
                f.write(text)
            done = run(SIOX, "sim", path, status=2)
            assert place in done.stderr, (text, done.stderr)


def made(directory, hints):
    """A scenario of a generated job."""
    path = os.path.join(directory, "s.yaml")
    with open(path, "w") as f:
        f.write(f"disks: 2\njobs:\n- generate: {{processes: 2, phases: 6, gap: 20, burst: 4M, error: 60}}\n  hints: {hints}\n")
    return path


def the_key_can_be_swept():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        made(directory, "recorded")
        with open(os.path.join(directory, "w.yaml"), "w") as f:
            f.write("scenario: s.yaml\noutput: w.csv\nvary:\n- {key: 'jobs[0].hints', values: [recorded, truth, none]}\n")
        run(SIOX, "sim", "--sweep", os.path.join(directory, "w.yaml"), "--schemes", "claims")
        with open(os.path.join(directory, "w.csv"), newline="") as f:
            got = {row["jobs[0].hints"]: float(row["joules"]) for row in csv.DictReader(f) if row["scheme"] == "claims"}
        assert set(got) == {"recorded", "truth", "none"}, got
        assert got["truth"] < got["none"] and got["recorded"] != got["truth"], got


def the_table_says_that_hints_are_placed():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        for hints, said in (("recorded", False), ("truth", True), ("none", False)):
            told = run(SIOX, "sim", made(directory, hints), "--schemes", "claims").stdout
            assert ("hints are placed from what the job does" in told) == said, (hints, told)


def a_trace_that_is_a_pipe_is_refused_at_once():
    """Nobody writes into it: who opened it would wait for ever."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        pipe, path = os.path.join(directory, "p.siox"), os.path.join(directory, "s.yaml")
        os.mkfifo(pipe)
        for job in (f"{{trace: {pipe}, hints: truth}}", f"{{generate: {{processes: 1, phases: 1, burst: 1M}}}}, {{trace: {pipe}}}"):
            with open(path, "w") as f:
                f.write(f"disks: 1\ndrive: 36Z15\njobs: [{job}]\n")
            done = subprocess.run([SIOX, "sim", path], capture_output=True, text=True, timeout=60)
            assert done.returncode == 2 and f"].trace: {pipe}: is not a regular file" in done.stderr and f"{path}:3: jobs[" in done.stderr, done


if __name__ == "__main__":
    globals()[sys.argv[1]]()
