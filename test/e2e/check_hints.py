#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox run --check-hints, with scripted ranks that say when each thing happens: one function, one condition. Expected disks
come from a walk over every stripe in Python, times from the paper's Table I. Usage: check_hints.py NAME"""

import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402
from wire import SECOND, close_to  # noqa: E402

K64 = 1 << 16
# Every script: ranks of one job on a file of 16 stripes over four disks. say(client, time, disks, needed, need_by=0)
SCRIPT = """
import os, sys
sys.path.insert(0, {here!r})
from wire import Client, FULL, NEVER, SECOND
S, K64 = SECOND, 1 << 16
def rank(number=0, job=None):
    return Client(os.environ["SIOX_SOCKET"]).join(time=0, job=job or os.environ["SIOX_JOB"], rank=number, size=2)
def say(client, time, disks, needed, need_by=0):
    client.claim(time * S, [(d, 1, FULL if needed else 0, needed, need_by * S, NEVER) for d in sorted(disks)])
path = {path!r}
"""
OUTSIDE = "a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0, 1], 1); a.io(n, 0, 3 * K64, 2 * S)\n"


def run(place, script, *options, policy="siox"):
    """Status, stderr and the report of a script under the check."""
    out = os.path.join(place.directory, "report.json")
    program = SCRIPT.format(here=HERE, path=place.path) + script
    process = place.run(sys.executable, "-c", program, options=[
        "--check-hints", "--policy", policy, "--set", "clock=stamped", f"--json={out}", *options])
    _, err = process.communicate(timeout=120)
    with open(out) as f:
        report = json.load(f)
    return process.returncode, err, report["check"]


def passes(script, **expected):
    with Place() as place:
        status, err, check = run(place, script)
        assert (status, check["passed"], check["outside"], check["why"]) == (0, True, 0, None), (status, err)
        for key, value in expected.items():
            assert check[key] == value, (key, check[key], value, err)


def fails(script, **expected):
    with Place() as place:
        status, err, check = run(place, script)
        assert (status, check["passed"]) == (3, False) and check["why"], (status, err)
        for key, value in expected.items():
            assert check[key] == value, (key, check[key], value, err)


def requests_within_the_prediction_pass():
    passes("a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0, 1, 2], 1); a.io(n, 0, 3 * K64, 2 * S)",
           accesses=1, predicted=3, touched=3, predicted_per_touched=1)


def a_request_outside_the_prediction_is_named_and_fails():
    with Place() as place:
        status, err, check = run(place, OUTSIDE)
        assert status == 3 and not check["passed"] and check["outside"] == check["accesses"] == 1, (status, err)
        first = check["first_outside"][0]
        assert (first["disk"], first["offset"], first["bytes"], first["rank"], first["file"], first["seconds"]) == (
            2, 0, 3 * K64, 0, place.path, 2), first
        assert f"read {place.path}, bytes 0 to {3 * K64 - 1}: disk 2, at 2.000 s" in err, err


def of_many_requests_outside_ten_are_named_and_the_others_counted():
    script = "a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0, 1], 1)\nfor i in range(13): a.io(n, 0, 3 * K64, (2 + i) * S)"
    with Place() as place:
        status, err, check = run(place, script)
        assert status == 3 and check["outside"] == 13, (status, err)
        assert err.count("    outside: rank 0") == 10 and "\n    and 3 more\n" in err, err


def the_commands_own_failure_is_its_status():
    with Place() as place:
        status, err, check = run(place, OUTSIDE + "sys.exit(7)")
        assert status == 7 and not check["passed"], (status, err)


def without_the_option_nothing_is_checked():
    with Place() as place:
        out = os.path.join(place.directory, "report.json")
        process = place.run(sys.executable, "-c", SCRIPT.format(here=HERE, path=place.path) + OUTSIDE,
                            options=["--policy", "siox", "--set", "clock=stamped", f"--json={out}"])
        process.communicate(timeout=120)
        with open(out) as f:
            assert process.returncode == 0 and "check" not in json.load(f)


def a_rank_is_bound_to_what_it_said_itself():
    fails("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); say(b, 1, [1], 1)\n"
          "a.io(n, 0, 2 * K64, 2 * S)", outside=1, outside_but_predicted_by_another_rank=1)


def a_collectives_prediction_is_that_of_all_who_take_part():
    passes("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); say(b, 1, [1], 1)\n"
           "a.io(n, 0, 2 * K64, 2 * S, collective=(77, 5)); b.call(1 * S, 3 * S, (77, 5)); a.call(1 * S, 3 * S, (77, 5))")


def a_disk_predicted_for_a_collective_counts_as_touched_whichever_rank_does_the_io():
    """Rank 0 touches 0 and 1, the latter on rank 1's word; rank 1 held 1 and, for nothing, 3."""
    passes("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); say(b, 1, [1, 3], 1)\n"
           "a.io(n, 0, 2 * K64, 2 * S, collective=(77, 5)); b.call(1 * S, 3 * S, (77, 5)); a.call(1 * S, 3 * S, (77, 5))",
           predicted=4, touched=3)


def what_another_rank_holds_is_not_held_by_this_one():
    """Two ranks in one collective, each does its own part: two disks a rank, held and touched."""
    passes("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0, 1], 1); say(b, 1, [2, 3], 1)\n"
           "a.io(n, 0, 2 * K64, 2 * S, collective=(77, 5)); b.io(n, 2 * K64, 2 * K64, 2 * S, collective=(77, 5))\n"
           "b.call(1 * S, 3 * S, (77, 5)); a.call(1 * S, 3 * S, (77, 5))", predicted=4, touched=4)


def an_unused_window_is_named_with_its_cause():
    """Rank 1 keeps the disk for good; then rank 0 itself wants it back at 3 s."""
    script = ("a, b = rank(0), rank(1); n, _ = a.open(path, '0:1:64K'); say(a, 0, [0], 1); say(b, 0, [0], %d)\n"
              "a.io(n, 0, K64, 0); say(a, 1, [0], 0, need_by=%d); a.io(n, 0, K64, 20 * S)")
    for flag, need_by, keeper in ((1, 18, 1), (0, 3, 0)):
        with Place() as place:
            status, err, check = run(place, script % (flag, need_by))
            first, = check["first_unused"]
            assert status == 0 and first["why"] == "kept" and first["kept_by_rank"] == keeper, (status, err)
            assert (first["disk"], first["used_again"], round(first["to"])) == (0, True, 20), (first, err)
            assert f"disk 0 after no call known ({place.path})" in err, err


def who_takes_part_in_another_collective_does_not_count():
    fails("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); say(b, 1, [1], 1)\n"
          "a.io(n, 0, 2 * K64, 2 * S, collective=(77, 5)); b.call(1 * S, 3 * S, (77, 6)); a.call(1 * S, 3 * S, (77, 5))",
          outside=1)


def a_collectives_prediction_holds_until_all_have_left():
    """Rank 1 returns first and gives its disk up; rank 0 still writes for it."""
    passes("a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); say(b, 1, [1], 1)\n"
           "b.call(1 * S, 2 * S, (77, 5)); say(b, 3, [1], 0)\n"
           "a.io(n, 0, 2 * K64, 4 * S, write=True, collective=(77, 5)); a.call(1 * S, 5 * S, (77, 5))")


# Rank 0 wants stripe 0 and rank 1 stripe 2, or the other way round; rank 0 reads all three for both.
GATHERED = """
a, b = rank(0), rank(1); n, _ = a.open(path, '0:4:64K'); low, high = (a, b) if {order} else (b, a)
say(low, 1, [0], 1); say(high, 1, [2], 1)
low.enter(1 * S, (77, 5), n, 0, K64, low is b, 2, {always})
high.enter(1 * S, (77, {number}), n, 2 * K64, K64, high is b, 2, {always})
a.ask('flush'); b.ask('flush')
a.io(n, 0, 3 * K64, 2 * S, collective=(77, 5)); a.call(1 * S, 3 * S, (77, 5)); b.call(1 * S, 3 * S, (77, 5))
"""


def holes_are_claimed_when_the_last_rank_enters():
    passes(GATHERED.format(order=True, always=True, number=5), predicted=5, touched=5)


def holes_are_claimed_when_ranks_lie_out_of_order():
    passes(GATHERED.format(order=False, always=False, number=5))


def nothing_is_claimed_where_each_rank_does_its_own():
    fails(GATHERED.format(order=True, always=False, number=5), outside=1)


def nothing_is_claimed_before_all_have_entered():
    fails(GATHERED.format(order=True, always=True, number=6), outside=1)


def a_release_predicts_from_its_time_of_next_use_on():
    script = "a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 0, need_by=20); a.io(n, 0, K64, %d * S)"
    passes(script % 25)
    fails(script % 15, outside=1)


def under_another_policy_a_release_predicts_nothing():
    with Place() as place:
        status, err, check = run(place, "a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 0, need_by=20)\n"
                                 "a.io(n, 0, K64, 25 * S)", policy="claims")
        assert status == 3 and check["outside"] == 1, (status, err)


def what_was_given_up_without_a_time_and_used_is_counted():
    passes("a = rank(); n, _ = a.open(path, '0:4:64K')\n"
           "import struct\n"
           "from wire import CLAIM\n"
           "def predicted(time, flag):\n"
           "    a.seq += 1\n"
           "    a.send(CLAIM, struct.pack('=HHIQqQ', 1, 2, 1, a.seq, time * S, 0) + struct.pack('=IIiiqq', 0, 1, 0, flag, 0, NEVER))\n"
           "predicted(1, 0); predicted(4, 1); a.io(n, 0, K64, 5 * S)", unforetold=1)


def jobs_without_hints_are_not_judged():
    other = "b = rank(0, 'other'); m, _ = b.open(path, '0:4:64K'); b.io(m, 0, 4 * K64, 3 * S)\n"
    passes("a = rank(); n, _ = a.open(path, '0:4:64K'); say(a, 1, [0], 1); a.io(n, 0, K64, 2 * S)\n" + other,
           accesses=1, unhinted=1)
    fails(other, unhinted=1, why="no job that made a request gave a hint")


def a_run_without_requests_passes():
    passes("rank()", accesses=0, predicted_per_touched=None)


def a_trace_with_holes_does_not_pass():
    with Place() as place:
        status, err, check = run(place, OUTSIDE.replace("[0, 1]", "[0, 1, 2]"), "--record", "/dev/full")
        assert status == 3 and check["why"] == "the trace is not whole", (status, check, err)


def disks_held_for_a_burst_without_use_are_seen():
    """Three bursts: all four disks predicted, of which 1, 2 and 4 are touched."""
    script = "a = rank(); n, _ = a.open(path, '0:4:64K')\n"
    for i, used in enumerate((1, 2, 4)):
        script += "say(a, %d, range(4), 1); a.io(n, 0, %d * K64, %d * S); say(a, %d, range(4), 0)\n" % (
            10 * i + 1, used, 10 * i + 2, 10 * i + 3)
    passes(script, predicted=12, touched=7, predicted_per_touched=12 / 7)


def windows_are_those_of_the_recorded_truth():
    """Gaps pay from 4.36 s on (docs/drives.md: to 12000 RPM and back), so of {0, 1} there are windows after the open (kept),
    after 11 s (given up at 12 s) and after 34 s (kept), but none between 30 and 34 s, nor at the end."""
    script = """
a = rank(); n, _ = a.open(path, '0:4:64K'); b = open(path + 'x', 'wb'); b.truncate(16 * K64); b.close()
m, _ = a.open(path + 'x', '0:2:64K')
say(a, 1, [0, 1], 1)
for t in (10, 11): a.io(m, 0, 2 * K64, t * S)
say(a, 12, [0, 1], 0)
say(a, 29, [0, 1], 1)
for t in (30, 34, 60): a.io(m, 0, 2 * K64, t * S)
say(a, 61, [0, 1], 0)
"""
    with Place() as place:
        status, err, check = run(place, script.replace("open(path, '0:4:64K')", "open(path, '0:2:64K')", 1))
        assert status == 0, err
        assert check["windows"] == {"eligible": 3, "used": 1}, (check["windows"], err)
        assert check["disk_windows"] == {"eligible": 6, "used": 2}, check["disk_windows"]
        close_to(check["break_even_seconds"], 2 * 10.9 * 3000 / 15000)


def a_window_given_up_for_too_short_is_not_used():
    script = ("a = rank(); n, _ = a.open(path, '0:1:64K'); say(a, 0, [0], 1); a.io(n, 0, K64, 0)\n"
              "say(a, 1, [0], 0, need_by=%d); a.io(n, 0, K64, 20 * S)")
    passes(script % 18, windows={"eligible": 1, "used": 1})
    passes(script % 3, windows={"eligible": 1, "used": 0})


def a_window_needs_every_rank_to_let_go():
    script = ("a, b = rank(0), rank(1); n, _ = a.open(path, '0:1:64K'); say(a, 0, [0], 1); say(b, 0, [0], 1)\n"
              "a.io(n, 0, K64, 0); say(a, 1, [0], 0, need_by=18); %s; a.io(n, 0, K64, 20 * S)")
    passes(script % "say(b, 2, [0], 0)", windows={"eligible": 1, "used": 1})
    passes(script % "pass", windows={"eligible": 1, "used": 0})


def disks_used_and_next_used_together_are_one_set():
    """Disks 0 and 1 rest together, twice; disk 2 longer. The set's window is used when both its disks are given up."""
    script = ("a = rank(); n, _ = a.open(path, '0:3:64K'); say(a, 0, [0, 1, 2], 1); a.io(n, 0, 3 * K64, 0)\n"
              "say(a, 1, %s, 0, need_by=%d)\nsay(a, 19, [0, 1, 2], 1); a.io(n, 0, 2 * K64, 20 * S)\n"
              "a.io(n, 2 * K64, K64, 40 * S)")
    passes(script % ("[0, 1, 2]", 19), windows={"eligible": 3, "used": 2}, disk_windows={"eligible": 5, "used": 3})
    passes(script % ("[0, 2]", 19), windows={"eligible": 3, "used": 1}, disk_windows={"eligible": 5, "used": 2})


def a_disk_that_an_open_wakes_does_not_idle_on_its_way_up():
    """Nobody claimed the disks for a minute, so they rest. The way up takes 6.54 s (Table I); disk 1 is used half a second later."""
    passes("a = rank(); n, _ = a.open(path, '0:2:64K', time=60 * S); say(a, 60, [0, 1], 1); a.io(n, 0, K64, 60 * S)\n"
           "a.io(n, K64, K64, 67 * S)", windows={"eligible": 0, "used": 0})


def time_below_full_speed_is_that_of_the_ramp():
    """Given up at 1 s, wanted at 30 s: the request waits for the whole way up, 10.9 s x 9000 / 15000 (Table I)."""
    with Place() as place:
        status, err, check = run(place, "a = rank(); n, _ = a.open(path, '0:2:64K'); say(a, 0, [0, 1], 1)\n"
                                 "say(a, 1, [0, 1], 0); say(a, 30, [0, 1], 1); a.io(n, 0, 2 * K64, 30 * S)", policy="claims")
        assert status == 0, err
        close_to(check["longest_below_full_seconds"], 6.54)
        close_to(check["below_full_seconds"], 2 * 6.54)
        assert check["transitions"] == 4, check


class Layout:
    """Text of a random layout on 12 disks, and the disks under a range found byte block by byte block."""

    def __init__(self, r):
        self.unit = r.choice([1, 3]) * r.choice([512, 1000, 4096])
        self.members, self.parity, self.member_unit = r.choice([(0, 0, 0), (2, 0, 512), (3, 0, 700), (3, 1, 512), (4, 1, 300)])
        nodes = 12 // (self.members or 1)
        factor = r.randint(1, nodes)
        if r.random() < 0.5:
            base = r.randrange(nodes)
            self.node = [(base + k) % nodes for k in range(factor)]
            self.text = f"{base}:{factor}:{self.unit}"
        else:
            self.node = r.sample(range(nodes), factor)
            self.text = ",".join(map(str, self.node)) + f":{self.unit}"
        if self.members:
            self.text += f"/{self.members}:{self.member_unit}" + (":parity" if self.parity else "")

    def disks(self, offset, size, write):
        found = set()
        for byte in range(offset, offset + size):
            stripe, inside = divmod(byte, self.unit)
            node = self.node[stripe % len(self.node)]
            if not self.members:
                found.add(node)
                continue
            part = (stripe // len(self.node) * self.unit + inside) // self.member_unit
            if not self.parity:
                found.add(node * self.members + part % self.members)
                continue
            row, place = divmod(part, self.members - 1)
            parity = self.members - 1 - row % self.members
            found.add(node * self.members + (parity + 1 + place) % self.members)
            if write:
                found.add(node * self.members + parity)
        return found


def touched_disks_are_those_of_a_walk_over_every_byte():
    """Random requests on random layouts, each predicted exactly; and the same with one disk of each left out."""
    r = random.Random(4)
    for dropped in (0, 1):
        script, count, total = "a = rank()\n", 60, 0
        for i in range(count):
            layout = Layout(r)
            offset, size, write = r.randrange(20000), r.choice([1, 100, 5000, 30000]), r.random() < 0.5
            disks = sorted(layout.disks(offset, size, write))
            total += len(disks)
            if dropped:
                disks.remove(r.choice(disks))
            script += (f"open(path + '{i}', 'wb').close(); n, _ = a.open(path + '{i}', {layout.text!r}, time={4 * i} * S)\n"
                       f"say(a, {4 * i + 1}, {disks}, 1); a.io(n, {offset}, {size}, {4 * i + 2} * S, write={write})\n"
                       f"say(a, {4 * i + 3}, range(12), 0)\n")
        with Place() as place:
            status, err, check = run(place, script, "--set", "disks=12")
            assert status == 3 * dropped and check["accesses"] == count, (status, err)
            assert check["outside"] == count * dropped and check["touched"] == total, (check, total)
            assert check["predicted"] == total - count * dropped, (check, total)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
