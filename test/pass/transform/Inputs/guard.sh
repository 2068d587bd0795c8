# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# guard.sh SOURCE TEMPORARY [ARGUMENT...]: the program compiled with the pass at every optimisation level prints what it
# prints without it; its record is checked against SOURCE, the same at every level. COMPILE, PASS and RECORD are commands.
set -e
source=$1 out=$2
shift 2
$COMPILE -O0 "$source" "$RECORD" -o "$out.plain"
"$out.plain" "$@" > "$out.want"
for level in ${LEVELS:-0 1 2 3}; do
  $COMPILE -gline-tables-only -O$level $PASS -Xclang -llvm-verify-each "$source" "$RECORD" -o "$out.$level"
  "$out.$level" "$@" > "$out.got" 2> "$out.log"
  cmp "$out.want" "$out.got"
  FileCheck "$source" --match-full-lines --input-file "$out.log"
done
