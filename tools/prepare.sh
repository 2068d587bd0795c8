# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by tools/check and tools/demo (sourced by bash): installs what packages.txt lists and is missing, configures and
# builds a preset. Sets `root`, the top of the tree. Every failure says what to do and ends the script.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# missing_packages FILTER: names in packages.txt that dpkg does not have installed; FILTER, a command of sed, takes lines out.
missing_packages() {
  local name
  sed "$1;s/#.*//" "$root/packages.txt" | while read -r name; do
    [ -n "$name" ] || continue
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s ' "$name"
  done
}

install_missing() {
  local missing log
  command -v dpkg-query >/dev/null || die "this is not Debian; install the equivalents of packages.txt yourself and use cmake --preset dev"
  if [ "$(id -u)" != 0 ]; then
    missing=$(missing_packages '/# optional:/d')
    [ -z "$missing" ] || die "these packages are missing; install them and start again: sudo apt-get install $missing"
    missing=$(missing_packages '/# optional:/!d')
    [ -z "$missing" ] || echo "not installed, so what needs them is left out (packages.txt): $missing"
    return 0
  fi
  missing=$(missing_packages '')
  [ -n "$missing" ] || return 0
  echo "installing: $missing"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  # shellcheck disable=SC2086 # a list of words
  if ! { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    die "apt-get failed (whole log: $log); install by hand: apt-get install $missing"
  fi
  rm -f "$log"
}

# build PRESET DIRECTORY [TARGET...]: all of it unless targets are named
build() {
  local log
  log=$(mktemp)
  if ! (cd "$root" && cmake --preset "$1") >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    die "configuring preset $1 failed; if $2 was made by another version, remove it and start again"
  fi
  rm -f "$log"
  cmake --build "$2" ${3:+--target "${@:3}"} </dev/null || die "the build in $2 failed; the messages above say where"
}
