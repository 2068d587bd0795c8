#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program without hints beside mxm compiled with the pass.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
. "$SIOX_SOURCE/test/e2e/beside.sh"
with_pass mxm.c hinted -O2
reader_beside ./hinted
