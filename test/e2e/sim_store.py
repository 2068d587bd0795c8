#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox sim with a store between jobs and disks: one function, one condition. Usage: sim_store.py NAME

Expected times and joules come from the drive's formulas as sim.py has them."""

import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from sim import FULL, LEVELS, change, idle, imported, near, record, rows, service, sim

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


def wrong_arrays_are_named_with_their_place():
    job = "jobs:\n- generate: {burst: 1M"
    for text, place in ((f"array_unit: 64K\n{job}}}\n", r"s.yaml:1: array_unit: stands with array"),
                        (f"array: 2\narray_unit: 0\n{job}}}\n", r"s.yaml:2: array_unit: expected bytes, at least 1"),
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
