#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mxm without Siox: the same checksum on 1, 4 and 9 ranks, with explicit offsets and with the file pointer, and against a
# product computed from the files by a plain script; a damaged input is noticed.
. "$(dirname "$0")/common.sh"

for n in 1 4 9; do
  ranks $n "$bin/mxm" --n 61 --k 4 --generate --files m$n
  ranks $n "$bin/mxm" --n 61 --k 4 --work 0.1 --files m$n >at.$n
  cp m$n.c at.c
  ranks $n "$bin/mxm" --n 61 --k 4 --work 0.3 --products 2 --seek --files m$n >seek.$n
  same "checksum with the file pointer, $n ranks" at.$n seek.$n
  same "C with the file pointer, $n ranks" at.c m$n.c
  same "checksum on $n ranks and on 1" at.1 at.$n
done

python3 - <<'END' || fail "C is not A * B"
import struct, sys
n, k, w = 61, 4, 16  # one rank: A is slabs of w columns, B and C lie row by row
read = lambda name: struct.unpack('<%dd' % (n * n), open(name, 'rb').read())
a, b, c = read('m1.a'), read('m1.b'), read('m1.c')
def a_at(i, j):
    slab = j // w
    width = min(w, n - slab * w)
    return a[n * slab * w + i * width + j - slab * w]
for i in range(n):
    row = [a_at(i, m) for m in range(n)]
    for j in range(n):
        if sum(row[m] * b[m * n + j] for m in range(n)) != c[i * n + j]:
            sys.exit('element %d,%d' % (i, j))
END

printf 'x' | dd of=m1.b bs=1 seek=4000 conv=notrunc status=none
if ranks 1 "$bin/mxm" --n 61 --k 4 --work 0.1 --files m1 >out 2>err; then
  fail "a damaged input went unnoticed"
fi
grep -q 'm1\.b' err || fail "the message does not name the damaged file: $(cat err)"
