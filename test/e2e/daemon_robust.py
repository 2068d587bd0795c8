#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sioxd stands: one function, one condition. Usage: daemon_robust.py NAME"""

import concurrent.futures
import ctypes
import json
import os
import random
import resource
import select
import signal
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire  # noqa: E402
from wire import FULL, NEVER, SECOND, Client, Daemon  # noqa: E402

SCHED_GETATTR = 275 if os.uname().machine == "aarch64" else 315


def two_at_once_make_one_daemon():
    with Daemon() as daemon:
        daemon.stop()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            runs = list(pool.map(lambda _: subprocess.run(daemon.command("--daemonize"), stderr=subprocess.PIPE), range(8)))
        assert all(run.returncode == 0 for run in runs), [run.stderr for run in runs]
        assert sum(b"there already" in run.stderr for run in runs) == 7, [run.stderr for run in runs]
        client = daemon.client()
        daemon.pid = client.ask("status")["pid"]
        daemon.pidfd = os.pidfd_open(daemon.pid)


def a_second_daemon_leaves_its_database_alone():
    with Daemon() as daemon:
        path = daemon.socket + ".db"
        second = subprocess.run(daemon.command("--set", f"database={path}"), stderr=subprocess.PIPE)
        assert second.returncode == 0 and b"there already" in second.stderr, second
        assert not os.path.exists(path)


def socket_of_a_killed_daemon_is_taken_over():
    with Daemon() as daemon:
        first = daemon.pid
        daemon.kill()
        assert daemon.wait()
        assert stat.S_ISSOCK(os.stat(daemon.socket).st_mode)
        daemon.start()
        assert daemon.pid != first


def who_may_connect_does_not_depend_on_the_umask():
    expected = 0o600 if os.geteuid() else 0o666  # a user's own daemon serves that user, a system's everybody
    for umask in 0, 0o22, 0o77:
        before = os.umask(umask)
        try:
            with Daemon() as daemon:
                assert os.stat(daemon.socket).st_mode & 0o777 == expected, oct(umask)
        finally:
            os.umask(before)


def orderly_end_removes_the_socket():
    with Daemon() as daemon:
        client = daemon.client().join()
        daemon.stop()
        assert not os.path.exists(daemon.socket)
        try:
            client.receive()
            raise AssertionError("still connected")
        except EOFError:
            pass


def idle_daemon_ends_itself():
    with Daemon(stop_when_idle=3600) as daemon:
        client = daemon.client()
        client.ask("flush")
        client.close()
        daemon.stop()
        daemon.settings["stop_when_idle"] = 0
        # Here the first to hang up is the question for its pid.
        subprocess.run(daemon.command("--daemonize"), check=True)
        client = daemon.client()
        daemon.pidfd = os.pidfd_open(client.ask("status")["pid"])
        client.close()
        assert daemon.wait(), "it stays"


def malformed_packets():
    """Each is one packet that no honest client sends."""
    good_io = struct.pack("=qQqqQQQIIII", 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0)
    hello = struct.pack("=qiiiI96s160s", 0, 0, 1, 1, 0, b"x" * 96, b"")
    yield b"x"
    yield b"\0" * 24
    yield wire.packet(wire.IO, good_io, magic=1)
    yield wire.packet(wire.IO, good_io, version=9)
    yield wire.packet(wire.IO, good_io, length=0)
    yield wire.packet(wire.IO, good_io, length=2**32 - 1)
    yield wire.packet(wire.IO, good_io[:-1])
    yield wire.packet(wire.IO, good_io)  # before hello
    yield wire.packet(wire.BYE, b"1")
    yield wire.packet(wire.WELCOME)
    yield wire.packet(99)
    yield wire.packet(wire.HELLO, hello)  # job without end
    yield wire.packet(wire.HELLO, hello[:10])
    yield wire.packet(wire.CONTROL)
    yield wire.packet(wire.OPEN, struct.pack("=qQQQIII4x", 0, 0, 0, 0, 0, 2**32 - 1, 2) + b"/a")
    yield wire.packet(wire.OPEN, struct.pack("=qQQQIII4x", 0, 0, 0, 0, 0, 0, 0))
    yield wire.packet(wire.CLAIM, struct.pack("=HHIQqQ", 1, 0, 2**32 - 1, 1, 0, 0))
    yield wire.packet(wire.CLAIM, struct.pack("=HHIQqQ", 7, 0, 0, 1, 0, 0))
    generator = random.Random(1)
    for _ in range(200):
        kind = generator.choice([1, 3, 5, 7, 8, 9, 11])
        yield wire.packet(kind, generator.randbytes(generator.randrange(400)))


def malformed_packets_end_only_their_connection():
    with Daemon() as daemon:
        honest = daemon.client().join(job="honest")
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        for i, bad in enumerate(malformed_packets()):
            for joined in (False, True):
                peer = daemon.client()
                if joined:
                    peer.join(job="bad")
                peer.socket.send(bad)
                try:
                    while True:
                        kind, _, _, _ = peer.receive()
                        if kind in (wire.ANSWER, wire.DONE, wire.ERROR):  # well-formed: it is answered and goes on
                            break
                except (EOFError, ConnectionResetError):
                    pass
                peer.close()
            assert honest.io(number, 0, 4096, (i + 1) * SECOND) > (i + 1) * SECOND
        assert honest.ask("status")["counters"]["malformed"] > 20


def corrupt_ring_ends_only_its_connection():
    import mmap

    with Daemon() as daemon:
        honest, liar = daemon.client().join(job="honest"), daemon.client().join(job="liar")
        with mmap.mmap(liar.ring_fd, 192 + liar.ring_bytes) as ring:
            ring[0:8] = struct.pack("=Q", 1 << 40)
        os.write(liar.wake_fd, struct.pack("=Q", 1))
        try:
            liar.receive()
            raise AssertionError("still there")
        except (EOFError, ConnectionResetError):
            pass
        assert honest.ask("status")["clients"] == 1


def a_call_that_ends_before_it_began_spoils_no_trace():
    with Daemon() as daemon:
        daemon.stop()
        daemon.settings["record"] = os.path.join(daemon.directory, "t.siox")
        daemon.start()
        for start, end in ((2, 1), (-1, 5), (1, NEVER)):
            liar = daemon.client().join(job="liar")
            liar.call(start, end, (0, 0))
            try:
                liar.receive()
                raise AssertionError("still there")
            except (EOFError, ConnectionResetError):
                pass
        status = daemon.client().ask("status")
        assert status["counters"]["trace_lost"] == 0, status["counters"]


def ring_and_table_cannot_be_cut_or_written():
    with Daemon() as daemon:
        client = daemon.client().join()
        for fd in (client.ring_fd, client.table_fd):
            try:
                os.ftruncate(fd, 0)
                raise AssertionError("cut")
            except PermissionError:
                pass
        import mmap

        try:
            mmap.mmap(client.table_fd, 16, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
            raise AssertionError("mapped for writing")
        except PermissionError:
            pass


def scheduling(pid):
    """What the kernel says of the process: policy, nice, nanoseconds of a turn."""
    attr = ctypes.create_string_buffer(56)  # struct sched_attr: size, policy, flags, nice, priority, runtime, ...
    if ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(SCHED_GETATTR), pid, attr, 56, 0) < 0:
        raise OSError(ctypes.get_errno(), "sched_getattr")
    _, policy, _, nice, _, turn = struct.unpack_from("=IIQiIQ", attr)
    return policy, nice, turn


def the_daemon_asks_for_shorter_turns_and_for_no_more_of_them():
    if os.uname().machine not in ("x86_64", "aarch64"):
        print("skipped: the number of sched_getattr is not known here")
        sys.exit(77)
    policy, nice, turn = scheduling(0)
    if policy != 0 or turn == 0:
        print("skipped: the kernel does not tell the length of a turn (before Linux 6.12)")
        sys.exit(77)
    with Daemon() as daemon:
        got = scheduling(daemon.pid)
        assert got[:2] == (policy, nice), got
        assert 0 < got[2] < turn, (got, turn)


def hints_in_the_ring_move_a_disk():
    """The ring is written by hand after wire.h: claim record, then head, then the eventfd."""
    import mmap

    with Daemon(policy="claims", disks=2, clock="monotonic") as daemon:
        client = daemon.client().join()
        runs = [(0, 2, 6000, 0, 0, 0)]
        claim = struct.pack("=HHIQqQ", 1, 0, len(runs), 1, 0, 0) + b"".join(struct.pack("=IIiiqq", *r) for r in runs)
        record = struct.pack("=IHHq", 16 + len(claim), 1, 0, 0) + claim
        with mmap.mmap(client.ring_fd, 192 + client.ring_bytes) as ring:
            ring[192 : 192 + len(record)] = record
            ring[0:8] = struct.pack("=Q", len(record))
        os.write(client.wake_fd, struct.pack("=Q", 1))
        deadline = time.monotonic() + 20
        while client.speeds() != [6000, 6000]:
            assert time.monotonic() < deadline, client.speeds()
            client.ask("flush")  # a round trip: the daemon's loop has turned


def killed_client_with_a_forked_child_loses_its_claims():
    with Daemon(policy="claims", disks=2, clock="monotonic") as daemon:
        ready, tell = os.pipe()
        parent = os.fork()
        if parent == 0:
            client = daemon.client().join(job="killed")
            client.claim(0, [(0, 1, FULL, 1, 0, NEVER)])
            client.ask("flush")
            if os.fork() == 0:
                os.close(tell)
                os.close(ready)
                time.sleep(300)  # the child that holds the socket; ended by the test
                os._exit(0)
            child = struct.pack("=i", 0)
            with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as f:
                child = struct.pack("=i", int(f.read().split()[0]))
            os.write(tell, child)
            signal.pause()
        child = struct.unpack("=i", os.read(ready, 4))[0]
        try:
            watcher = daemon.client()
            assert [c["job"] for c in watcher.ask("status")["disks"][0]["claims"]] == ["killed"]
            os.kill(parent, signal.SIGKILL)
            os.waitpid(parent, 0)
            deadline = time.monotonic() + 20  # the socket alone would tell after the child's 300 s
            while watcher.ask("status")["disks"][0]["claims"]:
                assert time.monotonic() < deadline, "claims of the dead are still there"
            assert watcher.ask("status")["clients"] == 0
        finally:
            os.kill(child, signal.SIGKILL)


def peer_that_does_not_read_is_dropped():
    with Daemon(disks=64) as daemon:
        honest, deaf = daemon.client().join(job="honest"), daemon.client().join(job="deaf")
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        request = wire.packet(wire.IO, struct.pack("=qQqqQQQIIII", 0, number, 0, 1, 0, 0, 0, 0, 0, 0, 0))
        deaf.socket.settimeout(20)
        try:
            for _ in range(200000):
                deaf.socket.send(request)
            raise AssertionError("never dropped")
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert honest.io(number, 0, 4096, 2 * SECOND) > 0


def ten_thousand_connections_do_not_stop_service():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(10000, hard - 200)
    with Daemon() as daemon:
        honest = daemon.client().join()
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        crowd, asked, most = [], 0, 0
        while len(crowd) < count:
            full = False
            try:
                crowd.append(Client(daemon.socket))
            except BlockingIOError:  # more wait than listen() has room for: a round trip lets the daemon take them
                full = True
            if full or len(crowd) % 1000 == 0:
                asked += 1
                before = honest.ask("status")["counters"]["turns"]
                assert honest.io(number, 0, 4096, asked * SECOND) > 0
                most = max(most, honest.ask("status")["counters"]["turns"] - before)
        print(f"{len(crowd)} connections; a request among them took at most {most} turns of the loop")
        # Each takes 64 connections in at most, so all that wait (4096) would be 64 turns. Of those that an asker counts some
        # pass while it is woken: how many, the machine says.
        assert most <= 32, most
        assert honest.io(number, 0, 4096, (asked + 1) * SECOND) > 0


def unwritable_database_stops_nothing():
    with Daemon() as daemon:
        daemon.stop()
        daemon.settings["database"] = os.path.join(daemon.directory, "no", "such", "directory", "a.db")
        daemon.start()
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a", 1 << 20), "0:1:64K")
        for i in range(1000):
            client.io(number, 0, 4096, (i + 1) * SECOND)
        client.close()
        daemon.stop()
        assert daemon.log_text().count("unable to open") == 1, daemon.log_text()


def database_that_comes_late_has_everything():
    with Daemon() as daemon:
        daemon.stop()
        directory = os.path.join(daemon.directory, "late")
        path = daemon.settings["database"] = os.path.join(directory, "a.db")
        daemon.start()
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a", 1 << 20), "0:1:64K")
        for i in range(100):
            client.io(number, 0, 4096, (i + 1) * SECOND)
        while not client.ask("status")["counters"]["store_broken"]:
            pass
        os.mkdir(directory)
        while client.ask("status")["counters"]["store_waiting"]:
            pass
        client.close()
        daemon.stop()
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT COUNT(*) FROM activity WHERE layer = 'io'").fetchone() == (100,)
            assert db.execute("SELECT version FROM schema_version").fetchone() == (3,)
            joules = db.execute("SELECT SUM(joules) FROM v_disk_energy").fetchone()[0]
            jobs = db.execute("SELECT SUM(joules) FROM v_job_energy").fetchone()[0]
            wire.close_to(jobs, joules)
            # 100 s at idle watts of 15000 RPM on four disks, and 3.3 W more while the one disk served
            assert joules > 100 * 10.2 * 4


def layout_asked_for_is_kept_with_the_file():
    with Daemon() as daemon:
        client = daemon.client().join()
        path = daemon.file("a", 1 << 20)
        assert client.open(path)[1] == "0:4:64K"
        assert client.open(path, "1:2:128K")[1] == "1:2:128K"
        assert client.open(path, "3:1:4K")[1] == "1:2:128K"
        client.close()
        daemon.stop()
        daemon.start()
        assert daemon.client().join().open(path)[1] == "1:2:128K"


def layouts_file_is_asked_before_the_default():
    with Daemon(default_layout="2:1:4K") as daemon:
        daemon.stop()
        layouts = daemon.settings["layouts"] = os.path.join(daemon.directory, "layouts.yaml")
        with open(layouts, "w") as f:
            f.write('- {file: "*.dat", layout: "1:3:64K"}\n')
        daemon.start()
        client = daemon.client().join()
        assert client.open(daemon.file("x.dat"))[1] == "1:3:64K"
        assert client.open(daemon.file("x.txt"))[1] == "2:1:4K"


def file_outside_the_mount_is_refused():
    with Daemon() as daemon:
        client = daemon.client().join()
        outside = os.path.join(daemon.directory, "outside")
        with open(outside, "w"):
            pass
        try:
            client.open(outside)
            raise AssertionError("opened")
        except RuntimeError:
            pass
        assert client.open(daemon.file("inside"))[0] > 0  # and the connection goes on


def disk_beyond_the_last_has_no_drive():
    with Daemon(disks=4, time_scale=10) as daemon:
        client = daemon.client().join()
        client.send(wire.DRIVE, struct.pack("=II", 4, 0))
        kind, status, _, _ = client.receive()
        assert kind == wire.ERROR and status == -3, (kind, status)  # SIOX_ERANGE
        client.send(wire.DRIVE, struct.pack("=II", 3, 0))
        kind, _, body, _ = client.receive()
        assert kind == wire.PROFILE and body.startswith(b"36Z15\0"), (kind, body[:16])


def job_of_another_user_is_another_job():
    if os.geteuid() != 0:
        print("needs root to have two users")
        return
    with Daemon() as daemon:
        os.chmod(daemon.directory, 0o755)
        ours = daemon.client().join(job="same")
        read, write = os.pipe()
        if os.fork() == 0:
            os.setuid(12345)
            theirs = daemon.client().join(job="same")
            os.write(write, struct.pack("=I", theirs.job))
            answer = theirs.ask("stop")  # nor may they end it
            os.write(write, b"y" if "error" in answer else b"n")
            os._exit(0)
        assert struct.unpack("=I", os.read(read, 4))[0] != ours.job
        assert os.read(read, 1) == b"y"


def as_user(uid, do):
    """What do() returns as that user, through JSON."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            os.setgid(uid)
            os.setuid(uid)
            os.write(write, json.dumps(do()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        return json.loads(answer.read())


def connect_many(daemon, most):
    """So many connections as are taken."""
    kept = []
    for _ in range(most):
        client = Client(daemon.socket)
        try:
            kept.append(client.join(job="crowd"))
        except (EOFError, ConnectionError):
            break
    return kept


def one_user_leaves_connections_for_others():
    """Room for 40 processes: the first user has half of what is free, the second half of the rest."""
    if os.geteuid() != 0:
        print("needs root to have other users")
        return
    with Daemon() as daemon:
        daemon.stop()
        start = daemon.command
        daemon.command = lambda *more: ["prlimit", "--nofile=216:216", *start(*more)]
        daemon.start()
        os.chmod(daemon.directory, 0o755)
        read, write = os.pipe()
        hold, release = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(release)
            os.setgid(12345)
            os.setuid(12345)
            kept = connect_many(daemon, 60)
            os.write(write, struct.pack("=I", len(kept)))
            os.read(hold, 1)
            os._exit(0)
        first = struct.unpack("=I", os.read(read, 4))[0]
        second = as_user(23456, lambda: len(connect_many(daemon, 60)))
        own = daemon.client().join()
        counters = own.ask("status")["counters"]
        os.close(release)
        os.waitpid(child, 0)
        assert (first, second) == (20, 10), (first, second)
        assert counters["refused_user"] == 2, counters
        assert daemon.log_text().count("so that others get some") == 2, daemon.log_text()


def jobs_of_before_are_forgotten_but_not_what_they_took():
    """5,000 jobs one after the other: some of the last are known, and the energy of all adds up."""
    count = 5000
    with Daemon(policy="timeout:3", disks=2) as daemon:
        daemon.stop()
        record = os.path.join(daemon.directory, "t.siox")
        daemon.settings["record"] = record
        daemon.start()
        path = daemon.file("a", 1 << 20)
        watch = daemon.client().join(job="watch")
        for i in range(count):
            client = daemon.client().join(job=f"job{i}", time=i * 20 * SECOND)
            number, _ = client.open(path, "0:1:64K", time=i * 20 * SECOND)
            client.io(number, 0, 4096, (i * 20 + 1) * SECOND)
            client.send(wire.BYE)
            client.close()
        watch.claim(count * 20 * SECOND, [])
        report = watch.ask("report")
        named = [job["job"] for job in report["jobs"]]
        assert f"job{count - 1}" in named and "job0" not in named and "watch" in named, len(named)
        assert 1024 < len(named) <= 2050, len(named)
        assert report["forgotten"]["jobs"] == count + 1 - len(named), report["forgotten"]
        joules = [sum(disk["joules"]["total"] for disk in report["disks"]),
                  sum(job["joules"]["total"] for job in report["jobs"]) + report["unattributed"]["joules"]["total"] +
                  report["forgotten"]["joules"]["total"]]
        wire.close_to(joules[1], joules[0])
        assert sum(job["requests"] for job in report["jobs"]) + report["forgotten"]["requests"] == count
        of_one = report["jobs"][-1]["joules"]["active"]
        wire.close_to(report["forgotten"]["joules"]["active"], of_one * report["forgotten"]["jobs"], 1e-3)  # the first must seek
        with open(f"/proc/{daemon.pid}/status") as f:
            print([line for line in f if "VmRSS" in line])
        watch.close()
        daemon.stop()
        siox = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
        events = subprocess.run([siox, "trace", "cat", record, "--json"], capture_output=True, text=True, check=True).stdout
        jobs = [json.loads(line) for line in events.splitlines() if '"event":"job"' in line or '"event": "job"' in line]
        keys = {job["detail"]["job"] if "detail" in job else job["job"]: job for job in jobs}
        assert len(jobs) == len(keys) == count + 1, (len(jobs), len(keys))  # no number is of two jobs


def files_that_nobody_has_open_are_forgotten_and_no_others():
    """10,000 files, of which one process keeps the first open; the last that were left are known."""
    with Daemon(disks=2) as daemon:
        keeper = daemon.client().join(job="keeper")
        kept, _ = keeper.open(daemon.file("kept", 1 << 20), "0:1:64K")
        numbers = {}
        for turn in range(5):
            client = daemon.client().join(job="many")
            for i in range(2000):
                name = f"f{turn * 2000 + i}"
                numbers[name] = client.open(daemon.file(name, 4096))[0]
            assert client.io(numbers[f"f{turn * 2000}"], 0, 4096, keeper.seq) > 0
            client.send(wire.BYE)
            client.close()
        counters = keeper.ask("status")["counters"]
        assert counters["files"] == 4096 + 1 and counters["forgotten_files"] == 10000 - 4096, counters
        assert len(set(numbers.values())) == 10000
        assert keeper.io(kept, 0, 4096, SECOND) > 0  # not that one
        st = os.stat(os.path.join(daemon.mount, "f9999"))
        assert keeper.ask("layout", dev=st.st_dev, ino=st.st_ino)["layout"] is not None
        st = os.stat(os.path.join(daemon.mount, "f0"))
        assert keeper.ask("layout", dev=st.st_dev, ino=st.st_ino)["layout"] is None
        assert keeper.open(os.path.join(daemon.mount, "f0"))[0] not in numbers.values()  # it is a file as any
        last = numbers["f9999"]
        assert keeper.io(last, 0, 4096, SECOND) > 0  # as a forked child goes on
        try:
            keeper.io(numbers["f1"], 0, 4096, SECOND)
            raise AssertionError("a forgotten file was used")
        except RuntimeError as error:
            assert "not done" in str(error), error


def nobody_fills_the_log():
    with Daemon() as daemon:
        honest = daemon.client()
        for _ in range(300):
            client = daemon.client()
            client.socket.send(b"x" * 40)
            try:
                client.receive()
            except (EOFError, ConnectionError):
                pass
            client.close()
        counters = honest.ask("status")["counters"]
        lines = daemon.log_text().count("ended: ")
        assert counters["malformed"] == 300 and counters["unsaid"] == 300 - lines, (counters, lines)
        assert 60 <= lines <= 120, lines  # a minute's worth, and one a second


def a_path_that_leads_out_of_the_mount_is_refused():
    with Daemon() as daemon:
        outside = os.path.join(daemon.directory, "secret")
        with open(outside, "w"):
            pass
        client = daemon.client().join()
        for path in (f"{daemon.mount}/../secret", f"{daemon.mount}/.."):
            try:
                client.open(path, "0:1:64K")
                raise AssertionError("it was opened")
            except RuntimeError as error:
                assert "not opened" in str(error), error
        assert "user.siox.layout" not in os.listxattr(outside)
        client.open(daemon.file("..a..", 1), "0:1:64K")  # a name as any


def budgets(daemon):
    client = daemon.client()
    jobs = client.ask("report")["jobs"]
    client.close()
    return {job["job"]: (round(job["delay_budget"], 9), job["delay_budget_asked"]) for job in jobs}


def a_jobs_delay_budget_is_bounded_by_the_site_and_shown():
    with Daemon(policy="siox", delay_budget=1, delay_budget_max=3) as daemon:
        daemon.client().join(job="of before")
        daemon.client().join(job="within", budget=0.02)
        daemon.client().join(job="beyond", budget=0.5)
        none = daemon.client().join(job="none", budget=0.0)
        # Texts are told from blanks, so a job's name has none.
        assert budgets(daemon) == {"of?before": (1, None), "within": (2, 2), "beyond": (3, 50), "none": (0, 0)}
        none.close()
        daemon.client().join(job="none")  # a new one of the same name asks for nothing
        assert budgets(daemon)["none"] == (1, None)


def no_delay_budgets_where_the_site_allows_none():
    with Daemon(policy="siox") as daemon:
        daemon.client().join(job="a", budget=0.02)
        assert budgets(daemon) == {"a": (0, 2)}


def one_transfer_is_no_longer_than_linux_moves_in_one_call():
    with Daemon() as daemon:
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a"), "0:1:64K")
        assert client.io(number, 0, 0x7FFFF000, SECOND) > SECOND
        for size in (0x7FFFF001, 2**61, 2**63 - 1):
            try:
                client.io(number, 0, size, SECOND)
                raise AssertionError(f"{size} bytes are charged")
            except RuntimeError as refused:
                assert "-3" in str(refused)  # SIOX_ERANGE
        assert client.ask("status")["counters"]["refused_io"] == 3


def nobody_books_a_disk_for_ever():
    """Ten minutes of service before one client, however it asks, and no more."""
    with Daemon() as daemon:
        greedy, honest = daemon.client().join(job="greedy"), daemon.client().join(job="honest")
        number, _ = greedy.open(daemon.file("a"), "0:1:64K")
        refused, last = 0, 0
        for _ in range(10000):
            try:
                last = greedy.io(number, 0, 0x7FFFF000, SECOND)
            except RuntimeError:
                refused += 1
        one = 0x7FFFF000 / 55e6  # s; 36Z15 at full speed
        assert refused > 9900 and last < (600 + 1 + 2 * one) * SECOND, (refused, last / SECOND)
        waited = honest.io(number, 0, 1, SECOND)
        print(f"{refused} of 10,000 refused; a request of another waits for {waited / SECOND - 1:.0f} s")
        assert waited <= last + SECOND
        assert greedy.io(number, 0, 1, last) > last  # when it is served, it may ask again


def shares(honest, number, rounds, flood, hostile):
    """What hostile clients get done while an honest one makes a request: counted by the daemon, so it does not matter how
    fast anybody is. flood() is called again and again by a process of its own. Returns the packets and records of others,
    and the turns of the loop, for each of `rounds` requests."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                flood()
        finally:
            os._exit(0)
    served, turns = [], []
    try:
        for i in range(rounds):
            before = honest.ask("status")["counters"]
            assert honest.io(number, 0, 4096, (i + 1) * SECOND) > 0
            after = honest.ask("status")["counters"]
            served.append(after["packets"] + after["records"] - before["packets"] - before["records"] - 2)
            turns.append(after["turns"] - before["turns"])
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(f"{hostile}: at most {max(served)} messages of others were served meanwhile, in at most {max(turns)} turns; most "
          f"work for one client in a turn {after['most_work_a_turn']}, turns cut {after['turns_cut']}")
    # A message is taken while work is left, so a turn is overrun by one: the dearest is an ask, a whole turn.
    assert after["most_work_a_turn"] <= 2 * WORK_A_TURN, after
    return served, turns, after


WORK_A_TURN = 4096


def fill(client, runs, times):
    """Claims into the client's ring by hand, as many as fit; the same each time."""
    import mmap

    claim = struct.pack("=HHIQqQ", 1, 0, len(runs), 1, 0, 0) + b"".join(struct.pack("=IIiiqq", *r) for r in runs)
    record = struct.pack("=IHHq", 16 + len(claim), 1, 0, 0) + claim
    if not hasattr(client, "map"):
        client.map = mmap.mmap(client.ring_fd, 192 + client.ring_bytes)
    head, tail = struct.unpack_from("=Q", client.map, 0)[0], struct.unpack_from("=Q", client.map, 64)[0]
    put = 0
    while put < times and head - tail + 2 * len(record) <= client.ring_bytes:
        at = head % client.ring_bytes
        if client.ring_bytes - at < len(record):  # a pad to the end
            struct.pack_into("=IHH", client.map, 192 + at, client.ring_bytes - at, 0, 0)
            head += client.ring_bytes - at
            continue
        client.map[192 + at : 192 + at + len(record)] = record
        head, put = head + len(record), put + 1
    struct.pack_into("=Q", client.map, 0, head)
    os.write(client.wake_fd, struct.pack("=Q", 1))
    return put


def endless_claims_cost_others_a_bounded_share():
    """Full rings of claims, each of all disks in as many runs as there are disks: one claim overruns a turn."""
    with Daemon(policy="claims", disks=256) as daemon:
        honest = daemon.client().join(job="honest")
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        hostile = [daemon.client().join(job=f"hostile{i}") for i in range(8)]
        runs = [(d, 1, FULL, d % 2, 0, NEVER) for d in range(256)]
        served, turns, counters = shares(honest, number, 60, lambda: [fill(h, runs, 10**6) for h in hostile], "endless claims")
        one = 1 + 256 * (16 + 9) // 64 + 1 + 8240 // 256  # what a claim counts for
        assert counters["records"] > 100, counters
        assert all(s <= (t + 1) * len(hostile) * (WORK_A_TURN // one + 1) for s, t in zip(served, turns)), (served, turns)


def small_claims_cost_others_a_bounded_share():
    with Daemon(policy="claims", disks=4) as daemon:
        honest = daemon.client().join(job="honest")
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        hostile = [daemon.client().join(job=f"hostile{i}") for i in range(4)]
        served, turns, counters = shares(honest, number, 60, lambda: [fill(h, [(0, 1, FULL, 1, 0, NEVER)], 10**6) for h in hostile],
                                         "small claims")
        assert counters["records"] > 10000, counters
        assert all(s <= (t + 1) * len(hostile) * WORK_A_TURN for s, t in zip(served, turns)), (served, turns)


def floods_of_packets_cost_others_a_bounded_share():
    """Requests of which the answers are read by nobody, asks for everything, random bytes."""
    with Daemon(policy="claims", disks=256) as daemon:
        honest = daemon.client().join(job="honest")
        number, _ = honest.open(daemon.file("a", 1 << 20), "0:1:64K")
        generator = random.Random(7)
        crowd = []

        def flood():
            while len(crowd) < 24:
                try:
                    peer = daemon.client()
                    if len(crowd) % 2:
                        peer.join(job=f"hostile{len(crowd)}")
                except (BlockingIOError, EOFError, ConnectionError):
                    return
                peer.socket.setblocking(False)
                crowd.append(peer)
            for i, peer in enumerate(list(crowd)):
                try:
                    for _ in range(300):
                        if i % 3 == 0:
                            peer.socket.send(wire.packet(wire.CONTROL, b'{"ask":"report"}'))
                        elif i % 3 == 1:
                            peer.socket.send(wire.packet(wire.CLAIM, struct.pack("=HHIQqQ", 1, 0, 1, 1, 0, 0) + struct.pack("=IIiiqq", 0, 256, FULL, 1, 0, NEVER)))
                        else:
                            peer.socket.send(generator.randbytes(generator.randrange(1, 2000)))
                except BlockingIOError:
                    pass
                except (BrokenPipeError, ConnectionResetError):
                    crowd.remove(peer)

        served, turns, counters = shares(honest, number, 60, flood, "floods of packets")
        # 24 at a time and those that have just been cut off: 64 connections are taken in a turn at most
        assert all(s <= (t + 1) * (24 + 64) * 64 for s, t in zip(served, turns)), (served, turns)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
