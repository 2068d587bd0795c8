# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling MxM, running it on emulated disks and playing what was recorded again: what live.py is made of."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from hint_programs import at_once  # noqa: E402

RANKS = 4
SCENARIOS = {"s1": 1, "x2": 2}  # instances
PAPER = {"s1": "alone-mxm.yaml", "x2": "mxm-x2.yaml"}  # the same in share/paper, at Table II's seconds
STATES = ("idle", "active", "up", "down")
PATIENCE = 60  # s, for a daemon that serves nothing yet


class Size:
    """n, slabs and --work of one instance alone; two have half of it each on the same cores. As many times faster than life."""

    def __init__(self, n, slabs, work, time_scale):
        self.n, self.slabs, self.work, self.time_scale = n, slabs, work, time_scale


PAPERS = Size(2827, 8, 4, 1)  # that of mxm-k8 of tools/paper-record, but compiled without the times of a first run
SMALL = Size(300, 4, 12, 10)  # seconds


class Failed(Exception):
    """What a run could not do."""


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def in_memory(path):
    """Whether a directory lies in a tmpfs."""
    path, best = os.path.realpath(path), ("", "")
    with open("/proc/mounts") as f:
        for line in f:
            where, kind = line.split()[1:3]
            if (path + "/").startswith(where.rstrip("/") + "/"):
                best = max(best, (where, kind), key=lambda b: len(b[0]))
    return best[1] == "tmpfs"


def told(name, process, timeout):
    """Waits for a run and says how long it has been going on."""
    since, tty = time.monotonic(), sys.stderr.isatty()
    while True:
        try:
            status = process.wait(timeout=1 if tty else 30)
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - since
            if seconds > timeout:
                raise Failed(f"{name}: not done after {seconds:.0f} s") from None
            print(("\r" if tty else "") + f"{name}: {seconds:.0f} s", end="" if tty else "\n", file=sys.stderr, flush=True)
            continue
        if tty:
            print("\r", end="", file=sys.stderr)
        return status


class Place:
    """A program, a store and the settings of the daemons that serve it."""

    def __init__(self, build, work, size, launcher=None):
        self.build, self.work, self.size = build, work, size
        self.siox, self.store = os.path.join(build, "bin", "siox"), os.path.join(work, "store")
        self.config, self.program = os.path.join(work, "siox.yaml"), os.path.join(work, "mxm")
        # With it waiting ranks sleep: they may be more than cores.
        own, sleeping = (os.path.join(build, *name) for name in (("test", "mpiexec"), ("lib", "libwaiting_ranks_sleep.so")))
        self.launcher = launcher or (own if os.path.exists(own) and os.path.exists(sleeping) else "mpiexec")
        self.settings = ("disks: 8", "drive: 36Z15", f"time_scale: {size.time_scale}", "default_layout: 0:8:64K", "monitor_period: -1")
        # Nothing of the caller's own settings.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") or k == "SIOX_DATA_DIR"}

    def begin(self, policies):
        compiler = os.path.join(self.build, "bin", "siox-cc")
        for needed in (self.siox, compiler):
            if not os.path.exists(needed):
                raise Failed(f"{needed} is not there: build Siox with the pass, or name such a build by --build")
        first = f"socket: {self.work}/sock\n"
        os.makedirs(self.work, exist_ok=True)
        # What lies in the store is removed, and others may not put programs there that we run.
        if os.stat(self.work).st_uid != os.getuid():
            raise Failed(f"{self.work} belongs to somebody else; --work names another place")
        if os.listdir(self.work):
            try:
                with open(self.config) as f:
                    ours = f.readline() == first
            except OSError:
                ours = False
            if not ours:
                raise Failed(f"{self.work} holds what is not from here; --work names another place")
        with open(self.config, "w") as f:
            f.writelines([first, f"mount: {self.store}\n", *(line + "\n" for line in self.settings)])
        os.makedirs(self.store, exist_ok=True)
        for policy in policies:
            self.probe(policy)
        needed, free = 64 * self.size.n ** 2 * max(SCENARIOS.values()) * 1.5, shutil.disk_usage(self.work).free
        if free < needed:
            raise Failed(f"{self.work} needs {needed / 1e9:.1f} GB and has {free / 1e9:.1f}; --work names another place")
        self.compile(compiler)

    def probe(self, policy):
        """What a daemon would refuse, policy or place, it refuses now and not after the runs before this one."""
        try:
            done = subprocess.run([self.siox, "run", "--quiet", "--policy", policy, "--config", self.config, "--", "true"],
                                  env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{policy} in {self.work}: `siox run -- true` has not ended after {PATIENCE} s") from None
        if done.returncode:
            raise Failed(f"{policy} in {self.work}: {done.stderr.strip()}")

    def compile(self, compiler):
        if subprocess.run([compiler, "-O2", "-o", self.program, "mxm.c"], cwd=os.path.join(SOURCE, "test", "apps"), env=self.environment,
                          check=False).returncode:
            raise Failed("mxm could not be compiled")

    def files(self, instance):
        return os.path.join(self.store, f"mxm-{self.size.n}-{self.size.slabs}-{instance}")

    def command(self, instance, instances, *more):
        work = self.size.work / instances
        return [self.launcher, "-n", str(RANKS), self.program, *more, "--n", str(self.size.n), "--k", str(self.size.slabs), "--work",
                f"{work:g}", "--files", self.files(instance)]

    def generate(self, instance):
        """A and B of one instance, without a daemon, once."""
        if os.path.exists(self.files(instance) + ".generated"):
            return
        quiet = dict(self.environment, SIOX_SOCKET=os.path.join(self.work, "none"), SIOX_REPORT="off")
        if subprocess.run(self.command(instance, 1, "--generate"), cwd=self.work, env=quiet, stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failed(f"mxm could not make its files in {self.store}")
        with open(self.files(instance) + ".generated", "w"):
            pass

    def empty(self):
        shutil.rmtree(self.store, ignore_errors=True)
        os.makedirs(self.store, exist_ok=True)

    def path(self, scenario, policy, suffix):
        return os.path.join(self.work, f"{scenario}-{''.join(c if c.isalnum() else '-' for c in policy)}{suffix}")

    def key(self, scenario, policy):
        """What makes a run what it is."""
        made = [sha256(os.path.join(self.build, *name)) for name in (("lib", "libsiox.so"), ("bin", "sioxd"), ("bin", "siox"))]
        what = [sha256(self.program), made, self.settings, policy,
                [self.command(i, SCENARIOS[scenario]) for i in range(SCENARIOS[scenario])]]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    def run(self, scenario, policy):
        """One run, live: its figures. Failed if a program failed or the trace is not whole."""
        instances, name = SCENARIOS[scenario], f"{scenario} under {policy}"
        for i in range(instances):
            self.generate(i)
        outputs = [self.path(scenario, policy, f".{i}.out") for i in range(instances)]
        trace, report, errors = (self.path(scenario, policy, suffix) for suffix in (".siox", ".json", ".err"))
        script = at_once([(self.command(i, instances), outputs[i]) for i in range(instances)])
        wall = time.monotonic()
        with open(errors, "w") as stderr:
            process = subprocess.Popen([self.siox, "run", "--quiet", "--policy", policy, "--config", self.config, "--job", scenario,
                                        "--check-hints", f"--json={report}", "--record", trace, "--", "bash", "-c", script],
                                       cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                                       start_new_session=True)
            try:
                status = told(name, process, 3600)
            finally:
                if process.poll() is None:  # we are being ended, or it hangs
                    os.killpg(process.pid, signal.SIGTERM)  # launchers too; they end their ranks
                    process.wait()
        lines = []
        for path in outputs:
            with open(path) as f:
                lines.append(f.read().strip())
        # 3: only the check of hints did not pass; what it says is in the figures.
        if status not in (0, 3) or not all(line.startswith(f"mxm: n {self.size.n}, checksum of C ") for line in lines):
            raise Failed(f"{name}: status {status}, printed {lines}; see {errors}")
        with open(report) as f:
            told_of = json.load(f)
        if subprocess.run([self.siox, "trace", "cat", trace], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
            raise Failed(f"{name}: {trace} is not whole; see {errors}")
        if not told_of["finished"]:
            raise Failed(f"{name}: processes were left when the programs had ended, so the figures are not those of the whole run; see {errors}")
        if not told_of["run"]["requests"]:
            raise Failed(f"{name}: no request came to the disks: {told_of['note']}")
        return dict(self.figures(told_of), key=self.key(scenario, policy), scenario=scenario, policy=policy, lines=lines,
                    load=(told_of["machine"] or {}).get("other_cores"), busy=(told_of["machine"] or {}).get("busy"),
                    wall=time.monotonic() - wall)

    def figures(self, report):
        run, check = report["run"], report["check"]
        states = {state: sum(disk["joules"][state] for disk in report["disks"]) for state in STATES}
        windows = check.get("windows") or {"used": 0, "eligible": 0}
        return {"joules": run["joules"], "seconds": run["seconds"], "transitions": run["transitions"], "missed": run["missed"],
                "requests": run["requests"], "saved": run["saved"], "added_io_time": run["added_io_time"],
                "added_ms": 1000 * run["added_io_time"] * report["base"]["io_seconds"], "slow_down": run["slow_down"], "states": states,
                "meter": report["totals"]["energy"]["node"]["disk"]["joules"], "late": report["late"],
                "lost": report["records_dropped"] + report["trace_lost"], "hinted": report["hints"]["issued"],
                "windows": [windows["used"], windows["eligible"]], "outside": check.get("outside"),
                "unused": [disk["why"] for disk in check.get("first_unused", [])], "unhinted": check.get("unhinted"),
                "break_even": check.get("break_even_seconds")}

    def moves_within(self, scenario, policy, seconds):
        """Changes of speed that began before the run was over: without the disks' way back to full speed after it."""
        trace = self.path(scenario, policy, ".siox")
        done = subprocess.run([self.siox, "trace", "cat", trace, "--segments"], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Failed(f"siox trace cat {trace} --segments failed")
        rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
        end = min(int(row[2]) for row in rows) + seconds * 1e9
        return round(sum(float(row[8]) for row in rows if row[1] in ("up", "down") and int(row[2]) < end))

    def simulate(self, what, schemes, timeline=None):
        """A trace, or a scenario as text or path, in closed loop: figures by scheme, and what the recording itself says."""
        with tempfile.TemporaryDirectory(dir=self.work) as directory:
            if "\n" in what:
                text, what = what, os.path.join(directory, "scenario.yaml")
                with open(what, "w") as f:
                    f.write(text)
            more = ["--timeline", timeline, "--draw", schemes[-1]] if timeline else []
            done = subprocess.run([self.siox, "sim", what, "--schemes", ",".join(dict.fromkeys(["base", *schemes])), "--json", "--quiet",
                                   *more], stdout=subprocess.PIPE, text=True, env=self.environment, check=False)
        if done.returncode:
            raise Failed(f"siox sim {what} failed")
        told_of = json.loads(done.stdout)
        base = next(row for row in told_of["rows"] if row["kind"] == "base")
        rows = {}
        for row in told_of["rows"]:
            if row["scheme"] in ("base", *schemes):
                rows[row["scheme"]] = {"joules": row["joules"], "seconds": row["seconds"], "transitions": row["transitions"],
                                       "missed": row["missed"], "saved": row["saved"], "added_io_time": row["added_io_time"],
                                       "added_ms": 1000 * row["added_io_time"] * base["io_seconds"], "states": row["joules_by_state"]}
        return rows, told_of.get("recorded")
