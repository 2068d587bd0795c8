#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The yardstick measures up: hints by hand get at least 95 % of what was possible without delaying any request
# (test/check/optimum.py), and delay none.
. "$(dirname "$0")/common.sh"
store_config 10

n=1024 k=4
ranks 1 "$bin/mxm" --n $n --k $k --generate --files store/m
once=$(ranks 1 "$bin/mxm" --n $n --k $k --work 0.1 --time --files store/m 2>&1 >/dev/null | sed -n 's/.*multiply \([0-9.]*\) s/\1/p' | sort -n | head -1)
amount=$(awk -v t="$once" 'BEGIN { printf "%.1f", int(6 / t + 0.5) / 10 }') # phases of six seconds, a minute of the disks' own
siox_run siox "$SIOX_MPIEXEC" -n 1 "$bin/mxm_hinted" --n $n --k $k --work "$amount" --files store/m >out
"$bin/siox" trace cat run.siox --segments >segments.csv
python3 "$SIOX_SOURCE/test/check/optimum.py" segments.csv --profile "$SIOX_SOURCE/share/drives/36Z15.yaml" --time-scale 10 --least 0.95 ||
  fail "hints by hand (phases of about 6 s)"
