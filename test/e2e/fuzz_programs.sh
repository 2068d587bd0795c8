#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Forty programs of the generator (test/fuzz/programs), one scene each, do with the pass what they do without, and no request is
# outside its prediction; with one disk left out of every mask that same check fails, and so do programs that print or write
# something else with the pass.
. "$(dirname "$0")/common.sh"
run=$SIOX_SOURCE/test/fuzz/programs/run
export PYTHONDONTWRITEBYTECODE=1 TMPDIR=$work

"$run" --seeds 1-40 --once --scenes 0 --jobs 2 || fail "programs of the generator"
status=0
"$run" --seeds 1 --once --scenes 0 --libsiox "$SIOX_BUILD/stripe_lost" >lost 2>&1 || status=$?
[ $status -eq 1 ] && grep -q '^FAILED: seed 1, variant .*: outside$' lost || fail "with a disk lost: status $status: $(cat lost)"

# What the pass must not do: a program that prints more with the pass, and one that leaves more in its files.
mutant() { # NAME, then the text of a header that the program compiled with the pass gets
  printf '%s\n' "$2" >"$work/$1.h"
  printf '#!/bin/sh\ncase "$*" in *-fpass-plugin=*) exec "%s" -include "%s" "$@" ;; esac\nexec "%s" "$@"\n' \
    "$SIOX_CLANG" "$work/$1.h" "$SIOX_CLANG" >"$work/$1.clang"
  chmod +x "$work/$1.clang"
  status=0
  SIOX_CLANG=$work/$1.clang "$run" --seeds 1 --once --scenes 0 >"$1" 2>&1 || status=$?
  [ $status -eq 1 ] && grep -q '^FAILED: seed 1, variant .*: differs$' "$1" && grep -q "$3" "$1" ||
    fail "with a mutation of $1: status $status: $(cat "$1")"
}
mutant printed '#include <stdio.h>
#define printf(...) printf(" " __VA_ARGS__)' 'stdout: first different line'
mutant written '#include <mpi.h>
#define MPI_File_close(f) (MPI_File_write_at(*(f), 1 << 22, "", 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_File_close(f))' 'file'
