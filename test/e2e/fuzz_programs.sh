#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Forty programs of the generator (test/fuzz/programs), one scene each, do with the pass what they do without, and no request is
# outside its prediction; with one disk left out of every mask that same check fails.
. "$(dirname "$0")/common.sh"
run=$SIOX_SOURCE/test/fuzz/programs/run
export PYTHONDONTWRITEBYTECODE=1 TMPDIR=$work

"$run" --seeds 1-40 --once --scenes 0 --jobs 2 || fail "programs of the generator"
status=0
"$run" --seeds 1 --once --scenes 0 --libsiox "$SIOX_BUILD/stripe_lost" >lost 2>&1 || status=$?
[ $status -eq 1 ] && grep -q '^FAILED: seed 1, variant .*: outside$' lost || fail "with a disk lost: status $status: $(cat lost)"
