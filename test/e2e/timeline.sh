#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# siox timeline draws one row per disk in the terminal and as well-formed SVG, marks requests on the disks that had some, and
# says which file is wrong.
. "$(dirname "$0")/common.sh"
store_config 10
ranks 1 "$bin/mxm" --n 256 --k 2 --generate --files store/m
siox_run siox "$SIOX_MPIEXEC" -n 1 "$bin/mxm_hinted" --n 256 --k 2 --work 0.1 --files store/m >out

"$bin/siox" timeline run.siox --width 80 >text
[ "$(grep -c '^disk [0-7] ' text)" = 8 ] || fail "not one row per disk: $(cat text)"
grep -q '^disk 7 .*┃' text && fail "a request is marked on disk 7, which holds no file"
grep -q '^disk 6 .*┃' text || fail "the write to disk 6 is not marked"

grep -q ' 6000 RPM ' text || fail "the legend does not say what the speeds are in: $(cat text)"
grep -q '^policy siox, rule b: ' text || fail "the rule for what a change of speed costs is not named: $(cat text)"

"$bin/siox" timeline run.siox --svg t.svg
python3 - <<'END' || fail "the SVG is not what was asked for"
import sys
import xml.etree.ElementTree as tree
rows = [g for g in tree.parse("t.svg").getroot() if g.get("id", "").startswith("disk")]
sys.exit(len(rows) != 8)
END

if "$bin/siox" timeline siox.yaml 2>err; then
  fail "a file that is no trace was drawn"
fi
grep -q 'siox.yaml' err || fail "the message does not name the file: $(cat err)"

for width in 8O 39 1001 "" 99999999999999999999; do
  if "$bin/siox" timeline run.siox --width "$width" >text 2>err; then
    fail "--width '$width' was taken"
  fi
  grep -q -- "--width: .*$width" err || fail "the message does not name --width and '$width': $(cat err)"
done

head -c $(($(stat -c %s run.siox) * 3 / 4)) run.siox >cut.siox
"$bin/siox" timeline cut.siox >text 2>err || fail "a trace without its end was not drawn: $(cat err)"
grep -q 'cut.siox.*as far as it goes' err || fail "nothing says that the trace is cut: $(cat err)"
