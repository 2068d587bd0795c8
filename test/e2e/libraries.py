#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that do their MPI-IO through HDF5 and PnetCDF, compiled with siox-cc, and the tables of those libraries against
their symbols. libraries.py CASE; exits with 77 where a library is not installed."""
import csv
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import SIOX, Place  # noqa: E402

SOURCE, BUILD = os.environ["SIOX_SOURCE"], os.environ["SIOX_BUILD"]
MPIEXEC = os.environ.get("SIOX_MPIEXEC", "mpiexec")
PACKAGES = {"hdf5": "hdf5-mpich", "pnetcdf": "pnetcdf"}
STEPS, WORK = 6, 8000000  # about a tenth of a second a step: on disks a hundred times faster a gap pays from 44 ms


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def flags(library):
    try:
        return output("pkg-config", "--cflags", "--libs", PACKAGES[library]).split()
    except (OSError, subprocess.CalledProcessError):
        print(f"skipped: pkg-config knows no {PACKAGES[library]}")
        sys.exit(77)


def paths(library, *names):
    """Shared libraries of these names, where the compiler would find them."""
    search = [flag for flag in flags(library) if flag.startswith("-L")]
    found = [output("clang-19", *search, "-print-file-name=" + name).strip() for name in names]
    given = [os.path.join(flag[2:], name) for flag in search for name in names]
    found = [path for path in given + found if os.path.isabs(path) and os.path.exists(path)]
    assert found, names
    return found


def symbols(library, *names):
    """Functions that these libraries define."""
    return {line.split()[-1].split("@")[0] for path in paths(library, *names)
            for line in output("nm", "-D", "--defined-only", path).splitlines() if " T " in line}


def run_steps(library, writes):
    """The check and the trace of a run: every call that wrote the steps' data carries the library's place."""
    more = flags(library)
    with Place() as place:
        program, trace = os.path.join(place.directory, "steps"), os.path.join(place.directory, "t.siox")
        source = os.path.join(SOURCE, "test", "apps", f"{library}_steps.c")
        output(os.path.join(BUILD, "bin", "siox-cc"), "-O2", source, "-o", program, *more, "-lm")
        report = os.path.join(place.directory, "report.json")
        process = place.run(MPIEXEC, "-n", "2", program, os.path.join(place.mount, "f"), str(STEPS), str(WORK), options=[
            "--check-hints", f"--json={report}", "--record", trace, "--set", "time_scale=100"])
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        with open(report) as f:
            check = json.load(f)["check"]
        rows = list(csv.DictReader(output(SIOX, "trace", "cat", trace).splitlines()))
    assert check["passed"] and check["outside"] == 0 and check["accesses"] > 0, err
    sites = {row["site"]: json.loads(row["detail"]) for row in rows if row["event"] == "site"}
    moved = [row for row in rows if row["event"] == "io" and int(row["bytes"]) >= 2 * 32768 * 8 // 2]
    assert len(moved) >= STEPS, err
    for row in moved:
        site = sites[row["site"]]
        assert (site["call"], os.path.basename(site["source"])) == (writes, f"{library}_steps.c"), site
    return check, err


def hdf5_calls_are_named_and_within_the_prediction():
    run_steps("hdf5", "H5Dwrite")


def pnetcdf_calls_are_named_and_within_the_prediction():
    if not any("libmpich" in output("ldd", path) for path in paths("pnetcdf", "libpnetcdf.so")):
        print("skipped: libpnetcdf is built for another MPI than MPICH")
        sys.exit(77)
    run_steps("pnetcdf", "ncmpi_put_vara_double_all")


def rows(library):
    with open(os.path.join(SOURCE, "include/siox", library + ".def")) as f:
        return re.findall(r'^SIOX_CONTEXT\("([\w*]+)", (\w+)\)', f.read(), re.M)


def row_of(table, name):
    return next((kind for pattern, kind in table
                 if (name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern)), None)


def every_row_names_a_routine():
    for library, files in (("hdf5", ("libhdf5.so", "libhdf5_hl.so")), ("pnetcdf", ("libpnetcdf.so",))):
        known = symbols(library, *files)
        for pattern, _ in rows(library):
            if pattern.endswith("*"):
                assert any(name.startswith(pattern[:-1]) for name in known), pattern
            else:
                assert pattern in known, pattern


def every_routine_that_moves_data_has_a_row_of_its_class():
    table = rows("hdf5")
    for name in symbols("hdf5", "libhdf5.so", "libhdf5_hl.so"):
        match = re.fullmatch(r"H5(?:A|D|DO|LT|IM|TB|PT)(read|write|append|make|set_attribute|get_attribute)\w*", name)
        if match and not re.search(r"_info|_ndims|_by_idx$|_disk$", name):
            wanted = "READ" if match.group(1) in ("read", "get_attribute") else "WRITE"
            assert row_of(table, name) == wanted, (name, row_of(table, name))
    table = rows("pnetcdf")
    for name in symbols("pnetcdf", "libpnetcdf.so"):
        match = re.fullmatch(r"ncmpi_m?(put|get)_var\w*", name)
        if match:
            assert row_of(table, name) == {"put": "WRITE", "get": "READ"}[match.group(1)], name
        elif re.match(r"ncmpi_(i|b)(put|get)", name):
            assert row_of(table, name) in (None, "OTHER"), name


if __name__ == "__main__":
    globals()[sys.argv[1]]()
