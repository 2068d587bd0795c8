#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox sim with a store between jobs and disks: one function, one condition. Usage: sim_store.py NAME

Expected times and joules come from the drive's formulas as sim.py has them."""

import collections
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from sim import SIOX, FULL, LEVELS, change, idle, imported, near, ramp, record, rows, service, sim

KB, MB = 1 << 10, 1 << 20


def one_burst(burst, array, operation="write"):
    """One process that moves a burst at 10 s to node 0 of two."""
    return (f"disks: {2 * array['array']}\ndrive: 36Z15\n" + "".join(f"{k}: {v}\n" for k, v in array.items()) +
            f"jobs:\n- generate: {{processes: 1, phases: 1, gap: 10, burst: {burst}, hints: false, "
            f"operation: {operation}, layout: '0:1:64K'}}\n")


def a_request_is_striped_over_the_members_of_its_node():
    """16 units of 64 KiB over three members: 6, 5 and 5 of them, which lie behind each other on each."""
    got = rows(one_burst(MB, {"array": 3, "array_unit": "64K"}), "--schemes", "siox")
    for rpm in LEVELS:
        row = got[f"static:{rpm}"]
        took = [service(rpm, n * 64 * KB) for n in (6, 5, 5)]
        near(row["seconds"], 10 + took[0], 1e-8)
        ways = change("b", FULL, rpm) + change("b", rpm, FULL) if rpm != FULL else 0
        near(row["joules"], 6 * (idle(rpm) * (10 + took[0]) + ways) + 3.3 * sum(took), 1e-8)


def a_small_write_with_parity_reads_and_writes_data_and_parity():
    """On two members each: old data, then, not where the head stands, the new."""
    got = rows(one_burst(16 * KB, {"array": 4, "array_unit": "64K", "array_parity": "true"}), "--schemes", "siox")
    took = 2 * service(FULL, 16 * KB)
    near(got["base"]["seconds"], 10 + took, 1e-8)
    near(got["base"]["joules"], 8 * idle(FULL) * (10 + took) + 3.3 * 2 * took, 1e-8)


def a_whole_row_is_written_without_reading():
    got = rows(one_burst(192 * KB, {"array": 4, "array_unit": "64K", "array_parity": "true"}), "--schemes", "siox")
    took = service(FULL, 64 * KB)
    near(got["base"]["seconds"], 10 + took, 1e-8)
    near(got["base"]["joules"], 8 * idle(FULL) * (10 + took) + 3.3 * 4 * took, 1e-8)


def reading_leaves_the_parity_of_one_row_alone():
    got = rows(one_burst(192 * KB, {"array": 4, "array_unit": "64K", "array_parity": "true"}, "read"), "--schemes", "siox")
    took = service(FULL, 64 * KB)
    near(got["base"]["joules"], 8 * idle(FULL) * (10 + took) + 3.3 * 3 * took, 1e-8)


def hints_of_a_recorded_disk_hold_for_all_members():
    """A recorded run on disks is played on arrays of two: hints are kept, and each disk saves as the one did that it
    stands for (with units so large that the second members serve nothing, they idle instead)."""
    from siox_run import Place
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory, Place() as place:
        path = record(directory, place)
        plain = json.loads(sim(f"jobs: [{{trace: {path}}}]\n", "--json", "--schemes", "siox")[0].stdout)
        arrays = json.loads(sim(f"array: 2\narray_unit: 1G\njobs: [{{trace: {path}}}]\n", "--json", "--schemes",
                                "siox")[0].stdout)
    assert "notes" not in arrays, arrays["notes"]
    assert arrays["disks"] == 2 * plain["disks"], arrays["disks"]
    one, two = ({r["scheme"]: r for r in d["rows"]} for d in (plain, arrays))
    for scheme in ("base", "siox"):
        near(two[scheme]["seconds"], one[scheme]["seconds"], 1e-12)
        assert two[scheme]["transitions"] == 2 * one[scheme]["transitions"], scheme
        near(two[scheme]["joules_by_state"]["active"], one[scheme]["joules_by_state"]["active"], 1e-9)


def a_run_on_arrays_gives_the_stores_joules_again():
    """The daemon and the simulator, a striped store and one with parity."""
    from siox_run import Place
    for layout in ("0:2:64K/2:16K", "0:1:64K/4:16K:parity"):
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory, Place() as place:
            path = record(directory, place, "--set", f"default_layout={layout}")
            got = json.loads(sim(f"jobs: [{{trace: {path}}}]\n", "--json")[0].stdout)["recorded"]
            near(got["joules_arrivals_kept"], got["joules"], 1e-6)
            assert got["joules"] > 0


RATE = 1 << 30  # of memory


def transfer(rpm, size):  # of a request that goes on where the last one ended: no seek
    return 30 / rpm + size / (55e6 * rpm / FULL)


def cached(cache, generate, more="", disks=1):
    return (f"disks: {disks}\ndrive: 36Z15\ncache: {{{cache}}}\n{more}jobs:\n- repeats: 2\n"
            f"  generate: {{processes: 1, {generate}, hints: false, layout: '0:1:64K'}}\n")


def a_second_pass_over_a_file_that_fits_comes_from_memory():
    got = rows(cached("size: 1M", "phases: 1, gap: 10, burst: 1M, request: 64K, operation: read"), "--schemes", "siox")
    for rpm in LEVELS:
        row = got[f"static:{rpm}"]
        first, second = service(rpm, 64 * KB) + 15 * transfer(rpm, 64 * KB), MB / RATE
        near(row["seconds"], 20 + first + second, 1e-7)
        ways = change("b", FULL, rpm) + change("b", rpm, FULL) if rpm != FULL else 0
        near(row["joules"], idle(rpm) * (20 + first + second) + 3.3 * first + ways, 1e-7)
        assert (row["cache_read"], row["cache_hit"]) == (2 * MB, MB), row
        near(row["cache_hit_rate"], 0.5)


def a_loop_over_a_file_that_does_not_fit_finds_nothing():
    """The block that is needed next has always just made room: one block is missing, and nothing is found."""
    got = rows(cached("size: 960K", "phases: 1, gap: 10, burst: 1M, request: 64K, operation: read"), "--schemes", "siox")
    assert got["base"]["cache_hit"] == 0, got["base"]
    near(got["base"]["seconds"], 20 + 2 * (service(FULL, 64 * KB) + 15 * transfer(FULL, 64 * KB)), 1e-7)


def a_read_takes_whole_blocks_from_disk():
    got = rows(cached("size: 1M, block: 256K", "phases: 1, gap: 10, burst: 4K, operation: read"), "--schemes", "siox")
    near(got["base"]["seconds"], 20 + service(FULL, 256 * KB) + 4 * KB / RATE, 1e-7)


def what_is_written_back_is_written_when_it_is_old_or_at_the_end():
    """1 MiB at 10 s and behind it another one at 20 s: the first goes to disk at 15 s, the second after the end."""
    got = rows(cached("size: 4M, write_back: true, dirty_limit: 2M",
                      "phases: 2, gap: 10, burst: 1M, operation: write").replace("repeats: 2", "repeats: 1"),
               "--schemes", "siox")
    end, first, second = 20 + 2 * MB / RATE, service(FULL, MB), transfer(FULL, MB)
    near(got["base"]["seconds"], end, 1e-7)
    near(got["base"]["joules"], idle(FULL) * (end + second) + 3.3 * (first + second), 1e-7)
    assert got["base"]["cache_flushed"] == 2 * MB


def beyond_the_dirty_limit_a_write_waits():
    """Four MiB one by one: the second and the fourth find more than 1 MiB and wait for 2 MiB to be written."""
    got = rows(cached("size: 8M, write_back: true, dirty_limit: 1M",
                      "phases: 1, gap: 10, burst: 4M, request: 1M, operation: write").replace("repeats: 2", "repeats: 1"),
               "--schemes", "siox")
    near(got["base"]["seconds"], 10 + 2 * MB / RATE + service(FULL, 2 * MB) + transfer(FULL, 2 * MB), 1e-7)


def a_dirty_disk_keeps_its_speed_until_it_is_written():
    """The way down begins when the flush is over; without a cache, when the write is. All else is the same gap."""
    job = "phases: 2, gap: 60, burst: 1M, operation: write"
    common = "disks: 1\ndrive: 36Z15\n%sjobs:\n- generate: {processes: 1, " + job + ", layout: '0:1:64K'}\n"
    got = rows(common % "cache: {size: 4M, write_back: true, dirty_limit: 2M, flush_age: 5}\n", "--schemes", "claims")["claims"]
    low, up = 6000, ramp(6000, FULL)
    assert up + up < 55
    first, second = service(FULL, MB), transfer(FULL, MB)
    gap = change("b", FULL, low) + change("b", low, FULL)
    energy = gap + idle(low) * (60 - 2 * up)  # until the first write
    energy += idle(FULL) * 5 + (idle(FULL) + 3.3) * first  # dirty for 5 s, then written
    energy += gap + idle(low) * (60 + MB / RATE - 5 - first - 2 * up)
    energy += idle(FULL) * MB / RATE + (idle(FULL) + 3.3) * second  # written at the end
    near(got["joules"], energy, 1e-6)


def reading_ahead_finds_all_but_the_first_two():
    """64 KiB each second behind each other: the second one shows that it goes on, and from then on all is there."""
    got = rows(cached("size: 1M, read_ahead: 256K", "phases: 8, gap: 1, burst: 64K, operation: read")
               .replace("repeats: 2", "repeats: 1"), "--schemes", "siox")["base"]
    near(got["seconds"], 8 + service(FULL, 64 * KB) + transfer(FULL, 64 * KB) + 6 * 64 * KB / RATE, 1e-7)
    assert got["cache_hit"] == 6 * 64 * KB, got
    # behind blocks 1, 4 and 7 less than half of the four is there: 2 to 5, 6 to 8, 9 to 11
    assert got["cache_ahead"] == 10 * 64 * KB, got
    assert "bound at 1 %" not in rows(cached("size: 1M, read_ahead: 256K", "phases: 1, gap: 1, burst: 64K"), "--schemes",
                                      "siox")


class Twin:
    """A store under base at its plainest: lists of disks, dictionaries of blocks, one request after the other."""

    def __init__(self, disks, members, unit, size, block):
        self.members, self.unit, self.block, self.most = members, unit, block, size // block
        self.free = [0.0] * disks
        self.busy = [0.0] * disks
        self.next = [None] * disks
        self.cache = collections.defaultdict(collections.OrderedDict)  # of a node: (file, block) -> when it is there
        self.asked = self.hit = 0

    def disk(self, disk, file, local, size, now):
        start = max(now, self.free[disk])
        took = transfer(FULL, size) if self.next[disk] == (file, local) else service(FULL, size)
        self.next[disk] = (file, local + size)
        self.free[disk] = start + took
        self.busy[disk] += took
        return start + took

    def members_do(self, node, file, local, size, now):
        """Byte ranges of one node on its members, by walking units."""
        pieces, at = collections.OrderedDict(), local
        while at < local + size:
            end = min(local + size, (at // self.unit + 1) * self.unit)
            member, place = at // self.unit % self.members, at // (self.unit * self.members) * self.unit + at % self.unit
            first, length = pieces.get(member, (place, 0))
            pieces[member] = (first, length + end - at)
            at = end
        return max(self.disk(node * self.members + m, file, p, n, now) for m, (p, n) in pieces.items())

    def request(self, file, write, shares, now):
        done = now
        todo = []
        for node, (local, size) in shares.items():
            cache, first, last = self.cache[node], local // self.block, (local + size - 1) // self.block
            ready, hit, new, run = now, 0, [], []
            for k in range(first, last + 1):
                begin, end = max(local, k * self.block), min(local + size, (k + 1) * self.block)
                key = (file, k)
                if write:
                    if key in cache or end - begin == self.block:
                        cache[key] = now if end - begin == self.block else cache[key]
                        cache.move_to_end(key)
                elif key in cache:
                    cache.move_to_end(key)
                    hit += end - begin
                    ready = max(ready, cache[key])
                else:
                    cache[key] = None
                    new.append(key)
                    if run and run[-1][1] == k:
                        run[-1][1] = k + 1
                    else:
                        run.append([k, k + 1])
                while len(cache) > self.most:
                    cache.popitem(last=False)
            if write:
                todo.append((node, local, size, new))
            else:
                self.asked += size
                self.hit += hit
                todo += [(node, a * self.block, (b - a) * self.block, new) for a, b in run]
            if hit:
                done = max(done, ready + hit / RATE)
        for node, local, size, _ in todo:
            done_disk = self.members_do(node, file, local, size, now)
            done = max(done, done_disk)
        disks = max([now] + [self.free[d] for d in self.touched(todo)])
        for node, _, _, new in todo:
            for key in new:
                if key in self.cache[node]:
                    self.cache[node][key] = disks
        return done

    def touched(self, todo):
        out = set()
        for node, local, size, _ in todo:
            for at in range(local, local + size, min(self.unit, self.block)):
                out.add(node * self.members + at // self.unit % self.members)
            out.add(node * self.members + (local + size - 1) // self.unit % self.members)
        return out


def shares_of(offset, size, nodes, unit):
    out = collections.OrderedDict()
    at = offset
    while at < offset + size:
        end = min(offset + size, (at // unit + 1) * unit)
        node, local = at // unit % nodes, at // (unit * nodes) * unit + at % unit
        first, length = out.get(node, (local, 0))
        out[node] = (first, length + end - at)
        at = end
    return out


def random_requests_hit_what_a_plain_cache_in_python_has():
    """One process, 1500 random requests: bytes found, run time and joules, on disks and on arrays."""
    for seed, members, unit, size, block in ((1, 1, 1 << 30, 2 * MB, 64 * KB), (2, 1, 1 << 30, MB, 48 * KB),
                                             (3, 3, 16 * KB, 4 * MB, 64 * KB), (4, 2, 64 * KB, MB, 4 * KB)):
        random.seed(seed)
        text, now, requests = "rank,file,op,offset,bytes,start,end\n", 0, []
        for _ in range(1500):
            now += 10
            file, op = random.randrange(2), random.choice(("read", "read", "read", "write"))
            length = random.choice((512, 64 * KB, 300 * KB, random.randrange(1, 500000)))
            offset = int(random.betavariate(1, 4) * 8 * MB) // random.choice((1, 4096, 65536)) * 4096 % (8 * MB)
            text += f"0,/f{file},{op},{offset},{length},{now},{now + 1}\n"
            requests.append((file, op == "write", offset, length))
        twin = Twin(4 * members, members, unit, size, block)
        at = 0
        for i, (file, write, offset, length) in enumerate(requests):
            at += 10 if i == 0 else 9  # from the recorded end of the one before
            at = twin.request(file, write, shares_of(offset, length, 4, 64 * KB), at)
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
            path, _ = imported(directory, "a.csv", text, "-s", "disks=4", "-s", "default_layout=0:4:64K")
            array = f"array: {members}\narray_unit: {unit}\n" if members > 1 else ""
            got = rows(f"cache: {{size: {size}, block: {block}}}\n{array}jobs: [{{trace: {path}}}]\n", "--schemes",
                       "siox")["base"]
        assert (got["cache_read"], got["cache_hit"]) == (twin.asked, twin.hit), (seed, got, twin.asked, twin.hit)
        assert 0.05 < twin.hit / twin.asked < 0.95, (seed, twin.hit / twin.asked)
        near(got["seconds"], at, 1e-7)
        near(got["joules"], 4 * members * idle(FULL) * at + 3.3 * sum(twin.busy), 1e-7)


def every_row_goes_through_the_cache():
    """Requests that memory serves reach no disk under any scheme, and the oracle has the services that are left."""
    jobs = ("jobs:\n- repeats: 3\n  generate: {processes: 2, phases: 3, gap: 20, burst: 1M, request: 256K, operation: read, "
            "layout: '0:4:64K'}\n")
    got = rows(f"disks: 4\ncache: {{size: 4M}}\n{jobs}")
    for name, row in got.items():
        if "cache_read" in row:
            assert (row["cache_read"], row["cache_hit"]) == (18 * MB, 12 * MB), row
    for row in got.values():
        if row["kind"] not in ("oracle", "bound") and row["added_io_time"] == 0:
            assert row["joules"] >= got["oracle"]["joules"] * (1 - 1e-9), row
    assert got["bound at 1 %"]["joules"] <= got["oracle"]["joules"]
    done, _ = sim(f"disks: 4\ncache: {{size: 4M}}\n{jobs}", "--schemes", "siox")
    assert re.search(r"^siox .* 66.67 % +12.0 MiB$", done.stdout, re.M), done.stdout


def aggregators(directory, *options):
    path = os.path.join(directory, "a.siox")
    subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "aggregator_trace"), path, *options], check=True)
    return path


def a_delayed_aggregator_delays_every_rank_that_waits():
    """Requests take 6 ms, at the lower speed 9. Rank 3 writes nothing itself and is the last to end, after 50 ms."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = aggregators(directory)
        got = rows(f"jobs: [{{trace: {path}}}]\n", "--schemes", "siox")
        near(got["base"]["seconds"], 0.050, 1e-9)
        near(got["static:5000"]["seconds"], 0.053, 1e-9)
        near(got["static:5000"]["slow_down"], 3 / 30, 1e-9)  # of rank 0, which ends first
        near(got["static:5000"]["added_io_time"], 3 / 10, 1e-9)  # of rank 3, which came last
        # on nodes of two disks, half a request each: 5.5 ms, and 8; disk 0 and 2 alone if units are large
        got = rows(f"array: 2\narray_unit: 30000\njobs: [{{trace: {path}}}]\n", "--schemes", "siox")
        near(got["base"]["seconds"], 0.0495, 1e-9)
        near(got["static:5000"]["seconds"], 0.052, 1e-9)
        # a cache takes the write on at once, so nobody waits for a disk: 60 kB at 1 GiB/s after 12 ms
        got = rows(f"cache: {{size: 1M, write_back: true, dirty_limit: 1M}}\njobs: [{{trace: {path}}}]\n", "--schemes", "siox")
        for scheme in ("base", "static:5000"):
            near(got[scheme]["seconds"], 0.050 - 0.006 + 60000 / RATE, 1e-8)
        done, _ = sim(f"jobs: [{{trace: {path}}}]\n")
        assert ">=" not in done.stdout, done.stdout


def who_does_not_tell_who_waits_gets_no_slow_down():
    """The same requests without the collective: every rank keeps its end but the aggregators, and the table says what
    that is worth."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = aggregators(directory, "alone")
        done, _ = sim(f"jobs: [{{trace: {path}}}]\n", "--json", "--schemes", "siox")
        data = json.loads(done.stdout)
        got = {r["scheme"]: r for r in data["rows"]}
        assert data["waits_told"] is False and "jobs[0]: its trace does not tell" in data["notes"]
        near(got["static:5000"]["seconds"], 0.050, 1e-9)
        near(got["static:5000"]["added_io_time"], 0.5, 1e-9)
        assert "slow_down" not in got["static:5000"] and got["base"]["slow_down"] == 0, got
        done, _ = sim(f"jobs: [{{trace: {path}}}]\n", "--schemes", "siox")
        assert re.search(r"^static:5000.* >=50.00 % +>=0.050 s ", done.stdout, re.M), done.stdout
        assert re.search(r"^base .* 0.00 % +0.050 s ", done.stdout, re.M), done.stdout
        assert "no slow-down is known" in done.stdout
        table = csv.DictReader(io.StringIO(sim(f"jobs: [{{trace: {path}}}]\n", "--csv")[0].stdout))
        assert {r["slow_down"] for r in table if r["kind"] in ("static", "scheme")} == {""}
        for text, told in (("0,/f,write,0,10,1,2\n1,/f,write,0,10,1,2\n", False),
                           ("0,/f,write,0,10,1,2\n1,/f,write,0,10,1,2\n0,,barrier,1,,3,4\n1,,barrier,1,,3,4\n", True),
                           ("0,/f,write,0,10,1,2\n", True)):  # a single rank has nobody to wait for
            path, _ = imported(directory, "a.csv", "rank,file,op,offset,bytes,start,end\n" + text)
            done, _ = sim(f"jobs: [{{trace: {path}}}]\n", "--json", "--schemes", "siox")
            assert json.loads(done.stdout)["waits_told"] is told, text


def limits_are_those_of_the_trace():
    """It was recorded with 123 W for the speed-ups of two disks; a scenario may state another figure."""
    from siox_run import Place
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory, Place() as place:
        path = aggregators(directory)
        for more, watts in (("", 123), ("inrush_watts: 50\n", 50)):
            done, _ = sim(f"{more}jobs: [{{trace: {path}}}]\n", "--json", "--schemes", "siox")
            limits = json.loads(done.stdout)["limits"]
            assert (limits["inrush_watts"], limits["power_group"], limits["early_quantile"]) == (watts, 2, 50), limits
        path = record(directory, place, "--set", "inrush_watts=77", "--set", "user_share=60")
        header = json.loads(subprocess.run([SIOX, "trace", "cat", path, "--header"], capture_output=True, text=True).stdout)
        assert (header["limits"]["inrush_watts"], header["limits"]["user_share"]) == (77, 60), header
        assert header["waits_told"] is True and header["policy"] == "siox", header
        done, _ = sim(f"delay_budget: 1\njobs: [{{trace: {path}}}]\n", "--json", "--schemes", "siox")
        limits = json.loads(done.stdout)["limits"]
        assert (limits["inrush_watts"], limits["user_share"], limits["delay_budget"]) == (77, 60, 1), limits


def wrong_caches_are_named_with_their_place():
    job = "jobs:\n- generate: {burst: 1M}\n"
    for text, place in (("cache: {size: 0}", r"cache.size: expected bytes from 1 to "),
                        ("cache: {block: 4K}", r"cache.size: this key is missing"),
                        ("cache: {size: 1M, block: 0}", r"cache.block: expected bytes from 1 to "),
                        ("cache: {size: 1M, block: 2M}", r"cache.block: a block is larger than the cache"),
                        ("cache: {size: 8G, block: 2G}", r"cache.block: more than 1G"),
                        ("cache: {size: 1M, rate: 0}", r"cache.rate: expected bytes from 1 to "),
                        ("cache: {size: 1M, write_back: 1}", r"cache.write_back: expected true or false"),
                        ("cache: {size: 1M, dirty_limit: 1K}", r"cache.dirty_limit: stands with write_back: true"),
                        ("cache: {size: 1M, flush_age: 1}", r"cache.flush_age: stands with write_back: true"),
                        ("cache: {size: 1M, write_back: true, flush_age: -1}", r"cache.flush_age: -1 is not between"),
                        ("cache: {size: 1M, write_back: true, dirty_limit: 2M}", r"cache.dirty_limit: more than the cache"),
                        ("cache: {size: 1M, read_ahead: 1M}", r"cache.read_ahead: more than half of the cache"),
                        ("cache: {size: 1M, read_ahead: 1K}", r"cache.read_ahead: less than a block"),
                        ("cache: {size: 1M, pages: 4}", r"cache.pages: unknown key"),
                        ("cache: 1M", r"cache: ")):
        done, _ = sim(text + "\n" + job, status=2)
        assert re.search(r"s.yaml:1: " + place, done.stderr), (text, done.stderr)
        assert done.stdout == ""


def wrong_arrays_are_named_with_their_place():
    job = "jobs:\n- generate: {burst: 1M"
    for text, place in ((f"array_unit: 64K\n{job}}}\n", r"s.yaml:1: array_unit: stands with array"),
                        (f"array: 2\narray_unit: 0\n{job}}}\n", r"s.yaml:2: array_unit: expected bytes from 1 to "),
                        (f"array: 2\narray_unit: 64X\n{job}}}\n", r"s.yaml:2: array_unit: expected bytes"),
                        (f"array: 1\narray_unit: 64K\n{job}}}\n", r"s.yaml:1: array: with array_unit: 1 is not between 2"),
                        (f"array: 2\narray_unit: 64K\narray_parity: true\n{job}}}\n",
                         r"s.yaml:1: array: with array_parity: 2 is not between 3"),
                        (f"array: 2\narray_parity: true\n{job}}}\n", r"s.yaml:2: array_parity: stands with array_unit"),
                        (f"array: 2\narray_unit: 1K\narray_parity: maybe\n{job}}}\n", r"s.yaml:3: array_parity: expected true"),
                        (f"disks: 8\narray: 3\narray_unit: 64K\n{job}}}\n", r"s.yaml:1: disks: not a multiple of array"),
                        (f"disks: 8\narray: 4\narray_unit: 64K\n{job}, layout: '0:3:64K'}}\n",
                         r"s.yaml:5: jobs\[0\].generate.layout: "),
                        (f"disks: 8\narray: 4\narray_unit: 64K\nlayouts:\n- {{file: a, nodes: [0, 2], unit: 64K}}\n{job}}}\n",
                         r"s.yaml:5: layouts\[0\].nodes\[1\]: 2 is not between 0 and 1"),
                        (f"disks: 8\narray: 4\narray_unit: 64K\nlayouts:\n- {{file: a, nodes: [1, 1], unit: 64K}}\n{job}}}\n",
                         r"s.yaml:5: layouts\[0\].nodes: a node is listed twice"),
                        (f"disks: 8\nlayouts:\n- {{file: a, layout: '0:3:64K/4:64K'}}\n{job}}}\n",
                         r"s.yaml:3: layouts\[0\].layout: ")):
        done, _ = sim(text, status=2)
        assert re.search(place, done.stderr), (text, done.stderr)
        assert done.stdout == ""


if __name__ == "__main__":
    globals()[sys.argv[1]]()
