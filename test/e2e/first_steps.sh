#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The README's commands, cut out of it and run line by line as they stand, from the top of the tree: they work, and the
# report shows accesses. Only the places differ: this build, a mount of the test's own, a socket of its own.
. "$(dirname "$0")/common.sh"
export SIOX_SOCKET=$work/siox.sock SIOX_MOUNT=$work/store
mkdir store commands
printf '#!/bin/sh\nexec %s "$@"\n' "$SIOX_MPIEXEC" >commands/mpiexec # MPICH's, by that name
chmod +x commands/mpiexec
PATH=$work/commands:$PATH

sed -n '/^```sh$/,/^```$/p' "$SIOX_SOURCE/README.md" | sed '1d;$d' >steps
grep -q 'siox run' steps || fail "the README has no commands"
sed -i "s#\$PWD/build/bin#$bin#; s#/tmp/siox#$work/store#g; s#build/mxm#$work/mxm#g; s/--work [0-9.]*/--work 0.1/" steps
(cd "$SIOX_SOURCE" && bash -e "$work/steps") >out 2>err </dev/null || fail "a step fails: $(cat err)"
grep -q ' [1-9][0-9]* requests, 0 predictions missed' err || fail "the report has no requests: $(cat err)"
grep -q 'saved' err && ! grep -q 'no access was below' err || fail "no report: $(cat err)"
