#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox providers: what can be measured here, on captured trees and on this machine. providers.py CASE"""
import json
import os
import subprocess
import sys
import tempfile
import time

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
MEMINFO = "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 250 kB\n"


def siox(*words, status=0, **environment):
    done = subprocess.run([SIOX, "providers", *words], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def tree(root, files):
    for path, text in files.items():
        path = root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)


def a_tree_stands_in_for_the_machine():
    with tempfile.TemporaryDirectory() as root:
        tree(root, {"/proc/meminfo": MEMINFO})
        for words, environment in ((("--root", root), {}), ((), {"SIOX_SYSFS_ROOT": root})):
            told = {p["name"]: p for p in json.loads(siox("--json", *words, **environment).stdout)}
            assert told["memory"]["works"] and not told["processors"]["works"], told
            assert root + "/proc/stat" in told["processors"]["why"], told["processors"]
        assert "not here" in siox("--root", root).stdout


def a_source_that_was_named_and_does_not_work_is_a_failure():
    with tempfile.TemporaryDirectory() as root:
        tree(root, {"/proc/meminfo": MEMINFO})
        siox("--root", root, "memory")
        siox("--root", root, "memory", "processors", status=1)
    assert "no such provider" in siox("moon", status=2).stderr


def the_daemons_own_source_is_shown_beside_the_nodes():
    told = {p["name"]: p for p in json.loads(siox("--json").stdout)}
    assert told["drives"]["works"] and told["drives"]["daemon"] and "daemon" not in told["memory"], told
    shown = siox("drives").stdout
    assert "drives" in shown and "works in the daemon" in shown and "memory" not in shown, shown


def a_sample_agrees_with_the_kernel():
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    sample = json.loads(siox("--json", "--sample=0.3", "processors", "memory").stdout)
    assert 0.3 <= sample["seconds"] <= time.clock_gettime(time.CLOCK_MONOTONIC) - before, sample["seconds"]
    value = {(s["name"], s["where"]): s["value"] for s in sample["series"]}
    with open("/proc/meminfo") as f:
        total = int(f.readline().split()[1]) * 1024
    assert value["mem_total", ""] == total, (value, total)
    used = sum(v for (name, where), v in value.items() if name.startswith("cpu_") and where == "cpu0" and v is not None)
    assert 0.5 <= used <= 1.5, used  # a processor does something for a second a second, counted in ticks of 10 ms


def settings_of_monitor_yaml_hold():
    """And what is wrong in it is named by file and line."""
    with tempfile.TemporaryDirectory() as root:
        yaml = os.path.join(root, "monitor.yaml")
        with open(yaml, "w") as f:
            f.write("providers:\n  - plugin: scripted\n    config: {file: night.txt}\n")
        with open(os.path.join(root, "night.txt"), "w") as f:
            f.write("metric watts - W gauge\nat 0 42\n")
        (only,) = json.loads(siox("--json", "--sample=0.01", "--monitor", yaml, "scripted").stdout)["series"]
        assert only["value"] == 42, only
        assert "not here" in siox("scripted", status=1).stdout
        with open(yaml, "w") as f:
            f.write("providers:\n  - plugin: memory\n    configuration: {}\n")
        assert f"{yaml}:3: providers[0].configuration" in siox("--monitor", yaml, status=2).stderr


def output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([SIOX, "providers"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot write" in done.stderr, done


globals()[sys.argv[1]]()
