#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is recorded of collective MPI-IO, which travels as one record and is a call and a collective in the trace: its members,
numbers and times. collectives.py CASE"""

import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monitor import until  # noqa: E402
from wire import Daemon  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
RANKS = 4
# Of a file and round: those that are taken to leave when all have entered, and those that are not.
WAITS = ["write_at_all", "read_at_all", "write_all", "read_all", "write_at_all_begin", "sync"]
LATER = ["iwrite_at_all", "write_at_all_end"]
ROUND = ["write_at_all", "read_at_all", "write_all", "read_all", "iwrite_at_all", "write_at_all_begin", "write_at_all_end", "sync"]


def command(*arguments, ranks=RANKS):
    return [os.environ["SIOX_MPIEXEC"], "-n", str(ranks), os.path.join(BUILD, "bin", "together"), *arguments]


def environment(daemon):
    return {**os.environ, "SIOX_SOCKET": daemon.socket, "SIOX_JOB": "together"}


def calls():
    """Routines in the order of mpiio.def, as trace cat numbers them."""
    with open(os.path.join(os.environ["SIOX_SOURCE"], "include", "siox", "mpiio.def")) as f:
        return [line[len("SIOX_MPIIO(MPI_File_"):].split(",")[0] for line in f if line.startswith("SIOX_MPIIO(")]


def shown(trace):
    text = subprocess.run([os.path.join(BUILD, "bin", "siox"), "trace", "cat", trace, "--json"], capture_output=True, text=True,
                          check=True).stdout
    events, names = [json.loads(line) for line in text.splitlines()], calls()
    for e in events:
        if e["event"] == "call":
            e["call"] = names[e["call"]]
        if e.get("uid") == "0" * 16:
            e["uid"] = None
    return events


def recorded(policy="base", managed=False, rounds=2):
    """Events of a run, {rank: those of its calls and collectives in their order}. Accesses to files that are not managed go the short
    way, those to managed ones are foretold under `siox` and go the long one."""
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "trace.siox")
        with Daemon(policy=policy, clock="monotonic", time_scale=1000, record=trace) as daemon:
            path = os.path.join(daemon.mount if managed else directory, "file")
            subprocess.run(command(path, str(rounds)), env=environment(daemon), check=True, timeout=120)
            tool = daemon.client()
            told = tool.ask("status")
            tool.close()
            daemon.stop()
        events = shown(trace)
    assert told["counters"]["records_dropped"] == 0, told["counters"]
    assert told["recording"]["activities"] == sum(e["event"] in ("call", "sync", "message", "wait", "io") for e in events), told
    rank = {e["client"]: e["rank"] for e in events if e["event"] == "client"}
    ranks = {}
    for e in events:
        if e["event"] in ("call", "sync"):
            ranks.setdefault(rank[e["client"]], []).append(e)
    assert sorted(ranks) == list(range(RANKS)), sorted(ranks)
    return ranks


def each_is_a_call_and_a_collective_with_its_times():
    for managed in (False, True):
        for mine in recorded("siox", managed).values():
            for i, e in enumerate(mine):
                if e["event"] != "call" or not e["uid"]:
                    continue
                follows = mine[i + 1] if i + 1 < len(mine) else {"event": None}
                pair = follows["event"] == "sync" and (follows["uid"], follows["seq"]) == (e["uid"], e["seq"])
                assert pair == (e["call"] not in LATER), (e, follows)
                assert not pair or (e["start_ns"], e["end_ns"]) == (follows["start_ns"], follows["end_ns"]), (e, follows)
                assert not pair or (follows["kind"], follows["root"]) == (0, -1), follows


def each_has_every_member_once_and_numbers_without_a_gap():
    rounds = 2
    for managed in (False, True):
        members = {}
        for rank, mine in recorded("siox", managed, rounds).items():
            files = {}
            for e in mine:
                if e["event"] == "sync":
                    members.setdefault((e["uid"], e["seq"]), []).append((e["self"], e["size"], rank))
                elif e["call"] in WAITS + LATER:
                    files.setdefault(e["uid"], []).append((e["call"], e["seq"]))
            expected = [(call, seq) for r in range(rounds) for call, seq in zip(ROUND, [7 * r + n for n in (1, 2, 3, 4, 5, 6, 6, 7)])]
            whole = [f for f in files.values() if f != [("write_at_all", 1), ("write_at_all", 2)]]
            assert len(files) == 3 and len(whole) == 2 and all(f == expected for f in whole), files
        for those in members.values():
            size = those[0][1]
            assert sorted(self for self, _, _ in those) == list(range(size)) and {s for _, s, _ in those} == {size}, those
            assert size == RANKS and all(self == rank for self, _, rank in those) or \
                size == RANKS // 2 and all(self == (RANKS - 1 - rank) // 2 for self, _, rank in those), those
        # A barrier a round; the split, an open and a close. Of each half: a reduction and a broadcast a round; two opens and closes,
        # and the accesses that fail.
        assert sum(s[0][1] == RANKS for s in members.values()) == rounds * (len(WAITS) + 1) + 3, len(members)
        assert sum(s[0][1] < RANKS for s in members.values()) == 2 * (rounds * (len(WAITS) + 2) + 6), len(members)


def the_short_way_records_what_the_long_one_does():
    def plain(ranks):
        found = {}
        for rank, mine in ranks.items():
            uids = {}
            for e in mine:
                e["uid"] = e["uid"] and uids.setdefault(e["uid"], len(uids))
                for key in ("start_ns", "end_ns", "client", "file"):
                    e.pop(key, None)
            found[rank] = mine
        return found
    long = plain(recorded("siox", managed=True))
    for policy in ("base", "siox"):
        short = plain(recorded(policy))
        assert short == long, [(a, b) for r in short for a, b in zip(short[r], long[r]) if a != b][:3]
    failed = [e for mine in long.values() for e in mine if e["event"] == "call" and e["result"]]
    assert [e["call"] for e in failed] == ["write_at_all"] * 2 * RANKS and all(e["uid"] is not None for e in failed), failed


def one_that_is_lost_is_lost_whole():
    """While the daemon does not read, rings fill up: what they have no room for is counted, and no call is without its collective."""
    rounds, ranks = 250, 2
    with tempfile.TemporaryDirectory() as directory:
        trace, fifo = os.path.join(directory, "trace.siox"), os.path.join(directory, "fifo")
        os.mkfifo(fifo)
        with Daemon(clock="monotonic", record=trace, monitor_period=0.05) as daemon:
            program = subprocess.Popen(command(os.path.join(directory, "file"), str(rounds), fifo, ranks=ranks), env=environment(daemon))
            with open(fifo, "w"):  # opens when the first round is over
                daemon.kill(signal.SIGSTOP)
            assert program.wait(120) == 0
            daemon.kill(signal.SIGCONT)
            tool = daemon.client()
            until(lambda: not tool.ask("status")["clients"])
            dropped = tool.ask("status")["counters"]["records_dropped"]
            made = sum(k["calls"] for j in tool.ask("report")["jobs"] for k in j["calls"]["kinds"] if k["layer"] == "mpiio")
            tool.close()
            daemon.stop()
        events = shown(trace)
    told = [e for e in events if e["event"] == "call"]
    together = [(e["client"], e["uid"], e["seq"]) for e in told if e["uid"] and e["call"] not in LATER]
    synced = {(e["client"], e["uid"], e["seq"]) for e in events if e["event"] == "sync"}
    assert dropped > 0 and len(told) < made and made - len(told) <= dropped, (dropped, len(told), made)
    assert set(together) <= synced and len(set(together)) == len(together), len(together)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
