#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# relay prints and writes exactly the same on 1 and 4 ranks, plain, hinted by hand and compiled with the pass, with
# the striping it asks for and without; and it notices data that is not what it wrote.
. "$(dirname "$0")/common.sh"
store_config 10
cat >layouts.yaml <<'END'
- {file: "*.state", layout: "1:4:64K"}
END

options="--n 128 --steps 2 --work 0.1"
(cd "$SIOX_SOURCE/test/apps" && "$bin/siox-cc" -O2 -D_GNU_SOURCE relay.c -o "$work/relay" -lm) || fail "siox-cc relay.c"
ranks 1 "$bin/relay" $options a b >plain
for n in 1 4; do
  ranks $n "$bin/relay" $options --slabs 2 a.$n b.$n >out
  same "stdout on $n ranks" plain out
  same "state A on $n ranks" a a.$n
  same "state B on $n ranks" b b.$n
  for program in "$bin/relay_hinted" "$work/relay"; do
    for info in "" --no-info; do
      rm -rf store && mkdir store
      siox_run siox "$SIOX_MPIEXEC" -n $n "$program" $options $info store/a.state store/b.state >out
      same "stdout of $program $info on $n ranks" plain out
      same "state A of $program $info on $n ranks" a store/a.state
      same "state B of $program $info on $n ranks" b store/b.state
    done
  done
done

# B lies where A was: what A is read as is not what was written.
if ranks 1 "$bin/relay" $options same same >out 2>err; then
  fail "overwritten data went unnoticed"
fi
grep -q 'does not hold what was written' err || fail "the message does not say what is wrong: $(cat err)"
