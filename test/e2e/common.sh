# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by every end-to-end case: its own directory, removed at the end, and short words for what cases say.
set -eu
: "${SIOX_BUILD:?set SIOX_BUILD to the build directory}"
: "${SIOX_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${SIOX_MPIEXEC:=mpiexec}"
bin=$SIOX_BUILD/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/siox-e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SIOX_SOCKET SIOX_CONFIG SIOX_JOB 2>/dev/null || true

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}
same() { # same WHAT A B: files byte-identical
  cmp "$2" "$3" || fail "$1"
}
ranks() { # ranks N program args...
  local n=$1
  shift
  "$SIOX_MPIEXEC" -n "$n" "$@" </dev/null
}
