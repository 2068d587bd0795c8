#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which activities the daemon stores. Cycles are made abnormal by a scripted metric that jumps at known times; this process is
the client, and says when its calls ended. recording.py CASE"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monitor import until  # noqa: E402
from wire import Daemon  # noqa: E402

SPIKE = os.path.join(os.environ["SIOX_BUILD"], "test", "plugins", "adpi_spike.so")


def jumps(directory, at, extra=""):
    """monitor.yaml under which exactly the cycle in which a time of `at` falls is abnormal: the metric grows a hundredfold."""
    with open(os.path.join(directory, "level.txt"), "w") as f:
        f.write("metric level - 1 gauge\nat 0 1\n")
        f.writelines(f"at {t} {100.0 ** (i + 1):g}\n" for i, t in enumerate(at))
    path = os.path.join(directory, "monitor.yaml")
    with open(path, "w") as f:
        f.write("providers: [{plugin: scripted, config: {file: level.txt}}]\n"
                f"detectors: [{{plugin: {SPIKE}, config: {{metric: level}}}}]\n{extra}")
    return path


def daemon_with(monitor, **more):
    settings = dict(monitor=monitor, monitor_period=0.1, clock="monotonic", record_activities="anomalies")
    settings.update(more)
    settings["database"] = os.path.join(os.path.dirname(monitor), "db")
    daemon = Daemon(**settings)
    daemon.database = settings["database"]
    return daemon


def calls_until(client, condition, most=2500):
    """A call that ends now, again and again: their ends."""
    ends = []
    while not condition():
        ends.append(time.monotonic_ns())
        client.call(ends[-1] - 1000, ends[-1], (1, len(ends)))
        assert len(ends) < most
        time.sleep(0.004)  # not to wait for something: the rate of the calls
    return ends


def rows_of(database, sql):
    with sqlite3.connect(database) as db:
        return db.execute(sql).fetchall()


def stored_ends(database):
    return [end for end, in rows_of(database, "SELECT finish FROM activity WHERE layer = 'mpiio' ORDER BY finish")]


def kept_spans(database):
    """(begin, end] of each kept cycle; a cycle begins where the one before ended."""
    cycles = {n: (at, kept) for n, at, kept in rows_of(database, "SELECT number, time, kept FROM cycle")}
    return [(cycles[n - 1][0] if n > 1 else 0, at, n) for n, (at, kept) in sorted(cycles.items()) if kept]


def abnormal_numbers(database):
    return [n for n, in rows_of(database, "SELECT number FROM cycle WHERE state != 'GOOD' ORDER BY number")]


def only_abnormal_cycles_and_their_neighbours_are_stored():
    with tempfile.TemporaryDirectory() as directory:
        with daemon_with(jumps(directory, [1.5, 2.5, 2.6])) as daemon:
            tool, client = daemon.client(), daemon.client().join(job="busy")
            recording = lambda: tool.ask("status")["recording"]  # noqa: E731
            ends = calls_until(client, lambda: recording()["abnormal_cycles"] >= 2 and recording()["cycles"] >= 34)
            client.close()
            until(lambda: tool.ask("status")["clients"] == 0)
            seen = recording()
            assert seen["activities"] == len(ends) and seen["dropped"] == 0, (seen, len(ends))
            daemon.stop()
        abnormal = abnormal_numbers(daemon.database)
        spans = kept_spans(daemon.database)
        assert 2 <= len(abnormal) <= 3, abnormal  # the last two jumps may fall into one cycle of a slow machine
        assert {n for _, _, n in spans} == {k + d for k in abnormal for d in (-1, 0, 1)}, (spans, abnormal)
        expected = [e for e in ends if any(begin < e <= end for begin, end, _ in spans)]
        assert stored_ends(daemon.database) == expected, (spans, ends)
        assert 0 < len(expected) < len(ends)
        totals = dict(rows_of(daemon.database, "SELECT name, value FROM total"))
        assert totals["activities"] == len(ends) and totals["stored"] == len(expected), totals
        assert totals["abnormal_cycles"] == len(abnormal) and totals["kept_cycles"] == len(spans), totals
        anomalies = rows_of(daemon.database, "SELECT level, detector, severity, value FROM anomaly ORDER BY time")
        assert [a[:3] for a in anomalies] == [("node", "spike", "ABNORMAL_OTHER")] * len(abnormal), anomalies


def all_stores_all_and_off_none():
    with tempfile.TemporaryDirectory() as directory:
        for mode, share in (("all", 1), ("off", 0)):
            place = os.path.join(directory, mode)
            os.mkdir(place)
            with daemon_with(jumps(place, [0.3]), record_activities=mode, monitor_period=0.05) as daemon:
                tool, client = daemon.client(), daemon.client().join(job="busy")
                ends = calls_until(client, lambda: tool.ask("status")["recording"]["cycles"] > 10)
                client.close()
                until(lambda: tool.ask("status")["recording"]["activities"] == len(ends))
                daemon.stop()
            assert len(stored_ends(daemon.database)) == share * len(ends), mode


def what_waits_is_decided_when_the_daemon_ends():
    """The abnormal cycle is the last but one or so: nobody decided on it yet."""
    with tempfile.TemporaryDirectory() as directory:
        with daemon_with(jumps(directory, [1.0]), monitor_period=0.5) as daemon:
            tool, client = daemon.client(), daemon.client().join(job="busy")
            ends = calls_until(client, lambda: tool.ask("status")["recording"]["abnormal_cycles"] == 1)
            assert tool.ask("status")["recording"]["stored"] == 0
            daemon.stop()
        spans = kept_spans(daemon.database)
        begin = min(b for b, _, _ in spans)
        assert stored_ends(daemon.database) == [e for e in ends if e > begin], (spans, ends)


def what_does_not_fit_is_counted_and_said_once():
    with tempfile.TemporaryDirectory() as directory:
        with daemon_with(jumps(directory, [500]), monitor_period=100, record_memory=0.05) as daemon:
            tool, client = daemon.client(), daemon.client().join(job="busy")
            for n in range(2000):
                client.call(n, n + 1, (1, n))
            seen = until(lambda: (r := tool.ask("status")["recording"]) and r["activities"] == 2000 and r)
            assert seen["dropped"] > 0 and seen["dropped"] + seen["waiting"] == 2000, seen
            assert daemon.log_text().count("record_memory") == 1, daemon.log_text()
            assert tool.ask("report")["jobs"], "it lives"
            client.close()


def an_end_that_is_said_to_come_is_now():
    """A client that says its calls end in seventy years, the last time that a trace takes, fills no memory for so long."""
    with tempfile.TemporaryDirectory() as directory:
        with daemon_with(jumps(directory, [500]), monitor_period=0.05) as daemon:
            tool, client = daemon.client(), daemon.client().join(job="liar")
            for n in range(500):
                client.call(0, 2**61 - 1, (1, n))
            until(lambda: (r := tool.ask("status")["recording"]) and r["activities"] == 500 and r["waiting"] == 0)
            client.close()


def what_a_program_did_is_stored_cycle_by_cycle():
    """The trace has all that it did, the database what ended in the kept cycles."""
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "t.siox")
        with daemon_with(jumps(directory, [1.0, 2.0, 3.0]), record=trace) as daemon:
            subprocess.run([os.environ["SIOX_MPIEXEC"], "-n", "2", os.path.join(os.environ["SIOX_BUILD"], "bin", "levels"),
                            "--levels", "0", "--blocks", "24", "--block", "16K", "--think", "0.05",
                            os.path.join(daemon.mount, "f")], check=True, stdout=subprocess.DEVNULL, timeout=120,
                           env={**os.environ, "SIOX_SOCKET": daemon.socket})
            daemon.stop()
        cat = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "trace", "cat", trace, "--json"],
                             capture_output=True, text=True, check=True, timeout=60)
        ends = [e["end_ns"] for e in map(json.loads, cat.stdout.splitlines())
                if e["event"] in ("io", "call", "sync", "message", "wait")]
        spans = kept_spans(daemon.database)
        stored = [end for end, in rows_of(daemon.database, "SELECT finish FROM activity")]
        assert 0 < len(stored) < len(ends), (len(stored), len(ends))
        assert sorted(stored) == sorted(e for e in ends if any(begin < e <= end for begin, end, _ in spans)), spans


def anomalies_want_a_monitor():
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), "--set", f"socket={directory}/s",
                               "--set", "monitor_period=-1", "--set", "record_activities=anomalies"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode and "record_activities" in done.stderr and "monitor_period" in done.stderr, done


def a_report_of_a_trace_with_some_activities_says_so():
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "t.siox")
        with daemon_with(jumps(directory, [500]), record=trace, record_trace="kept") as daemon:
            tool, client = daemon.client(), daemon.client().join(job="busy")
            for n in range(10):
                client.call(n, n + 1, (1, n))
            client.close()
            report = until(lambda: (r := tool.ask("report")) and r["recording"]["activities"] == 10 and r)
            assert "record_trace" in report["trace_error"], report["trace_error"]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
