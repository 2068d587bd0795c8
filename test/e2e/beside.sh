# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced after common.sh by cases about a program without hints beside one with hints.

# reader_beside MXM: the reader beside MXM (mxm with hints) on the same disks reads the right data, and in each burst it
# waits for at most one change of speed (6.54 s of the disks' own time, Table I; 0.654 s here) beyond what serving takes.
reader_beside() {
  store_config 10
  cat >>layouts.yaml <<'END'
- {file: "r", layout: "0:8:64K"}
END

  ranks 1 "$bin/mxm" --n 512 --k 3 --generate --files store/m
  ranks 1 "$bin/mxm" --n 512 --k 3 --work 0.1 --files store/m >mxm.right
  ranks 1 "$bin/reader" --generate store/r
  ranks 1 "$bin/reader" --rest-ms 0 store/r >right
  siox_run siox bash -c "
    $SIOX_MPIEXEC -n 1 $1 --n 512 --k 3 --work 20 --files store/m >mxm.out & mxm=\$!
    LD_PRELOAD=$SIOX_BUILD/lib/libsiox.so $SIOX_MPIEXEC -n 1 $bin/reader --bursts 5 --pieces 4 --rest-ms 700 store/r >reader.out
    status=\$?
    wait \$mxm && exit \$status"
  same "data of the reader" right reader.out
  same "result beside the reader" mxm.right mxm.out
  "$bin/siox" trace cat run.siox --json >events
  python3 - <<'END' || fail "a burst waited too long"
import json
import sys
reader = None
requests = []
for line in open("events"):
    event = json.loads(line)
    if event["event"] == "client" and event["program"].endswith("reader"):
        reader = event["client"]
    if event["event"] == "io" and event["client"] == reader:
        requests.append((event["start_ns"], event["end_ns"] - event["start_ns"]))
if len(requests) != 20:
    sys.exit("%d requests of the reader were recorded, not 20" % len(requests))
requests.sort()
for burst in range(5):
    taken = sum(latency for _, latency in requests[4 * burst:4 * burst + 4])
    # 4 x 256 KiB: seek, rotation and transfer of both programs stay far below 0.1 s
    if taken > 0.654e9 + 0.1e9:
        sys.exit("burst %d waited %.3f s" % (burst, taken / 1e9))
END
}
