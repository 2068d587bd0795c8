# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waiting for what happens in a directory: the kernel tells (inotify), nobody sleeps and looks again."""

import ctypes
import os
import select
import time

CHANGES = 0x2 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200  # written, closed after writing, moved away or here, made, deleted
libc = ctypes.CDLL(None, use_errno=True)


def until(directory, holds, what, seconds=30):
    """Returns when holds() is true, looked at now and after every change in the directory."""
    fd = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    if fd < 0 or libc.inotify_add_watch(fd, os.fsencode(directory), CHANGES) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    try:
        end = time.monotonic() + seconds
        while not holds():
            assert select.select([fd], [], [], max(end - time.monotonic(), 0))[0], what
            os.read(fd, 1 << 16)
    finally:
        os.close(fd)
