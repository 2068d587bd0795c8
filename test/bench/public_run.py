# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a program with and without the pass, runs both, and compares: what public.py does for each program."""

import collections
import hashlib
import json
import os
import random
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SIOX_SOURCE") or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SIOX_BUILD") or os.path.join(SOURCE, "build")
MPIEXEC = os.environ.get("SIOX_MPIEXEC") or os.path.join(BUILD, "test", "mpiexec")
DRIVERS = {"c": "siox-cc", "c++": "siox-cxx", "fortran": "siox-fc"}
LEVELS = ("-O0", "-O2")
SECONDS = 300  # that one run may take
CLASSES = ("constant", "affine", "periodic", "invariant", "run time", "unknown")

# A process and what it left: status, the lines it printed, the hash of each file.
Ran = collections.namedtuple("Ran", "status lines files")


class Failed(Exception):
    """A program that cannot be compiled or run as the manifest says."""


def put_files(program, directory):
    """What the manifest adds to a program."""
    for name, content in program["files"].items():
        os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
        with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
            f.write(content)


def compiler(program, with_pass, level, added, at):
    """The command but for what it compiles; added: where put_files put them, at: where the program lies."""
    return [os.path.join(BUILD, "bin", DRIVERS[program["language"]]), *([] if with_pass else ["--siox-no-pass"]), level, "-w",
            "-I", added, "-I", at, *program["flags"]]


def compiled(program, folder, directory):
    """By level the binaries without and with the pass, and at the last level the accesses by class."""
    at = os.path.join(folder, program["directory"])
    binaries, sites = {}, [0] * len(CLASSES)
    for level in LEVELS:
        for which in ("plain", "pass"):
            made = os.path.join(directory, which + level)
            os.makedirs(made)
            put_files(program, made)
            env = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_")}
            env["SIOX_SUMMARY"] = "1"
            command = [*compiler(program, which == "pass", level, made, at), *(os.path.join(at, name) for name in program["sources"]),
                       "-o", os.path.join(made, "program"), *program["libraries"]]
            done = subprocess.run(command, cwd=made, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  check=False)
            if done.returncode:
                raise Failed(f"{which} {level}: does not compile: {' '.join(command)}\n{done.stderr[-4000:]}")
            binaries[which, level] = os.path.join(made, "program")
        rows = re.findall(r"^ +accesses((?: +\d+){6})$", done.stdout, re.M)
        sites = [sum(column) for column in zip(*([int(n) for n in row.split()] for row in rows))] or sites
    return binaries, sites


def prepared(run, store, program, ranks):
    """An empty store but for the run's inputs."""
    stand_for = {"{program}": program, "{ranks}": str(ranks), "{mpiexec}": MPIEXEC}
    shutil.rmtree(store, ignore_errors=True)
    os.makedirs(store)
    for name, content in run["inputs"].items():
        os.makedirs(os.path.dirname(os.path.join(store, name)), exist_ok=True)
        data = content.encode() if isinstance(content, str) else random.Random(content).randbytes(content)
        with open(os.path.join(store, name), "wb") as f:
            f.write(data)
    for words in run["before"]:
        done = subprocess.run([stand_for.get(word, word) for word in words], cwd=store, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS)
        if done.returncode:
            raise Failed(f"before: {' '.join(words)}: status {done.returncode}: {done.stderr[-1000:]}")


def hashes(store):
    found = {}
    for directory, _, names in os.walk(store):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, store)] = hashlib.sha256(f.read()).hexdigest()
    return found


def ran(command, program, store, run):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_")}
    env.update(run["environment"], XDG_RUNTIME_DIR="/nonexistent")  # where a daemon of the machine would be
    try:
        done = subprocess.run(command, cwd=store, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"not done after {SECONDS} s: {' '.join(command)}") from late
    lines = (line for line in done.stdout.replace(program, "{program}").splitlines() if not any(re.search(pattern, line) for pattern in run["ignore"]))
    return Ran(done.returncode, collections.Counter(lines), hashes(store)), done.stderr


def differences(plain, other):
    """What another run did otherwise than every one of some plain runs, as far as those agree among themselves. Ranks print in
    any order, so lines are compared as a bag."""
    said = []
    if len({run.status for run in plain}) == 1 and other.status != plain[0].status:
        said.append(f"status {other.status}, not {plain[0].status}")
    stable = plain[0].lines
    for run in plain[1:]:
        stable = stable & run.lines
    for line in (stable - other.lines):
        said.append(f"this line is missing: {line[:160]}")
    counts = {sum(run.lines.values()) for run in plain}
    if len(counts) == 1 and sum(other.lines.values()) not in counts:
        said.append(f"{sum(other.lines.values())} lines of output, not {counts.pop()}")
    if all(run.files.keys() == plain[0].files.keys() for run in plain):
        for name in sorted(plain[0].files.keys() ^ other.files.keys()):
            said.append(f"file {name} is {'missing' if name in plain[0].files else 'too many'}")
    for name, value in plain[0].files.items():
        if all(run.files.get(name) == value for run in plain) and other.files.get(name, value) != value:
            said.append(f"file {name} has other content")
    return said


def compared(plain, again, other):
    """Differences; before any is reported the plain program is run once more, for times that were equal twice by chance."""
    said = differences(plain, other)
    for _ in range(2):
        if not said:
            break
        plain.append(again())
        said = differences(plain, other)
    return said


def one_run(run, ranks, level, binaries, directory):
    """One row: what the run did with the pass, beside what it does without."""
    store = os.path.join(directory, "store")
    plain_command = [MPIEXEC, "-n", str(ranks), binaries["plain", level], *run["arguments"]]
    command = [MPIEXEC, "-n", str(ranks), binaries["pass", level], *run["arguments"]]

    def plainly():
        prepared(run, store, binaries["plain", level], ranks)
        done, errors = ran(plain_command, binaries["plain", level], store, run)
        if done.status != run["status"]:
            raise Failed(f"without the pass: status {done.status}: {' '.join(plain_command)}: {errors[-1000:]}")
        return done

    plain = [plainly(), plainly()]
    prepared(run, store, binaries["plain", level], ranks)
    alone, _ = ran(command, binaries["pass", level], store, run)
    said = compared(plain, plainly, alone) if run["compare"] else []

    with open(os.path.join(directory, "layouts.yaml"), "w", encoding="utf-8") as f:
        for pattern, layout in run["layouts"].items():
            f.write(f'- {{file: "{pattern}", layout: "{layout}"}}\n')
    with open(os.path.join(directory, "siox.yaml"), "w", encoding="utf-8") as f:
        f.write("socket: {0}/sock\nmount: {0}/store\nlayouts: {0}/layouts.yaml\ndisks: {1}\ndrive: 36Z15\ntime_scale: {2}\n"
                .format(directory, run["disks"], run["time_scale"]))
    report = os.path.join(directory, "run.json")
    prepared(run, store, binaries["plain", level], ranks)
    checked, errors = ran([os.path.join(BUILD, "bin", "siox"), "run", "--check-hints", "--policy", "siox", "--config",
                           directory + "/siox.yaml", "--record", directory + "/run.siox", "--json=" + report, "--", *command],
                          binaries["pass", level], store, run)
    try:
        with open(report, encoding="utf-8") as f:
            made = json.load(f)
    except (OSError, json.JSONDecodeError) as error:
        raise Failed(f"{level}, {ranks} ranks: siox run: {errors[-2000:]}") from error
    checked = checked._replace(status=made["status"])  # the command's, not that of the check
    said += ["under siox run: " + line for line in compared(plain, plainly, checked)] if run["compare"] else []
    check = made["check"]
    row = {"level": level, "ranks": ranks, "arguments": run["arguments"], "differences": said, "transitions": check.get("transitions"),
           "why": check["why"], "status": checked.status}
    for key in ("accesses", "outside", "predicted", "touched", "unforetold", "unhinted"):
        row[key] = check.get(key) or 0
    for key in ("first_outside", "first_unused"):
        row[key] = check.get(key) or []
    windows = check.get("windows") or {}
    row.update(used=windows.get("used", 0), eligible=windows.get("eligible", 0))
    return row
