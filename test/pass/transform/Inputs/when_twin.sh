# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# when_twin.sh TEMPORARY SEED LOOPS LEVELS: in a program of when_twin.py no access comes in an iteration that the pass had told it
# does not come in, nor before the gaps ahead of it, at each level. COMPILE, PASS, RUNTIME and PYTHON are commands and the sources' directory.
set -e
here=$(dirname "$0") out=$1
$PYTHON "$here/when_twin.py" "$2" "$3" > "$out.c"
$COMPILE -O1 "-I$RUNTIME" -c "$here/when_twin.c" -o "$out.o"
$COMPILE -O1 "-I$RUNTIME" -c "$RUNTIME/client/when_iterations.c" -o "$out.when.o"
for level in $4; do
  $COMPILE -w -gline-tables-only -O$level "-I$here" $PASS -Xclang -llvm-verify-each "$out.c" "$out.o" "$out.when.o" -o "$out.$level"
  "$out.$level" 2> "$out.log"
  cat "$out.log"
  grep -q " wrong 0 " "$out.log"
done
# Much is told, and it excludes iterations: the test would fail if nothing were.
set -- $(tail -1 "$out.log")
[ "$4" -gt $(($2 / 6)) ] && [ "${10}" -gt "$4" ] && [ "${12}" -gt $(($4 / 6)) ]
