#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the monitoring experiments, levels and climate: do they write and compute what they say?
Usage: experiments.py NAME"""

import json
import os
import struct
import subprocess
import sys
import tempfile

BIN = os.path.join(os.environ["SIOX_BUILD"], "bin")
MPIEXEC = os.path.join(os.environ["SIOX_BUILD"], "test", "mpiexec")  # waiting ranks sleep
ENVIRONMENT = dict(os.environ, SIOX_SOCKET="/nonexistent/siox.sock")  # no daemon of this machine's
RANKS, BLOCKS, BLOCK = 2, 3, 1001


def run(directory, program, *arguments, ranks=RANKS, status=0):
    """ranks 0: one process without a launcher, which may drop what a rank says just before MPI_Abort."""
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launcher, os.path.join(BIN, program), *map(str, arguments)], cwd=directory,
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (arguments, done)
    return done


def contents(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def mix(seed, i):
    """Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), the finalizer."""
    mask = 2**64 - 1
    z = ((seed ^ ((i + 1) * 0xD1342543DE82EF95 & mask)) + 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def every_level_reads_back_what_it_wrote():
    with tempfile.TemporaryDirectory() as directory:
        done = run(directory, "levels", "--blocks", 8, "--block", "100K", "--batch", 3, "--verify", "--json", "f")
        told = json.loads(done.stdout)
        assert [(p["level"], p["phase"], p["calls"]) for p in told["phases"]] == [
            (level, phase, 8 if level < 2 else 3) for level in range(4) for phase in ("write", "read")], told
        assert told["verified"] and os.listdir(directory) == [], told
        assert all(p["bytes"] == 2 * 8 * 102400 and len(p["cpu_seconds"]) == 2 and p["seconds"] >= p["io_seconds"] >= 0
                   for p in told["phases"]), told


def every_level_writes_the_same_file():
    wanted = b"".join(struct.pack("=Q", mix(7, i)) for i in range(RANKS * BLOCKS * BLOCK // 8 + 1))[:RANKS * BLOCKS * BLOCK]
    with tempfile.TemporaryDirectory() as directory:
        for level in range(4):
            run(directory, "levels", "--blocks", BLOCKS, "--block", BLOCK, "--seed", 7, "--levels", level, "--phases", "write", level)
            assert contents(directory, str(level)) == wanted, level


def a_wrong_byte_is_named():
    with tempfile.TemporaryDirectory() as directory:
        run(directory, "levels", "--phases", "write", "--blocks", BLOCKS, "--block", BLOCK, "--levels", 3, "f")
        path = os.path.join(directory, "f")
        data = bytearray(contents(path))
        data[3 * BLOCK + 5] ^= 1
        with open(path, "wb") as f:
            f.write(data)
        done = run(directory, "levels", "--phases", "read", "--verify", "--blocks", RANKS * BLOCKS, "--block", BLOCK, "--levels", 3, "f",
                   ranks=0, status=1)
        assert f"rank 0: f: block 3: byte {3 * BLOCK + 5} is" in done.stderr, done


def wrong_options_of_levels_are_named():
    for options, named in ((["--levels", "4", "f"], "4"), (["--levels", "0,,1", "f"], "0,,1"), (["--blocks", "0", "f"], "0"),
                           (["--blocks", "9" * 40, "f"], "999"), (["--block", "1X", "f"], "1X"), (["--scale", "nan", "f"], "nan"),
                           (["--block", "1G", "--blocks", "2", "--levels", "3", "--batch", "2", "f"], "--batch"),
                           (["--info", "key", "f"], "key"), (["--phases", "erase", "f"], "erase"), (["--think", "-1", "f"], "-1"),
                           ([], "FILE"), (["f", "g"], "g"), (["--colour", "f"], "--colour"), (["--seed"], "--seed")):
        done = subprocess.run([os.path.join(BIN, "levels"), *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and named in done.stderr and "levels --help" in done.stderr, (options, done)


CLIMATE = ("--grid", 16, "--layers", 3, "--output-every", 5, "--rollover", 3, "--restart-every", 15)


def a_restarted_run_gives_the_same_bits():
    with tempfile.TemporaryDirectory() as directory:
        whole = run(directory, "climate", *CLIMATE, "--steps", 40, "a")
        run(directory, "climate", *CLIMATE, "--steps", 22, "b")
        rest = run(directory, "climate", *CLIMATE, "--steps", 40, "--restart", "b.restart.000015", "b", ranks=3)
        assert whole.stdout == rest.stdout, (whole, rest)
        names = sorted(name[2:] for name in os.listdir(directory) if name.startswith("a."))
        assert names == ["out.0000", "out.0001", "out.0002", "restart.000015", "restart.000030"], names
        assert not any(name.endswith(".part") for name in os.listdir(directory))
        for name in names:
            assert contents(directory, "a." + name) == contents(directory, "b." + name), name


def outputs_follow_hilberts_curve():
    """Each cell of a slice once, and each one beside the one before; a restart file has the same values row by row."""
    with tempfile.TemporaryDirectory() as directory:
        run(directory, "climate", *CLIMATE, "--variables", "1,1", "--steps", 5, "--restart-every", 5, "--seed", 3, "f")
        out = struct.unpack("=1024d", contents(directory, "f.out.0000"))
        rows = struct.unpack("=1024d", contents(directory, "f.restart.000005")[64:])
        for first in range(0, 1024, 256):
            place = {value: (i % 16, i // 16) for i, value in enumerate(rows[first:first + 256])}
            walk = [place[value] for value in out[first:first + 256]]
            assert len(place) == len(set(walk)) == 256
            assert all(abs(x - u) + abs(y - v) == 1 for (x, y), (u, v) in zip(walk, walk[1:])), walk


def anomalies_cost_time_and_change_nothing():
    with tempfile.TemporaryDirectory() as directory:
        plain = run(directory, "climate", *CLIMATE, "--steps", 10, "a")
        odd = run(directory, "climate", *CLIMATE, "--steps", 10, "--stall", "0:4:0.2", "--spin", "1:7:0.3", "--json=times", "b")
        times = json.loads(contents(directory, "times"))
        assert plain.stdout == odd.stdout and contents(directory, "a.out.0000") == contents(directory, "b.out.0000")
        assert times["seconds"] >= 0.2 and times["exchange"] >= 0.15, times  # the others wait for who sleeps


def what_is_no_restart_file_is_named():
    with tempfile.TemporaryDirectory() as directory:
        run(directory, "climate", *CLIMATE, "--steps", 15, "f")
        good = contents(directory, "f.restart.000015")
        changed = bytearray(good)
        changed[777] ^= 4
        for data, more, says in ((changed, (), "is damaged"), (good[:-8], (), "ends too early"), (b"", (), "is no restart file"),
                                 (good, ("--layers", 2), "another grid"), (good, ("--steps", 14), "a later step")):
            with open(os.path.join(directory, "r"), "wb") as f:
                f.write(data)
            done = run(directory, "climate", *CLIMATE, "--steps", 20, "--restart", "r", *more, "g", ranks=0, status=1)
            assert "r: " + says in done.stderr or "r: is of " + says in done.stderr, (says, done)
        assert not any(name.startswith("g.") for name in os.listdir(directory))


def wrong_options_of_climate_are_named():
    for options, named in ((["--grid", "12", "f"], "--grid"), (["--grid", "32768", "f"], "32768"), (["--grid", "1", "f"], "1"),
                           (["--grid", "16384", "--layers", "1000", "f"], "--grid"), (["--variables", "3", "f"], "3"),
                           (["--variables", "0,0", "f"], "0,0"), (["--stall", "0:1", "f"], "0:1"), (["--stall", "1:1:1", "f"], "1:1:1"),
                           (["--spin", "0:1:inf", "f"], "inf"), (["--rollover", "0", "f"], "0"), (["--pause", "-1", "f"], "-1"), (["--info", "=v", "f"], "=v"),
                           (["x" * 4090], "PREFIX"), ([], "PREFIX"), (["--colour", "f"], "--colour"), (["--steps"], "--steps")):
        done = subprocess.run([os.path.join(BIN, "climate"), *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and named in done.stderr and "climate --help" in done.stderr, (options, done)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
