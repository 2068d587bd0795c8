#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler guesses that a loop takes beside what it took: each kernel's LOOP as planned (siox-opt's estimate, by
SIOX_PRINT_PLAN) and as measured (siox run --profile, the least of its instances), and their ratio. A ratio of 1 is right; the
guess is meant to be a lower bound. Times are of this machine, which should be idle.

usage: test/bench/cost.py [-O LEVEL] [--march CPU]       example: python3 test/bench/cost.py -O 2 --march native"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(os.environ.get("SIOX_BUILD", os.path.join(TOP, "build")), "bin")
KERNELS = [  # name, iterations, body
    ("triad", "N", "a[i] = b[i] + 3.0 * c[i];"),
    ("scale_int", "N", "x[i] = y[i] * 7 + 1;"),
    ("sum", "N", "a[0] += b[i];"),
    ("divide", "N", "a[i] = b[i] / (c[i] + 1.0);"),
    ("square_root", "N", "a[i] = __builtin_sqrt(b[i] + i);"),
    ("hash", "N", "h = (h ^ (unsigned)x[i]) * 16777619u;"),
    ("gather", "N", "a[i] = b[y[i] & 1023];"),
    ("modulo", "N", "x[i] = y[i] % (i + 1);"),
    ("matmul_ijk", "R", "for (int j = 0; j < R; j++) for (int k = 0; k < R; k++) q[i][j] += m[i][k] * p[k][j];"),
    ("matmul_ikj", "R", "for (int k = 0; k < R; k++) for (int j = 0; j < R; j++) q[i][j] += m[i][k] * p[k][j];"),
    ("stencil", "R - 2", "for (int j = 1; j < R - 1; j++) q[i + 1][j] = 0.25 * (m[i][j] + m[i + 2][j] + m[i + 1][j - 1] + m[i + 1][j + 1]);"),
]


def program():
    out = ["#include <mpi.h>", "#define N 20000", "#define R 128",
           "double a[N], b[N], c[N], m[R][R], p[R][R], q[R][R]; int x[N], y[N]; unsigned h;",
           "static void io(void) { MPI_File_write_at(MPI_FILE_NULL, 0, a, 0, MPI_BYTE, MPI_STATUS_IGNORE); }"]
    for name, trip, body in KERNELS:
        out.append(f"__attribute__((noinline)) void {name}(void) {{\n  for (int i = 0; i < {trip}; i++) {{ {body} }}\n  io();\n}}")
    calls = " ".join(f"{name}();" for name, _, _ in KERNELS)
    out.append("int main(int n, char **v) { MPI_Init(&n, &v); for (int r = 0; r < 50; r++) { " + calls + " } MPI_Finalize(); return (int)h & 0; }")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-O", dest="level", default="2", help="optimisation level (default 2)")
    parser.add_argument("--march", default="native", help="clang's -march (default native)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        source, profile = os.path.join(work, "k.c"), os.path.join(work, "k.yaml")
        with open(source, "w") as f:
            f.write(program())
        env = dict(os.environ, SIOX_PRINT_PLAN="1", SIOX_FORM="guard", SIOX_SOCKET=os.path.join(work, "sock"))
        plan = subprocess.run([os.path.join(BIN, "siox-cc"), "-g", "-O" + args.level, "-march=" + args.march, source, "-o",
                               os.path.join(work, "k"), "-lm"], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
        guess = dict(re.findall(r" (\w+) LOOP trip=\d+ gap=(\d+)ns", plan))
        subprocess.run([os.path.join(BIN, "siox"), "run", "-q", "--set", "mount=" + work, "--profile", profile, "--",
                        os.path.join(work, "k")], env=env, check=True)
        with open(profile) as f:
            took = dict(re.findall(r'function: "(\w+)", kind: LOOP.*region_ns: (\d+)', f.read()))
        print(f"{'loop':<14}{'guessed us':>12}{'took us':>12}{'ratio':>8}")
        for name, _, _ in KERNELS:
            if name not in guess or name not in took:
                print(f"{name:<14}{'no loop':>12}")
                continue
            g, t = int(guess[name]) / 1e3, int(took[name]) / 1e3
            print(f"{name:<14}{g:>12.1f}{t:>12.1f}{g / t:>8.2f}")


if __name__ == "__main__":
    sys.exit(main())
