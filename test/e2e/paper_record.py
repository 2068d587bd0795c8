#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/paper-record where it cannot do what it is asked: one function, one condition. Usage: paper_record.py NAME"""

import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["SIOX_BUILD"]
SOURCE = os.environ["SIOX_SOURCE"]


def record(*words, status=1):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "paper-record"), "--build", BUILD, *words], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr, done
    return done.stderr


def places_that_cannot_be_are_named():
    with tempfile.TemporaryDirectory() as top:
        file, work = os.path.join(top, "file"), os.path.join(top, "work")
        with open(file, "w"):
            pass
        assert f"paper-record: {file}: " in record("--only", "--output", file, "--work", work)
        assert f"paper-record: {file}: " in record("--only", "--output", os.path.join(top, "out"), "--work", file)
        assert "siox is not there" in record("--only", "--output", os.path.join(top, "out"), "--work", work, "--build", top)


def a_place_below_dev_is_refused_before_anything_runs():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work, tempfile.TemporaryDirectory() as top:
        said = record("--try", "--output", os.path.join(top, "out"), "--work", os.path.join(work, "w"))
        assert f"--work {work}/w: " in said and "mount -t tmpfs" in said and "siox-cc" not in said, said


def what_lies_in_a_place_for_work_stays():
    """It empties its store: a directory of the user's own of that name must not be taken for it."""
    with tempfile.TemporaryDirectory() as top:
        mine = os.path.join(top, "store", "mine")
        os.mkdir(os.path.dirname(mine))
        with open(mine, "w"):
            pass
        said = record("--only", "--output", os.path.join(top, "out"), "--work", top)
        assert "holds what is not from here" in said and os.path.exists(mine) and os.listdir(top) == ["store"], said


def traces_that_are_there_are_summed_again():
    with tempfile.TemporaryDirectory() as top:
        out = os.path.join(top, "out")
        os.mkdir(out)
        record("--only", "--output", out, "--work", os.path.join(top, "work"), status=0)
        assert not [name for name in os.listdir(out) if name.startswith((".", "tmp"))]
        with open(os.path.join(SOURCE, "share", "paper", "SHA256SUMS")) as f:
            sums = f.read()
        shutil.copyfile(os.path.join(SOURCE, "share", "paper", "mxm-k2.siox"), os.path.join(out, "mxm-k2.siox"))
        record("--only", "--output", out, "--work", os.path.join(top, "work"), status=0)
        with open(os.path.join(out, "SHA256SUMS")) as f:
            line = next(line for line in f if line.endswith("mxm-k2.siox\n"))
        assert line in sums


if __name__ == "__main__":
    globals()[sys.argv[1]]()
