#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A daemon with a delay budget and a program that needs its disks without an end: one function, one condition.
Usage: pauses.py NAME."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import FULL, NEVER, SECOND, Daemon  # noqa: E402

PAUSE = 4 * SECOND
SEEN = 8  # pauses before the first step


def needs(client, at):
    """Both disks, without an end; then round trips: the daemon's loop has turned, and the table of levels is written."""
    client.claim(at, [(0, client.ndisks, FULL, 1, 0, NEVER)])
    for _ in range(2):
        client.ask("flush")


def bursts(client, number, at, count):
    """Reads of both disks with a pause behind each; returns when the last one began."""
    for _ in range(count):
        at = client.io(number, 0, 1 << 17, at) + PAUSE
    return at - PAUSE


def program(daemon, pauses):
    """Speeds 3 s into the last of so many pauses."""
    client = daemon.client().join(job="endless", time=0)
    number, _ = client.open(daemon.file("a", 1 << 20), "0:2:64K", time=0)
    needs(client, 0)
    last = bursts(client, number, SECOND, pauses)
    needs(client, last + 3 * SECOND)
    return client


def levels_fall_in_pauses_that_nobody_tells_of():
    with Daemon(policy="siox", disks=2, delay_budget=2) as daemon:
        program(daemon, SEEN).reaches([15000, 15000])
    with Daemon(policy="siox", disks=2, delay_budget=2) as daemon:
        program(daemon, SEEN + 1).reaches([12000, 12000])


def without_a_budget_they_do_not():
    with Daemon(policy="siox", disks=2) as daemon:
        program(daemon, 3 * SEEN).reaches([15000, 15000])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
