# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the key of the descriptor on standard input with the FNV-1a of the place given as arguments."""
import re
import sys

text = "\n".join(sys.argv[1:]).encode()
key = 0xCBF29CE484222325
for byte in text:
    key = (key ^ byte) * 0x100000001B3 % 2**64
found = int(re.search(r"struct.siox_site { i64 (-?[0-9]+)", sys.stdin.read()).group(1)) % 2**64
sys.exit(0 if key == found else f"key {found:#x}, expected {key:#x} of {text}")
