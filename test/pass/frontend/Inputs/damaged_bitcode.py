# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged_bitcode.py SIOX-OPT TEMPORARY COMMAND...: a module made by COMMAND, with bits turned at 60 places (a fixed sequence):
siox-opt ends with 0 or 1 and a message, and where it fails there is no output."""
import os
import random
import subprocess
import sys

opt, temporary, *command = sys.argv[1:]
SOURCE = """#include <mpi.h>
static double b[64];
struct part { long first; MPI_File f; };
double f(struct part *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    MPI_File_read_at(p->f, p->first + i * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int k = 0; k < 64; k++)
      s += b[k] * i;
  }
  return s;
}
"""
source, module, output = temporary + ".c", temporary + ".bc", temporary + ".out"
with open(source, "w") as f:
    f.write(SOURCE)
subprocess.run([*command, "-emit-llvm", "-c", source, "-o", module], check=True)
with open(module, "rb") as f:
    good = f.read()
random.seed(5)
failed = 0
for n in range(60):
    bad = bytearray(good[:random.randrange(len(good))] if n % 6 == 0 else good)
    for _ in range(random.choice((1, 2, 8)) if bad else 0):
        bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
    with open(module, "wb") as f:
        f.write(bad)
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([opt, module, "-o", output], capture_output=True, timeout=60)
    assert done.returncode in (0, 1), f"{n}: status {done.returncode}"
    assert done.returncode == 0 or (b"error:" in done.stderr and not os.path.exists(output)), f"{n}: {done.stderr[-500:]}"
    failed += done.returncode
assert failed > 20, failed
