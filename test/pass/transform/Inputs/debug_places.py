# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""debug_places.py FILE.ll FUNCTION: fails when an instruction of the function other than a phi has no debug location."""
import re
import sys

with open(sys.argv[1]) as f:
    body = re.search(r"^define [^\n]*@" + sys.argv[2] + r"\(.*?^}", f.read(), re.M | re.S).group(0).splitlines()[1:-1]
lost = [line for line in body if re.match(r" +\S", line) and not re.match(r" +#dbg_", line)
        and not re.search(r"= phi |; No predecessors", line) and "!dbg" not in line]
print("\n".join(lost))
sys.exit(bool(lost) or not body)
