#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The store in each of its databases, and what it stands. Usage: store.py NAME"""

import csv
import json
import os
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import activities  # noqa: E402
import monitor  # noqa: E402
import wire  # noqa: E402
from postgres import SKIP, Server  # noqa: E402
from wire import FULL, NEVER, SECOND, Client, Daemon  # noqa: E402

PATIENCE = 60


def until(condition, what, seconds=PATIENCE):
    """Polls a condition of other processes; its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.01)
    return value


def skip(why):
    print("skipped:", why)
    sys.exit(SKIP)


class Stored(Daemon):
    """A daemon with a database; nothing is measured unless asked for."""

    def __init__(self, database, **settings):
        super().__init__(**{"database": database, "monitor_period": -1, **settings})

    def counters(self, client):
        return client.ask("status")["counters"]

    def written(self, client):
        """Waits until nothing waits."""
        until(lambda: self.counters(client)["store_waiting"] == 0, "rows still wait")


def script(daemon, accesses=40):
    """The same on every machine: the clock is stamped. Names have what SQL and CSV take for something else."""
    client = daemon.client().join(job='two "words", and\na line')
    number, _ = client.open(daemon.file("a", 1 << 20), "0:4:64K")
    client.claim(SECOND // 2, [(0, 4, FULL, 1, SECOND, NEVER)])
    for i in range(accesses):
        client.io(number, i * 4096, 4096, (i + 1) * SECOND, write=bool(i % 2))
    return client


TABLES = {
    "job": "job, key", "process": "client, job, rank, size, pid, start, finish, program", "disk": "disk, initial_speed, profile",
    "activity": 'client, thread, start, finish, file, "offset", bytes, site, coll_uid, coll_seq, op, result, layer',
    "level": "disk, start, finish, bytes, job, from_speed, to_speed, share, joules, state",
    "claim": "client, time, seq, first_disk, count, speed, flag, need_by, until, site", "total": "time, value, name"}


def as_numbers(rows):
    """Texts of three programs become comparable."""
    def one(text):
        try:
            return f"{float(text):.12g}"  # sums are added in any order
        except (TypeError, ValueError):
            return text or ""
    return sorted([one(value) for value in row] for row in rows)


def rows_of_sqlite(path, table):
    with sqlite3.connect(path) as db:
        return as_numbers(db.execute(f"SELECT {TABLES[table]} FROM {table}"))


def read_csv(directory, table):
    with open(os.path.join(directory, table + ".csv"), newline="") as f:
        return list(csv.DictReader(f))


def rows_of_csv(directory, table):
    names = [name.strip(' "') for name in TABLES[table].split(",")]
    rows = read_csv(directory, table)
    if table == "process":  # its end is a row of its own
        ends = {row["client"]: row["finish"] for row in read_csv(directory, "process_end")}
        for row in rows:
            row["finish"] = ends.get(row["client"], "")
    return as_numbers([row[name] for name in names] for row in rows)


def rows_of_server(server, table):
    text = server.ask(f"SELECT json_agg(json_build_array({TABLES[table]})) FROM {table}")
    return as_numbers(json.loads("".join(row[0] for row in text)))


def run_script(database, **settings):
    with Stored(database, **settings) as daemon:
        client = script(daemon)
        client.close()
        daemon.stop()
        assert daemon.log_text() == "", daemon.log_text()


def every_database_has_the_same_rows():
    with Server() as server, tempfile.TemporaryDirectory() as directory:
        path, sheets = os.path.join(directory, "a.db"), os.path.join(directory, "sheets")
        for database in path, "csv:" + sheets, server.url():
            run_script(database)
        for table in TABLES:
            rows = rows_of_sqlite(path, table)
            assert rows, table
            for others in rows_of_csv(sheets, table), rows_of_server(server, table):
                assert len(others) == len(rows), (table, len(others), len(rows))
                for a, b in zip(others, rows):
                    assert a == b or table == "process" and a[:4] == b[:4], (table, a, b)
        # joules of the views
        with sqlite3.connect(path) as db:
            joules = db.execute("SELECT SUM(joules) FROM v_disk_energy").fetchone()[0]
        wire.close_to(float(server.ask("SELECT SUM(joules) FROM v_disk_energy")[0][0]), joules)
        wire.close_to(sum(float(row["joules"]) for row in read_csv(sheets, "level")), joules)


def views_say_the_same_of_both_databases():
    with Server() as server, tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        run_script(path)
        run_script(server.url())
        for view in ("v_disk_energy", "v_job_energy", "v_job", "v_calls", "v_statistic", "v_anomaly"):
            with sqlite3.connect(path) as db:
                cursor = db.execute(f"SELECT * FROM {view}")
                names = [c[0] for c in cursor.description]
                keep = [i for i, name in enumerate(names) if not name.startswith("wall") and name not in ("pid", "key")]
                rows = as_numbers([[row[i] for i in keep] for row in cursor])
            got = server.ask("SELECT " + ", ".join(names[i] for i in keep) + f" FROM {view}")
            assert as_numbers(got) == rows, (view, got, rows)
        with sqlite3.connect(path) as db:
            wall, start, first = db.execute(
                "SELECT r.wall_start, a.wall_start - r.wall_start, a.start - r.start FROM v_activity a"
                " JOIN run r ON r.run = a.run").fetchone()
        assert start == first and abs(wall / 1e9 - time.time()) < 600
        assert server.ask("SELECT COUNT(*) FROM v_activity WHERE layer = 'io' AND bytes = 4096") == [["40"]]


def names_of_any_bytes_hold_up_nothing():
    """A server takes valid UTF-8 only."""
    with Server() as server:
        with Stored(server.url()) as daemon:
            client = daemon.client()
            hello = wire.struct.pack("=qiiiI96s160s", 0, 0, 1, os.getpid(), 0, b"job\xff\xfe", b"prog\xc3")
            client.send(wire.HELLO, hello)
            assert client.receive()[0] == wire.WELCOME
            number, _ = client.open(daemon.file("a", 1 << 20), "0:4:64K")
            client.io(number, 0, 4096, SECOND)
            daemon.written(client)
            counters = daemon.counters(client)
            assert not counters["store_broken"] and not counters["store_dropped"], counters
        assert server.ask("SELECT program FROM process") == [["prog?"]]
        assert server.ask("SELECT COUNT(*) FROM activity") == [["1"]]


def a_server_that_was_away_has_everything():
    with Server() as server:
        with Stored(server.url()) as daemon:
            client = script(daemon, 10)
            daemon.written(client)
            server.stop()
            number, _ = client.open(daemon.file("b", 1 << 20), "0:4:64K")
            for i in range(30):
                client.io(number, 0, 4096, (100 + i) * SECOND)
            until(lambda: daemon.counters(client)["store_broken"], "nobody noticed")
            server.start()
            daemon.written(client)
            counters = daemon.counters(client)
            assert counters["store_dropped"] == 0 and not counters["store_broken"], counters
            client.close()
            daemon.stop()
            log = daemon.log_text()
            assert log.count("records wait and it is tried again") == 1 and log.count("works again") == 1, log
        assert server.ask("SELECT COUNT(*) FROM activity WHERE layer = 'io'") == [["40"]]
        assert server.ask("SELECT COUNT(*) FROM run") == [["1"]]


def a_server_that_does_not_answer_keeps_nobody():
    with Server() as server:
        with Stored(server.url()) as daemon:
            client = script(daemon, 10)
            daemon.written(client)
            for pid in server.pids():
                os.kill(pid, signal.SIGSTOP)
            number, _ = client.open(daemon.file("b", 1 << 20), "0:4:64K")
            longest = 0
            until_then = time.monotonic() + 2
            at = 100
            while time.monotonic() < until_then:
                before = time.monotonic()
                client.io(number, 0, 4096, at * SECOND)
                longest = max(longest, time.monotonic() - before)
                at += 1
            print(f"{at - 100} requests, the slowest took {longest * 1e3:.1f} ms")
            assert longest < 1
            client.close()
            before = time.monotonic()
            daemon.stop()
            print(f"the daemon ended in {time.monotonic() - before:.1f} s")
            assert "lost" in daemon.log_text() or "left behind" in daemon.log_text(), daemon.log_text()


def a_password_stands_nowhere():
    with Server() as server:
        server.ask("CREATE ROLE siox LOGIN PASSWORD 'right-secret'; GRANT ALL ON SCHEMA public TO siox")
        hba = os.path.join(server.data, "pg_hba.conf")
        with open(hba, "r+") as f:
            rest = f.read()
            f.seek(0)
            f.write("local all siox scram-sha-256\n" + rest)
        server.ask("SELECT pg_reload_conf()")
        for secret, broken in (("right-secret", False), ("wrong-secret", True)):
            with Stored(server.url(f"siox:{secret}"), log_level="debug") as daemon:
                client = script(daemon, 3)
                if broken:
                    until(lambda: "authentication failed" in daemon.log_text(), "nothing is said")
                else:
                    daemon.written(client)
                status = json.dumps(client.ask("status"))
                shown = json.loads(status)["database"]
                assert shown == server.url("siox"), shown
                client.close()
                daemon.stop()
                assert "secret" not in status and "secret" not in daemon.log_text(), (status, daemon.log_text())
        assert server.ask("SELECT COUNT(*) FROM activity") == [["3"]]


def a_wrong_url_is_named_without_what_stands_in_it():
    with Stored("postgresql://me:sec%00ret@host/db?no=such") as daemon:
        client = script(daemon, 1)
        until(lambda: "cannot be read" in daemon.log_text(), "nothing is said")
        client.close()
        assert "ret" not in daemon.log_text().replace("retried", ""), daemon.log_text()


def many_daemons_begin_one_database():
    with Server() as server:
        daemons = [Stored(server.url()) for _ in range(6)]
        try:
            clients = [script(daemon, 5) for daemon in daemons]
            for daemon, client in zip(daemons, clients):
                daemon.written(client)
                client.close()
                daemon.stop()
                assert daemon.log_text() == "", daemon.log_text()
        finally:
            for daemon in daemons:
                daemon.__exit__(None)
        assert server.ask("SELECT COUNT(*), COUNT(DISTINCT run) FROM run") == [["6", "6"]]
        assert server.ask("SELECT COUNT(*), MIN(n), MAX(n) FROM (SELECT run, COUNT(*) AS n FROM activity GROUP BY run) a") == [
            ["6", "5", "5"]]


def some_more(daemon, client, count=30, first=100):
    number, _ = client.open(daemon.file("more", 1 << 20), "0:4:64K")
    for i in range(count):
        client.io(number, 0, 4096, (first + i) * SECOND)


def said_once(daemon):
    log = daemon.log_text()
    assert log.count("records wait and it is tried again") == 1, log
    assert log.count("works again") == 1, log


def accesses_in(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT COUNT(*) FROM activity WHERE layer = 'io'").fetchone()[0]


def a_locked_file_has_everything_when_it_is_free(lock="BEGIN EXCLUSIVE"):
    """Another process's lock, as the kernel has them by process."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        with Stored(path) as daemon:
            client = script(daemon, 10)
            daemon.written(client)
            other = subprocess.Popen(
                [sys.executable, "-c", f"import sqlite3, sys; db = sqlite3.connect({path!r}, isolation_level=None);"
                 f" db.execute({lock!r}); print(1, flush=True); sys.stdin.read()"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert other.stdout.readline() == b"1\n"
            some_more(daemon, client)
            until(lambda: "database is locked" in daemon.log_text(), "nobody noticed")
            assert daemon.counters(client)["store_broken"]
            other.stdin.close()
            other.wait()
            daemon.written(client)
            client.close()
            daemon.stop()
            said_once(daemon)
        assert accesses_in(path) == 40


def a_directory_that_may_not_be_written_is_said_and_tried_again():
    """Root may write anywhere: there a user without rights runs the daemon."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        home, closed = os.path.join(directory, "home"), os.path.join(directory, "closed")
        os.mkdir(home)
        os.mkdir(closed, 0o755 if root else 0o555)
        if root:
            os.chown(home, 65534, 65534)
        path = os.path.join(closed, "a.db")
        socket = os.path.join(home, "sock")
        sioxd = subprocess.Popen(
            [os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), "--foreground", "--set", f"socket={socket}", "--set",
             f"database={path}", "--set", "clock=stamped", "--set", "policy=base", "--set", "monitor_period=-1"],
            **(dict(user=65534, group=65534, extra_groups=[]) if root else {}), stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: os.path.exists(socket), "it does not listen")
            client = Client(socket).join()
            line = sioxd.stderr.readline()
            assert "unable to open database file; records wait and it is tried again" in line, line
            os.chmod(closed, 0o777)
            line = sioxd.stderr.readline()
            assert "works again" in line, line
            until(lambda: client.ask("status")["counters"]["store_waiting"] == 0, "rows still wait")
            client.close()
        finally:
            sioxd.terminate()
            assert sioxd.wait(PATIENCE) == 0
        assert sioxd.stderr.read() == ""
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT COUNT(*) FROM process").fetchone() == (1,)


FULL_DISK = """
import os, sys
sys.path.insert(0, sys.argv[1])
import store
store.on_a_full_disk(sys.argv[2], sys.argv[3])
"""


def on_a_full_disk(kind, mount):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount], check=True)
    filler = os.path.join(mount, "filler")
    place = os.path.join(mount, "a.db") if kind == "sqlite" else "csv:" + os.path.join(mount, "sheets")
    with Stored(place) as daemon:
        client = script(daemon, 10)
        daemon.written(client)
        with open(filler, "wb", buffering=0) as f:
            try:
                while f.write(bytes(4096)):
                    pass
            except OSError:
                pass
        at = 100
        while not daemon.counters(client)["store_broken"]:  # pages that the file has already are used up first
            some_more(daemon, client, 20, at)
            at += 20
            time.sleep(0.05)
        some_more(daemon, client, 20, at)
        at += 20
        os.unlink(filler)
        daemon.written(client)
        counters = daemon.counters(client)
        assert counters["store_dropped"] == 0, counters
        client.close()
        daemon.stop()
        said_once(daemon)
        log = daemon.log_text()
        assert "full" in log or "No space left" in log, log
        wanted = at - 100 + 10
        if kind == "sqlite":
            assert accesses_in(place) == wanted, (accesses_in(place), wanted)
        else:
            times = [row["start"] for row in read_csv(place[4:], "activity") if row["layer"] == "io"]
            assert len(times) == len(set(times)) == wanted, (len(times), len(set(times)), wanted)


def full_disk(kind):
    """In a mount namespace of its own."""
    with tempfile.TemporaryDirectory() as mount:
        command = ["unshare", "-m" if os.geteuid() == 0 else "-rm"]
        if subprocess.run([*command, "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount], capture_output=True).returncode:
            skip("no file system may be mounted here")
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run([*command, sys.executable, "-c", FULL_DISK, here, kind, mount], check=True)


def a_full_disk_has_everything_when_there_is_room():
    full_disk("sqlite")


def sheets_on_a_full_disk_have_each_row_once():
    full_disk("csv")


def killed(place, stored):
    """Rows more than a second old when it is killed are there."""
    with Stored(place) as daemon:
        client = script(daemon, 10)
        put, at = [], 100
        end = time.monotonic() + 3
        number, _ = client.open(daemon.file("b", 1 << 20), "0:4:64K")
        while time.monotonic() < end:
            client.io(number, 0, 4096, at * SECOND)
            put.append(time.monotonic())
            at += 1
            time.sleep(0.002)
        daemon.kill()
        death = time.monotonic()
        daemon.wait()
        certain = 10 + sum(t < death - 1 for t in put)
        got = stored()
        print(f"{got} of {10 + len(put)} accesses are stored, {certain} were more than a second old")
        assert certain <= got <= 10 + len(put)


def a_killed_daemon_loses_no_more_than_a_second_of_sqlite():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        killed(path, lambda: accesses_in(path))
        with sqlite3.connect(path) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def a_killed_daemon_loses_no_more_than_a_second_of_postgresql():
    with Server() as server:
        killed(server.url(), lambda: int(server.ask("SELECT COUNT(*) FROM activity WHERE layer = 'io'")[0][0]))


def a_killed_daemon_loses_no_more_than_a_second_of_csv():
    with tempfile.TemporaryDirectory() as directory:
        killed("csv:" + directory, lambda: sum(row["layer"] == "io" for row in read_csv(directory, "activity")))


def part_of_a_line_is_cut_off_by_the_next_writer():
    with tempfile.TemporaryDirectory() as directory:
        run_script("csv:" + directory)
        before = {name: read_csv(directory, name) for name in ("activity", "job")}
        for name in before:
            with open(os.path.join(directory, name + ".csv"), "ab") as f:
                f.write(b'1,2,"half\r\nof a')
        run_script("csv:" + directory)
        for name, rows in before.items():
            after = read_csv(directory, name)
            assert after[: len(rows)] == rows and len(after) == 2 * len(rows), name
            assert [row["run"] for row in after] == ["1"] * len(rows) + ["2"] * len(rows), name


def sheets_have_one_writer():
    with tempfile.TemporaryDirectory() as directory:
        with Stored("csv:" + directory) as first, Stored("csv:" + directory) as second:
            client = script(second, 3)
            until(lambda: "another one writes there" in second.log_text(), "nobody noticed")
            first.stop()
            second.written(client)
            client.close()
            second.stop()
            said_once(second)


def a_corrupt_database_is_said_and_left_as_it_is():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        run_script(path)
        with open(path, "r+b") as f:
            f.seek(16)
            f.write(b"no database" * 400)
        with open(path, "rb") as f:
            before = f.read()
        with Stored(path) as daemon:
            client = script(daemon, 10)
            until(lambda: "records wait" in daemon.log_text(), "nobody noticed")
            assert daemon.counters(client)["store_broken"]
            client.close()
            daemon.stop()
            log = daemon.log_text()
            assert log.count("records wait and it is tried again") == 1 and "records are lost" in log, log
        with open(path, "rb") as f:
            assert f.read() == before


def what_does_not_fit_is_counted():
    """Accesses go on while nothing can be written: 16 MiB wait, the rest is counted."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "no", "a.db")
        with Stored(path) as daemon:
            client = daemon.client().join()
            number, _ = client.open(daemon.file("a", 1 << 20), "0:4:64K")
            at = 1
            while not daemon.counters(client)["store_dropped"]:
                for _ in range(2000):  # a claim is one row more each
                    client.claim(at * SECOND, [(disk, 1, FULL, 1, at * SECOND, NEVER) for disk in range(4)])
                client.io(number, 0, 4096, at * SECOND)
                at += 1
            counters = daemon.counters(client)
            until(lambda: "records are dropped" in daemon.log_text(), "it is not said")
            with open(f"/proc/{daemon.pid}/status") as f:
                peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
            print(f"{counters['store_waiting']} rows wait, {peak / 1024:.1f} MiB of memory at most")
            os.mkdir(os.path.dirname(path))
            daemon.written(client)
            counters = daemon.counters(client)
            with sqlite3.connect(path) as db:
                rows = sum(db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
                           for table in ("run", "job", "process", "disk", "activity", "level", "claim"))
            assert rows == counters["store_written"], (rows, counters)
            assert daemon.log_text().count("records are dropped") == 1


def an_old_database_is_migrated_by_the_daemon():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        with sqlite3.connect(path) as db:
            db.executescript("""
                CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (1);
                CREATE TABLE run (run INTEGER PRIMARY KEY, start INTEGER, wall_start INTEGER, ndisks INTEGER,
                    time_scale REAL, policy TEXT, program TEXT);
                CREATE TABLE layout (dev INTEGER, ino INTEGER, path TEXT, layout TEXT, PRIMARY KEY (dev, ino));
                CREATE TABLE statistic (run INTEGER, time INTEGER, value REAL, name TEXT);
                INSERT INTO run VALUES (7, 1, 2, 4, 1, 'base', 'old');
                INSERT INTO statistic VALUES (7, 3, 5, 'requests')""")
        run_script(path)
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT run, program FROM run ORDER BY run").fetchall() == [(7, "old"), (8, "wire.py")]
            assert db.execute("SELECT value FROM total WHERE run = 7").fetchall() == [(5,)]


def a_newer_database_is_refused_and_left_alone():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        with sqlite3.connect(path) as db:
            db.executescript("CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (99)")
        with Stored(path) as daemon:
            client = script(daemon, 3)
            until(lambda: "schema version 99; this Siox knows up to 3" in daemon.log_text(), "it is not said")
            client.close()
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (1,)


def joules_of_statistics_are_those_of_the_meter():
    """A meter of a file: 7 J every second for 3 s, and 5 J at once."""
    with tempfile.TemporaryDirectory() as directory:
        path, night = os.path.join(directory, "a.db"), os.path.join(directory, "night.txt")
        with open(night, "w") as f:
            f.write("metric energy package-0 J counter domain=package scale=1e-6 wrap=1000000000 bound=1000\n")
            f.write("at 0 1000000\nat 1 8000000\nat 1.5 13000000\nat 2 20000000\n")
        described = os.path.join(directory, "monitor.yaml")
        with open(described, "w") as f:
            f.write("providers:\n  - {plugin: scripted, config: {file: night.txt}}\ndetectors: []\n")
        with Stored(path, monitor_period=0.05, monitor=described, statistics="100ms,1s,10min") as daemon:
            def sums():
                try:
                    with sqlite3.connect(path) as db:
                        return dict(db.execute("SELECT length, SUM(sum) FROM v_statistic WHERE name = 'energy' AND place ="
                                               " 'package-0' AND unit = 'J' AND domain = 'package' GROUP BY length"))
                except sqlite3.OperationalError:
                    return {}
            until(lambda: sums().get(10**8, 0) > 18.9, "the joules do not come")
            daemon.stop()
            assert {length: round(joules, 9) for length, joules in sums().items()} == {10**8: 19, 10**9: 19, 6 * 10**11: 19}, sums()
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT COUNT(*) FROM run").fetchone() == (1,)
            wall = db.execute("SELECT MAX(wall_start) FROM v_statistic WHERE length = 100000000").fetchone()[0]
            assert abs(wall / 1e9 - time.time()) < 60


class Cut:
    """Between a daemon and a server: once, a COMMIT goes through and its answer does not, or neither does."""

    def __init__(self, server, made):
        self.directory = tempfile.mkdtemp(prefix="siox-cut.", dir="/tmp")
        self.server, self.made, self.armed, self.cut = server, made, False, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.directory, ".s.PGSQL.5432"))
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(os.path.join(self.server.directory, ".s.PGSQL.5432"))
            threading.Thread(target=self.carry, args=(client, server), daemon=True).start()

    def carry(self, client, server):
        with client, server:
            while True:
                ready = select.select([client, server], [], [])[0]
                if client in ready:
                    data = client.recv(1 << 16)
                    if self.armed and b"COMMIT" in data:
                        self.armed = False
                        answer = b""
                        if self.made:
                            server.sendall(data)
                            while b"COMMIT\0" not in answer:
                                answer += server.recv(1 << 16)
                        self.cut = True
                        return
                    if not data:
                        return
                    server.sendall(data)
                if server in ready:
                    data = server.recv(1 << 16)
                    if not data:
                        return
                    client.sendall(data)

    def url(self):
        return f"postgresql://postgres@/postgres?host={self.directory}"

    def close(self):
        self.listener.close()
        shutil.rmtree(self.directory)


def a_commit_without_an_answer_is_not_made_twice():
    with Server() as server:
        for run, (made, first) in enumerate(((True, True), (False, True), (True, False), (False, False)), 1):
            cut = Cut(server, made)
            cut.armed = first  # the transaction that begins the run, or a later one; that which makes the tables is before
            if run == 1:
                cut.armed = False
            with Stored(cut.url()) as daemon:
                if run == 1:
                    until(lambda: server.ask("SELECT to_regclass('job_energy')") != [[""]], "no tables are made")
                    cut.armed = True
                client = script(daemon, 10)
                if not first:
                    daemon.written(client)
                    cut.armed = True
                    some_more(daemon, client, 20)
                until(lambda: cut.cut, "no commit came")
                daemon.written(client)
                client.close()
                daemon.stop()
                said_once(daemon)
            cut.close()
            accesses = 10 if first else 30
            assert server.ask(f"SELECT COUNT(*), COUNT(DISTINCT start) FROM activity WHERE layer = 'io' AND run = (SELECT MAX(run)"
                              " FROM run)") == [[str(accesses)] * 2], (run, made, first)
            assert server.ask("SELECT COUNT(*) FROM run") == [[str(run)]]


def calls_of_processes_that_ended_are_counted():
    """Though not one of them is stored by itself."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        with Stored(path, clock="monotonic", record_activities="off") as daemon:
            program = """
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
for i in range(5): os.pwrite(fd, b'x' * 10, 0)
for i in range(3): os.pwrite(fd, b'x' * 2000, 0)
"""
            for _ in range(2):
                activities.script(daemon, program, os.path.join(directory, "file"), check=True)
            client = daemon.client()
            until(lambda: client.ask("status")["clients"] == 0, "they do not leave")
            client.close()
            daemon.stop()
        with sqlite3.connect(path) as db:
            rows = db.execute("SELECT size_class, calls, bytes, seconds >= longest_s, longest_s > 0 FROM v_calls WHERE call ="
                              " 'pwrite64' AND layer = 'posix' ORDER BY size_class").fetchall()
            assert rows == [(1, 10, 100, 1, 1), (2, 6, 12000, 1, 1)], rows
            assert db.execute("SELECT COUNT(DISTINCT client) FROM process_call").fetchone() == (2,)
            assert db.execute("SELECT COUNT(*) FROM activity").fetchone() == (0,)


def joules_of_jobs_and_of_nobody_are_the_meters():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        with Stored(path, monitor=monitor.configuration(directory), monitor_period=0.05, clock="monotonic") as daemon:
            client, tool = daemon.client().join(job="busy"), daemon.client()
            began = time.process_time()
            while time.process_time() - began < 0.5:
                sum(range(1000))
            until(lambda: tool.ask("report")["jobs"][0]["processors"]["seconds"] >= 0.2, "nothing is attributed")
            report = tool.ask("report")
            client.close()
            tool.close()
            daemon.stop()
        with sqlite3.connect(path) as db:
            joules = db.execute("SELECT SUM(joules) FROM job_energy").fetchone()[0]
            meter = db.execute("SELECT SUM(sum) FROM v_statistic WHERE name = 'energy' AND provider = 'scripted'").fetchone()[0]
            busy = db.execute("SELECT processor_joules, processor_s FROM v_job").fetchall()
            rows = joules / monitor.JOULES_A_ROW
            assert abs(rows - round(rows)) < 1e-6 and report["monitor"]["processors"]["joules"] <= joules + 1e-9, (joules, report)
            assert joules <= meter + 1e-9 and meter - joules <= 2 * monitor.JOULES_A_ROW, (joules, meter)
            assert len(busy) == 1 and 0 < busy[0][0] < joules and busy[0][1] >= 0.2, busy
            assert db.execute("SELECT COUNT(*) FROM job_energy WHERE run NOT IN (SELECT run FROM run)").fetchone() == (0,)


def every_kind_of_row_is_stored_in_postgresql():
    with Server() as server:
        subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "test_schema")], check=True,
                       env={**os.environ, "SIOX_TEST_DATABASE": server.url()})
        assert server.ask("SELECT value, low, high FROM anomaly WHERE level = 'node'") == [["NaN", "-Infinity", "Infinity"]]
        assert server.ask("SELECT batch FROM run") == [["2"]]


def others_may_not_read_what_is_stored():
    before = os.umask(0)
    try:
        with tempfile.TemporaryDirectory() as directory:
            path, sheets = os.path.join(directory, "a.db"), os.path.join(directory, "sheets")
            with Stored(path) as daemon:
                client = script(daemon, 3)
                daemon.written(client)
                for end in "", "-wal", "-shm":
                    assert os.stat(path + end).st_mode & 0o777 == 0o640, end
                client.close()
            run_script("csv:" + sheets)
            assert os.stat(sheets).st_mode & 0o777 == 0o750
            for name in os.listdir(sheets):
                assert os.stat(os.path.join(sheets, name)).st_mode & 0o777 == 0o640, name
            os.chmod(path, 0o644)  # an administrator's word holds
            run_script(path)
            assert os.stat(path).st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
