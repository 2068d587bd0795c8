# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a program under a daemon of its own that measures the node, and looking at it meanwhile: what monitoring.py is made of."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
SOURCE = os.environ.get("SIOX_SOURCE") or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SIOX_BUILD") or os.path.join(SOURCE, "build")
os.environ.setdefault("SIOX_BUILD", BUILD)
from wire import Client  # noqa: E402

SIOX = os.path.join(BUILD, "bin", "siox")
MPIEXEC = os.path.join(BUILD, "test", "mpiexec")  # waiting ranks sleep: there are more of them than cores
for variable in ("SIOX_SOCKET", "SIOX_CONFIG", "SIOX_JOB", "SIOX_POLICY", "SIOX_MONITOR"):
    os.environ.pop(variable, None)


def prefer(pid, nice):
    """The session of a process before others of the machine, where root asks: they are no part of an experiment."""
    try:
        with open(f"/proc/{pid}/autogroup", "w") as f:
            f.write(str(nice))
    except OSError:
        pass


class Looker(threading.Thread):
    """Asks the daemon ten times a second how it is, from when it is there until it goes."""

    def __init__(self, socket):
        super().__init__(daemon=True)
        self.socket, self.seen, self.over = socket, [], threading.Event()

    def run(self):
        while not self.over.is_set():
            try:
                client = Client(self.socket)
                while not self.over.wait(0.1):
                    told = client.ask("report")
                    if not self.seen:
                        prefer(told["pid"], -15)  # what measures is never late
                    jobs = sum(j["processors"]["seconds"] for j in told["jobs"] if "processors" in j)
                    self.seen.append((time.monotonic(), told["monitor"], jobs))
                client.close()
            except (OSError, EOFError, AssertionError, ValueError):
                self.over.wait(0.02)  # not there yet, or gone

    def stop(self):
        self.over.set()
        self.join(10)
        return self.seen


class Place:
    """A directory with a mount and a socket. monitor: text of monitor.yaml; DIR in it is the directory."""

    def __init__(self, monitor, **settings):
        self.directory = tempfile.mkdtemp(prefix="siox-bench.")
        self.mount = os.path.join(self.directory, "store")
        self.socket = os.path.join(self.directory, "sock")
        os.mkdir(self.mount)
        self.settings = dict(socket=self.socket, mount=self.mount, policy="base", monitor=self.file("monitor.yaml", monitor), **settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def file(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text.replace("DIR", self.directory))
        return self.path(name)

    def json(self, name):
        with open(self.path(name)) as f:
            return json.load(f)

    def run(self, ranks, program, *arguments, environment=None, started=None, killed=False):
        """Returns the report of siox run, and what was seen meanwhile. The trace is in run.siox. started: told the process.
        killed: whoever started() ends it."""
        command = [SIOX, "run", "--quiet", "--json=" + self.path("report.json"), "--record", self.path("run.siox")]
        for key, value in self.settings.items():
            command += ["--set", f"{key}={value}"]
        prefer(os.getpid(), -20)
        looker = Looker(self.socket)
        looker.start()
        process = subprocess.Popen([*command, "--", MPIEXEC, "-n", str(ranks), os.path.join(BUILD, "bin", program), *map(str, arguments)],
                                   cwd=self.directory, env=dict(os.environ, **(environment or {})), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        if started:
            started(process)
        _, said = process.communicate()
        seen = looker.stop()
        if process.returncode and not killed:
            sys.exit("monitoring.py: %s %s: status %d: %s" % (program, " ".join(map(str, arguments)), process.returncode, said))
        return self.json("report.json"), seen

    def wait(self):
        """Until the daemon has ended and its database has all."""
        end = time.monotonic() + 60
        while os.path.exists(self.socket) and time.monotonic() < end:
            time.sleep(0.05)

    def segments(self):
        """What the disks did: (start, end, joules) in seconds of the clock that Looker has."""
        cat = subprocess.Popen([SIOX, "trace", "cat", self.path("run.siox"), "--segments", "--json"], stdout=subprocess.PIPE, text=True)
        for line in cat.stdout:
            s = json.loads(line)
            yield s["start_ns"] / 1e9, s["end_ns"] / 1e9, s["joules"]
        if cat.wait():
            sys.exit("monitoring.py: the trace cannot be read")
