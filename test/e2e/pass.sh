# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced after common.sh by cases about programs compiled with the pass.

# with_pass SOURCE OUT [options...]: compiled by siox-cc; its remarks are in OUT.remarks
with_pass() {
  local source=$SIOX_SOURCE/test/apps/$1 out=$2
  shift 2
  "$bin/siox-cc" -std=gnu17 "$@" -Rpass=siox -Rpass-missed=siox -o "$out" "$source" 2>"$out.remarks" ||
    fail "siox-cc $* $source: $(cat "$out.remarks")"
}
# report EXPRESSION: its value over r, the report of the last siox_run
report() {
  python3 -c 'import json, sys; print(eval(sys.argv[1], {"r": json.load(open("run.json"))}))' "$1"
}
# reported WHAT EXPRESSION: an expression over r that must hold
reported() {
  [ "$(report "$2")" = True ] || fail "$1: not so: $2 in $(cat run.json)"
}
