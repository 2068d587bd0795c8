# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PostgreSQL server of a test's own: on a Unix socket in a temporary directory, by a user who is not root, with nothing
of it on disk that matters (fsync=off)."""

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77


def tool(name):
    """Debian keeps the server's programs off PATH."""
    found = shutil.which(name)
    directory = "/usr/lib/postgresql"
    for version in sorted(os.listdir(directory), reverse=True) if os.path.isdir(directory) else []:
        found = found or shutil.which(name, path=os.path.join(directory, version, "bin"))
    return found


def need():
    """Ends the test as skipped where there is no server."""
    if not tool("initdb") or not tool("postgres") or not shutil.which("psql"):
        print("skipped: no PostgreSQL server here (package postgresql)")
        sys.exit(SKIP)


class Server:
    def __init__(self):
        need()
        self.directory = tempfile.mkdtemp(prefix="siox-pg.", dir="/tmp")
        self.data = os.path.join(self.directory, "data")
        self.user = {}
        if os.geteuid() == 0:
            name = next(n for n in ("postgres", "nobody") if n in {p.pw_name for p in pwd.getpwall()})
            found = pwd.getpwnam(name)
            os.chown(self.directory, found.pw_uid, found.pw_gid)
            self.user = dict(user=found.pw_uid, group=found.pw_gid, extra_groups=[])
        os.chmod(self.directory, 0o711)
        self.password = os.path.join(self.directory, "pw")
        with open(self.password, "w") as f:
            f.write("admin-secret\n")
        os.chmod(self.password, 0o644)
        self.make_data()
        self.process = None
        self.start()

    def make_data(self):
        """initdb takes seconds: what it makes is kept in the build tree and copied."""
        version = subprocess.run([tool("postgres"), "--version"], capture_output=True, text=True, check=True).stdout
        name = "postgres-" + re.sub(r"[^0-9.]+", "-", version).strip("-") + f"-{self.user.get('user', os.getuid())}"
        kept = os.path.join(os.environ["SIOX_BUILD"], "test", name)
        if not os.path.isdir(kept):
            subprocess.run([tool("initdb"), "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
                            "--locale=C", "--wal-segsize=1", "--pwfile", self.password],
                           check=True, stdout=subprocess.DEVNULL, cwd=self.directory, **self.user)
            mine = f"{kept}.{os.getpid()}"
            subprocess.run(["cp", "-a", self.data, mine], check=True)
            try:
                os.rename(mine, kept)
            except OSError:  # another test was faster
                shutil.rmtree(mine)
            return
        subprocess.run(["cp", "-a", kept, self.data], check=True)

    def start(self):
        log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [tool("postgres"), "-D", self.data, "-k", self.directory, "-c", "listen_addresses=", "-c", "fsync=off",
             "-c", "full_page_writes=off", "-c", "max_wal_size=64MB", "-c", "shared_buffers=16MB", "-c", "max_connections=20"],
            stdout=log, stderr=log, cwd=self.directory, **self.user)
        log.close()
        end = time.monotonic() + 60
        while subprocess.run(["psql", *self.where(), "-c", "SELECT 1"], capture_output=True).returncode:
            assert self.process.poll() is None and time.monotonic() < end, "the server does not start"

    def stop(self, number=signal.SIGINT):
        """SIGINT: it ends its connections."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(60)

    def pids(self):
        """The server's processes, and those only."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return [self.process.pid, *map(int, f.read().split())]

    def where(self):
        return ["-h", self.directory, "-U", "postgres", "-d", "postgres", "-X", "-q", "-A", "-t", "-F", "\x1f"]

    def url(self, user="postgres", more=""):
        return f"postgresql://{user}@/postgres?host={self.directory}{more}"

    def ask(self, sql):
        """Rows as lists of texts; NULL is an empty text."""
        done = subprocess.run(["psql", *self.where(), "-v", "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [line.split("\x1f") for line in done.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process and self.process.poll() is None:
            for pid in self.pids():
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
        self.stop()
        if kind:
            with open(os.path.join(self.directory, "log"), errors="replace") as f:
                sys.stderr.write(f.read()[-4000:])
        shutil.rmtree(self.directory, ignore_errors=True)
