# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the pass: C and Fortran programs through clang, flang and SioxPass.so or siox-opt, checked with FileCheck.
import os
import shutil
import sys
import lit.formats

config.name = "siox"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".f90", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
build = os.environ["SIOX_BUILD"]
config.test_exec_root = os.path.join(build, "test", "pass", "out")
tools = os.environ["SIOX_LLVM_TOOLS"]

clang = os.environ["SIOX_CLANG"]
include = " ".join("-isystem " + path for path in os.environ["SIOX_MPI_INCLUDE"].split(":"))
opt = os.path.join(build, "bin", "siox-opt")
plugin = os.path.join(build, "lib", "SioxPass.so")
# What clang hands to the pass at the start of its pipeline, at -O0 and at -O2.
emit = clang + " -gline-tables-only " + include + " -S -emit-llvm -Xclang -disable-llvm-passes -o - %s"
# Fortran programs need flang of the same LLVM: "REQUIRES: flang".
flang = shutil.which("flang-new-19") or shutil.which("flang-19")
if flang:
    config.available_features.add("flang")
    flang += " -gline-tables-only " + include.replace("-isystem ", "-I")
config.substitutions += [
    ("%siox-cc", os.path.join(build, "bin", "siox-cc")),
    ("%siox-opt", opt),
    ("%plugin", plugin),
    ("%python", sys.executable),
    ("%include", os.path.join(config.test_source_root, "..", "..", "include")),
    ("%clang", clang + " " + include),
    ("%flang", flang or "flang-new-19"),
    ("%fll0", f"{flang} -O0 -S -emit-llvm -o - %s"),
    ("%ll0", emit + " -O0"),
    ("%ll2", emit + " -O2"),
    ("%filecheck", os.path.join(tools, "FileCheck") + " %s"),
]
config.environment["PATH"] = tools + os.pathsep + os.environ["PATH"]
for name in ("SIOX_LAYOUTS", "SIOX_DISKS", "SIOX_FORM", "SIOX_DRIVE", "SIOX_PRINT_ACCESS", "SIOX_PRINT_PLAN", "SIOX_SUMMARY", "SIOX_TB_NS", "SIOX_LEAD",
             "SIOX_PROFILE", "SIOX_PROFILE_DIR", "SIOX_PAPER_LITERAL", "SIOX_AT_LINK"):
    config.environment.pop(name, None)
