#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Fortran program whose ranks own cells that tables place, compiled with siox-fc and checked against what it does. Exits with
77 where there is no flang."""
import json
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

SOURCE, BUILD = os.environ["SIOX_SOURCE"], os.environ["SIOX_BUILD"]
MPIEXEC = os.environ.get("SIOX_MPIEXEC", "mpiexec")
POINTS, VALUES, RANKS, STEPS, WORK = 32, 5, 4, 8, 3000000
RECORD = 8 * VALUES * POINTS**3


def main():
    if not shutil.which("flang-new-19"):
        print("skipped: no flang-new-19")
        sys.exit(77)
    with Place() as place:
        program, report = os.path.join(place.directory, "cells"), os.path.join(place.directory, "report.json")
        subprocess.run([os.path.join(BUILD, "bin", "siox-fc"), "-O2", os.path.join(SOURCE, "test/apps/cells.f90"), "-o", program],
                       check=True, cwd=place.directory)
        output = os.path.join(place.mount, "u")
        # A record takes two of the disks, the next one the following two.
        process = place.run(MPIEXEC, "-n", str(RANKS), program, output, str(STEPS), str(WORK), options=[
            "--check-hints", f"--json={report}", "--set", "time_scale=100", "--set", "disks=8", "--set",
            f"default_layout=0:8:{RECORD // 2}"])
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        with open(report) as f:
            check = json.load(f)["check"]
        with open(output, "rb") as f:
            written = f.read()
    values = struct.unpack(f"<{len(written) // 8}d", written)
    assert len(values) == STEPS * RECORD // 8
    for at in range(0, len(values), 4097):  # what the program's text says of a point, first in order of i
        step, point = divmod(at // VALUES, POINTS**3)
        assert abs(values[at] - (step + 1e-6 * (point + 1))) < 1e-9, (at, values[at])
    assert check["passed"] and check["outside"] == 0, check
    assert check["accesses"] == STEPS * POINTS**3 // (POINTS // 2), check  # half a line each
    # A rank's bursts touch two disks each. All eight stand for the second, before a step from burst to burst is known, and for
    # the last, after which unknown code may come: 56 in all where the others are exact. Had all bursts all disks, it were 192.
    touched = RANKS * STEPS * 2
    assert check["touched"] == touched and check["predicted"] - touched < 2 * 56, check
    print(f"{check['predicted']} disks predicted, {check['touched']} touched, {check['windows']}")


if __name__ == "__main__":
    main()
