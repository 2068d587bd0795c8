#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pass costs where others' programs are compiled: each source file of a manifest's programs (docs/public-programs.md) is
compiled to an object by siox-cc, siox-cxx or siox-fc with the pass and with --siox-no-pass, in turn. Prints a row a program:

  files      source files of the program, and how many of them have MPI-IO in them
  ms         processor time of compiling them all without the pass: medians over the pairs, added up
  x          with the pass over without it: of all files, and of those with MPI-IO

and the median and the worst of the programs' ratios. Exits 1 where one is above compile.py's target for files with MPI-IO."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compile as bench  # noqa: E402
import public  # noqa: E402
import public_manifest  # noqa: E402
import public_run  # noqa: E402

EXAMPLES = """examples:
  python3 test/bench/compile_public.py --manifest programs.json --sources ~/programs
  python3 test/bench/compile_public.py --manifest test/bench/public-example.json --sources test --pairs 3
SIOX_BUILD names the build directory (default: build)."""


def lies_at(program, sources):
    return os.path.join(os.path.abspath(sources), program["folder"], program["directory"])


def commands(program, source, at, level, work):
    """Without the pass and with it."""
    return [[*public_run.compiler(program, with_pass, level, work, at), "-c", os.path.join(at, source),
             "-o", os.path.join(work, "object.o")] for with_pass in (False, True)]


def has_mpiio(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return bool(re.search("mpi_file_", f.read(), re.I))


def one_file(pair, pairs):
    """Processor ms without the pass and with it, or None where it does not compile alone (a module of another file is missing)."""
    for command in pair:
        if subprocess.run(command, cwd=os.path.dirname(command[-1]), capture_output=True, check=False).returncode:
            return None
    times = ([], [])
    for turn in range(pairs):
        for which in (0, 1) if turn % 2 else (1, 0):
            times[which].append(bench.run_ms(pair[which])[1])
    return [statistics.median(t) for t in times]


def one_program(program, options, level):
    files, with_io, sums, io_sums, at = 0, 0, [0, 0], [0, 0], lies_at(program, options.sources)
    with tempfile.TemporaryDirectory(prefix="siox-bench.") as work:
        public_run.put_files(program, work)
        for source in program["sources"]:
            path = os.path.join(at, source)
            if not os.path.isfile(path):
                sys.exit(f"compile_public.py: {program['name']}: {path} is not there")
            ms = one_file(commands(program, source, at, level, work), options.pairs)
            if ms is None:
                continue
            files += 1
            sums = [a + b for a, b in zip(sums, ms)]
            if has_mpiio(path):
                with_io += 1
                io_sums = [a + b for a, b in zip(io_sums, ms)]
    return files, with_io, sums, io_sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", required=True, metavar="FILE", help="the programs")
    parser.add_argument("--sources", required=True, metavar="DIR", help="where they were cloned")
    parser.add_argument("--pairs", type=int, default=5, help="measured pairs of each file (5)")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=public_run.LEVELS, metavar="-O0,-O2", help="these (both)")
    parser.add_argument("--only", action="append", metavar="NAME", help="this program; may be given more than once")
    options = parser.parse_args()
    if not all(level in bench.TARGETS for level in options.levels):
        parser.error(f"--levels: of {', '.join(bench.TARGETS)}")
    if options.pairs < 1:
        parser.error("--pairs: at least 1")
    try:
        programs = public_manifest.read(options.manifest)
    except public_manifest.Slip as slip:
        sys.exit(f"compile_public.py: {slip}")
    for name in options.only or []:
        if all(program["name"] != name for program in programs):
            parser.error(f"--only: {options.manifest} has no program {name}")
    for driver in sorted({public_run.DRIVERS[program["language"]] for program in programs}):
        path = os.path.join(public_run.BUILD, "bin", driver)
        if not os.path.exists(path):
            sys.exit(f"compile_public.py: {path} is not there: build Siox with the pass, or name such a build by SIOX_BUILD")
    lines = public.missing(programs, options.sources)
    if lines:
        sys.exit("\n".join(lines))
    missed = 0
    for level in options.levels:
        print(f"{level}: program                 files with MPI-IO      ms    x  x of those")
        ratios, whole = [], [0, 0]
        for program in programs:
            if options.only and program["name"] not in options.only:
                continue
            files, with_io, sums, io_sums = one_program(program, options, level)
            if not with_io:
                continue
            ratios.append((io_sums[1] / io_sums[0], program["name"]))
            whole = [a + b for a, b in zip(whole, io_sums)]
            print(f"     {program['name']:24} {files:4} {with_io:11} {sums[0]:7.0f} {sums[1] / sums[0]:.3f} {ratios[-1][0]:.3f}", flush=True)
        if ratios:
            above = sum(r > bench.TARGETS[level] for r, _ in ratios)
            missed += above
            print(f"     {len(ratios)} programs: median {statistics.median(r for r, _ in ratios):.3f}, worst {max(ratios)[0]:.3f} ({max(ratios)[1]}), "
                  f"all files with MPI-IO together {whole[1] / whole[0]:.3f}; above {bench.TARGETS[level]}: {above}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
