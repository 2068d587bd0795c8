#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pass costs at compile time: generated C files of 1 to 2,000 functions, with and without MPI-IO, compiled by
clang with and without it in turn, and a table.

  compile.py              medians of 10 pairs at -O0 and -O2 (minutes to an hour)
  compile.py --quick      up to 500 functions, medians of 3
  compile.py --count N    instructions by callgrind as well, for files of up to N functions: slow, but the same on a busy machine
  compile.py --count 500 --pairs 1 --sizes 1,10,100,500     little but instructions

Columns: functions and MPI-IO calls of the file; wall ms of clang alone and with the pass, medians over the pairs; the median
of the pairs' ratios of CPU time and what the pass adds to it; millions of instructions of clang alone and the ratio. Below:
the exponents e of cost ~ functions^e of what the pass adds and of clang, over the largest half of the sizes, of instructions
where they are counted, else of CPU time; and whether the targets are met, by instructions where they are counted: without
MPI-IO the object is byte for byte the same at no more than max(1.01 x, + 4 ms); with it at most TARGETS. Ends
with 1 where one is not.
"""
import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
KINDS = ("none", "tenth", "all", "flat")
TARGETS = {"-O0": 1.3, "-O2": 1.10}  # with MPI-IO: so many times as long as without the pass
KINDS_HELP = "none: no MPI-IO; tenth: every tenth function has a loop with it; all: each; flat: one main with as many calls"


def plain_function(n):
    return f"""static double f{n}(double *a, int n) {{
  double s = {n}.5;
  for (int i = 0; i < n; i++) {{
    if (a[i] > s)
      s += a[i] * {n % 7 + 1};
    else
      a[i] = s - a[(i * {n % 13 + 1}) % n];
    s = s * 0.5 + h(a, i);
  }}
  return s;
}}
"""


def io_function(n):
    return f"""static double f{n}(double *a, int n) {{
  MPI_File f;
  double s = 0;
  MPI_File_open(MPI_COMM_WORLD, "data{n % 3}", MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int i = 0; i < n; i++) {{
    MPI_File_read_at(f, (MPI_Offset)i * {8 * (n % 5 + 1)} * 64, a, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int j = 0; j < 500; j++)
      s += h(a, j) * {n};
    MPI_File_write_at(f, (MPI_Offset)i * 512, a, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }}
  MPI_File_close(&f);
  return s;
}}
"""


def program(kind, size):
    """Source of a file, and how many MPI-IO calls it has."""
    out = ["#include <stdio.h>\n" if kind == "none" else "#include <mpi.h>\n#include <stdio.h>\n",
           "double h(double *a, int i);\n"]
    if kind == "flat":
        out.append("static double a[64];\nint main(void) {\n  MPI_File f;\n"
                   "  MPI_File_open(MPI_COMM_WORLD, \"data\", MPI_MODE_RDWR, MPI_INFO_NULL, &f);\n")
        for n in range(size):
            out.append(f"  MPI_File_write_at(f, {n * 512}, a, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);\n"
                       if n % 2 else f"  for (int i = 0; i < {n + 10}; i++)\n    a[i % 64] += h(a, i);\n")
        out.append("  MPI_File_close(&f);\n  return 0;\n}\n")
        return "".join(out), size // 2 + 2
    io = [n for n in range(size) if kind == "all" or (kind == "tenth" and n % 10 == 0)]
    chosen = set(io)
    out += [io_function(n) if n in chosen else plain_function(n) for n in range(size)]
    out.append("double all(double *a, int n) {\n  double s = 0;\n")
    out += [f"  s += f{n}(a, n);\n" for n in range(size)]
    out.append("  return s;\n}\n")
    return "".join(out), 4 * len(io)


def flags_of_pass(kind, plugin):
    """What siox-cc adds: places in the source only for files with MPI-IO in them (tools/driver/places.c)."""
    return ["-fpass-plugin=" + plugin] + (["-Rpass-analysis=^siox-places"] if kind != "none" else [])


def run_ms(command):
    """Wall and CPU ms."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"compile.py: {' '.join(command)} ends with {child.returncode}")
    return 1000 * wall, 1000 * (usage.ru_utime + usage.ru_stime)


def instructions(command, work):
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/callgrind", *command],
                          capture_output=True, text=True)
    for line in done.stderr.splitlines():
        if "Collected" in line:
            return int(line.split(":")[1])
    sys.exit(f"compile.py: callgrind fails: {done.stderr[-500:]}")


def exponent(points):
    """Least squares of log cost over log size."""
    points = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len(points) < 2:
        return None
    mx, my = (statistics.fmean(p[i] for p in points) for i in (0, 1))
    below = sum((x - mx) ** 2 for x, _ in points)
    return sum((x - mx) * (y - my) for x, y in points) / below if below else None


def met(kind, level, added, ratio):
    if kind == "none":
        return ratio <= 1.01 or added <= 4
    return ratio <= TARGETS[level]


def measure(kind, size, level, options, clang, plugin, work):
    text, calls = program(kind, size)
    source = os.path.join(work, f"{kind}{size}.c")
    with open(source, "w") as f:
        f.write(text)
    a, b = os.path.join(work, "a.o"), os.path.join(work, "b.o")
    alone, pair = [*clang, level, "-c", source, "-o", a], [*clang, *flags_of_pass(kind, plugin), level, "-c", source, "-o", b]
    run_ms(alone), run_ms(pair)  # once unmeasured, so that all is in memory
    times = []
    for turn in range(options.pairs):
        first, second = (alone, pair) if turn % 2 else (pair, alone)
        one, two = run_ms(first), run_ms(second)
        times.append((one, two) if turn % 2 else (two, one))
    wall = [statistics.median(t[i][0] for t in times) for i in (0, 1)]
    cpu = statistics.median(t[0][1] for t in times)
    ratio = statistics.median(t[1][1] / t[0][1] for t in times)
    added = statistics.median(t[1][1] - t[0][1] for t in times)
    decides, cost, counted = ratio, (cpu, added), ""
    if size <= options.count:
        plain, with_pass = instructions(alone, work), instructions(pair, work)
        decides, cost = with_pass / plain, (plain, with_pass - plain)
        counted = f"{plain / 1e6:9.1f} {decides:8.4f}"
    same = ""
    if kind == "none":
        with open(a, "rb") as f, open(b, "rb") as g:
            same = "same" if f.read() == g.read() else "DIFFERS"
    good = met(kind, level, added, decides) and same != "DIFFERS"
    print(f"{kind:5} {level} {size:9} {calls:6} {wall[0]:9.1f} {wall[1]:9.1f} {ratio:6.3f} {added:+9.1f} {counted:18} {same:8}"
          f"{'' if good else 'missed'}", flush=True)
    return cost, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("SIOX_BUILD", os.path.join(SOURCE, "build")), help="build directory")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--pairs", type=int, help="measured pairs of each size (10, quick: 3)")
    parser.add_argument("--sizes", type=lambda t: [int(n) for n in t.split(",")], help="functions, with commas")
    parser.add_argument("--kinds", type=lambda t: t.split(","), default=KINDS, help=KINDS_HELP)
    parser.add_argument("--levels", type=lambda t: t.split(","), default=list(TARGETS))
    parser.add_argument("--count", type=int, default=0, metavar="N", help="instructions too, up to N functions")
    options = parser.parse_args()
    options.pairs = options.pairs or (3 if options.quick else 10)
    sizes = options.sizes or ([1, 10, 100, 500] if options.quick else [1, 10, 100, 500, 1000, 2000])
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "mpich"], capture_output=True, text=True).stdout.split()
    clang = [shutil.which(options.clang) or sys.exit(f"compile.py: no {options.clang}"), *flags, "-w"]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="siox-bench.") as work:
        plugin = os.path.join(work, "SioxPass.so")  # without debug information, as it is installed; valgrind cannot read it
        strip = shutil.which("llvm-strip-19") or shutil.which("strip")
        subprocess.run([strip, "--strip-debug", "-o", plugin, os.path.join(options.build, "lib/SioxPass.so")], check=True)
        print("file  opt functions  calls clang wall pass wall  cpu x    cpu ms    Minstr  instr x  object")
        for level in options.levels:
            for kind in options.kinds:
                points = []
                for size in sizes:
                    cost, good = measure(kind, size, level, options, clang, plugin, work)
                    points.append((size, *cost, size <= options.count))
                    missed += not good
                alike = [p for p in points if p[3]] if points[-1][3] or sum(p[3] for p in points) > 2 else points
                large = alike[len(alike) // 2:]
                growth = [exponent([(p[0], p[i]) for p in large]) for i in (1, 2)]
                print(f"{kind:5} {level} growth exponents: clang " + ", added by the pass ".join(
                    "-" if e is None else f"{e:.2f}" for e in growth), flush=True)
    print("every target is met" if not missed else f"{missed} rows miss their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
