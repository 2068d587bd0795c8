# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scripted client of sioxd, written from runtime/common/wire.h with the standard library alone: it says when each
request arrives, so its joules do not depend on the machine. Also starts and ends a daemon for a test."""

import array
import json
import mmap
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

MAGIC = 0x584F4953
HEAD = struct.Struct("=IHHIiII")
HELLO, WELCOME, OPEN, OPENED, IO, DONE, CLAIM, BYE, CONTROL, ANSWER, ERROR, DRIVE, PROFILE, TOTALS, TOTALLED = range(1, 16)
NEVER = 2**63 - 1
REJOIN, MPI = 1, 2  # flags of HELLO
FULL = 2**31 - 1
SECOND = 10**9


def packet(kind, body=b"", **over):
    fields = dict(magic=MAGIC, version=1, length=HEAD.size + len(body), tag=0)
    fields.update(over)
    return HEAD.pack(fields["magic"], fields["version"], kind, fields["length"], 0, fields["tag"], 0) + body


class Client:
    """One connection; join() makes it a process of a job."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.seq = 0

    def send(self, kind, body=b""):
        self.socket.send(packet(kind, body))

    def receive(self):
        data, extra, _, _ = self.socket.recvmsg(1 << 17, socket.CMSG_SPACE(3 * 4))
        if not data:
            raise EOFError("the daemon hung up")
        magic, _, kind, length, status, _, more = HEAD.unpack_from(data)
        assert magic == MAGIC and length == len(data), (magic, length, len(data))
        self.fds = array.array("i")
        for level, what, content in extra:
            if level == socket.SOL_SOCKET and what == socket.SCM_RIGHTS:
                self.fds.frombytes(content[: len(content) // 4 * 4])
        return kind, status, data[HEAD.size :], more

    def join(self, time=0, job="test", rank=0, size=1, budget=None, tally=None, flags=0):
        """budget None: a HELLO as it was before there were delay budgets. tally: a descriptor that goes along."""
        hello = struct.pack("=qiiiI96s160s", time, rank, size, os.getpid(), flags, job.encode(), b"wire.py")
        hello += b"" if budget is None else struct.pack("=d", budget)
        socket.send_fds(self.socket, [packet(HELLO, hello)], [] if tally is None else [tally])
        kind, status, body, _ = self.receive()
        if kind != WELCOME:
            raise RuntimeError(f"not welcome: {status} {body}")
        (self.client, self.job, self.ndisks, self.lead_kind, self.first, self.ring_bytes, self.lead, self.min_gap) = (
            struct.unpack_from("=IIIIIIqq", body))
        self.ring_fd, self.wake_fd, self.table_fd = self.fds
        return self

    def open(self, path, layout="", time=0, created=0):
        st = os.stat(path)
        name = path.encode()
        body = struct.pack("=qQQQIII4x", time, st.st_dev, st.st_ino, st.st_size, created, len(name), len(layout))
        self.send(OPEN, body + name + layout.encode())
        kind, status, body, _ = self.receive()
        if kind != OPENED:
            raise RuntimeError(f"not opened: {status} {body}")
        number, length = struct.unpack_from("=QI", body)
        return number, body[16 : 16 + length].decode()

    def io(self, number, offset, size, arrival, write=False, thread=0, collective=(0, 0)):
        """collective: the uid and number of the one it belongs to."""
        self.send(IO, struct.pack("=qQqqQQQIIII", arrival, number, offset, size, 0, *collective, int(write), thread, 0, 0))
        kind, status, body, _ = self.receive()
        if kind != DONE:
            raise RuntimeError(f"not done: {status} {body}")
        return struct.unpack_from("=q", body)[0]

    def claim(self, time, runs):
        """runs: (first, count, speed, flag, need_by, until); without a reply, so in order with what follows."""
        self.seq += 1
        body = struct.pack("=HHIQqQ", 1, 0, len(runs), self.seq, time, 0)
        self.send(CLAIM, body + b"".join(struct.pack("=IIiiqq", *run) for run in runs))

    def record(self, kind, body, time=0):
        """A record into the ring, by hand after wire.h: it, then head, then the eventfd. Few: they must fit without a pad."""
        record = struct.pack("=IHHq", 16 + len(body), kind, 0, time) + body
        with mmap.mmap(self.ring_fd, 192 + self.ring_bytes) as ring:
            head = struct.unpack_from("=Q", ring, 0)[0]
            ring[192 + head : 192 + head + len(record)] = record
            struct.pack_into("=Q", ring, 0, head + len(record))
        os.write(self.wake_fd, struct.pack("=Q", 1))

    def call(self, start, end, collective, number=0, offset=0, size=0):
        """An MPI-IO call has ended."""
        self.record(3, struct.pack("=qqQqqQQQIi", start, end, 0, offset, size, *collective, number, 0, 0), end)

    def enter(self, time, collective, number, offset, size, rank, ranks, always=False):
        """This rank is about to take part in a collective access."""
        self.record(8, struct.pack("=QQQqqIIII", *collective, number, offset, size, ranks, rank, int(always), 0), time)

    def ask(self, what, **more):
        self.send(CONTROL, json.dumps({"ask": what, **more}).encode())
        text = b""
        while True:
            kind, _, body, more_follows = self.receive()
            assert kind == ANSWER, kind
            text += body
            if not more_follows:
                return json.loads(text)

    def speeds(self):
        """The level table, as any client may read it."""
        with mmap.mmap(self.table_fd, 16 + 4 * self.ndisks, mmap.MAP_SHARED, mmap.PROT_READ) as table:
            return list(struct.unpack_from(f"={self.ndisks}i", table, 16))

    def reaches(self, speeds):
        """Waits until the level table says so, for 20 s at most."""
        deadline = time.monotonic() + 20
        while self.speeds() != speeds:
            assert time.monotonic() < deadline, (self.speeds(), speeds)
            self.ask("flush")

    def close(self):
        self.socket.close()


class Daemon:
    """sioxd with its files in a directory of its own."""

    def __init__(self, **settings):
        self.directory = tempfile.mkdtemp(prefix="siox-test.")
        self.socket = os.path.join(self.directory, "sock")
        self.mount = os.path.join(self.directory, "store")
        os.mkdir(self.mount)
        self.settings = dict(socket=self.socket, mount=self.mount, disks=4, clock="stamped", policy="base")
        self.settings.update(settings)
        self.start()

    def command(self, *more):
        command = [os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), *more]
        for key, value in self.settings.items():
            command += ["--set", f"{key}={value}"]
        return command

    def start(self):
        """Returns when it listens: --daemonize ends then."""
        subprocess.run(self.command("--daemonize"), check=True)
        client = self.client()
        self.pid = client.ask("status")["pid"]
        client.close()
        self.pidfd = os.pidfd_open(self.pid)

    def client(self):
        return Client(self.socket)

    def file(self, name, size=0):
        path = os.path.join(self.mount, name)
        with open(path, "wb") as f:
            f.truncate(size)
        return path

    def log_text(self):
        try:
            with open(self.socket + ".log", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def wait(self, seconds=30):
        """True when the daemon has ended by then."""
        return bool(select.select([self.pidfd], [], [], seconds)[0])

    def kill(self, number=signal.SIGKILL):
        signal.pidfd_send_signal(self.pidfd, number)

    def stop(self):
        self.kill(signal.SIGTERM)
        assert self.wait(), "the daemon did not end"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not self.wait(0):
            self.kill()
            self.wait()
        if kind:
            sys.stderr.write(self.log_text())
        shutil.rmtree(self.directory, ignore_errors=True)


def close_to(got, expected, relative=1e-9):
    assert abs(got - expected) <= relative * abs(expected), f"{got!r} is not {expected!r}"
