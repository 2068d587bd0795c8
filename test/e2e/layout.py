#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox layout as a user sees it: one function, one condition. Usage: layout.py NAME"""

import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import wire  # noqa: E402

BUILD = os.environ["SIOX_BUILD"]
SIOX = os.path.join(BUILD, "bin", "siox")


def layout(*options, status=0, directory=None, preload=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") or k == "SIOX_BUILD"}
    env["SIOX_SOCKET"] = os.path.join(directory or "/nowhere", "no.sock")  # not the machine's own daemon
    if preload:
        env["LD_PRELOAD"] = preload
    done = subprocess.run([SIOX, "layout", *options], capture_output=True, text=True, cwd=directory, env=env)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


class Files:
    """A directory with files of stated sizes and attributes; skipped where attributes cannot be set."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="siox-test.", dir=os.environ.get("TMPDIR"))
        self.path = os.path.realpath(self.temporary.name)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def make(self, name, size=0, **attributes):
        path = os.path.join(self.path, name)
        with open(path, "w") as f:
            f.truncate(size)
        try:
            for key, value in attributes.items():
                os.setxattr(path, "user." + key.replace("_", "."), value)
        except OSError:
            sys.exit(77)
        return path

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w") as f:
            f.write(text)
        return os.path.join(self.path, name)


def lov(stripe, osts, pattern=1):
    head = struct.pack("<II16sIHH", 0x0BD10BD0, pattern, b"", stripe, len(osts), 0)
    return head + b"".join(struct.pack("<16sII", b"", 0, ost) for ost in osts)


def composite(*parts):
    """parts: (start, end, stripe, osts)"""
    blobs = [lov(stripe, osts) for _, _, stripe, osts in parts]
    at = 32 + 48 * len(parts)
    out = struct.pack("<IIIHHH6xQ", 0x0BD60BD0, at + sum(map(len, blobs)), 1, 0, len(parts), 0, 0)
    for (start, end, _, _), blob in zip(parts, blobs):
        out += struct.pack("<IIQQIIIQI", 1, 0x10, start, end, at, len(blob), 0, 0, 0)
        at += len(blob)
    return out + b"".join(blobs)


def entries(text):
    """file -> layout, disks, as layouts.yaml says."""
    out = {}
    for line in text.splitlines():
        if line.startswith("- {file: "):
            name, rest = line[len('- {file: "'):].split('", layout: "')
            what, disks = rest.split('", disks: ')
            out[name] = (what, int(disks.split("}")[0]))
    return out


def what_siox_stored_comes_first():
    with Files() as f:
        path = f.make("a", siox_layout=b"1:3:64K", lustre_lov=lov(65536, [5]))
        out = layout(path, "--disks", "6", "--xattr-prefix", "user.", directory=f.path)
        assert entries(out.stdout) == {path: ("1:3:64K", 6)}, out.stdout
        assert "stored with the file" in out.stdout


def a_lustre_file_gives_its_osts():
    with Files() as f:
        path = f.make("a", lustre_lov=lov(1 << 20, [5, 2, 7]))
        out = layout(path, "--xattr-prefix", "user.", directory=f.path)
        assert entries(out.stdout) == {path: ("5,2,7:1M", 8)}, out.stdout


def of_a_composite_the_part_with_most_bytes_counts():
    with Files() as f:
        path = f.make("a", size=3 << 20,
                      lustre_lov=composite((0, 1 << 20, 65536, [3]), (1 << 20, 2**64 - 1, 1 << 20, [0, 1])))
        out = layout(path, "--xattr-prefix", "user.", "--disks", "4", directory=f.path)
        assert entries(out.stdout) == {path: ("0:2:1M", 4)}, out.stdout
        assert '"3:1:64K" for bytes [0, 1M)' in out.stdout


def an_orangefs_file_needs_a_map_of_its_handles():
    with Files() as f:
        dist = struct.pack("<I", 13) + b"simple_stripe\0" + bytes(6) + struct.pack("<Q", 65536)
        path = f.make("a")
        os.setxattr(path, "user.system.pvfs2.md", dist)
        os.setxattr(path, "user.system.pvfs2.dh", struct.pack("<QQ", 2100, 1100))
        out = layout(path, "--xattr-prefix", "user.", directory=f.path, status=1)
        assert "a map of handles is needed" in out.stderr, out.stderr
        f.write("targets", "# servers\n1000-1999 0\n2000-2999 1\n")
        out = layout(path, "--xattr-prefix", "user.", "--targets", "targets", directory=f.path)
        assert entries(out.stdout) == {path: ("1:2:64K", 2)}, out.stdout


def a_beegfs_file_gives_its_targets():
    with Files() as f:
        path = f.make("a")
        f.write("targets", "101-103 0\n103 5\n201 6\n")  # the first that holds a target counts
        double = os.path.join(BUILD, "lib", "libbeegfs_double.so")
        out = layout(path, "--targets", "targets", directory=f.path, preload=double, status=1)
        assert "one disk" in out.stderr, out.stderr
        f.write("targets", "101 4\n103 5\n201 6\n")
        out = layout(path, "--targets", "targets", directory=f.path, preload=double)
        assert entries(out.stdout) == {path: ("4,6,5:512K", 7)}, out.stdout


def a_cephfs_file_has_no_disk_map():
    with Files() as f:
        path = f.make("a", ceph_file_layout=b"stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data")
        out = layout(path, "--xattr-prefix", "user.", directory=f.path, status=1)
        assert "no disk map" in out.stderr and "stripe_unit=4194304" in out.stderr, out.stderr


def a_file_that_nobody_knows_says_what_to_do():
    with Files() as f:
        path, other = f.make("a"), f.make("b", siox_layout=b"0:1:4K")
        out = layout(path, other, "missing", directory=f.path, status=1)
        assert f"no layout known for {path}" in out.stderr and "layouts.yaml by hand" in out.stderr, out.stderr
        assert "missing: No such file" in out.stderr, out.stderr
        assert entries(out.stdout) == {other: ("0:1:4K", 8)}, out.stdout  # the others are told all the same


def a_file_that_a_daemon_opened_is_asked_of_it():
    with wire.Daemon() as daemon:
        path = daemon.file("a", 4096)
        client = daemon.client().join()
        assert client.open(path)[1] == "0:4:64K"  # its default, which is stored nowhere
        done = subprocess.run([SIOX, "layout", path], capture_output=True, text=True,
                              env=dict(os.environ, SIOX_SOCKET=daemon.socket))
        assert entries(done.stdout) == {os.path.realpath(path): ("0:4:64K", 4)}, (done.stdout, done.stderr)
        assert "# the daemon" in done.stdout


def below_the_mount_the_configuration_counts():
    with Files() as f:
        os.mkdir(os.path.join(f.path, "mount"))
        one, two = f.make("mount/x.dat"), f.make("mount/y")
        f.write("layouts.yaml", '- {file: "*.dat", layout: "2:2:1M"}\n')
        f.write("s.yaml", "mount: mount\ndisks: 4\nlayouts: layouts.yaml\ndefault_layout: \"0:3:64K\"\n")
        out = layout(one, two, "--config", "s.yaml", directory=f.path)
        assert entries(out.stdout) == {one: ("2:2:1M", 4), two: ("0:3:64K", 4)}, out.stdout


def the_entries_are_read_back_by_the_product():
    with Files() as f:
        path = f.make('odd [*] "name"', siox_layout=b"1:2:64K")
        os.mkdir(os.path.join(f.path, "mount"))
        layout(path, "--disks", "4", "-o", "layouts.yaml", directory=f.path)
        name = os.path.join("mount", os.path.basename(path))
        f.make(name)
        text = open(os.path.join(f.path, "layouts.yaml")).read().replace(f.path, os.path.join(f.path, "mount"))
        f.write("layouts.yaml", text)
        f.write("s.yaml", "mount: mount\ndisks: 4\nlayouts: layouts.yaml\n")
        out = layout(name, "--config", "s.yaml", directory=f.path)
        assert '"1:2:64K", disks: 4' in out.stdout and "configuration's layouts" in out.stdout, out.stdout


def the_map_says_which_disk_has_how_many_bytes():
    with Files() as f:
        path = f.make("a", size=200_000, siox_layout=b"3:3:64K")
        out = json.loads(layout(path, "--json", "--disks", "4", directory=f.path).stdout)
        have = [(d["disk"], d["bytes"]) for d in out[0]["parts"][0]["disks"]]
        want = {3: 0, 0: 0, 1: 0}
        for byte in range(200_000):  # the long way
            want[(3 + byte // 65536 % 3) % 4] += 1
        assert have == list(want.items()), have
        assert "on 3 of 4 disks" in layout(path, "--map", "--disks", "4", directory=f.path).stdout


def a_map_of_targets_that_cannot_be_read_is_an_error():
    with Files() as f:
        path = f.write("run.h5", "")
        os.mkdir(os.path.join(f.path, "targets"))
        out = layout(path, "--targets", "targets", directory=f.path, status=2)
        assert "targets: Is a directory" in out.stderr, out.stderr


def a_wrong_map_of_targets_is_named_with_its_place():
    with Files() as f:
        path = f.make("a")
        for text, place in (("1 2\nx\n", "targets:2:"), ("9-3 1\n", "targets:1:"), ("1 2 3\n", "targets:1:")):
            f.write("targets", text)
            out = layout(path, "--targets", "targets", directory=f.path, status=2)
            assert place in out.stderr, out.stderr


if __name__ == "__main__":
    globals()[sys.argv[1]]()
