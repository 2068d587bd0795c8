#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an administrator sees and does: siox disks and siox admin, one function, one condition.
Usage: admin.py NAME"""

import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import FULL, NEVER, SECOND, Daemon  # noqa: E402

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")


def tool(daemon, *words):
    command = [SIOX, words[0], "--socket", daemon.socket, *words[1:]]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def shown(daemon, *words):
    return json.loads(tool(daemon, "disks", "--json", *words).stdout)


def a_set_level_stays_until_it_is_given_back():
    with Daemon(policy="claims", disks=3) as daemon:
        client = daemon.client().join()
        run = tool(daemon, "admin", "level", "0-1", "6000")
        assert (run.returncode, run.stdout) == (0, "2 disks\n"), run
        client.claim(SECOND, [(0, 3, 12000, 1, 0, NEVER)])
        client.claim(40 * SECOND, [(2, 1, 12000, 1, 0, NEVER)])  # time goes on
        disks = shown(daemon)["disks"]
        assert [(d["speed"], d["set"]) for d in disks] == [(6000, 6000), (6000, 6000), (12000, None)]
        assert client.speeds() == [6000, 6000, 12000]
        assert tool(daemon, "admin", "level", "0-1", "auto").returncode == 0
        client.claim(44 * SECOND, [(2, 1, 12000, 1, 0, NEVER)])
        assert [d["target"] for d in shown(daemon)["disks"]] == [12000, 12000, 12000]


def a_slow_disk_takes_so_many_times_as_long():
    with Daemon(policy="base", disks=2) as daemon:
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a", 1 << 20), "0:1:64K")
        took = [client.io(number, 65536 * i % 131072, 65536, (10 + i) * SECOND) - (10 + i) * SECOND for i in range(2)]
        run = tool(daemon, "admin", "slow", "0", "5", "3.5")  # of the time that the disks have: 11 s
        assert (run.returncode, run.stdout) == (0, "1 disks\n"), run
        slow = [client.io(number, 65536 * i % 131072, 65536, (12 + i) * SECOND) - (12 + i) * SECOND for i in range(4)]
        seeking, following = took
        assert slow == [5 * seeking, 5 * following, 5 * seeking, following], (took, slow)
        client.close()
        for words in (["2", "5", "1"], ["0", "0.5", "1"], ["0", "nan", "1"], ["0", "5", "1e7"], ["0", "5"], ["0", "x", "1"], ["0", "1e9", "1"]):
            run = tool(daemon, "admin", "slow", *words)
            assert run.returncode in (1, 2) and "slow:" in run.stderr, run
        asker = daemon.client()
        for ask in ({}, {"disks": 3}, {"disks": [[0]]}, {"disks": [[0, 0]], "factor": "5", "seconds": 1},
                    {"disks": [[0, 0]], "factor": 5, "seconds": 1e99}, {"disks": [[-1, 0]], "factor": 5, "seconds": 1}):
            assert "slow" in asker.ask("slow", **ask)["error"], ask


def a_speed_that_a_disk_does_not_have_is_refused():
    with Daemon(policy="claims", disks=2) as daemon:
        daemon.client().join()
        for speed in ("7000", "0", "2147483647"):
            run = tool(daemon, "admin", "level", "0-1", speed)
            assert run.returncode == 1 and f"(36Z15) does not serve at {speed}; it does at 6000 9000 12000 15000" in run.stderr, run
        assert [d["set"] for d in shown(daemon)["disks"]] == [None, None]


def claims_of_a_stuck_job_can_be_taken_away():
    with Daemon(policy="claims", disks=2) as daemon:
        stuck, other = daemon.client().join(job="stuck"), daemon.client().join(job="other", rank=1)
        stuck.claim(SECOND, [(0, 2, FULL, 1, 0, NEVER)])
        other.claim(SECOND, [(0, 1, 9000, 1, 0, NEVER)])
        run = tool(daemon, "admin", "release", "stuck")
        assert (run.returncode, run.stdout) == (0, "1 processes\n"), run
        assert [[c["job"] for c in d["claims"]] for d in shown(daemon)["disks"]] == [["other"], []]
        stuck.claim(2 * SECOND, [(1, 1, FULL, 1, 0, NEVER)])  # it is heard again
        assert [c["job"] for c in shown(daemon)["disks"][1]["claims"]] == ["stuck"]
        assert "there is no job nothing" in tool(daemon, "admin", "release", "nothing").stderr


def a_drained_daemon_takes_nobody_in_and_ends_with_the_last():
    with Daemon() as daemon:
        last = daemon.client().join()
        assert tool(daemon, "admin", "drain").stdout == "draining, 1 processes are left\n"
        try:
            daemon.client().join()
            raise AssertionError("taken in")
        except RuntimeError:
            pass
        assert tool(daemon, "admin", "drain", "off").stdout == "takes processes in again, has 1\n"
        daemon.client().join().close()
        assert tool(daemon, "admin", "drain").returncode == 0
        number, _ = last.open(daemon.file("a", 4096))
        assert last.io(number, 0, 4096, SECOND) > SECOND  # it is served to its end
        last.close()
        assert daemon.wait(), "it stays"


def other_users_are_refused_and_told_who_may():
    if os.geteuid() != 0:
        print("needs root to have two users")
        return
    with Daemon() as daemon:
        os.chmod(daemon.directory, 0o755)
        client = daemon.client().join(job="mine")
        client.claim(SECOND, [(0, 1, FULL, 1, 0, NEVER)])
        read, write = os.pipe()
        if os.fork() == 0:
            os.setuid(12345)
            peer = daemon.client()
            asks = (("stop", {}), ("drain", {}), ("release", {"job": "mine"}), ("level", {"disks": [[0, 0]], "speed": "full"}),
                    ("slow", {"disks": [[0, 0]], "factor": 2, "seconds": 1}))
            answers = [peer.ask(ask, **more) for ask, more in asks] + [peer.ask("status"), peer.ask("finish")]
            os.write(write, json.dumps(answers).encode())
            os._exit(0)
        os.close(write)
        answers = json.loads(os.fdopen(read).read())
        assert all(a == {"error": "not permitted: only root may do this; you are user 12345"} for a in answers[:5]), answers[:5]
        assert len(answers[5]["disks"][0]["claims"]) == 1  # but all may look,
        assert not answers[6]["finished"]  # and finish ends nothing of others
        assert shown(daemon)["clients"] == 1


def a_daemon_that_does_not_answer_is_not_waited_for_for_ever():
    with Daemon() as daemon:
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            done = tool(daemon, "disks")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        assert done.returncode != 0 and "the daemon does not answer" in done.stderr, done


def identity_wear_counters_and_jobs_are_told():
    with Daemon(policy="siox", disks=2, delay_budget_max=5) as daemon:
        client = daemon.client().join(job="mine", rank=3, budget=0.02)
        number, _ = client.open(daemon.file("a", 1 << 20), "0:1:64K", time=SECOND)
        client.io(number, 0, 65536, SECOND)
        answer = shown(daemon)
        disk = answer["disks"][0]
        assert (disk["model"], disk["id"], disk["serial"], disk["wwn"]) == ("36Z15", "emulated-0", None, None)
        assert disk["requests"] == 1 and disk["transitions_today"] == 0 and disk["last_error"] is None
        assert disk["wear"] == {"start_stop": None, "load_unload": None}  # its levels all serve
        job = answer["jobs"][0]
        assert (job["job"], job["uid"], job["clients"], job["delay_budget"]) == ("mine", os.geteuid(), 1, 2)
        joules = sum(j["joules"]["total"] for j in answer["jobs"]) + answer["unattributed"]["joules"]["total"]
        assert abs(joules - sum(d["joules"]["total"] for d in answer["disks"])) < 1e-9 * joules


def many_disks_come_page_by_page_and_neighbours_in_one_line():
    with Daemon(policy="claims", disks=300) as daemon:
        clients = [daemon.client().join(job="wide", rank=rank, size=100) for rank in range(100)]
        for client in clients:
            client.claim(SECOND, [(10, 200, FULL, 1, 0, NEVER)])
        clients[0].ask("flush")
        disks = shown(daemon)["disks"]
        assert [d["disk"] for d in disks] == list(range(300))
        assert [d["claims_total"] for d in disks] == [0] * 10 + [100] * 200 + [0] * 90
        lines = tool(daemon, "disks").stdout.splitlines()
        assert [line.split()[0] for line in lines[1:4]] == ["0-9", "10-209", "210-299"], lines
        assert "wide:0-63 of" in lines[2] and lines[2].endswith("and 36 claims more"), lines[2]


def watch_ends_cleanly_and_tells_when_the_daemon_goes_and_comes_back():
    with Daemon(disks=2) as daemon:
        watch = subprocess.Popen([SIOX, "disks", "--watch=0.05", "--json", "--socket", daemon.socket], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        for _ in range(3):  # a line each time
            assert len(json.loads(watch.stdout.readline())["disks"]) == 2
        daemon.stop()
        assert watch.stderr.readline() == f"siox disks: the daemon on {daemon.socket} is gone; waiting for it\n"
        daemon.start()
        assert watch.stderr.readline() == f"siox disks: the daemon on {daemon.socket} is back\n"
        while json.loads(watch.stdout.readline())["pid"] != daemon.pid:
            pass
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=20)
        assert watch.returncode == 0


def watch_redraws_in_place_on_a_terminal():
    import pty

    with Daemon(disks=60) as daemon:
        for i in range(0, 60, 2):  # no two neighbours are alike
            tool(daemon, "admin", "level", str(i), "6000")
        master, slave = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("=HHHH", 20, 200, 0, 0))
        watch = subprocess.Popen([SIOX, "disks", "--watch=0.05", "--socket", daemon.socket], stdout=slave)
        seen = b""
        while seen.count(b"\033[H") < 4:
            seen += os.read(master, 65536)
        watch.send_signal(signal.SIGINT)
        while watch.poll() is None:
            import select

            if select.select([master], [], [], 0.1)[0]:
                os.read(master, 65536)
        assert watch.returncode == 0
        picture = seen.split(b"\033[H")[2]
        assert picture.count(b"\n") < 20 and b"more than fits here" in picture, picture


if __name__ == "__main__":
    globals()[sys.argv[1]]()
