#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox db, with SQLite and with a server of PostgreSQL. Usage: store_db.py NAME"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import store  # noqa: E402
from postgres import Server  # noqa: E402

SECOND = 10**9
VERSION_1 = """
    CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (1);
    CREATE TABLE run (run INTEGER PRIMARY KEY, start INTEGER, wall_start INTEGER, ndisks INTEGER, time_scale REAL, policy TEXT,
        program TEXT);
    CREATE TABLE layout (dev INTEGER, ino INTEGER, path TEXT, layout TEXT, PRIMARY KEY (dev, ino));
    CREATE TABLE statistic (run INTEGER, time INTEGER, value REAL, name TEXT);
    INSERT INTO run VALUES (7, 1, 1700000000000000000, 4, 1, 'base', 'old');
    INSERT INTO statistic VALUES (7, 3, 5, 'requests')"""


def siox(*words, status=0):
    done = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "db", *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


class Sqlite:
    """As Server has it."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "a.db")

    def url(self):
        return self.path

    def ask(self, sql):
        with sqlite3.connect(self.path) as db:
            db.executescript(sql) if ";" in sql else None
            return [] if ";" in sql else [["" if v is None else str(v) for v in row] for row in db.execute(sql)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()


def both():
    """What a test does with the one, and with the other where there is one."""
    yield Sqlite
    yield Server  # ends the test as skipped without a server; SQLite's part has been done then


def made_is_what_a_daemon_makes():
    for kind in both():
        with kind() as one, kind() as other:
            assert "made, version 3" in siox("create", one.url())
            store.run_script(other.url())
            tables = ("SELECT name, sql FROM sqlite_master ORDER BY name" if kind is Sqlite else
                      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
                      " ORDER BY 1, ordinal_position")
            assert one.ask(tables) == other.ask(tables)
            assert "holds a database of Siox's already, version 3" in siox("create", one.url(), status=1)


def an_old_one_is_migrated_and_a_newer_one_refused():
    with Sqlite() as database:
        database.ask(VERSION_1 + ";")
        before = json.loads(siox("info", database.url(), "--json"))
        assert before["version"] == 1 and not before["current"] and before["runs"] == 1, before
        assert "siox db migrate" in siox("info", database.url())
        assert siox("migrate", database.url()) == f"{database.path}: version 1 is now version 3\n"
        assert siox("migrate", database.url()) == f"{database.path}: is version 3 already\n"
        assert database.ask("SELECT run, value FROM total") == [["7", "5.0"]]
        database.ask("UPDATE schema_version SET version = 4;")
        for command in "migrate", "info", "rollup", "create":
            assert "schema version 4; this Siox knows up to 3" in siox(command, database.url(), status=1), command
        assert "schema version 4" in siox("purge", database.url(), "--older", "1d", status=1)


def a_killed_migration_leaves_the_old_version_or_makes_the_new_one():
    """Killed at later and later times, until it gets through."""
    rows, killed = 30000, 0
    with Sqlite() as database:
        database.ask(VERSION_1 + ";")
        with sqlite3.connect(database.path) as db:
            db.executemany("INSERT INTO layout VALUES (1, ?, ?, '0:4:64K')", ((i, f"/some/where/{i}") for i in range(rows)))
        version = 1
        while version == 1:
            process = subprocess.Popen([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "db", "migrate", database.url()],
                                       stdout=subprocess.DEVNULL)
            try:
                process.wait(0.01 * (killed + 1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            with sqlite3.connect(database.path) as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                version = db.execute("SELECT MAX(version) FROM schema_version").fetchone()[0]
                assert db.execute("SELECT COUNT(*) FROM layout").fetchone() == (rows,)
                tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                assert ("total" in tables) == ("metric" in tables) == (version > 1) and "layout_1" not in tables, tables
    print(f"killed {killed} times")
    assert killed > 0


def info_tells_what_is_there():
    for kind in both():
        with kind() as database:
            before = time.time()
            store.run_script(database.url())
            info = json.loads(siox("info", database.url(), "--json"))
            assert info["version"] == 3 and info["current"] and info["runs"] == 1, info
            for table, rows in info["tables"].items():
                assert database.ask(f"SELECT COUNT(*) FROM {table}") == [[str(rows)]], table
            assert info["tables"]["activity"] == 40, info
            assert info["bytes"] > 50000, info
            if kind is Sqlite:
                assert info["bytes"] == os.path.getsize(database.path), info
            oldest = time.mktime(time.strptime(info["oldest"][:19], "%Y-%m-%dT%H:%M:%S"))
            assert before - 2 <= oldest <= time.time() + 1, info
            assert info["newest"] > info["oldest"], info
            assert "activity     40" in siox("info", database.url())


def reduced(rows, length):
    """One program's view of what rollup says: (series, start): samples, seconds, min, max, average, sum."""
    out = {}
    for series, start, samples, seconds, least, most, average, total in rows:
        out.setdefault((series, start // length * length), []).append((samples, seconds, least, most, average, total))
    return {key: [sum(r[0] for r in v), sum(r[1] for r in v), min(r[2] for r in v), max(r[3] for r in v),
                  sum(r[4] * r[1] for r in v) / sum(r[1] for r in v), sum(r[5] for r in v)] for key, v in out.items()}


def rolled_up_is_what_python_reduces():
    generator = random.Random(3)
    rows = []
    for series in 1, 2:
        for i in range(1500):
            low, seconds = generator.randrange(1000) / 8, generator.randrange(1, 5) / 16
            rows.append((series, i * SECOND // 10, 1, seconds, low, low + 1, low + 0.5, (low + 0.5) * seconds))
    for kind in both():
        with kind() as database:
            siox("create", database.url())
            # 150 s that began 200 s ago: the last 60 s are not old enough, so 130 s and more are
            wall = int(time.time() * SECOND) - 200 * SECOND
            values = ", ".join(f"(1, 100000000, {', '.join(map(str, row))})" for row in rows)
            database.ask(f"INSERT INTO run (run, start, wall_start) VALUES (1, 0, {wall});"
                         f"INSERT INTO statistic (run, length, series, start, samples, seconds, min, max, average, sum) VALUES {values};")
            done = json.loads(siox("rollup", database.url(), "--older", "1m", "--to", "10s", "--json"))
            upto = int(database.ask("SELECT MIN(start) FROM statistic WHERE length = 100000000")[0][0])
            assert 130 <= upto // SECOND <= 150 and upto % (10 * SECOND) == 0, upto
            wanted = reduced([row for row in rows if row[1] < upto], 10 * SECOND)
            got = {(int(r[0]), int(r[1])): [float(x) for x in r[2:]] for r in database.ask(
                "SELECT series, start, samples, seconds, min, max, average, sum FROM statistic WHERE length = 10000000000")}
            assert got.keys() == wanted.keys()
            for key, values in wanted.items():
                for a, b in zip(got[key], values):
                    assert abs(a - b) <= 1e-12 * abs(b), (key, got[key], values)
            assert database.ask("SELECT COUNT(*) FROM statistic WHERE length = 1000000000") == [["0"]]
            assert database.ask(f"SELECT COUNT(*) FROM statistic WHERE length = 100000000 AND start < {upto}") == [["0"]]
            assert done["rows"] == 2 * (upto // (SECOND // 10)) + 2 * upto // SECOND, done
            assert "nothing is old enough" in siox("rollup", database.url())


def purge_says_first_what_it_does_then():
    for kind in both():
        with kind() as database:
            store.run_script(database.url())
            store.run_script(database.url())
            # the first run was 100 days ago, the second begins now; both take 40 s and more of their clocks
            database.ask("UPDATE run SET wall_start = wall_start - 8640000000000000 WHERE run = 1;")
            words = ["purge", database.url(), "--older", "90d", "--runs", "--json"]
            dry = json.loads(siox(*words, "--dry-run"))
            count = json.loads(siox("info", database.url(), "--json"))["tables"]
            done = json.loads(siox(*words))
            left = json.loads(siox("info", database.url(), "--json"))["tables"]
            assert dry["tables"] == done["tables"] and dry["rows"] == done["rows"] == sum(done["tables"].values()), (dry, done)
            for table in count:
                assert left[table] == count[table] - done["tables"].get(table, 0), table
            assert left["run"] == 1 and left["activity"] == 40 and left["job"] == 1 and left["process"] == 1, left
            assert database.ask("SELECT DISTINCT run FROM level") == [["2"]]
            assert siox(*words[:-1]) == "0 rows deleted\n"


def purged_beside_a_daemon_that_writes():
    with Sqlite() as database:
        with store.Stored(database.url()) as daemon:
            client = store.script(daemon, 10)
            daemon.written(client)  # before that there may be no tables yet
            for i in range(5):
                store.some_more(daemon, client, 200, 100 + 200 * i)
                siox("purge", database.url(), "--older", "1d", "--runs")
                siox("rollup", database.url())
            daemon.written(client)
            client.close()
            daemon.stop()
        assert store.accesses_in(database.path) == 1010


def what_is_wrong_is_named():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.db")
        for words, said in (
                ((), "a command is missing"), (("make", path), 'there is no command "make"'), (("info",), "info: a database is missing"),
                (("purge", path), "purge: --older is missing"), (("purge", path, "--older", "3"), "an age as 30d"),
                (("purge", path, "--older", "-1d"), "an age as 30d"), (("purge", path, "--older", "nand"), "an age as 30d"),
                (("rollup", path, "--to", "1s"), "--to needs --older"), (("rollup", path, "--older", "5s"), "at least 1m"),
                (("rollup", path, "--older", "1d", "--to", "2s"), "1s, 10s, 1min or 10min"), (("info", path, "--runs"), "--runs is of purge"),
                (("info", path, "--older", "1d"), "--older is of rollup and purge"), (("info", path, "more"), '"more": no such argument')):
            assert said in siox(*words, status=2), words
        for command in "info", "migrate", "rollup":
            assert "unable to open database file" in siox(command, path, status=1)
        assert "only ever added to" in siox("info", "csv:" + directory, status=1)
        assert not os.path.exists(path)
        with open(path, "wb") as f:
            f.write(b"no database, but long enough for a header of one " * 40)
        assert "not a database" in siox("info", path, status=1)
        if "built without" not in siox("info", "postgresql://me:secret@/db?host=/nonexistent", status=1):
            said = siox("info", "postgresql://me:secret@/db?host=/nonexistent&connect_timeout=2", status=1)
            assert "/nonexistent" in said and "secret" not in said, said


if __name__ == "__main__":
    globals()[sys.argv[1]]()
