#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libsiox adds to a program that does nothing, from its start to its end: a program without MPI, and MPI_Init and
MPI_Finalize alone, each plain, with libsiox preloaded, with SIOX_REPORT, and the same beside a daemon. Runs take turns; the
table has medians of wall time, the 10th and 90th percentile, and what is added to the plain median; and the same of processor time,
which other programs on the machine hardly change. Target: 5 ms (Darshan 5.5 ms).
A program that does no I/O never looks for the daemon unless it calls MPI_Init; the report asks a daemon only where it was found.

usage: test/bench/report.py [--runs N] [--ranks N]       example: python3 test/bench/report.py --runs 300"""
import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SIOX_BUILD", os.path.join(TOP, "build"))
LIBRARY = os.path.join(BUILD, "lib", "libsiox-preload.so")
EMPTY = "int main(void) { return 0; }\n"
MPI = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n"
WRITES = """#include <fcntl.h>
#include <unistd.h>
int main(int c, char **v) { int fd = open(v[1], O_CREAT | O_WRONLY, 0600); (void)c; return write(fd, "x", 1) != 1; }
"""


def compiled(directory, name, text, compiler):
    source, program = os.path.join(directory, name + ".c"), os.path.join(directory, name)
    with open(source, "w") as f:
        f.write(text)
    subprocess.run([*shlex.split(compiler), "-O2", source, "-o", program], check=True)
    return program


def once(command, environment):
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, environment)
    _, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - begin
    assert status == 0, (command, status)
    return took, used.ru_utime + used.ru_stime


def measure(command, ways, runs):
    times = {name: [] for name in ways}
    for _ in range(runs):
        for name, environment in ways.items():
            times[name].append(once(command, environment))
    return times


def table(title, times):
    print(f"\n{title:<34}{'median ms':>11}{'10 %':>9}{'90 %':>9}{'added ms':>10}{'processor ms':>14}{'added ms':>10}")
    first = None
    for name, all_ in times.items():
        wall, cpu = [t[0] for t in all_], [t[1] for t in all_]
        median, used = statistics.median(wall), statistics.median(cpu)
        first = first or (median, used)
        tenths = statistics.quantiles(wall, n=10)
        print(f"{name:<34}{1e3 * median:>11.3f}{1e3 * tenths[0]:>9.3f}{1e3 * tenths[8]:>9.3f}{1e3 * (median - first[0]):>10.3f}"
              f"{1e3 * used:>14.3f}{1e3 * (used - first[1]):>10.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="of each (default 100)")
    parser.add_argument("--ranks", type=int, default=1, help="of the program with MPI (default 1, without mpiexec)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") and k != "LD_PRELOAD"}
        nobody = dict(clean, SIOX_SOCKET=os.path.join(work, "none"))
        socket, store = os.path.join(work, "sock"), os.path.join(work, "store")
        os.mkdir(store)  # and nothing lies in it: no access is charged to a disk
        daemon = subprocess.Popen([os.path.join(BUILD, "bin", "sioxd"), "--set", "socket=" + socket, "--set", "mount=" + store],
                                  env=clean, stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(socket):
                time.sleep(0.01)
                assert daemon.poll() is None, "sioxd did not start"
            out = ":" + os.path.join(work, "report")
            del nobody["SIOX_SOCKET"]  # the default socket would be the machine's
            nobody["XDG_RUNTIME_DIR"] = work + "/nowhere"

            def ways(mode):
                return {"plain": nobody,
                        "libsiox": dict(nobody, LD_PRELOAD=LIBRARY),
                        f"libsiox, SIOX_REPORT={mode}": dict(nobody, LD_PRELOAD=LIBRARY, SIOX_REPORT=mode + out),
                        "libsiox, sioxd": dict(clean, LD_PRELOAD=LIBRARY, SIOX_SOCKET=socket),
                        f"libsiox, sioxd, SIOX_REPORT={mode}": dict(clean, LD_PRELOAD=LIBRARY, SIOX_SOCKET=socket,
                                                                    SIOX_REPORT=mode + out)}
            empty = compiled(work, "empty", EMPTY, "clang-19")
            table("empty program", measure([empty], ways("console"), args.runs))
            writes = compiled(work, "writes", WRITES, "clang-19")
            table("one open and write", measure([writes, os.path.join(work, "data")], ways("console"), args.runs))
            mpi = compiled(work, "mpi", MPI, os.environ.get("SIOX_MPICC", "mpicc"))
            command = ["mpiexec", "-n", str(args.ranks), mpi] if args.ranks > 1 else [mpi]
            table(f"MPI_Init, MPI_Finalize, {args.ranks} rank" + "s" * (args.ranks > 1),
                  measure(command, ways("mpi"), max(args.runs // 5, 10)))
        finally:
            daemon.terminate()
            daemon.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main())
