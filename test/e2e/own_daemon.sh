# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced after common.sh by cases that start, stop and strike a daemon of their own.

daemon=
trap '[ -z "$daemon" ] || kill -CONT "$daemon" 2>/dev/null; [ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null; rm -rf "$work"' EXIT

start() { # start NAME [settings...]: a daemon of its own
  export SIOX_SOCKET=$work/$1.sock
  shift
  local settings=()
  for s in "$@"; do settings+=(--set "$s"); done
  "$bin/sioxd" --set mount="$work/mount" --set disks=4 --set time_scale=1000 "${settings[@]}" 2>"$work/sioxd.err" &
  daemon=$!
  until "$SIOX_SOURCE/test/e2e/wire_ready.py" "$SIOX_SOCKET"; do
    kill -0 "$daemon" 2>/dev/null || fail "sioxd did not start: $(cat sioxd.err)"
  done
}
stop() {
  kill -TERM "$daemon"
  wait "$daemon" || fail "sioxd ended with $?: $(cat sioxd.err)"
  daemon=
}
lines() { # lines WHAT FILE N: N lines, each from siox
  [ "$(wc -l <"$2")" -eq "$3" ] || fail "$1: $(wc -l <"$2") lines on stderr instead of $3: $(cat "$2")"
  [ "$(grep -c '^siox: ' "$2")" -eq "$3" ] || fail "$1: not a line of siox: $(cat "$2")"
}
