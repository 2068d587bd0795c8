#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mxm compiled with the pass prints and writes exactly what it does without: at -O0 to -O3, with guarded hints and with
# split loops, on 1 and 4 ranks, under the daemon with policy siox. Every one of the runs does give hints. At -O0 there is
# nothing to split, and the compiler says so.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
store_config 1000 # a change of speed takes milliseconds: short phases are worth hints

size="--n 250 --k 4" # the last slab is narrower than the others
for n in 1 4; do
  ranks $n "$bin/mxm" $size --generate --files store/m$n
  cp store/m$n.a a.$n
  cp store/m$n.b b.$n
done
# compare WHAT RANKS PROGRAM [options...]: PROGRAM under the daemon against ./plain.RANKS and ./plain.RANKS.c
compare() {
  local what="$1 on $2 ranks" n=$2
  shift 2
  rm -f store/m$n.c
  siox_run siox "$SIOX_MPIEXEC" -n $n "$@" $size --files store/m$n >out
  same "stdout, $what" plain.$n out
  same "C, $what" plain.$n.c store/m$n.c
  same "A, $what" a.$n store/m$n.a
  same "B, $what" b.$n store/m$n.b
  [ ! -s err ] || fail "$what: stderr is not empty: $(cat err)"
  reported "$what: hints" 'r["hints"]["sent"] > 0'
}

for level in 0 1 2 3; do
  MPICH_CC=$SIOX_CLANG "$SIOX_MPICC" -std=gnu17 -O$level -o plain "$SIOX_SOURCE/test/apps/mxm.c"
  for n in 1 4; do
    rm -f store/m$n.c
    ranks $n ./plain $size --files store/m$n >plain.$n
    cp store/m$n.c plain.$n.c
  done
  for form in guard split; do
    SIOX_FORM=$form with_pass mxm.c hinted -O$level
    case $form$level in
    split0)
      grep -q 'form=split needs loops in SSA form.*-Rpass-missed=siox' hinted.remarks || fail "-O0 does not say that it cannot split"
      ! grep -q 'split before its last iterations' hinted.remarks || fail "a loop was split at -O0"
      ;;
    split*) grep -q 'split before its last iterations.*-Rpass=siox' hinted.remarks || fail "no loop was split at -O$level" ;;
    guard*) ! grep -q 'split before' hinted.remarks || fail "a loop was split unasked at -O$level" ;;
    esac
    for n in 1 4; do
      compare "-O$level, $form" $n ./hinted
      [ $form$level != split2 ] || compare "-O$level, $form, by file pointer" $n ./hinted --seek
    done
  done
done
