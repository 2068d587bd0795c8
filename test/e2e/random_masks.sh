#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Mutation control: hints that name random disks (SIOX_FAULT) change no output, and make requests wait for at most one
# change of speed a release, none of them longer than one. Nothing decays during the run, so that releases alone slow disks.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
store_config 1000
echo "hold_factor: 100000" >>siox.yaml
transition=$(awk 'BEGIN { print 10.9 * (15000 - 6000) / 15000 / 1000 }') # lowest to full speed, Table I, by the wall clock

with_pass mxm.c hinted -O2
for n in 1 4; do
  ranks $n "$bin/mxm" --n 256 --k 4 --generate --files store/m$n
  ranks $n "$bin/mxm" --n 256 --k 4 --files store/m$n >plain.$n
  cp store/m$n.c plain.$n.c
  for run in "siox 1" "siox 2" "claims 3"; do
    read -r policy seed <<<"$run"
    what="seed $seed under $policy on $n ranks"
    rm -f store/m$n.c
    SIOX_FAULT=masks:$seed siox_run $policy "$SIOX_MPIEXEC" -n $n ./hinted --n 256 --k 4 --files store/m$n >out
    same "stdout, $what" plain.$n out
    same "C, $what" plain.$n.c store/m$n.c
    [ ! -s err ] || fail "$what: stderr is not empty: $(cat err)"
    "$bin/siox" trace cat run.siox --events >events.csv
    "$bin/siox" trace cat run.siox --segments >segments.csv
    python3 "$SIOX_SOURCE/test/check/transition_waits.py" events.csv segments.csv --transition "$transition" >waits ||
      fail "$what: a request waited too long, or all of them did: $(cat waits)"
    cat waits >>all_waits
  done
done
# The disk that holds nothing is claimed by no hint but a wrong one; a run on a busy machine may have few claims.
grep -q '"claimed_disks": .*\b7\]' all_waits || fail "the masks are not random: $(cat all_waits)"

# An unknown fault is none, and is said once.
rm -f store/m4.c
SIOX_FAULT=masks:x siox_run siox "$SIOX_MPIEXEC" -n 4 ./hinted --n 256 --k 4 --files store/m4 >out
same "stdout with an unknown fault" plain.4 out
same "C with an unknown fault" plain.4.c store/m4.c
[ "$(wc -l <err)" -eq 1 ] && grep -q '^siox: SIOX_FAULT: masks:SEED is known, "masks:x" is not' err || fail "an unknown fault: $(cat err)"
