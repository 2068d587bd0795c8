#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The knowledge base: learned from runs in a database, offered to programs, followed where that is asked for.
knowledge.py CASE"""

import os
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monitor import until  # noqa: E402
from recording import jumps  # noqa: E402
from wire import Daemon  # noqa: E402

BIN = os.path.join(os.environ["SIOX_BUILD"], "bin")
MS, MiB = 10**6, 2**20
WRITE_AT = 10  # row of mpiio.def
SLOW, FAST = "cb_buffer_size=4194304 romio_cb_write=automatic", "cb_buffer_size=16777216 romio_cb_write=automatic"


def siox(*arguments, status=0):
    done = subprocess.run([os.path.join(BIN, "siox"), *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done
    return done


def opened(client, hints, flags=0, number=0):
    text = hints.encode()
    text += bytes(-len(text) % 8)
    client.record(10, struct.pack("=QIIII", number, 2, 5, flags, len(hints)) + text)


def write_at(client, start, end, offset, size):
    client.record(3, struct.pack("=qqQqqQQQIi", start, end, 0, offset, size, 0, 0, 0, WRITE_AT, 0), end)


def run(database, hints, ms, **settings):
    """One run of a program whose calls write a MiB each, one behind the other, in so many ms."""
    with Daemon(database=database, monitor_period=-1, **settings) as daemon:
        client, tool = daemon.client().join(size=2), daemon.client()
        opened(client, hints)
        for n in range(8):
            write_at(client, 1000 * n * MS, (1000 * n + ms) * MS, n * MiB, MiB)
        until(lambda: tool.ask("status")["recording"]["activities"] == 8)
        client.close()
        daemon.stop()


def learned(directory):
    """Three runs at 20 ms a MiB and three at 10: the knowledge base of them."""
    database, path = os.path.join(directory, "db"), os.path.join(directory, "knowledge.yaml")
    for ms in (20, 20, 20):
        run(database, SLOW, ms)
    for ms in (10, 10):
        run(database, FAST, ms)
    done = siox("learn", database, "-o", path)
    assert "1 lessons of 5 episodes; 0 others" in done.stderr, done
    return path


def what_did_better_is_learned():
    with tempfile.TemporaryDirectory() as directory:
        with open(learned(directory)) as f:
            text = f.read()
        for says in ('situation: {program: "wire.py", ranks: 2, access: write, pattern: sequential, collective: no, size: 5}',
                     'response: {cb_buffer_size: "16777216"}', "runs: 2, base_runs: 3, seconds_per_mib: 0.01, "
                     "base_seconds_per_mib: 0.02, gain: 0.5000, confidence: 1.0000", 'base: {cb_buffer_size: "4194304"}'):
            assert says in text, (says, text)


def what_was_not_seen_whole_teaches_nothing():
    with tempfile.TemporaryDirectory() as directory:
        database = os.path.join(directory, "db")
        for hints, ms in ((SLOW, 20), (SLOW, 20), (FAST, 10), (FAST, 10)):
            run(database, hints, ms)
        with sqlite3.connect(database) as db:
            db.execute("UPDATE total SET value = value - 1 WHERE name = 'stored' AND run = 4")
        done = siox("learn", database)
        assert done.stdout.endswith("knowledge: []\n") and "0 lessons of 3 episodes; 1 others" in done.stderr, done
        assert "/nowhere: " in siox("learn", os.path.join(directory, "nowhere"), status=1).stderr
        with sqlite3.connect(database) as db:
            db.execute("UPDATE schema_version SET version = 2")
        assert "is of version 2, " in siox("learn", database, status=1).stderr
        siox("learn", database, "--confidence", "much", status=2)
        siox("learn", status=2)


def programs_are_offered_what_was_learned_of_them():
    with tempfile.TemporaryDirectory() as directory:
        path = learned(directory)
        with Daemon(knowledge=path, monitor_period=-1) as daemon:
            client, tool = daemon.client(), daemon.client()
            client.send(1, struct.pack("=qiiiI96s160s", 0, 0, 2, os.getpid(), 0, b"job", b"/usr/bin/wire.py"))
            _, _, body, _ = client.receive()
            advice = body[40 + 4096:].split(b"\0")[0]
            assert advice == b"write 2 cb_buffer_size=16777216\n", advice
            other = daemon.client()
            other.send(1, struct.pack("=qiiiI96s160s", 0, 0, 2, os.getpid(), 0, b"job", b"another"))
            _, _, body, _ = other.receive()
            assert body[40 + 4096:].split(b"\0")[0] == b"", body
            client.ring_fd, client.wake_fd = client.fds[0], client.fds[1]
            client.ring_bytes = struct.unpack_from("=I", body, 20)[0]
            opened(client, SLOW, flags=1)
            until(lambda: tool.ask("status")["recording"]["advised"] == 1)
            assert tool.ask("status")["recording"]["applied"] == 0


def a_trigger_says_what_is_known_of_the_programs_here():
    with tempfile.TemporaryDirectory() as directory:
        path = learned(directory)
        monitor = jumps(directory, [0.5, 1.2, 1.9], "triggers: [{when: {}, do: [advise]}]\n")
        with Daemon(knowledge=path, monitor=monitor, monitor_period=0.05, clock="monotonic") as daemon:
            client, tool = daemon.client().join(size=2), daemon.client()
            t = until(lambda: (t := tool.ask("status")["monitor"]["triggers"]) and t["fired"] >= 2 and t)
            assert t["advised"] == 1, t
            log = daemon.log_text()
            assert log.count("advice: wire.py with 2 ranks, write: cb_buffer_size=16777216 takes 50 % less time "
                             "(2 runs against 3, confidence 100 %)") == 1, log
            client.close()


def what_is_wrong_in_a_knowledge_base_ends_the_daemon_with_its_place():
    lesson = ("knowledge:\n- situation: {program: a, ranks: 2, access: write, pattern: random, collective: no, size: 3}\n"
              "  response: {cb_nodes: 2}\n  evidence: {runs: 2, base_runs: 2, gain: 0.5, confidence: 0.99}\n")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "k.yaml")
        for old, new, says in (("", "", None), ("knowledge:", "wisdom:", "expected knowledge:"),
                               ("access: write", "access: burn", "k.yaml:2: knowledge[0].situation.access"),
                               ("ranks: 2", "ranks: 0", "k.yaml:2: knowledge[0].situation.ranks"),
                               ("ranks: 2, ", "", "k.yaml:2: knowledge[0].situation.ranks"),
                               ("cb_nodes: 2", "cb_nodes: '2 x=y'", "k.yaml:3: knowledge[0].response.cb_nodes"),
                               ("cb_nodes: 2", "colour: 2", "k.yaml:3: knowledge[0].response.colour"),
                               ("gain: 0.5", "gain: 5", "k.yaml:4: knowledge[0].evidence.gain")):
            with open(path, "w") as f:
                f.write(lesson.replace(old, new) if old else lesson)
            if says is None:
                with Daemon(knowledge=path, monitor_period=-1):
                    continue
            done = subprocess.run([os.path.join(BIN, "sioxd"), "--set", f"socket={directory}/s", "--set", f"knowledge={path}"],
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode and says in done.stderr, (says, done)


def levels(daemon, *more, **environment):
    done = subprocess.run([os.environ["SIOX_MPIEXEC"], "-n", "2", os.path.join(BIN, "levels"), "--levels", "2", "--blocks", "4",
                           "--block", "16K", "--verify", *more, os.path.join(daemon.mount, "f")], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "SIOX_SOCKET": daemon.socket, **environment})
    assert done.returncode == 0, done
    return done


def hints_of_opens(database):
    with sqlite3.connect(database) as db:
        return [dict(h.split("=") for h in hints.split()) for hints, in db.execute("SELECT hints FROM opened ORDER BY time")]


def hints_in_force_are_stored():
    with tempfile.TemporaryDirectory() as directory:
        database = os.path.join(directory, "db")
        with Daemon(database=database, clock="monotonic", monitor_period=-1) as daemon:
            levels(daemon, "--info", "cb_buffer_size=1048576")
            daemon.stop()
        hints = hints_of_opens(database)
        assert hints and all(h["cb_buffer_size"] == "1048576" and "romio_cb_write" in h for h in hints), hints
        with sqlite3.connect(database) as db:
            rows = db.execute("SELECT o.ranks, p.rank, o.path FROM opened o JOIN process p USING (run, client)").fetchall()
        assert all(ranks == 2 and rank == 0 and path.endswith("/f") for ranks, rank, path in rows), rows


def advice_is_followed_only_where_it_is_asked_for():
    knowledge = ("knowledge:\n" + "".join(
        f"- situation: {{program: levels, ranks: 2, access: {access}, pattern: random, collective: yes, size: 3}}\n"
        "  response: {cb_buffer_size: 2097152, romio_cb_write: enable}\n"
        "  evidence: {runs: 2, base_runs: 2, gain: 0.5, confidence: 0.99}\n" for access in ("write", "read")))
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "k.yaml")
        with open(path, "w") as f:
            f.write(knowledge)
        for apply, own, size in ((None, (), None), ("1", (), "2097152"), ("1", ("--info", "cb_buffer_size=1048576"), "1048576")):
            database = os.path.join(directory, "db%s%d" % (apply, len(own)))
            with Daemon(database=database, knowledge=path, clock="monotonic", monitor_period=-1) as daemon:
                levels(daemon, *own, **({"SIOX_KNOWLEDGE_APPLY": apply} if apply else {}))
                recording = daemon.client().ask("status")["recording"]
                daemon.stop()
            hints = hints_of_opens(database)
            assert recording["advised"] == len(hints) > 0, (recording, hints)
            assert recording["applied"] == (len(hints) if apply else 0), recording
            for h in hints:
                assert h["cb_buffer_size"] == size if size else h["cb_buffer_size"] != "2097152", h
                assert (h["romio_cb_write"] == "enable") == bool(apply), h


if __name__ == "__main__":
    globals()[sys.argv[1]]()
