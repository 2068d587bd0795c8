#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of a database into which others have put something. store_places.py CASE"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from wire import Daemon  # noqa: E402


def stored_beside(name, make):
    """A daemon with a directory of CSV in which `name` was made before; its log."""
    with Daemon() as daemon:
        daemon.stop()
        directory = os.path.join(daemon.directory, "csv")
        os.mkdir(directory)
        make(os.path.join(directory, name), daemon)
        daemon.settings["database"] = f"csv:{directory}"
        daemon.start()
        client = daemon.client().join(job="j")
        client.io(client.open(daemon.file("f", 65536))[0], 0, 65536, 5)
        client.close()
        daemon.stop()
        return daemon.log_text()


def a_link_in_a_directory_of_csv_is_not_followed():
    text, left = "kept\nas it was", []

    def link(path, daemon):
        left.append(os.open(os.path.join(daemon.directory, "other"), os.O_RDWR | os.O_CREAT))
        os.write(left[0], text.encode())
        os.symlink("../other", path)

    log = stored_beside("activity.csv", link)
    assert os.pread(left[0], 1000, 0).decode() == text
    assert "activity.csv: is a link, or no file" in log, log


def a_pipe_in_a_directory_of_csv_keeps_nobody_waiting():
    log = stored_beside("run.csv", lambda path, _: os.mkfifo(path))
    assert "run.csv: is a link, or no file" in log, log
    assert "does not answer" not in log, log


if __name__ == "__main__":
    globals()[sys.argv[1]]()
