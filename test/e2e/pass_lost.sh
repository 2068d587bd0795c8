#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mxm compiled with the pass, on 4 ranks, when things fail: no daemon, a daemon killed or stopped in mid-run, a database that
# cannot be written. The result is right, and the job says what happened in one line, or in none when nobody asked for a daemon.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/own_daemon.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
mkdir mount
size="--n 512 --k 8"

# judge WHAT LINES: the last run, its stderr in run.err, against the plain one
judge() {
  same "$1: what it prints" plain.out run.out
  same "$1: C" plain.c mount/m.c
  grep -v '^mxm: ' run.err >said || true # --time
  lines "$1" said "$2"
}
run() { # run WHAT LINES
  rm -f mount/m.c
  ranks 4 ./hinted $size --files mount/m >run.out 2>run.err || fail "$1: the program ended with $?: $(cat run.err)"
  judge "$1" "$2"
}
# struck WHAT SIGNAL: the daemon gets SIGNAL after the first phase of a rank. Every rank must have two more phases ahead of
# it, or the strike came too late: then again with more to compute.
struck() {
  local what=$1 signal=$2 amount line job rank
  for amount in 2 10 50; do
    start "$signal"
    rm -f mount/m.c fifo
    mkfifo fifo
    ranks 4 ./hinted $size --work $amount --time --files mount/m >run.out 2>fifo &
    job=$!
    exec 9<fifo
    : >run.err
    while IFS= read -r line <&9; do
      printf '%s\n' "$line" >>run.err
      [[ $line != "mxm: rank "*": phase 0: "* ]] || break
    done
    kill "-$signal" "$daemon"
    cat <&9 >after
    exec 9<&-
    cat after >>run.err
    wait $job || fail "$what: the program ended with $?: $(cat run.err)"
    if [ "$signal" = KILL ]; then
      wait "$daemon" 2>/dev/null || true
      daemon=
    else
      kill -CONT "$daemon"
      stop
    fi
    for rank in 0 1 2 3; do
      grep -q "^mxm: rank $rank: phase 2: " after || continue 2
    done
    judge "$what" 1
    return
  done
  fail "$what: the strike always came too late"
}

with_pass mxm.c hinted -O2
export -n SIOX_SOCKET
ranks 4 "$bin/mxm" $size --generate --files mount/m
ranks 4 "$bin/mxm" $size --files mount/m >plain.out
cp mount/m.c plain.c

run "no daemon and none asked for" 0
export SIOX_SOCKET=$work/none.sock
run "no daemon where one was asked for" 1

start unwritable database="$work/no/such/directory/siox.db"
run "a database that cannot be written" 0 # that is the daemon's matter, and it is the daemon who says so
stop
[ "$(grep -c 'siox.db: unable to open' sioxd.err)" -eq 1 ] && [ "$(grep -c 'siox.db' sioxd.err)" -eq 2 ] &&
  grep -q 'siox.db: [0-9]* records are lost$' sioxd.err || fail "the daemon does not say once that it cannot write its database: $(cat sioxd.err)"

unset SIOX_SOCKET
store_config 1000
echo "database: $work/no/such/directory/siox.db" >>siox.yaml
cp mount/m.a mount/m.b store
siox_run siox "$SIOX_MPIEXEC" -n 4 ./hinted $size --files store/m >out
same "siox run with a database that cannot be written: what it prints" plain.out out
same "siox run with a database that cannot be written: C" plain.c store/m.c
[ "$(wc -l <err)" -eq 1 ] && grep -q '^siox run: the daemon cannot write its database: ' err ||
  fail "siox run does not say once that the database cannot be written: $(cat err)"

struck "daemon killed" KILL
struck "daemon stopped" STOP
