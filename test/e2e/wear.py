#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wear outlives the daemon: one function, one condition. Usage: wear.py NAME"""

import json
import os
import re
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import watch  # noqa: E402
from wire import SECOND, Daemon  # noqa: E402

A_DAY = 3


class Wearing(Daemon):
    """Two drives that unload their heads when idle, three times a day and no more."""

    def __init__(self, **settings):
        super().__init__(disks=2)
        self.stop()
        with open(os.path.join(os.environ["SIOX_SOURCE"], "share", "drives", "ES.3-assumed.yaml")) as f:
            text = re.sub(r"(start_stop|load_unload)_per_day: *\d+", rf"\1_per_day: {A_DAY}", f.read())
        drive = os.path.join(self.directory, "drive.yaml")
        with open(drive, "w") as f:
            f.write(text)
        self.settings.update(drive=drive, policy="timeout:20", **settings)
        self.kept = os.path.join(settings["state"], "wear.json") if "state" in settings else self.socket + ".wear"
        self.start()

    def start(self):
        """What is said before it listens goes to who starts it."""
        with tempfile.TemporaryFile("w+") as said:
            own, _ = os.dup(2), os.dup2(said.fileno(), 2)
            try:
                super().start()
            finally:
                os.dup2(own, 2)
                os.close(own)
            said.seek(0)
            self.said = said.read()

    def log_text(self):
        return getattr(self, "said", "") + super().log_text()

    def use(self, times, disk=0):
        """Requests so far apart that the disk would sleep before each. How often it did, in this daemon's life."""
        client = self.client().join()
        number, _ = client.open(self.file("a", 1 << 20), f"{disk}:1:64K")
        for i in range(times):
            client.io(number, 0, 4096, (i + 1) * 200 * SECOND)
        client.claim((times + 1) * 200 * SECOND, [])
        slept = client.ask("disks")["disks"][disk]["limits"]["load_unload"]
        client.close()
        return slept

    def shown(self, disk=0):
        client = self.client().join(time=1)
        answer = client.ask("disks")["disks"][disk]
        client.close()
        return answer

    def again(self):
        self.start()
        return self.shown()["wear"]["load_unload"]


def what_a_drive_wore_today_is_known_after_a_restart():
    with Wearing() as daemon:
        daemon.use(2)
        before, other = daemon.shown(), daemon.shown(1)
        assert before["wear"]["load_unload"]["today"] >= 2, before["wear"]
        daemon.stop()
        after = daemon.again()
        assert after["today"] == before["wear"]["load_unload"]["today"], (before["wear"], after)
        assert after["left"] <= before["wear"]["load_unload"]["left"], (before["wear"], after)
        assert daemon.shown()["transitions_today"] >= before["transitions_today"]
        assert daemon.shown(1)["wear"] == other["wear"], (other["wear"], daemon.shown(1)["wear"])


def a_day_that_is_spent_stays_spent():
    with Wearing() as daemon:
        assert daemon.use(6) == A_DAY
        daemon.stop()
        assert daemon.again()["left"] == 0
        assert daemon.use(3) == 0  # no slow-down any more
        daemon.stop()
        assert daemon.again()["today"] == A_DAY


def a_killed_daemons_wear_is_known():
    with Wearing() as daemon:
        assert daemon.use(6) == A_DAY

        def kept():  # it is written beside the loop
            try:
                with open(daemon.kept) as f:
                    return any(d["today"]["load_unload"] == A_DAY for d in json.load(f)["drives"].values())
            except FileNotFoundError:
                return False

        watch.until(os.path.dirname(daemon.kept), kept, "nothing was kept")
        daemon.kill(signal.SIGKILL)
        assert daemon.wait()
        assert daemon.again() == {"a_day": A_DAY, "left": 0, "today": A_DAY}


def of_what_cannot_be_believed_the_day_is_spent():
    def contents(text):
        def make(path):
            with open(path, "wb") as f:
                f.write(text)
        return make

    drive = b'{"version": 1, "drives": {"emulated-0 ES.3-assumed %s": %s}}'
    cases = [(contents(b""), "not of this form"), (contents(os.urandom(5000)), "not of this form"),
             (contents(b'{"version": 2, "drives": {}}'), "not of this form"), (contents(b"[" * 100000), "not of this form"),
             (os.mkdir, "not a regular file"), (lambda p: os.symlink("/dev/zero", p), "symbolic"),
             (os.mkfifo, "not a regular file")]
    for value in (b"null", b'{"day": -1}', b'{"until": {"load_unload": -5, "start_stop": 0}}',
                  b'{"until": {"load_unload": "x"}, "today": 7}', b'{"until": {"load_unload": 1e300}}'):
        cases.append((value, "it is not known what they wore"))
    with Wearing() as daemon:
        daemon.stop()
        for make, said in cases:
            if isinstance(make, bytes):
                make = contents(drive % (daemon.mount.encode(), make))
            shutil.rmtree(daemon.kept, ignore_errors=True) if os.path.isdir(daemon.kept) else None
            if os.path.lexists(daemon.kept):
                os.unlink(daemon.kept)
            bad = daemon.kept + ".bad"
            shutil.rmtree(bad, ignore_errors=True) if os.path.isdir(bad) else None
            make(daemon.kept)
            after = daemon.again()
            assert after["left"] == 0, (said, after)
            assert said in daemon.log_text(), (said, daemon.log_text())
            daemon.stop()
            assert daemon.again()["left"] == 0, said  # and what was concluded is kept
            daemon.stop()
            if os.path.exists(daemon.socket + ".log"):
                os.unlink(daemon.socket + ".log")


def a_state_that_others_may_write_is_not_believed():
    with Wearing() as daemon:
        daemon.use(1)
        daemon.stop()
        os.chmod(daemon.kept, 0o666)
        assert daemon.again()["left"] == 0
        assert "others may write it" in daemon.log_text()


def a_state_directory_belongs_to_one_daemon():
    with Daemon() as other:
        state = os.path.join(other.directory, "state")
        os.mkdir(state)
        with Wearing(state=state) as first:
            first.use(6)
            with Wearing(state=state) as second:
                assert "another daemon keeps its own there" in second.log_text(), second.log_text()
                assert second.use(1) >= 1  # it goes on
            first.stop()
            assert first.again()["left"] == 0


def without_a_place_for_it_the_daemon_goes_on():
    with Wearing(state="/nonexistent/directory") as daemon:
        assert daemon.use(6) == A_DAY
        assert "wear is not kept" in daemon.log_text(), daemon.log_text()


def drives_that_do_not_wear_leave_no_file():
    with Daemon() as daemon:
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a", 1 << 20))
        client.io(number, 0, 4096, SECOND)
        client.close()
        daemon.stop()
        assert not [name for name in os.listdir(daemon.directory) if "wear" in name]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
