#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs with hints by hand: the example of docs/using.md, cut out of it, compiled with siox-cc from the build tree and
# from an installation, says what it means to the disks; siox-cc and the other tools explain themselves.
. "$(dirname "$0")/common.sh"
store_config 100

sed -n '/^```c$/,/^```$/p' "$SIOX_SOURCE/docs/using.md" | sed '1d;$d' >example.c
[ -s example.c ] || fail "docs/using.md has no example"
cmake --install "$SIOX_BUILD" --prefix "$work/installed" >install.log 2>&1 || fail "installing: $(tail -3 install.log)"

for tool in "$bin/siox-cc" "$work/installed/bin/siox-cc"; do
  (cd / && "$tool" -O2 -Wall -Wextra -Werror -o "$work/example" "$work/example.c") || fail "$tool does not compile the example"
  (cd / && "$tool" -fsyntax-only "$work/example.c") 2>log || fail "$tool -fsyntax-only does not find siox/siox.h"
  siox_run claims "$SIOX_MPIEXEC" -n 1 ./example store/data
  python3 - <<'END' || fail "the example's hints did not arrive"
import json
report = json.load(open("run.json"))
down = [d["disk"] for d in report["disks"] if d["transitions_down"]]
assert report["run"]["requests"] == 2 and report["hints"]["sent"] >= 2, report
assert 0 in down and report["disks"][0]["requests"] == 2, down  # where the 64 KiB lie in the default layout
END
done

"$bin/siox-cc" --help >help || fail "siox-cc --help ends with $?"
head -3 help | grep -q MPICH_CC || fail "siox-cc --help does not begin with its own variables"
"$bin/siox" trace cat --help >help || fail "siox trace cat --help ends with $?"
"$SIOX_SOURCE/tools/demo" --help >help || fail "tools/demo --help ends with $?"
