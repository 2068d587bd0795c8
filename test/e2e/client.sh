#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program with libsiox under a real daemon, without one, and with one that dies or falls silent in the middle: what it
# prints and writes is the same, and at most one line on stderr says what happened.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/own_daemon.sh"
mkdir mount plain
judge() { # judge WHAT LINES: the last run against the plain one
  same "$1: what it prints" plain.out run.out
  same "$1: file" plain/f mount/f
  same "$1: file by shared pointer" plain/f.shared mount/f.shared
  lines "$1" run.err "$2"
  rm -f mount/*
}
interrupted() { # interrupted WHAT LINES COMMAND...: COMMAND strikes after the first round
  local what=$1 lines=$2
  shift 2
  rm -f fifo
  mkfifo fifo
  ranks 4 "$bin/mixed" mount/f 2 fifo >run.out 2>run.err &
  local job=$!
  exec 9>fifo # opens when rank 0 waits
  "$@"
  exec 9>&-
  wait $job || fail "$what: the program ended with $?: $(cat run.err)"
  judge "$what" "$lines"
}

export -n SIOX_SOCKET
ranks 4 "$bin/mixed" plain/f 2 >plain.out 2>plain.err || fail "mixed alone: $(cat plain.err)"
lines "no daemon and none asked for" plain.err 0

start plain record="$work/plain.siox"
ranks 4 "$bin/mixed" mount/f 2 >run.out 2>run.err || fail "mixed under sioxd: $(cat run.err)"
judge "under sioxd" 0
stop
"$bin/trace_ids" plain.siox 4 >ids || fail "the trace's collectives and messages"

SIOX_SOCKET=$work/none.sock ranks 4 "$bin/mixed" mount/f 2 >run.out 2>run.err
judge "no daemon where one was asked for" 1

start killed
interrupted "daemon killed" 1 kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true
daemon=

start stopped
interrupted "daemon stopped" 1 kill -STOP "$daemon"
kill -CONT "$daemon"
stop
