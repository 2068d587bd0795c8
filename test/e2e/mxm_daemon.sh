#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mxm under the daemon prints and writes exactly what it does without: unhinted and hinted by hand, on 1 and 4 ranks, with
# explicit offsets and the file pointer, under every policy.
. "$(dirname "$0")/common.sh"
store_config 10

for n in 1 4; do
  ranks $n "$bin/mxm" --n 128 --k 4 --generate --files store/m$n
  ranks $n "$bin/mxm" --n 128 --k 4 --work 0.1 --files store/m$n >plain.$n
  cp store/m$n.c plain.c
  for policy in base static:9000 rt claims siox; do
    for seek in "" --seek; do
      rm -f store/m$n.c
      siox_run $policy "$SIOX_MPIEXEC" -n $n "$bin/mxm_hinted" --n 128 --k 4 --work 0.1 $seek --files store/m$n >out
      same "stdout of the hinted program under $policy on $n ranks" plain.$n out
      same "C of the hinted program under $policy on $n ranks" plain.c store/m$n.c
    done
  done
  rm -f store/m$n.c
  siox_run siox env LD_PRELOAD="$SIOX_BUILD/lib/libsiox.so" "$SIOX_MPIEXEC" -n $n "$bin/mxm" --n 128 --k 4 --work 0.1 --files store/m$n >out
  same "stdout of the unhinted program on $n ranks" plain.$n out
  same "C of the unhinted program on $n ranks" plain.c store/m$n.c
done
