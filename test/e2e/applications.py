#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The applications of Son & Kandemir's evaluation, as a user compiles and runs them: with the pass and without, at -O0 and -O2,
on one and more ranks. Output and file have to be the same, and no request may be outside of what was foretold.
Usage: applications.py same APPLICATION | applications.py CONDITION. Exits with 77 where a compiler is missing."""
import glob
import hashlib
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

SOURCE, BUILD = os.environ["SIOX_SOURCE"], os.environ["SIOX_BUILD"]
MPICC = os.environ.get("SIOX_MPICC", "mpicc")
MPIEXEC = os.path.join(BUILD, "test", "mpiexec")  # waiting ranks sleep
APPS = os.path.join(SOURCE, "test", "apps")
S3ASIM = ["s3asim.c", "s3asim_options.c", "s3asim_results.c"]
BTIO = ["fortran_app.f90", "btio_grid.f90", "btio_solve.f90", "btio_files.f90", "btio.f90"]
NIAL = ["fortran_app.f90", "nial_fft.f90", "nial_model.f90", "nial_files.f90", "nial.f90"]
S3ASIM_SMALL = ["--queries", "4", "--fragments", "6", "--results", "2:6", "--letters", "16"]


class Application:
    """Sources, arguments of a run that writes to {file}, numbers of ranks; what goes before these to make what it reads."""

    def __init__(self, sources, arguments, ranks, makes=None):
        self.sources = [os.path.join(APPS, s) for s in sources]
        self.arguments, self.ranks, self.makes = arguments, ranks, makes


APPLICATIONS = {f"s3asim_{way}": Application(S3ASIM, [*S3ASIM_SMALL, "--write", way, "{file}"], (1, 4))
                for way in ("collective", "list", "individual")}
APPLICATIONS |= {f"btio_{mode}": Application(BTIO, ["--steps", "10", "--mode", mode, "{file}"], (1, 4, 9))
                 for mode in ("full", "simple")}
APPLICATIONS |= {f"nial_{way}": Application(NIAL, ["--points", "16", "--steps", "6", "--every", "2", *more, "{file}"], (1, 4))
                 for way, more in (("collective", []), ("individual", ["--individual", "--all-fields"]))}
APPLICATIONS["mxm"] = Application(["mxm.c"], ["--n", "96", "--k", "4", "--files", "{file}"], (1, 4), "--generate")


def compiled(place, application, compiler, level, name):
    program = os.path.join(place.directory, name)
    subprocess.run([*compiler, level, "-o", program, *application.sources], check=True, cwd=place.directory)
    return program


def compilers(application):
    """What compiles without the pass, and with it: of one make, for sines differ by the last bit between others."""
    if application.sources[0].endswith(".c"):
        return [MPICC, "-std=gnu17"], [os.path.join(BUILD, "bin", "siox-cc"), "-std=gnu17"]
    if not shutil.which("flang-new-19"):
        print("skipped: no flang-new-19")
        sys.exit(77)
    driver = os.path.join(BUILD, "bin", "siox-fc")
    return [driver, "--siox-no-pass"], [driver]


def what_it_did(process, file):
    """What was printed, and what is in the file or in those whose names begin like it, which are removed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, (process.args, process.returncode, out, err)
    contents = []
    for name in sorted(glob.glob(file + "*")):
        with open(name, "rb") as f:
            contents.append((name[len(file):], hashlib.sha256(f.read()).hexdigest()))
        os.unlink(name)
    assert contents
    return out, tuple(contents)


def same(name):
    application = APPLICATIONS[name]
    with Place() as place:
        file, report = os.path.join(place.mount, "data_a"), os.path.join(place.directory, "report.json")
        arguments = [a.format(file=file) for a in application.arguments]
        plain, passed = compilers(application)
        without = compiled(place, application, plain, "-O2", "without")
        quiet = dict(place.environment, SIOX_SOCKET="/nonexistent/siox.sock")

        def make(ranks):
            if application.makes:
                subprocess.run([MPIEXEC, "-n", str(ranks), without, application.makes, *arguments], env=quiet, cwd=place.directory, check=True)

        def alone(program, ranks):
            make(ranks)
            return subprocess.Popen([MPIEXEC, "-n", str(ranks), program, *arguments], env=quiet, cwd=place.directory,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expected = {n: what_it_did(alone(without, n), file) for n in application.ranks}
        for level in ("-O0", "-O2"):
            program = compiled(place, application, passed, level, "with" + level)
            for ranks in application.ranks:
                got = what_it_did(alone(program, ranks), file)
                assert got == expected[ranks], (level, ranks, got, expected[ranks])
                make(ranks)
                process = place.run(MPIEXEC, "-n", str(ranks), program, *arguments, options=[
                    "--quiet", "--check-hints", f"--json={report}", "--set", "time_scale=1000", "--set", "disks=8", "--set",
                    "default_layout=0:8:64K"])
                got = what_it_did(process, file)
                assert got == expected[ranks], (level, ranks, got, expected[ranks])
                with open(report) as f:
                    check = json.load(f)["check"]
                assert check["passed"] and check["accesses"] > 0 and check["outside"] == 0, (level, ranks, check)
                print(level, ranks, {k: check[k] for k in ("accesses", "predicted", "touched", "windows", "transitions")})


def commands_of_the_page_work():
    """docs/applications.md, its commands as they stand; only places are the test's own, and sizes small."""
    if not shutil.which("flang-new-19"):
        print("skipped: no flang-new-19")
        sys.exit(77)
    with open(os.path.join(SOURCE, "docs", "applications.md"), encoding="utf-8") as f:
        steps = "".join(re.findall(r"^```sh\n(.*?)^```$", f.read(), re.M | re.S))
    with Place() as place:
        own = {"$PWD/build/bin": os.path.join(BUILD, "bin"), "build/test/mpiexec": MPIEXEC, "/tmp/siox": place.mount, "/tmp": place.directory,
               "--class W": "--steps 10", "--work 20": "--work 0.1"}
        assert all(old in steps for old in own), steps
        steps = re.sub("|".join(map(re.escape, own)), lambda found: own[found[0]], steps)
        environment = dict(place.environment, SIOX_SOCKET=place.socket, SIOX_MOUNT=place.mount)
        done = subprocess.run(["bash", "-e", "-c", steps], cwd=SOURCE, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=300, check=False)
        assert done.returncode == 0, (done.returncode, steps, done.stderr)
        told = [line.split(":")[0] for line in done.stdout.splitlines() if "checksum" in line]
        assert told == ["mxm", "s3asim", "btio", "nial"], done.stdout
        assert done.stderr.count("check of hints: passed") == 4, done.stderr


def s3asim_writes_the_same_whoever_writes_how():
    with Place() as place:
        program = compiled(place, APPLICATIONS["s3asim_list"], [MPICC, "-std=gnu17"], "-O1", "s3asim")
        got = set()
        for ranks, way in ((1, "list"), (2, "individual"), (3, "collective"), (4, "list")):
            for more in ([], ["--balanced", "--sync"], ["--queries-per-write", "3"]):
                file = os.path.join(place.directory, "hits")
                process = subprocess.Popen([MPIEXEC, "-n", str(ranks), program, *S3ASIM_SMALL, "--write", way, *more, file],
                                           env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                got.add(what_it_did(process, file))
        assert len(got) == 1, got


def s3asim_refuses_what_it_cannot_use():
    with Place() as place:
        program = compiled(place, APPLICATIONS["s3asim_list"], [MPICC, "-std=gnu17"], "-O0", "s3asim")
        for option, value in (("--queries", "0"), ("--results", "5:4"), ("--sizes", "1:2"), ("--sizes", "8:9:1"), ("--write", "x"),
                              ("--letters", "513"), ("--info", "novalue")):
            done = subprocess.run([program, option, value, os.path.join(place.directory, "f")], capture_output=True, text=True)
            assert done.returncode == 2 and option in done.stderr, (option, value, done)
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 2 and "file name" in done.stderr, done
        missing = os.path.join(place.directory, "no", "where")
        done = subprocess.run([program, missing], capture_output=True, text=True)
        assert done.returncode != 0 and missing in done.stderr, done


def fortran(place, application):
    if not shutil.which("mpifort"):
        print("skipped: no mpifort")
        sys.exit(77)
    return compiled(place, APPLICATIONS[application], ["mpifort"], "-O1", application)


def run(place, program, ranks, *arguments):
    return subprocess.Popen([MPIEXEC, "-n", str(ranks), program, *arguments], env=place.environment, cwd=place.directory,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def btio_writes_the_same_in_both_modes_on_any_square():
    with Place() as place:
        program, file = fortran(place, "btio_full"), os.path.join(place.directory, "u")
        got = {what_it_did(run(place, program, ranks, "--steps", "15", "--mode", mode, "--work", work, file), file)
               for ranks, mode, work in ((1, "full", "1"), (4, "simple", "1"), (4, "full", "3"), (9, "simple", "2"), (16, "full", "1"))}
        assert len(got) == 1, got


def btio_needs_no_room_for_messages_in_the_mpi_library():
    with Place() as place:  # class W: 29 KB each, which ranks that all send before they receive would wait for in vain
        program, file = fortran(place, "btio_full"), os.path.join(place.directory, "u")
        got = {what_it_did(run(place, program, ranks, "--class", "W", "--steps", "2", "--every", "2", file), file) for ranks in (1, 4)}
        assert len(got) == 1, got


def btio_dumps_are_the_cube_in_order():
    """The faces of the cube never change: what is there can be computed from the text of btio_solve.f90 alone."""
    def solution(x, y, z):
        return [1 + 0.1 * m + x * (0.3 * m - x * y) + y * y * (0.2 + z * z / m) + math.cos(m * x + 2 * y - z) / 4
                for m in range(1, 6)]
    with Place() as place:
        program, file = fortran(place, "btio_full"), os.path.join(place.directory, "u")
        process = run(place, program, 4, "--steps", "10", file)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        with open(file, "rb") as f:
            values = struct.unpack(f"<{2 * 5 * 12**3}d", f.read())
        inside = []
        for dump in range(2):
            inside.append(0)
            for p in range(12**3):
                i, j, k = p % 12, p // 12 % 12, p // 144
                got = values[5 * (dump * 12**3 + p):][:5]
                off = max(abs(a - b) for a, b in zip(got, solution(i / 11, j / 11, k / 11)))
                if {i, j, k} & {0, 11}:
                    assert off < 1e-12, (dump, i, j, k, off)
                inside[-1] = max(inside[-1], off)
        assert 0.01 < inside[1] < inside[0] < 1, inside  # 1: the greatest deviation of the beginning


def btio_refuses_what_it_cannot_use():
    with Place() as place:
        program = fortran(place, "btio_full")
        for words in (["--class", "X"], ["--mode", "epio"], ["--steps", "0"], ["--steps", "2x"], ["--steps", "3"], ["--work", "0"],
                      ["--nothing"]):
            done = subprocess.run([program, *words, "u"], cwd=place.directory, capture_output=True, text=True)
            assert done.returncode == 2 and words[0] in done.stderr and not os.path.exists(os.path.join(place.directory, "u")), done
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 2 and "file name" in done.stderr, done
        done = subprocess.run([program, "u" * 3000], cwd=place.directory, capture_output=True, text=True)
        assert done.returncode == 2 and "longer" in done.stderr, done
        process = run(place, program, 2, "u")
        _, err = process.communicate(timeout=60)
        assert process.returncode == 2 and "square" in err, err
        # Not a file that cannot be opened: MPICH 4.0.2's Fortran MPI_File_open then takes a handle that nobody wrote, and crashes.


def nial_writes_the_same_on_any_number_of_ranks():
    with Place() as place:
        program, file = fortran(place, "nial_collective"), os.path.join(place.directory, "dump")
        small = ["--points", "15", "--steps", "4", "--every", "2", "--all-fields"]
        got = {what_it_did(run(place, program, ranks, *small, *more, file), file)
               for ranks, more in ((1, []), (2, ["--individual"]), (4, []), (7, ["--individual"]))}
        assert len(got) == 1, got


def nial_waves_decay_as_the_scheme_says():
    """Without order the equation is that of diffusion, and a step of the semi-implicit scheme divides a wave's amplitude by
    1 + dt M a k^2 (nial_model.f90 has the numbers)."""
    points, steps = 12, 5
    with Place() as place:
        program, file = fortran(place, "nial_collective"), os.path.join(place.directory, "dump")
        process = run(place, program, 3, "--points", str(points), "--steps", str(steps), "--every", str(steps), "--wave", file)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        with open(file + ".0001", "rb") as f:
            values = struct.unpack(f"<{points**3}d", f.read())
    k2 = (1 + 4 + 1) * (2 * math.pi / points)**2
    amplitude = 0.01 / (1 + 0.1 * 0.02 * 40 * k2)**steps
    for at, value in enumerate(values):
        i, j, k = at % points, at // points % points, at // points**2
        expected = 0.160 + amplitude * math.cos(2 * math.pi * (i + 2 * j + k) / points)
        assert abs(value - expected) < 1e-13, (i, j, k, value, expected)


def nial_orders_where_nuclei_are_and_keeps_the_composition():
    with Place() as place:
        program, file = fortran(place, "nial_collective"), os.path.join(place.directory, "dump")
        process = run(place, program, 2, "--points", "20", "--steps", "60", "--every", "30", "--all-fields", file)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        means, most = [], []
        for dump in (1, 2):
            with open(f"{file}.{dump:04}", "rb") as f:
                values = struct.unpack(f"<{5 * 20**3}d", f.read())
            c, orders = values[:20**3], values[20**3:]
            means.append(sum(c) / len(c))
            at = max(range(len(orders)), key=lambda i: orders[i])
            most.append((orders[at], c[at % 20**3]))
        assert abs(means[0] - means[1]) < 1e-12 and abs(means[0] - 0.195) < 0.001, means
        # Aluminium gathers where there is order: the alloy had 0.195 of it everywhere, the ordered phase holds 0.230.
        assert all(0.75 < order < 1.1 for order, _ in most) and 0.21 < most[0][1] < most[1][1] < 0.25, most


def nial_refuses_what_it_cannot_use():
    with Place() as place:
        program = fortran(place, "nial_collective")
        for words in (["--points", "x"], ["--steps", "0"], ["--steps", "3"], ["--nothing"], ["--seed", "-1"]):
            done = subprocess.run([program, *words, "n"], cwd=place.directory, capture_output=True, text=True)
            assert done.returncode == 2 and words[0] in done.stderr, done
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 2 and "prefix" in done.stderr, done
        done = subprocess.run([program, "n" * 3000], cwd=place.directory, capture_output=True, text=True)
        assert done.returncode == 2 and "longer" in done.stderr, done


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
