#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A file that argv names and of whose striping neither the program nor the compiler knows anything: its layout comes from
# the daemon's layouts.yaml, or from where the file was made. With pauses of two seconds (20 s of the disks' own) the program
# compiled with the pass saves joules on the disks of the file and on the others, and touches no disk unpredicted.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
store_config 10
echo '- {file: "*.dat", layout: "1:3:64K"}' >>layouts.yaml
MPICH_CC=$SIOX_CLANG "$SIOX_MPICC" -std=gnu17 -O2 -o plain "$SIOX_SOURCE/test/apps/sampler.c"
with_pass sampler.c hinted -O2

make() { # make FILE [options...]: 32 MB by way of the daemon
  local file=$1
  shift
  siox_run siox env LD_PRELOAD="$SIOX_BUILD/lib/libsiox.so" "$SIOX_MPIEXEC" -n 1 "$bin/reader" --generate --megabytes 32 "$@" "$file"
}
saves() { # saves FILE DISKS: FILE lies on DISKS, a list as Python prints it
  ranks 1 ./plain "$1" 4 40 1 >plain.out
  siox_run siox "$SIOX_MPIEXEC" -n 1 ./hinted "$1" 4 40 50 >out
  same "stdout with $1" plain.out out
  reported "$1: disks" '[d["disk"] for d in r["disks"] if d["requests"]] == '"$2"
  # At full speed each disk takes an eighth of the base's joules, and those of the file a little more.
  reported "$1: energy saved on every disk" 'all(d["joules"]["total"] < r["base"]["joules"] / 8 for d in r["disks"])'
  reported "$1: nothing unpredicted" 'r["run"]["missed"] == 0'
}

make store/named.dat
saves store/named.dat "[1, 2, 3]"
make store/kept --layout 5:2:64K
saves store/kept "[5, 6]"
