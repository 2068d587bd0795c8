#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox report --compare on reports made by hand, with the figures of the monitoring paper's Fig. 2. Usage: compare.py NAME"""

import json
import os
import subprocess
import sys
import tempfile

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
PAPER = ((377, 23605, 21335), (133, 8279, 17390), (119, 7453, 11704), (120, 7541, 2826))  # s, J, activities


def report(level, seconds, joules, activities):
    return {"command": f"./parabench -e -D pattern{level}.pbl", "wall_seconds": seconds, "unavailable": {},
            "run": {"joules": 100.0 * (level + 1), "requests": 10, "io_seconds": seconds / 2},
            "jobs": [{"joules": 30.0}, {"joules": 12.5}],
            "processors": {"joules": joules, "job_joules": joules / 4, "estimated": False},
            "activities": {"ranks": 8, "all": activities, "rank_0": activities // 8, "calls": 5, "bytes_read": 2000000,
                           "bytes_written": 1000000}}


class Place:
    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = self.temporary.name
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def file(self, name, content):
        with open(os.path.join(self.directory, name), "w") as f:
            f.write(content if isinstance(content, str) else json.dumps(content))
        return name

    def compare(self, *arguments, status=0):
        done = subprocess.run([SIOX, "report", "--compare", *arguments], cwd=self.directory, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done
        return done


def the_papers_table_is_printed():
    with Place() as place:
        files = [place.file(f"{i}.json", report(i, *row)) for i, row in enumerate(PAPER)]
        lines = place.compare(*files).stdout.splitlines()
        for i, (seconds, joules, activities) in enumerate(PAPER):
            assert lines[1 + i].split() == [str(i + 1), "8", "./parabench", "-e", "-D", f"pattern{i}.pbl"], lines
            row = lines[lines.index("") + 2 + i].split()
            assert row == [str(i + 1), f"{seconds:.2f}", "s", f"{100 * (i + 1):.1f}", "J", f"{joules:.1f}", "J", "42.5", "J",
                           f"{joules / 4:.1f}", "J"], row
        assert any(line.split()[:2] == ["4", "0.318"] for line in lines), lines  # 120 s over 377 s
        assert "*" not in "".join(lines), lines
        told = json.loads(place.compare(*files, "--json").stdout)["runs"]
        assert [run["ratios"]["seconds"] for run in told] == [row[0] / 377 for row in PAPER], told
        assert [run["activities"] for run in told] == [row[2] for row in PAPER] and told[3]["job_disks_joules"] == 42.5, told


def what_is_missing_is_told_and_not_refused():
    with Place() as place:
        other = report(1, 133, 8279, 17390)
        del other["processors"], other["activities"], other["run"]
        other["unavailable"] = {"run": "the daemon records no trace"}
        lines = place.compare(place.file("a", report(0, *PAPER[0])), place.file("b", other)).stdout.splitlines()
        assert lines[2].split()[:2] == ["2", "-"], lines  # ranks
        assert "  2: no processors_joules: no provider metered them; siox providers tells why" in lines, lines
        assert "  2: no disks_joules: the daemon records no trace" in lines, lines


def estimates_are_marked():
    with Place() as place:
        one = report(0, *PAPER[0])
        one["processors"]["estimated"] = True
        text = place.compare(place.file("a", one)).stdout
        assert "23605.0 J*" in text and "5901.2 J*" in text and "* estimated" in text and "over 1" not in text, text


def what_is_no_report_is_named():
    with Place() as place:
        good = place.file("good", report(0, *PAPER[0]))
        deep = "[" * 100000
        for name, content, says in (("half", '{"wall_seconds": 1,', "half:1:"), ("other", "{}", "other: it is no report"),
                                    ("word", '{"wall_seconds": "1", "unavailable": {}}', "wall_seconds is missing"),
                                    ("why", '{"wall_seconds": 1, "unavailable": []}', "unavailable is missing"), ("empty", "", "empty: it is empty"),
                                    ("list", "[]", "list: byte 0: this is not a Siox trace"), ("deep", '{"a":' + deep, "deep:1:"),
                                    ("huge", '{"wall_seconds": 1e999}', "huge:1:"), ("trace", "SIOX", "trace: ")):
            done = place.compare(good, place.file(name, content), status=1)
            assert says in done.stderr and not done.stdout, (name, done)
        done = place.compare(good, "nowhere", "/", status=1)
        assert "nowhere: No such file" in done.stderr and "/: " in done.stderr, done
        odd = report(0, *PAPER[0])
        odd.update(command="a\x1b[2Jb\n", jobs={}, run={"joules": "many", "requests": None, "io_seconds": []})
        done = place.compare(place.file("odd", odd))
        assert "a?[2Jb?" in done.stdout and "1: no disks_joules" in done.stdout and "1: no job_disks_joules" in done.stdout, done


if __name__ == "__main__":
    globals()[sys.argv[1]]()
