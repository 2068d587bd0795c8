#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program without hints beside mxm hinted by hand.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/beside.sh"
reader_beside "$bin/mxm_hinted"
