#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mpiio.def and mpinames.def against what MPI says and has: mpi.h, the symbols of libmpich and libmpichfort, and Open MPI's
header where it is installed. calls.py CASE; what cannot be compared here exits with 77 and says why."""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["SIOX_SOURCE"]
BUILD = os.environ["SIOX_BUILD"]
CLANG = os.environ.get("SIOX_CLANG", "clang-19")
INCLUDE = os.environ["SIOX_MPI_INCLUDE"].split(":")
OPEN_MPI = os.environ.get("SIOX_OPENMPI_INCLUDE", "/usr/lib/x86_64-linux-gnu/openmpi/include")
# Conversions of handles have no Fortran names; large counts have them in mpi_f08 alone.
C_ONLY = {"MPI_File_f2c", "MPI_File_c2f"}
IO = re.compile(r"\b(MPI_File_\w+|MPI_Register_datarep(?:_c)?)\s*\(")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rows(name, macro):
    with open(os.path.join(SOURCE, "include/siox", name)) as f:
        return [[field.strip().strip('"') for field in row.split(",")]
                for row in re.findall(rf"^{macro}\(([^\n]*)\)", f.read(), re.M)]


TABLE = {row[0]: dict(zip(("class", "pointer", "span", "group", "width", "file", "offset", "buffer", "count", "datatype"),
                          row[1:])) for row in rows("mpiio.def", "SIOX_MPIIO")}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def prototypes(directory):
    """{routine: [parameter, ...]} of the MPI-IO routines that a header declares."""
    header = os.path.join(directory, "mpi.h")
    found = {}
    for statement in run(CLANG, "-E", "-P", "-I" + directory, header).split(";"):
        match = IO.search(statement)
        if match and "typedef" not in statement and "extern struct" not in statement:
            inside = statement[match.end():]
            inside = inside[:inside.index(")")] if "(" not in inside else inside[:inside.rindex(")")]
            found[match.group(1)] = [p.strip() for p in inside.split(",")]
    return found


def mpich():
    return prototypes(next(d for d in INCLUDE if os.path.exists(os.path.join(d, "mpi.h"))))


def library(name):
    """Defined MPI-IO symbols of a library, or None."""
    path = run(CLANG, "-print-file-name=" + name).strip()
    if not os.path.isabs(path):
        return None
    names = (line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines())
    names = (n.split("@")[0] for n in names)
    return {n for n in names if re.match(r"p?mpir?_(file_|register_datarep)", n, re.I) and not n.startswith("MPIR_")}


def all_names(routine):
    """{symbol: binding} by mpinames.def."""
    found = {}
    for case, prefix in rows("mpinames.def", "SIOX_MPI_PREFIX"):
        for binding, how, suffix in rows("mpinames.def", "SIOX_MPI_NAME"):
            if (how == "LOWER") != (case == "LOWER"):
                continue
            rest = routine[len("MPI_"):]
            found[prefix + {"EXACT": rest, "LOWER": rest.lower(), "UPPER": rest.upper()}[how] + suffix] = binding
    return found


def same(what, left, right):
    assert left == right, f"{what}: missing {sorted(right - left)}, too many {sorted(left - right)}"


def table_and_mpi_h_name_the_same_routines():
    header = set(mpich())
    same("mpiio.def against mpi.h", set(TABLE), header)
    print(len(TABLE), "routines in mpiio.def,", len(header), "in mpi.h")


def roles_follow_from_the_prototypes():
    for routine, parameters in mpich().items():
        row = TABLE[routine]

        def first(*patterns):
            for i, p in enumerate(parameters):
                if any(re.match(pattern, p) for pattern in patterns):
                    return str(i)
            return "-1"

        data = row["class"] in ("READ", "WRITE")
        expected = {"width": "LARGE" if routine.endswith("_c") else "SMALL"}
        if routine not in ("MPI_File_f2c", "MPI_File_create_errhandler"):
            expected["file"] = first(r"MPI_File \*?\w+$")
        if row["class"] in ("SEEK", "VIEW", "SIZE") or data:
            expected["offset"] = first(r"MPI_Offset \w+$")
        if data:
            expected["buffer"] = first(r"(const )?void \*")
            expected["class"] = "READ" if re.match(r"void \*", parameters[int(row["buffer"])]) and "read" in routine else "WRITE"
            expected["count"] = first(r"int count", r"MPI_Count count")
            expected["datatype"] = first(r"MPI_Datatype \w+$")
            expected["span"] = ("NONBLOCKING" if parameters[-1].startswith("MPI_Request *") else
                                "BEGIN" if re.search(r"_begin(_c)?$", routine) else
                                "END" if routine.endswith("_end") else "BLOCKING")
            expected["pointer"] = ("EXPLICIT" if "_at" in routine else
                                   "SHARED" if re.search("_shared|_ordered", routine) else "INDIVIDUAL")
            expected["group"] = "COLLECTIVE" if re.search("_all|_ordered", routine) else "ALONE"
            if expected["count"] != "-1":
                assert parameters[int(expected["count"])].startswith("MPI_Count" if routine.endswith("_c") else "int"), routine
        for key, value in expected.items():
            assert row[key] == value, f"{routine}: {key} is {row[key]}, the prototype {parameters} says {value}"


def libmpich_has_the_same_routines_under_both_names():
    symbols = library("libmpich.so")
    if symbols is None:
        skip("no libmpich.so")
    same("mpiio.def against libmpich", {p + n for n in TABLE for p in ("", "P")}, symbols)
    print(len(symbols), "symbols")


def names_cover_libmpichfort():
    symbols = library("libmpichfort.so")
    if symbols is None:
        skip("no libmpichfort.so: MPICH was built or installed without Fortran")
    named = {}
    for routine in TABLE:
        if routine not in C_ONLY:
            named.update((n, routine) for n, binding in all_names(routine).items() if binding != "C")
    assert symbols <= set(named), f"symbols without a row: {sorted(symbols - set(named))}"
    reached = {named[n] for n in symbols}
    same("routines of libmpichfort", reached, {r for r in TABLE if r not in C_ONLY and not r.endswith("_c")})
    for routine in reached:
        rest = routine[4:]
        for name in ([p + rest.lower() + u for p in ("mpi_", "pmpi_") for u in ("", "_", "__")] +
                     [p + rest.upper() for p in ("MPI_", "PMPI_")]):
            assert name in symbols, f"{name} is not in libmpichfort"
        assert any(n.startswith("mpi_") and "_f08" in n for n in symbols if named[n] == routine), f"{routine} in mpi_f08"
    print(len(symbols), "symbols of", len(reached), "routines")


def open_mpi_has_no_routine_that_is_missing():
    if not os.path.exists(os.path.join(OPEN_MPI, "mpi.h")):
        skip(f"no mpi.h of Open MPI in {OPEN_MPI} (SIOX_OPENMPI_INCLUDE)")
    header = set(prototypes(OPEN_MPI))
    assert header <= set(TABLE), f"routines of Open MPI without a row: {sorted(header - set(TABLE))}"
    same("routines of MPI 3.1", {r for r in TABLE if not r.endswith("_c")}, header)
    print(len(header), "routines")


def libsiox_wraps_every_routine_but_those_apart():
    exported = {line.split()[-1] for line in
                run("nm", "-D", "--defined-only", os.path.join(BUILD, "lib/libsiox.so")).splitlines()}
    wanted = {n for n, row in TABLE.items() if row["class"] != "APART"}
    assert wanted <= exported, f"not wrapped: {sorted(wanted - exported)}"
    # What libmpichfort calls by its PMPI name never comes by the wrapper in C.
    wanted = {"mpi_" + n[4:].lower() + "_f08_" for n, row in TABLE.items()
              if row["class"] not in ("READ", "WRITE", "APART") and not n.endswith("_c")}
    assert wanted <= exported, f"not wrapped in mpi_f08: {sorted(wanted - exported)}"


def every_wrapper_comes_behind_a_stub():
    """The exported name asks first which MPI library it is; the wrapper itself has a hidden name."""
    symbols = [line.split() for line in run("nm", os.path.join(BUILD, "lib/libsiox.so")).splitlines()]
    exported = {s[-1] for s in symbols if len(s) == 3 and s[1] == "T" and re.match(r"MPI_|mpi_.*_f08_$", s[-1])}
    wrappers = {s[-1].removeprefix("siox__wrap_") for s in symbols if s[-1].startswith("siox__wrap_") and s[1] == "t"}
    if not wrappers:
        skip("no stubs for this processor")
    same("wrappers with a stub", exported, wrappers)


def seen(names):
    """Routines that siox-opt sees in a program that calls each name once."""
    text = "".join(f"declare void @{n}()\n" for n in names)
    text += "define void @f() {\n" + "".join(f"  call void @{n}()\n" for n in names) + "  ret void\n}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".ll") as f:
        f.write(text)
        f.flush()
        sites = run(os.path.join(BUILD, "bin/siox-opt"), f.name, "--print-access").splitlines()
    return [line.split()[2] for line in sites]


def the_pass_sees_a_call_under_every_name():
    names = {n: r for r in TABLE if TABLE[r]["class"] != "APART" for n, binding in all_names(r).items()
             if binding == "C" or (r not in C_ONLY and (not r.endswith("_c") or re.search("f08|F08", n)))}
    found = seen(names)
    assert found == list(names.values()), next((n, f) for (n, r), f in zip(names.items(), found + [None] * len(names)) if f != r)
    print(len(names), "names")


def the_pass_takes_no_other_name_for_a_call():
    found = seen(["mpi_file_", "mpi_file_opener_", "xmpi_file_open_", "MPI_file_open", "mpi_file_f2c_", "MPI_File_c2f", "mpi_file_open___",
                  "MPI_File_open_", "pMPI_File_open", "mpi_comm_rank_", "MPI_File", "pmpi", "MPI_"])
    assert not found, found


if __name__ == "__main__":
    globals()[sys.argv[1]]()
