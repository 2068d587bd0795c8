#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joules of a scripted sequence through the real daemon equal the closed form, also with eight processes spinning beside
it: the script gives its own arrival stamps (clock: stamped). The closed form is computed here from the figures of the
paper's Table I (facts of the IBM Ultrastar 36Z15) and of a linear ramp; nothing of Siox is used."""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import FULL, NEVER, SECOND, Daemon, close_to  # noqa: E402

RPM = (6000, 9000, 12000, 15000)
MIB = 1 << 20


def idle_w(rpm):
    return 2.5 + 7.7 * (rpm / 15000) ** 2


def ramp_s(a, b):
    return 10.9 * abs(a - b) / 15000


def ramp_j(a, b):
    """Rule b: idle power integrated along a linear ramp between the two speeds."""
    x, y = a / 15000, b / 15000
    return ramp_s(a, b) * (2.5 + 7.7 * (x * x + x * y + y * y) / 3)


def service_s(rpm, size, sequential):
    seconds = (0 if sequential else 0.0034) + 30 / rpm + size / (55e6 * rpm / 15000)
    return round(seconds * SECOND) / SECOND


def base_sequence():
    """Two requests on each disk at full speed, 60 s: idle and active watts only."""
    with Daemon(policy="base", disks=4) as daemon:
        client = daemon.client().join(time=0)
        number, _ = client.open(daemon.file("a", 8 * MIB), "0:4:64K", time=0)
        busy = service_s(15000, 65536, False) + service_s(15000, 65536, True)
        first = client.io(number, 0, 4 * 65536, 10 * SECOND)
        assert first == 10 * SECOND + round(service_s(15000, 65536, False) * SECOND), first
        client.io(number, 4 * 65536, 4 * 65536, 30 * SECOND)
        client.io(number, 0, 0, 60 * SECOND)  # touches no disk: only says that it is 60 s now
        tool = daemon.client()
        client.close()
        report = tool.ask("finish")
        for disk in report["disks"]:
            close_to(disk["joules"]["active"], busy * (idle_w(15000) + 3.3))
            close_to(disk["joules"]["idle"], (60 - busy) * idle_w(15000))
            close_to(disk["joules"]["total"], 60 * idle_w(15000) + busy * 3.3)
        attributed = sum(job["joules"]["total"] for job in report["jobs"]) + report["unattributed"]["joules"]["total"]
        close_to(attributed, sum(disk["joules"]["total"] for disk in report["disks"]))
        return [disk["joules"] for disk in report["disks"]]


def static_sequence():
    """static:9000: down at the start, one request served at 9000 RPM, and the way back charged at the end."""
    with Daemon(policy="static:9000", disks=2) as daemon:
        client = daemon.client().join(time=0)
        number, _ = client.open(daemon.file("a", MIB), "0:2:64K", time=0)
        arrival = 20 * SECOND
        assert client.io(number, 0, 65536, arrival) == arrival + round(service_s(9000, 65536, False) * SECOND)
        client.io(number, 0, 0, 40 * SECOND)
        tool = daemon.client()
        client.close()
        disks = tool.ask("finish")["disks"]
        ramp = ramp_s(15000, 9000)
        for disk, busy in zip(disks, (service_s(9000, 65536, False), 0)):
            close_to(disk["joules"]["down"], ramp_j(15000, 9000))
            close_to(disk["joules"]["up"], ramp_j(9000, 15000))
            close_to(disk["joules"]["total"],
                     2 * ramp_j(15000, 9000) + (40 - ramp) * idle_w(9000) + busy * 3.3)
        return [disk["joules"] for disk in disks]


def claims_sequence():
    """claims: a hint takes disk 0 down to 6000 RPM and another, 30 s later, back up; disk 1 is left alone."""
    with Daemon(policy="claims", disks=2, hold_factor=1000) as daemon:
        client = daemon.client().join(time=0)
        client.claim(0, [(0, 2, FULL, 1, 0, NEVER)])
        client.claim(10 * SECOND, [(0, 1, 6000, 0, 0, 0)])
        client.claim(40 * SECOND, [(0, 1, FULL, 1, 0, NEVER)])
        number, _ = client.open(daemon.file("a", MIB), "1:1:64K", time=50 * SECOND)
        client.io(number, 0, 0, 60 * SECOND)
        tool = daemon.client()
        client.close()
        disks = tool.ask("finish")["disks"]
        ramp = ramp_s(15000, 6000)
        close_to(disks[0]["joules"]["down"], ramp_j(15000, 6000))
        close_to(disks[0]["joules"]["up"], ramp_j(6000, 15000))
        close_to(disks[0]["joules"]["total"],
                 2 * ramp_j(15000, 6000) + (30 - ramp) * idle_w(6000) + (30 - ramp) * idle_w(15000))
        close_to(disks[1]["joules"]["total"], 60 * idle_w(15000))
        assert disks[0]["transitions_down"] == disks[0]["transitions_up"] == 1
        return [disk["joules"] for disk in disks]


def spin():
    while True:
        pass


def main():
    sequences = (base_sequence, static_sequence, claims_sequence)
    quiet = [sequence() for sequence in sequences]
    spinners = [multiprocessing.Process(target=spin, daemon=True) for _ in range(8)]
    for process in spinners:
        process.start()
    try:
        loaded = [sequence() for sequence in sequences]
    finally:
        for process in spinners:
            process.kill()
    assert loaded == quiet, (loaded, quiet)  # to the last bit


main()
