#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A slip on a command line gets one line, which names what is wrong and where help is, and status 2 (siox-opt and siox-cc: 1, as
compilers have it)."""
import os
import subprocess

BIN = os.path.join(os.environ["SIOX_BUILD"], "bin")
GETOPT = ["sioxd", "siox run", "siox timeline", "siox trace", "siox sim", "siox sim import", "siox layout",
          "siox layout optimise", "siox disks", "siox admin", "siox report", "siox db"]
WANTS = {"sioxd": "--config", "siox run": "--config", "siox timeline": "--width", "siox sim": "--sweep", "siox sim import": "--format",
         "siox layout": "--disks", "siox layout optimise": "--max-delay", "siox disks": "--disk", "siox admin": "--uid", "siox db": "--older"}
# what is typed, what has to be named
SLIPS = [
    ("siox nope", '"nope"'), ("siox --nope", "--nope"), ("siox run --json", "command"), ("siox run --check-hints=yes -- true", "--check-hints"),
    ("siox run --nope -- true", "--nope"), ("siox timeline", "trace"), ("siox timeline a b", "one trace"), ("siox trace", "cat"),
    ("siox trace nope", "cat"), ("siox trace cat", "trace"), ("siox trace cat --hdr x", "--hdr"), ("siox trace cat --events --segments x", "--json"),
    ("siox trace cat --header --json x", "--header"), ("siox sim", "SCENARIO"), ("siox sim a b", "one scenario"), ("siox sim --map a b", "--map"),
    ("siox sim --quick", "--map"), ("siox sim import", "INPUT"), ("siox sim import --format xml a b", "--format"), ("siox layout", "FILE"),
    ("siox layout --map --json x", "--json"), ("siox layout optimise", "SCENARIO"), ("siox layout optimise a b", "one"), ("siox disks 3", '"3"'),
    ("siox admin", "action"), ("siox report", "--compare"), ("siox report --compare", "FILE"), ("siox admin level 1", "DISKS"), ("siox db", "command"), ("siox db info", "database"), ("sioxd x", '"x"'),
]
SLIPS += [(f"{command} --nope", "--nope") for command in GETOPT] + [(f"{command} -Z", "-Z") for command in GETOPT]
SLIPS += [(f"{command} {option}", option + " needs a value") for command, option in WANTS.items()]
if os.path.exists(os.path.join(BIN, "siox-opt")):
    SLIPS += [("siox-opt", "input"), ("siox-opt --nope", "--nope"), ("siox-opt -q", "-q"), ("siox-opt --disks", "--disks"), ("siox-opt a b", "more than one"),
              ("siox-cc --siox-nope", "--siox-nope"), ("siox-cc", "no input files"), ("siox-cxx", "no input files"), ("siox-cc --siox-summary", "no input files")]

for typed, named in SLIPS:
    command, *rest = typed.split()
    done = subprocess.run([os.path.join(BIN, command), *rest], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    said = done.stderr.splitlines()
    assert done.returncode == (1 if command in ("siox-opt", "siox-cc", "siox-cxx") else 2), f"{typed}: status {done.returncode}"
    assert len(said) == 1 and named in said[0] and "help" in said[0], f"{typed}: {done.stderr}"
    assert not done.stdout, f"{typed}: prints {done.stdout}"
