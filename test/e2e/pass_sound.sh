#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No request of a program compiled with the pass touches a disk that was not predicted (siox run --check-hints): mxm, relay
# and reader on 1 to 4 ranks, under each policy that listens. With one disk left out of every mask, or random ones instead,
# the same check fails.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
. "$SIOX_SOURCE/test/e2e/sound.sh"
store_config 1000 # a change of speed takes milliseconds: short phases are worth hints
cat >>layouts.yaml <<'END'
- {file: "r", layout: "0:8:64K"}
END
with_pass mxm.c mxm -O2
with_pass relay.c relay -O2 -D_GNU_SOURCE -lm
with_pass reader.c reader -O2
ranks 1 "$bin/reader" --generate store/r

for n in 1 4; do
  ranks $n "$bin/mxm" --n 256 --k 4 --generate --files store/m$n
  for policy in siox rt claims com; do
    sound "mxm on $n ranks under $policy" $policy $n ./mxm --n 256 --k 4 --files store/m$n
  done
  sound "mxm -O2 by file pointer on $n ranks" siox $n ./mxm --n 256 --k 4 --seek --files store/m$n
done
for n in 1 2 3 4; do
  sound "relay on $n ranks" siox $n ./relay --n $((48 * n)) --steps 3 --work 0.1 store/relay.a store/relay.b
  sound "relay on $n ranks, striping not told" siox $n ./relay --no-info --n $((48 * n)) --steps 2 --work 0.1 store/x.a store/x.b
  sound "reader on $n ranks" siox $n ./reader --rest-ms 20 store/r
  reported "reader on $n ranks: pauses are seen" 'r["check"]["windows"]["used"] > 0'
done

unsound "mxm with a disk lost" 4 env LD_LIBRARY_PATH="$SIOX_BUILD/stripe_lost" ./mxm --n 256 --k 4 --files store/m4
unsound "relay with a disk lost" 1 env LD_LIBRARY_PATH="$SIOX_BUILD/stripe_lost" ./relay --n 128 --steps 2 --work 0.1 store/x.a store/x.b
unsound "reader with a disk lost" 2 env LD_LIBRARY_PATH="$SIOX_BUILD/stripe_lost" ./reader --rest-ms 20 store/r
unsound "mxm with random masks" 1 env SIOX_FAULT=masks:1 ./mxm --n 256 --k 4 --files store/m1
