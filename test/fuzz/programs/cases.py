# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One seed: its program built with the pass and without, run both ways, and what came out compared."""

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field, replace

from programs import generate
from variants import environment

LAYOUTS = """- {file: "*_a*", layout: "0:4:16K"}
- {file: "*_b*", layout: "2:3:4K"}
- {file: "*_c*", layout: "4:4:64K"}
"""
LARGEST = 64 << 20  # no program writes more to a file
UBSAN = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]


@dataclass
class Tools:
    build: str  # build directory of Siox
    clang: str
    mpiexec: str
    mpi_flags: list
    libsiox: str = None  # directory of another libsiox.so, for the runs under the daemon
    timeout: int = 300  # seconds for one compilation or run
    verify_each: tuple = ("plain", "ubsan")  # builds that are verified after every pass of LLVM, not only before code is generated
    running: set = field(default_factory=set)  # process groups
    stopped: bool = False

    def stop(self):
        """Ends what runs, for good."""
        self.stopped = True
        for group in list(self.running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGTERM)

    @staticmethod
    def find(build, clang, mpicc, mpiexec):
        """The tools, with MPI's flags as its compiler wrapper tells them."""
        shown = shlex.split(subprocess.run([mpicc, "-show"], check=True, capture_output=True, text=True).stdout)
        return Tools(build, clang, mpiexec, [w for w in shown[1:] if w[:2] in ("-I", "-L", "-l")])


@dataclass
class Outcome:
    status: int
    stdout: str
    files: dict  # name -> hash
    stderr: str = ""
    report: dict = field(default_factory=dict)

    def seen(self):
        return self.status, self.stdout, self.files


class Stopped(Exception):
    pass


class Failed(Exception):
    """kind: compile, verifier, undefined, reference, differs, outside, check, timeout."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Case:
    def __init__(self, tools, seed, directory, scenes=None):
        self.tools, self.seed, self.directory = tools, seed, directory
        self.source = os.path.join(directory, "prog.c")
        text = generate(seed, scenes)
        with open(self.source, "w") as f:
            f.write(text)
        self.flags = text.split("flags:", 1)[1].split("*/", 1)[0].split()
        self.layouts = os.path.join(directory, "layouts.yaml")
        with open(self.layouts, "w") as f:
            f.write(LAYOUTS)
        self.built, self.references = {}, {}

    def process(self, command, cwd, env, what):
        if self.tools.stopped:
            raise Stopped
        p = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, errors="replace", start_new_session=True)
        self.tools.running.add(p.pid)
        try:
            out, err = p.communicate(timeout=self.tools.timeout)
        except subprocess.TimeoutExpired:
            for s in (signal.SIGTERM, signal.SIGKILL):
                os.killpg(p.pid, s)
                try:
                    out, err = p.communicate(timeout=10)
                    break
                except subprocess.TimeoutExpired:
                    out, err = "", ""
            raise Failed("timeout", f"{what}: not done after {self.tools.timeout} s\n{out[-2000:]}\n{err[-2000:]}")
        finally:
            self.tools.running.discard(p.pid)
        if self.tools.stopped:
            raise Stopped
        return p.returncode, out, err

    def env(self, **more):
        e = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_")}
        e |= {"XDG_RUNTIME_DIR": self.directory, "TMPDIR": self.directory, **more}
        return e

    def compiled(self, variant, with_pass):
        """The program's path; built when it is asked for first."""
        key = (variant.level, variant.sanitizer) + ((variant.form, variant.setting) if with_pass else ())
        if key in self.built:
            return self.built[key]
        t = self.tools
        out = os.path.join(self.directory, "-".join(key) if with_pass else "-".join(key) + "-reference")
        command = [t.clang, "-std=gnu17", "-w", f"-{variant.level}", *self.flags, "-o", out, self.source]
        if variant.sanitizer == "ubsan":
            command += UBSAN
        if with_pass:
            lib = os.path.join(t.build, "lib")
            command += ["-gline-tables-only", f"-fpass-plugin={lib}/SioxPass.so", f"-L{lib}",
                        "-Wl,--push-state,--no-as-needed", "-lsiox", "-Wl,--pop-state", f"-Wl,-rpath,{lib}"]
            if variant.sanitizer in t.verify_each:
                command += ["-Xclang", "-llvm-verify-each"]
        command += t.mpi_flags + ["-lpthread"]
        env = self.env(**(environment(variant, self.layouts) if with_pass else {}))
        status, stdout, stderr = self.process(command, self.directory, env, "compilation")
        if status != 0:
            broken = with_pass and ("Broken" in stderr or "erifier" in stderr)
            raise Failed("verifier" if broken else "compile", f"{shlex.join(command)}\n{stderr[:3000]}")
        self.built[key] = out
        return out

    def run(self, program, variant, daemon):
        """The program in an empty directory; under the daemon that directory is the mount."""
        t = self.tools
        with tempfile.TemporaryDirectory(dir=self.directory, prefix="r") as d:
            store = os.path.join(d, "store")
            os.mkdir(store)
            command, env, report = [t.mpiexec, "-n", str(variant.ranks), program], self.env(UBSAN_OPTIONS="print_stacktrace=0"), {}
            if daemon:
                with open(os.path.join(d, "siox.yaml"), "w") as f:
                    f.write(f"socket: {d}/s\nmount: {store}\nlayouts: {self.layouts}\ndisks: 8\ndrive: 36Z15\ntime_scale: 1000\n")
                if t.libsiox:
                    command = [command[0], "-env", "LD_LIBRARY_PATH", t.libsiox, *command[1:]]
                command = [os.path.join(t.build, "bin", "siox"), "run", "--quiet", "--check-hints", "--policy", variant.policy,
                           "--config", f"{d}/siox.yaml", f"--json={d}/report.json", "--", *command]
            status, out, err = self.process(command, store, env, "siox run" if daemon else "run")
            if daemon:
                try:
                    with open(f"{d}/report.json") as f:
                        report = json.load(f)
                except (OSError, ValueError) as e:
                    raise Failed("check", f"no report: {e}; status {status}\n{out[-1000:]}\n{err[-2000:]}")
                status = report["status"]
            files = {}
            for folder, _, names in os.walk(store):
                for name in names:
                    path = os.path.join(folder, name)
                    if os.path.getsize(path) > LARGEST:
                        raise Failed("reference" if not daemon else "differs", f"{name} has {os.path.getsize(path)} bytes")
                    with open(path, "rb") as f:
                        files[os.path.relpath(path, store)] = hashlib.sha256(f.read()).hexdigest()
            return Outcome(status, out, files, err, report)

    def reference(self, variant):
        key = (variant.level, variant.sanitizer, variant.ranks)
        if key in self.references:
            return self.references[key]
        o = self.run(self.compiled(variant, False), variant, False)
        if "runtime error:" in o.stderr:
            raise Failed("undefined", f"without the pass:\n{o.stderr[:3000]}")
        expected = 7 if self.seed % 16 == 3 else 0
        if o.status != expected:
            raise Failed("reference", f"without the pass: status {o.status}\n{o.stdout[-1000:]}\n{o.stderr[-3000:]}")
        for (_, _, n), other in self.references.items():
            if n == variant.ranks and other.seen() != o.seen():
                raise Failed("reference", "without the pass two levels differ:\n" + differences(other, o))
        self.references[key] = o
        return o

    def check(self, variant, daemons=(False, True), once=False):
        """Runs a variant, without a daemon and under one; figures of the check of hints. Failed when something is not as it
        should be. once: the reference is one program for all variants of the seed."""
        # Without undefined behaviour the level does not matter, so where time is short the cheapest will do.
        plain = replace(variant, level="O0", sanitizer="ubsan") if once else variant
        expected = self.reference(plain)
        program = self.compiled(variant, True)
        for daemon in daemons:
            o = self.run(program, variant, daemon)
            what = "under the daemon" if daemon else "without a daemon"
            if "runtime error:" in o.stderr:
                raise Failed("undefined", f"with the pass, {what}:\n{o.stderr[:3000]}")
            if o.seen() != expected.seen():
                again = self.run(self.compiled(plain, False), variant, False)
                if again.seen() != expected.seen():
                    raise Failed("reference", "without the pass two runs differ:\n" + differences(expected, again))
                self.reference(variant)  # Failed if without the pass this level differs already
                raise Failed("differs", f"with the pass, {what}:\n" + differences(expected, o))
        if not o.report:
            return {}
        check = o.report["check"]
        if check is None or not check["passed"]:
            why = (check or {}).get("why") or "not made"
            if "gave a hint" in why:
                return {"unhinted": 1}
            if (check or {}).get("outside"):
                raise Failed("outside", f"{check['outside']} of {check['accesses']} requests outside the prediction:\n"
                             + json.dumps(check["first_outside"], indent=1)[:4000])
            raise Failed("check", f"{why}\n{o.stderr[-2000:]}")
        return {"accesses": check["accesses"], "predicted": check["predicted"], "touched": check["touched"],
                "windows": check["windows"]["eligible"], "used": check["windows"]["used"], "transitions": check["transitions"],
                "hints": o.report["hints"]["sent"]}


def differences(a, b):
    lines = []
    if a.status != b.status:
        lines.append(f"status {a.status} and {b.status}")
    if a.stdout != b.stdout:
        for x, y in zip(a.stdout.splitlines() + ["(end)"], b.stdout.splitlines() + ["(end)"]):
            if x != y:
                lines.append(f"stdout: first different line:\n  {x}\n  {y}")
                break
    for name in sorted(set(a.files) | set(b.files)):
        if a.files.get(name) != b.files.get(name):
            lines.append(f"file {name}: {a.files.get(name, 'is missing')[:16]} and {b.files.get(name, 'is missing')[:16]}")
    if b.stderr:
        lines.append("stderr:\n" + b.stderr[-2000:])
    return "\n".join(lines)


def seed_directory(work, seed):
    path = os.path.join(work, f"seed{seed}")
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path
