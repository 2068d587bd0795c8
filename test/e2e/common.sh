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
unset SIOX_SOCKET SIOX_CONFIG SIOX_JOB SIOX_POLICY SIOX_MOUNT SIOX_RECORD 2>/dev/null || true
export XDG_RUNTIME_DIR=$work # the default socket is here: no program of a case meets a daemon of the machine's

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
# store_config TIME_SCALE: eight 36Z15 below ./store; A, B and C of mxm lie apart, disk 7 holds nothing.
store_config() {
  mkdir -p store
  cat >layouts.yaml <<END
- {file: "*.a", layout: "0:4:64K"}
- {file: "*.b", layout: "2:4:64K"}
- {file: "*.c", layout: "4:3:64K"}
END
  cat >siox.yaml <<END
socket: $work/siox.sock
mount: $work/store
layouts: $work/layouts.yaml
disks: 8
drive: 36Z15
time_scale: $1
END
}
siox_run() { # siox_run POLICY command...: trace in run.siox, report in run.json
  local policy=$1
  shift
  "$bin/siox" run --quiet --policy "$policy" --config siox.yaml --record "$work/run.siox" --json="$work/run.json" -- "$@" \
    </dev/null 2>err || fail "siox run --policy $policy $*: $(cat err)"
}
