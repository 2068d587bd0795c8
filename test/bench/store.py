#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows a second into each database of the store beside bare loops, and what is dropped at rates beyond that.
Usage: SIOX_BUILD=build test/bench/store.py [DIRECTORY of the files]"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import postgres  # noqa: E402

LOAD = os.path.join(os.environ["SIOX_BUILD"], "bin", "store_load")


def load(*words):
    subprocess.run([LOAD, *words], check=True)


def main():
    directory = tempfile.mkdtemp(prefix="siox-bench.", dir=sys.argv[1] if len(sys.argv) > 1 else None)
    try:
        def new(name):
            return os.path.join(directory, name)
        load("--bare", new("bare.db"))
        load(new("a.db"), "csv:" + new("a"))
        server = postgres.Server() if postgres.tool("initdb") else None
        if server:
            with server:
                load(server.url())
                load("--pipeline", server.url())
                for rate in "100000", "1000000":
                    load("--flood", rate, server.url())
        else:
            print("no PostgreSQL server here")
        for rate in "100000", "1000000":
            load("--flood", rate, new(rate + ".db"))
            load("--flood", rate, "csv:" + new(rate))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
