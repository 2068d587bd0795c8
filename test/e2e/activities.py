#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the calls of programs did, as the daemon tells it: counts that are known beforehand, or that strace took. Programs
without MPI are Python scripts below a preloaded libsiox, whose os.pwrite is one pwrite64. activities.py CASE"""

import fcntl
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monitor import until  # noqa: E402
from wire import Daemon  # noqa: E402

LIBRARY = os.path.join(os.environ["SIOX_BUILD"], "lib", "libsiox.so")
RANKS, THREADS = 2, 4


def environment(daemon, job="calls", **more):
    return {**os.environ, "SIOX_SOCKET": daemon.socket, "SIOX_JOB": job, **more}


def script(daemon, program, *arguments, start=subprocess.run, before=(), **more):
    """Runs a Python program below libsiox; it may use os, and a file's path as sys.argv[1]."""
    return start([*before, sys.executable, "-S", "-c", "import os, sys, time\n" + program, *arguments],
                 env=environment(daemon, LD_PRELOAD=LIBRARY), **more)


def calls(daemon, job="calls"):
    """{(layer, call): what is told of it} of a job, and its partial."""
    tool = daemon.client()
    for one in tool.ask("report")["jobs"]:
        if one["job"].split("/")[0] == job:  # mpiexec's has its number behind
            tool.close()
            return {(k["layer"], k["call"]): k for k in one["calls"]["kinds"]}, one["calls"]["partial"]
    tool.close()
    return {}, 0


def monitored(directory, detectors):
    path = os.path.join(directory, "monitor.yaml")
    with open(path, "w") as f:
        f.write(f"providers: [memory]\ndetectors: [{detectors}]\n")
    return path


def mpi_calls_by_kind_are_those_of_the_program():
    with tempfile.TemporaryDirectory() as directory, Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        subprocess.run([os.environ["SIOX_MPIEXEC"], "-n", str(RANKS), os.path.join(os.environ["SIOX_BUILD"], "bin", "activities"),
                        directory, str(THREADS)], env=environment(daemon), check=True, timeout=120)
        seen, partial = calls(daemon)
        told = {call: (k["calls"], k["bytes"], k["errors"]) for (layer, call), k in seen.items() if layer == "mpiio"}
        files = RANKS * (1 + THREADS + 1)  # the shared one, each thread's, the one that MPI_Finalize closes
        writes = RANKS * (20 + THREADS * 25 + 1)
        assert told == {"open": (files, 0, 0), "close": (files, 0, 0), "write_at": (writes, 64 * writes, 0),
                        "write_at_all": (RANKS * 5, RANKS * 5 * 4096, 0), "read_at": (RANKS * 3, RANKS * 3000, 0),
                        "iwrite_at": (RANKS * 2, RANKS * 128, 0), "sync": (RANKS, 0, 0)}, told
        assert partial == 0
        assert all(0 < k["longest"] <= k["seconds"] for k in seen.values()), seen


def posix_calls_are_those_that_strace_sees():
    strace = shutil.which("strace")
    if not strace:
        print("strace is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory, Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        log = os.path.join(directory, "log")
        traced = subprocess.run([strace, "-f", "-y", "-o", log, "-e", "trace=pread64,pwrite64,fsync",
                                 os.path.join(os.environ["SIOX_BUILD"], "bin", "activities"), directory, str(THREADS)],
                                env=environment(daemon), timeout=120)
        if traced.returncode:
            print("strace may not trace here")
            sys.exit(77)
        with open(log) as f:
            lines = [line for line in f if f"<{directory}/" in line]
        seen, _ = calls(daemon)
        for name, ours in (("pread64(", ("pread", "pread64")), ("pwrite64(", ("pwrite", "pwrite64")), ("fsync(", ("fsync",))):
            kinds = [k for (layer, call), k in seen.items() if layer == "posix" and call in ours]
            traced_calls = sum(name in line for line in lines)
            asynchronous = 2 if name == "pwrite64(" else 0  # glibc's own thread does the work of aio_write
            assert traced_calls > 0 and sum(k["calls"] for k in kinds) == traced_calls - asynchronous, (name, kinds, traced_calls)
        assert seen["posix", "aio_write"]["calls"] == 2 and seen["posix", "aio_write"]["bytes"] == 128, seen


def a_childs_calls_are_counted_once():
    with tempfile.NamedTemporaryFile() as file, Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        script(daemon, """
fd = os.open(sys.argv[1], os.O_RDWR)
for i in range(10): os.pwrite(fd, b'x' * 10, 0)
if os.fork() == 0:
    for i in range(7): os.pwrite(fd, b'x', 0)
    os._exit(0)
os.wait()
""", file.name, check=True)
        seen, _ = calls(daemon)
        assert (seen["posix", "pwrite64"]["calls"], seen["posix", "pwrite64"]["bytes"]) == (17, 107), seen


def a_killed_process_is_told():
    with tempfile.NamedTemporaryFile() as file, Daemon(monitor_period=10, clock="monotonic") as daemon:
        done = script(daemon, """
fd = os.open(sys.argv[1], os.O_RDWR)
for i in range(100): os.pwrite(fd, b'x' * 10, 0)
os.kill(os.getpid(), 9)
""", file.name)
        assert done.returncode == -signal.SIGKILL
        seen, _ = until(lambda: (c := calls(daemon))[0] and c)
        assert (seen["posix", "pwrite64"]["calls"], seen["posix", "pwrite64"]["bytes"]) == (100, 1000), seen


def calls_of_threads_beyond_those_that_are_shown_are_told():
    with tempfile.NamedTemporaryFile() as file, Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        script(daemon, """
import threading
threading.stack_size(65536)
fd, all_there = os.open(sys.argv[1], os.O_RDWR), threading.Barrier(520)
def write():
    all_there.wait()
    os.pwrite(fd, b'x', 0)
    all_there.wait()
threads = [threading.Thread(target=write) for _ in range(520)]
for t in threads: t.start()
for t in threads: t.join()
""", file.name, check=True)
        tool = daemon.client()
        seen = until(lambda: next((c for j in tool.ask("report")["jobs"] if (c := j["calls"])["kinds"]), None))
        assert sum(k["calls"] for k in seen["kinds"] if k["call"] == "pwrite64") == 520, seen
        assert seen["unshown"] >= 8, seen  # the first thread may have had a place, too


def a_full_file_system_is_the_programs_error_and_counted():
    with tempfile.TemporaryDirectory() as directory, Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        mounted = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0" && exec "$@"', directory]
        if subprocess.run([*mounted, "true"], capture_output=True).returncode:
            print("needs the right to mount")
            sys.exit(77)
        done = script(daemon, """
fd, whole = os.open(sys.argv[1] + '/f', os.O_RDWR | os.O_CREAT), 0
try:
    while True: whole += os.pwrite(fd, b'x' * 4096, whole)
except OSError as e:
    print(whole, e.errno)
""", directory, before=mounted, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["65536", "28"], done
        write = calls(daemon)[0]["posix", "pwrite64"]
        assert (write["calls"], write["bytes"], write["errors"]) == (17, 65536, 1), write


def a_call_that_hangs_is_named_while_it_does():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "leased")
        settings = monitored(directory, "{plugin: hung, config: {limit: 0.3}}")
        with Daemon(monitor=settings, monitor_period=0.05, clock="monotonic") as daemon:
            # The kernel keeps an open waiting for as long as somebody holds a lease (fcntl(2): up to 45 s by default).
            signal.signal(signal.SIGIO, signal.SIG_IGN)
            held = os.open(path, os.O_RDWR | os.O_CREAT)
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            tool = daemon.client()
            began = time.monotonic()
            other = script(daemon, "os.close(os.open(sys.argv[1], os.O_RDONLY))", path, start=subprocess.Popen)
            node = until(lambda: (n := tool.ask("status")["monitor"]["node"])["issues"] and n, 40)
            waited = time.monotonic() - began
            issue = node["issues"][-1]
            assert (issue["detector"], issue["name"], issue["where"]) == ("hung", "open64", "posix"), node
            assert node["verdict"] == "fault" and issue["value"] >= 0.3 and waited < 30, (node, waited)
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            os.close(held)
            assert other.wait(60) == 0
            until(lambda: tool.ask("status")["monitor"]["node"]["state"] == "GOOD")


def slow_calls_are_told_from_fast_ones():
    with tempfile.TemporaryDirectory() as directory:
        settings = monitored(directory, "response")
        with Daemon(monitor=settings, monitor_period=0.1, clock="monotonic", disks=1) as daemon:
            slow = daemon.file("slow", 1 << 30)
            other = script(daemon, """
fast, slow = (os.open(p, os.O_RDWR) for p in sys.argv[1:3])
for i in range(6000):
    os.pwrite(fast, b'x' * 64, 0)
    if i % 100 == 0: time.sleep(0.01)  # some cycles of the daemon's, to learn from
time.sleep(0.2)
for i in range(100): os.pwrite(slow, b'x' * 64, (i * 7919 % 1000) << 20)  # a seek each
""", os.path.join(directory, "monitor.yaml"), slow, start=subprocess.Popen)
            tool = daemon.client()
            # A machine that had much else to do may make calls faster than before, too, which is told as good.
            bad = until(lambda: [i for i in tool.ask("status")["monitor"]["node"]["issues"] if i["severity"] != "ABNORMAL_GOOD"], 40)
            issue = bad[-1]
            assert (issue["detector"], issue["name"], issue["where"]) == ("response", "pwrite64", "posix"), bad
            assert issue["severity"] == "ABNORMAL_BAD", bad
            assert other.wait(60) == 0


def rows_of(database, sql):
    with sqlite3.connect(database) as db:
        return db.execute(sql).fetchall()


def single_posix_calls_are_recorded_when_asked_for():
    """Each with its place, in the trace and in the database; those on managed files are accesses to the disks already."""
    with tempfile.TemporaryDirectory() as directory:
        trace, database = (os.path.join(directory, name) for name in ("trace.siox", "db"))
        with Daemon(monitor_period=0.05, clock="monotonic", record=trace, database=database,
                    record_layers="mpiio,posix") as daemon:
            script(daemon, """
fd, managed = (os.open(p, os.O_RDWR | os.O_CREAT) for p in sys.argv[1:3])
for i in range(5): os.pwrite(fd, b'x' * (i + 1), i * 100)
os.pwrite(managed, b'x', 0)
try: os.pwrite(os.open(sys.argv[1], os.O_RDONLY), b'x', 7)
except OSError: pass
""", os.path.join(directory, "file"), os.path.join(daemon.mount, "file"), check=True)
            daemon.stop()
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "trace", "cat", trace, "--json"],
                                   capture_output=True, text=True, check=True).stdout
        events = [json.loads(line) for line in shown.splitlines()]
        posix = [e for e in events if e["event"] == "posix" and e["call"] == "pwrite64"]
        assert [(e["offset"], e["bytes"], e["result"]) for e in posix] == [(i * 100, i + 1, 0) for i in range(5)] + [(7, 0, 9)], posix
        assert len({e["file"] for e in posix}) == 1 and all(e["start_ns"] < e["end_ns"] for e in posix), posix
        assert sum(e["event"] == "io" for e in events) == 1, events
        stored = rows_of(database, "SELECT \"offset\", bytes FROM activity WHERE layer = 'posix' AND bytes > 0 AND op = "
                                   f"{row_of('pwrite64')} ORDER BY start")
        assert stored == [(i * 100, i + 1) for i in range(5)], stored


def row_of(name):
    """The number of a routine in io.def."""
    with open(os.path.join(os.environ["SIOX_SOURCE"], "include", "siox", "io.def")) as f:
        names = [line.split(",")[2].strip() for line in f if line.startswith("SIOX_IO(")]
    return names.index(name)


def without_being_asked_single_posix_calls_are_counted_only():
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "trace.siox")
        with Daemon(monitor_period=0.05, clock="monotonic", record=trace) as daemon:
            script(daemon, "os.pwrite(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), b'x', 0)", os.path.join(directory, "file"),
                   check=True)
            seen, _ = calls(daemon)
            daemon.stop()
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "trace", "cat", trace, "--json"],
                                   capture_output=True, text=True, check=True).stdout
        assert '"posix"' not in shown and seen["posix", "pwrite64"]["calls"] == 1, shown


def a_posix_call_has_the_id_of_the_mpi_call_it_is_made_in():
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "trace.siox")
        with Daemon(monitor_period=0.05, clock="monotonic", record=trace, record_layers="posix") as daemon:
            subprocess.run([os.environ["SIOX_MPIEXEC"], "-n", str(RANKS), os.path.join(os.environ["SIOX_BUILD"], "bin",
                            "activities"), directory, "0"], env=environment(daemon), check=True, timeout=120)
            daemon.stop()
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "trace", "cat", trace, "--json"],
                                   capture_output=True, text=True, check=True).stdout
        events = [json.loads(line) for line in shown.splitlines()]
        together = {(e["uid"], e["seq"]) for e in events if e["event"] == "call" and e["bytes"] == 4096}
        within = [e for e in events if e["event"] == "posix" and (e.get("uid"), e.get("seq")) in together
                  and e["call"].startswith("pwrite")]
        assert len(together) == 5 and sum(e["bytes"] for e in within) == RANKS * 5 * 4096, (together, within)


def a_tally_that_can_be_cut_is_refused_and_the_process_is_not():
    with Daemon(monitor_period=0.05, clock="monotonic") as daemon:
        tally = os.memfd_create("tally", os.MFD_ALLOW_SEALING)
        os.truncate(tally, 1 << 20)
        client = daemon.client()
        client.join(tally=tally)
        os.truncate(tally, 0)
        os.close(tally)
        counters = client.ask("status")["counters"]
        assert counters["refused_tallies"] == 1 and counters["tallies"] == 0, counters
        assert "not counted: its tally is not sealed" in daemon.log_text()
        client.close()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
