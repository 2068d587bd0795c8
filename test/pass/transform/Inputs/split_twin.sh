# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# split_twin.sh TEMPORARY SEED LOOPS [wrap]: a program of split_twin.py runs the same iterations with split loops as without
# the pass, at every level and lead; without wrap each hint comes exactly where it has to, too. COMPILE, PASS and PYTHON are
# commands.
set -e
here=$(dirname "$0") out=$1
$PYTHON "$here/split_twin.py" "$2" "$3" $4 > "$out.c"
flags="-I$here"
# The program itself must be one whose meaning is known.
[ "$4" ] && flags="$flags -fwrapv" || sanitize="-fsanitize=undefined -fno-sanitize-recover=all"
$COMPILE -O1 $flags -c "$here/split_twin.c" -o "$out.o"
$COMPILE -O0 $flags $sanitize "$out.c" "$out.o" -o "$out.plain"
"$out.plain" > "$out.want" 2> "$out.log"
for level in 1 2 3; do
  SIOX_FORM=split $COMPILE -gline-tables-only -O$level $flags $PASS -Xclang -llvm-verify-each "$out.c" "$out.o" -o "$out.$level"
  for lead in 0 1 2 5 8 1000000; do
    LEAD=$lead "$out.$level" > "$out.got" 2> "$out.log"
    cmp "$out.want" "$out.got"
    [ "$4" ] || grep "wrong 0$" "$out.log"
  done
done
# The loops were split: with such a lead a hint comes in every run of a split loop that has an iteration.
set -- $(tail -1 "$out.log")
[ $((3 * $4)) -gt "$2" ]
