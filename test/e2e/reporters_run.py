#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the daemon says of a run's processes, also of those that could say nothing themselves: the totals in the report of
siox run. reporters_run.py CASE"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reporters  # noqa: E402
import siox_run  # noqa: E402
from recording import SPIKE  # noqa: E402
from reporters_mpi import MPIEXEC, PLAIN, WRITES  # noqa: E402

MPICC = reporters.MPICC


class Place(siox_run.Place):
    """compiled() of reporters.py, run() of siox_run.py."""

    def compiled(self, text, *flags, compiler="clang-19"):
        return reporters.Place.compiled(self, text, *flags, compiler=compiler)

    def report(self, *command, options=(), **environment):
        file = os.path.join(self.directory, "report.json")
        self.environment.update(environment)
        process = self.run(*command, options=["--preload", f"--json={file}", "--set", "time_scale=100", *options])
        out, err = process.communicate(timeout=120)
        with open(file) as f:
            return process.returncode, out, err, json.load(f)


def calls(report, kind):
    layer, call = kind.split()
    for one in report["totals"]["calls"]:
        if (one["layer"], one["call"]) == (layer, call):
            return one["calls"], one["bytes"], one["errors"]
    return None


def a_process_that_was_killed_is_told_of():
    """SIGTERM, which it does not heed, then SIGKILL."""
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              signal(SIGTERM, SIG_IGN);
              put(v[1], 100);
              kill(getpid(), SIGTERM);
              kill(getpid(), SIGKILL);
              return 0;
            }""")
        status, _, err, report = place.report(program, place.path, SIOX_REPORT="console")
        assert status == 137 and "report of program" not in err, (status, err)
        assert calls(report, "posix write") == (100, 100000, 0), report["totals"]["calls"]
        assert re.search(r"^    posix +write +100 +100000 ", err, re.M), err


def a_job_of_which_one_rank_was_killed_is_told_of():
    with Place() as place:
        program = place.compiled(WRITES + """
            int main(int c, char **v) {
              begin(&c, &v);
              pieces(v[1]);
              MPI_Barrier(MPI_COMM_WORLD);
              if (rank == 1) kill(getpid(), SIGKILL);
              for (;;) pause();
            }""", compiler=MPICC)
        status, _, err, report = place.report(MPIEXEC, "-n", "2", program, place.path, SIOX_REPORT="mpi")
        assert status != 0 and "joint report" not in err, (status, err)
        assert calls(report, "mpiio write_at") == (12, 12000, 0), report["totals"]["calls"]
        assert report["totals"]["processes"]["ranks"] == 2, report["totals"]["processes"]


def children_of_fork_count_once():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              put(v[1], 5);
              for (int i = 0; i < 2; i++)
                if (fork() == 0) { put(v[1], 3); _exit(0); }
              while (wait(0) > 0) ;
              return 0;
            }""")
        _, _, _, report = place.report(program, place.path)
        assert calls(report, "posix write") == (11, 11000, 0), report["totals"]["calls"]
        processes = report["totals"]["processes"]
        assert (processes["ranks"], processes["others"]) == (0, 3), processes
        assert [processes["figures"]["posix_bytes"][k] for k in ("minimum", "maximum")] == [3000, 5000], processes


def what_was_before_exec_is_told_by_the_daemon():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              put(v[1], c > 2 ? 3 : 5);
              if (c == 2) execl(v[0], v[0], v[1], "again", (char *)0);
              return 0;
            }""")
        _, _, err, report = place.report(program, place.path, SIOX_REPORT="console")
        assert calls(report, "posix write") == (8, 8000, 0), report["totals"]["calls"]
        assert reporters.row(err[:err.index("siox: policy")], "posix write")[0] == 3, err


def ranks_have_minimum_average_and_maximum_in_few_lines():
    with Place() as place:
        program = place.compiled(WRITES + PLAIN, compiler=MPICC)
        status, _, err, report = place.report(MPIEXEC, "-n", "4", program, place.path)
        assert status == 0, err
        figures = report["totals"]["processes"]["figures"]
        assert report["totals"]["processes"]["ranks"] == 4
        found = [figures["mpiio_bytes"][k] for k in ("minimum", "average", "maximum", "rank")]
        assert found == [4000, 10000, 16000, 3], figures
        for key, value in figures.items():
            assert value["minimum"] <= value["average"] <= value["maximum"], (key, value)
        lines = err.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("  4 ranks"))
        end = next(i for i, line in enumerate(lines) if line.startswith("  siox itself: daemon"))
        assert end - begin < 25, err
        assert re.search(r"^    bytes of POSIX I/O +4000 +10000.0 +16000  rank 3$", err, re.M), err
        assert calls(report, "mpiio write_at") == (40, 40000, 0), report["totals"]["calls"]
        cost = report["totals"]["cost"]
        assert cost["calls"] == sum(c["calls"] for c in report["totals"]["calls"]) and 0 < cost["seconds_a_call"] < 1e-4
        assert cost["daemon_memory_bytes"] > 1 << 20 and cost["daemon_cpu_seconds"] > 0, cost
        again = subprocess.run([siox_run.SIOX, "report", os.path.join(place.directory, "report.json")], capture_output=True,
                               text=True, timeout=60)
        assert again.returncode == 0 and again.stdout.splitlines() == lines, (again.stdout, err)


def totals_are_of_the_runs_own_jobs_whatever_they_are_called():
    with Place() as place:
        program = place.compiled(WRITES + PLAIN, compiler=MPICC)
        for name in ("a name with blanks and more letters than a key has room for", "x/y", "n" * 31, "n" * 32):
            _, _, err, report = place.report("mpiexec", "-n", "1", program, place.path, options=["--job", name])
            assert calls(report, "mpiio write_at") == (4, 4000, 0), (name, report["jobs"], report["totals"])
            plain = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 3); return 0; }")
            _, _, err, report = place.report(plain, place.path, options=["--job", name])
            assert calls(report, "posix write") == (3, 3000, 0), (name, report["jobs"], report["totals"])
            program = place.compiled(WRITES + PLAIN, compiler=MPICC)


def an_anomaly_is_explained_by_daemon_and_process():
    """A scripted metric jumps while the program runs."""
    with Place() as place:
        with open(os.path.join(place.directory, "level.txt"), "w") as f:
            f.write("metric level - 1 gauge\nat 0 1\n" + "".join(f"at {0.3 * i + 0.3:g} {100.0 ** (i + 1):g}\n" for i in range(60)))
        monitor = os.path.join(place.directory, "monitor.yaml")
        with open(monitor, "w") as f:
            f.write("providers: [{plugin: scripted, config: {file: level.txt}}]\n"
                    f"detectors: [{{plugin: {SPIKE}, config: {{metric: level}}}}]\n")
        program = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 1); sleep(2); return 0; }")
        _, _, err, report = place.report(program, place.path, options=["--set", f"monitor={monitor}"], SIOX_REPORT="console")
        anomalies = report["totals"]["anomalies"]
        found = [f for f in anomalies["findings"] if f["what"] == "spike"]
        assert anomalies["issues"] >= 1 and anomalies["abnormal_cycles"] >= 1, anomalies
        assert found and found[0]["times"] >= 1 and found[0]["subject"] == "level", anomalies
        block = err[:err.index("siox: policy")]
        assert re.search(r"^  anomalies: [1-9]\d* seen by sioxd\n(    .*\n)*    node: spike, \w+: level", block, re.M), err
        assert re.search(r"^  anomalies: [1-9]\d* issues, [1-9]\d* of \d+ cycles abnormal\n(    .*\n)*    spike: level", err, re.M), err


def joules_of_the_run_stand_beside_the_nodes():
    """A meter that shows 100 W; the program computes for a second of processor time, of which the daemon misses a cycle or two."""
    with Place() as place:
        with open(os.path.join(place.directory, "power.txt"), "w") as f:
            f.write("metric energy package-0 J counter domain=package\n" + "".join(f"at {0.1 * i:g} {10 * i}\n" for i in range(600)))
        monitor = os.path.join(place.directory, "monitor.yaml")
        with open(monitor, "w") as f:
            f.write("providers: [processors, processes, drives, {plugin: scripted, config: {file: power.txt}}]\n")
        program = place.compiled("""
            #include <time.h>
            int main(int c, char **v) {
              (void)c;
              put(v[1], 1);
              while (clock() < CLOCKS_PER_SEC) ;
              return 0;
            }""")
        _, _, err, report = place.report(program, place.path, options=["--set", f"monitor={monitor}"], SIOX_REPORT="console")
        listing = report["totals"]["listing"]
        assert 0.5 < listing["consumed_cpu_seconds"] < 1.2 and listing["accessed_io_bytes"] == 1000, listing
        assert 1000 <= listing["observed_runtime_ms"] < 60000 and listing["transferred_network_bytes"] is None, listing
        assert re.search(r"^  consumed [\d.]+ CPU seconds, [\d.]+ joules; accessed 1000 bytes; observed \d+ ms$", err, re.M), err
        energy = report["totals"]["energy"]
        assert abs(listing["consumed_energy_joule"] - sum(d["joules"] for d in energy["job"].values())) < 1e-9, (listing, energy)
        job, node = energy["job"]["package"], energy["node"]["package"]
        assert 0 < job["joules"] <= node["joules"] and not node["estimated"] and job["source"] == "scripted", energy
        assert 50 < node["joules"] < 0.1 * listing["observed_runtime_ms"] + 100, energy
        assert 0 <= energy["job"]["disk"]["joules"] <= energy["node"]["disk"]["joules"], energy
        assert re.search(r"joules of the run, and of the node: disk .* \(estimated\); package [\d.]+ of [\d.]+\n", err), err
        block = err[:err.index("siox: policy")]
        found = re.search(r"CONSUMED_ENERGY_JOULE = ([\d.]+) \(the whole job on this node; disks ([\d.]+) estimated; "
                          r"processors ([\d.]+) by scripted\)", block)
        assert found and abs(float(found[1]) - float(found[2]) - float(found[3])) < 1e-5 and float(found[3]) > 0, block


if __name__ == "__main__":
    globals()[sys.argv[1]]()
