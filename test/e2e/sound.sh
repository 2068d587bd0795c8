# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced after common.sh and pass.sh by cases about siox run --check-hints.

# checked POLICY RANKS program args...: its status; report in run.json, what was said in err
checked() {
  local policy=$1 n=$2 status=0
  shift 2
  "$bin/siox" run --check-hints --policy "$policy" --config siox.yaml --record "$work/run.siox" --json="$work/run.json" \
    -- "$SIOX_MPIEXEC" -n "$n" "$@" </dev/null >out 2>err || status=$?
  return $status
}
# sound WHAT POLICY RANKS program args...: every request was predicted
sound() {
  local what=$1
  shift
  checked "$@" || fail "$what: status $?: $(cat err)"
  reported "$what" 'r["check"]["passed"] and r["check"]["outside"] == 0 and r["check"]["accesses"] > 0'
}
# unsound WHAT RANKS program args...: requests came to disks that were not predicted, and that is the only thing wrong
unsound() {
  local what=$1 n=$2 status=0
  shift 2
  checked siox "$n" "$@" || status=$?
  [ $status -eq 3 ] || fail "$what: status $status, not 3: $(cat err)"
  reported "$what" 'r["status"] == 0 and r["check"]["outside"] > 0 and len(r["check"]["first_outside"]) > 0'
}
