#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Profile feedback from end to end: siox run --profile measures a program whose loops last a stated time at the least, the
# same program is planned with what was measured, also when lines were added before the function; one whose function has
# changed is told so; and what cannot be kept is refused before the program runs.
. "$(dirname "$0")/common.sh"
store_config 10
cat >gap.c <<'END'
#include <mpi.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
__attribute__((noinline)) static void work(double seconds) {
  for (double end = now() + seconds; now() < end;)
    ;
}
int main(int argc, char **argv) {
  MPI_File f;
  char block[4096] = {0};
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 20; i++)
      work(0.002);
    MPI_File_write_at(f, k * 4096, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&f);
  return MPI_Finalize();
}
END
"$bin/siox-cc" -O2 -g -o gap gap.c || fail "siox-cc gap.c"

# 20 iterations of at least 2 ms, three times; the nest around them once. Every rank measures.
run() { "$bin/siox" run --quiet --config siox.yaml --profile "$@" </dev/null 2>err; }
run gap.yaml -- "$SIOX_MPIEXEC" -n 2 sh -c 'exec ./gap store/f.$PMI_RANK' || fail "siox run --profile: $(cat err)"
measured() { # measured KIND EXPRESSION: over the fields of the only row of that kind in main
  python3 - "$@" <<'END' || fail "not so: $2 of the $1 in $(cat gap.yaml)"
import re, sys
rows = [dict(re.findall(r'(\w+): "?([^,"}]+)', line)) for line in open("gap.yaml") if line.startswith("  - ")]
row, = [r for r in rows if r["kind"] == sys.argv[1] and r["function"] == "main"]
sys.exit(not eval(sys.argv[2], {k: float(v) if re.fullmatch(r"[\d.]+", v) else v for k, v in row.items()}))
END
}
measured LOOP 'instances == 6 and line == 18 and function_line == 12 and file == "gap.c"'
measured LOOP 'iteration_ns >= 2e6 and iterations >= 10 and region_ns >= 40e6'
measured NEST 'instances == 2 and region_ns >= 120e6'
grep -q '^time_scale: 10$' gap.yaml || fail "no time scale in $(cat gap.yaml)"
grep -q '^drive: "36Z15"$' gap.yaml || fail "no drive in $(cat gap.yaml)"
[ -z "$(ls -d gap.yaml.* 2>/dev/null)" ] || fail "something is left beside gap.yaml"

# The measured time is what the loop is planned with.
plan() { SIOX_DISKS=8 SIOX_PRINT_PLAN=1 "$bin/siox-cc" -O2 -g -c "$1" -o plan.o 2>warnings; }
gap() { sed -n 's/.* main LOOP trip=20 gap=\([0-9]*\)ns measured .*/\1/p'; }
export SIOX_PROFILE=$work/gap.yaml
[ "$(plan gap.c | gap)" -ge 40000000 ] || fail "not planned with the profile: $(plan gap.c)"
[ ! -s warnings ] || fail "warnings about the program that was measured: $(cat warnings)"

mkdir moved changed
{ echo '/* one more line */' && cat gap.c; } >moved/gap.c
[ "$(plan moved/gap.c | gap)" -ge 40000000 ] || fail "lost when the function moved: $(plan moved/gap.c)"
[ ! -s warnings ] || fail "warnings about a function that only moved: $(cat warnings)"
sed 's/  MPI_Init/  block[0] = 1;\n&/' gap.c >changed/gap.c
[ -z "$(plan changed/gap.c | gap)" ] || fail "a changed function is planned with old times"
grep -q 'warning: siox: .*gap.yaml: of the .* regions measured in changed/gap.c .* are not there' warnings ||
  fail "nothing is said of a function that has changed: $(cat warnings)"
unset SIOX_PROFILE

# A program that was not compiled with the pass; a place that cannot be written.
run none.yaml -- "$SIOX_MPIEXEC" -n 1 true || fail "a command without regions: $(cat err)"
grep -q 'no region was measured' err || fail "nothing is said of a profile without regions: $(cat err)"
[ ! -e none.yaml ] || fail "a profile without regions is written"
cp gap.yaml kept.yaml
run kept.yaml -- true
cmp -s gap.yaml kept.yaml || fail "a run that measured nothing replaces the profile of one that did"
status=0
run missing/gap.yaml -- touch ran || status=$?
[ "$status" = 2 ] && [ ! -e ran ] || fail "status $status for a profile that has no place"
grep -q 'siox run: --profile: missing/gap.yaml' err || fail "the place is not named: $(cat err)"
