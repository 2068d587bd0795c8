#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the daemon measures beside its disks: the processors' joules of each job. The meter is a script; this process is the
job. monitor.py CASE"""

import json
import os
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import Daemon, close_to  # noqa: E402

JOULES_A_ROW, ROW_S = 1, 0.05  # 20 W


def configuration(directory, text=None):
    """monitor.yaml with a meter that counts 20 W for ten minutes, beside the real processors and processes."""
    meter = os.path.join(directory, "meter.txt")
    with open(meter, "w") as f:
        f.write("metric energy package-0 J counter domain=package scale=1e-6 bound=400\n")
        f.writelines(f"at {n * ROW_S:.2f} {n * JOULES_A_ROW * 1000000}\n" for n in range(12000))
    path = os.path.join(directory, "monitor.yaml")
    with open(path, "w") as f:
        f.write(text or f"providers: [processors, processes, utilisation, {{plugin: scripted, config: {{file: {meter}}}}}]\n")
    return path


def until(condition, seconds=30):
    """What condition() returns once it is true; there is nothing to be told by, so it is asked again."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "not within %d s" % seconds
        time.sleep(0.01)
    return found


def joules_of_a_job_are_its_share_of_the_meter():
    with tempfile.TemporaryDirectory() as directory:
        with Daemon(monitor=configuration(directory), monitor_period=0.05, clock="monotonic") as daemon:
            client, tool = daemon.client().join(job="busy"), daemon.client()

            def seconds():
                jobs = tool.ask("report")["jobs"]
                return jobs[0]["processors"]["seconds"] if jobs else 0

            began, cycles = time.process_time(), tool.ask("status")["monitor"]["cycles"]
            while time.process_time() - began < 1:
                sum(range(1000))
            until(lambda: seconds() >= 0.5)  # of the second, some lies before the daemon knew of this process
            report = tool.ask("report")
            used = time.process_time() - began
            monitor, job = report["monitor"], report["jobs"][0]["processors"]
            processors = monitor["processors"]
            assert monitor["cycles"] > cycles and processors["source"] == "scripted" and not processors["estimated"], monitor
            close_to(job["joules"] + processors["idle"] + processors["unattributed"] + processors["forgotten"],
                     processors["joules"])
            rows = processors["joules"] / JOULES_A_ROW
            assert rows > 5 and abs(rows - round(rows)) < 1e-6, processors  # whole rows of the script, none lost or made
            assert job["seconds"] <= used + 0.05, (job, used)
            assert 0 < job["joules"] < processors["joules"], (job, processors)
            assert set(monitor["utilisation"]) == {"cpu", "memory", "disk", "network"}, monitor
            assert 0 < monitor["utilisation"]["cpu"] <= 1, monitor
            client.close()


def what_is_wrong_in_monitor_yaml_ends_the_daemon_with_its_place():
    with tempfile.TemporaryDirectory() as directory:
        for text, says in (("providers: [moon]\n", "monitor.yaml:1: moon"), ("colours: []\n", "monitor.yaml:1: colours"),
                           ("detectors: [moon]\n", "monitor.yaml:1: moon"),
                           ("detectors: [{plugin: sensor, config: {colour: 1}}]\n", "monitor.yaml:1: colour"),
                           ("providers:\n- memory\n- memory\n", "monitor.yaml:3: memory: stands there already, in line 2"),
                           ("providers: [{plugin: scripted, config: {file: a, file: b}}]\n", "file stands there twice"),
                           ("reasoners: {planet: {}}\n", "monitor.yaml:1: reasoners.planet"),
                           ("reasoners: {node: {colour: 1}}\n", "monitor.yaml:1: colour"),
                           ("reasoners:\n  system:\n    max_load: 3\n", "monitor.yaml:3: max_load"),
                           ("reasoners: {node: 3}\n", "monitor.yaml:1: reasoners.node"),
                           ("detectors: [/nowhere.so]\n", "monitor.yaml:1: /nowhere.so"),
                           ("detectors:\n- {plugin: sensor, config: {domains: package moon}}\n", "monitor.yaml:2: domains"),
                           ("providers:\n  - {plugin: memory, colour: red}\n", "monitor.yaml:2: providers[0].colour"),
                           ("providers: 3\n", "monitor.yaml:1: providers"), ("- memory\n", "monitor.yaml:1:"),
                           ("providers:\n  - config: {}\n", "monitor.yaml:2: providers[0]"),
                           ("providers: [{plugin: memory, config: {colour: 1}}]\n", "monitor.yaml:1: colour")):
            done = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), "--set", f"socket={directory}/s",
                                   "--set", f"monitor={configuration(directory, text)}", "--set", "monitor_period=0.1"],
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode and says in done.stderr, (says, done)


def names_that_nothing_here_has_are_told_at_the_start():
    """Metrics, and commands of triggers: they may come later, so the daemon goes on."""
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory, "providers: [memory, processes]\ndetectors:\n"
                                        "- plugin: statistics\n  config: {metrics: mem_total mem_moon process_cpu}\n"
                                        "- plugin: efficiency\n  config: {work: flops_dp}\n"
                                        "triggers:\n- when: {}\n  do:\n  - command: /bin/true\n  - command: /no/where\n")
        with Daemon(monitor=path, monitor_period=0.05) as daemon:
            daemon.stop()
            done = subprocess.run(daemon.command("--daemonize"), check=True, capture_output=True, text=True, timeout=60)
            client = daemon.client()
            daemon.pidfd = os.pidfd_open(client.ask("status")["pid"])
            told = [line for line in done.stderr.splitlines() if "monitor.yaml:" in line]
            assert len(told) == 3, told
            for line, says in zip(told, ("monitor.yaml:11: command: /no/where cannot be run now (No such file",
                                         "monitor.yaml:4: metrics: nothing here measures mem_moon",
                                         "monitor.yaml:6: work: nothing here measures flops_dp")):
                assert says in line, (says, told)


def a_provider_that_does_not_work_is_told_and_the_others_go_on():
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory, "providers: [memory, {plugin: scripted, config: {file: /nowhere}}]\n")
        with Daemon(monitor=path, monitor_period=0.05) as daemon:
            monitor = until(lambda: (m := daemon.client().ask("status")["monitor"]) and m["cycles"] > 1 and m)
            assert [s["works"] for s in monitor["sources"]] == [True, False], monitor
            assert "/nowhere" in monitor["sources"][1]["why"], monitor
            assert monitor["processors"] is None, monitor


def a_dead_meter_is_a_fault_of_the_sensor():
    with tempfile.TemporaryDirectory() as directory:
        meter = os.path.join(directory, "dead.txt")
        with open(meter, "w") as f:
            f.write("metric energy package-0 J counter domain=package scale=1e-6 bound=400\n")
            f.writelines(f"at {n * ROW_S:.2f} {min(n, 40) * 1000000}\n" for n in range(12000))  # it dies after 2 s
        path = configuration(directory, f"providers: [{{plugin: scripted, config: {{file: {meter}}}}}]\n"
                                        "detectors: [sensor]\n")
        with Daemon(monitor=path, monitor_period=0.05, clock="monotonic") as daemon:
            tool = daemon.client()
            node = until(lambda: (n := tool.ask("status")["monitor"]["node"]) and n["verdict"] == "fault" and n)
            assert node["state"] == "ABNORMAL_OTHER" and node["category"] == "energy", node
            assert node["issues"][-1]["detector"] == "sensor" and node["issues"][-1]["where"] == "package-0", node
            assert node["abnormal_cycles"] < node["cycles"], node


def a_process_that_deviates_is_named_at_its_level_and_counted_above():
    with tempfile.TemporaryDirectory() as directory:
        meter = os.path.join(directory, "dead.txt")
        with open(meter, "w") as f:
            f.write(f"metric energy {os.getpid()}@1 J counter domain=package scale=1e-6 bound=400\n")
            f.writelines(f"at {n * ROW_S:.2f} {min(n, 40) * 1000000}\n" for n in range(12000))  # it dies after 2 s
        path = configuration(directory, f"providers: [{{plugin: scripted, config: {{file: {meter}}}}}]\n"
                                        "detectors: [sensor]\nreasoners: {process: {threshold: 0}, node: {max_load: 95 %}}\n")
        with Daemon(monitor=path, monitor_period=0.05, clock="monotonic") as daemon:
            tool = daemon.client()
            client = daemon.client().join(job="busy", rank=3)
            monitor = until(lambda: (m := tool.ask("status")["monitor"]) and m["processes"]["abnormal"] and m)
            process, issue = monitor["processes"]["list"][0], monitor["node"]["issues"][-1]
            assert (process["job"], process["rank"], process["pid"]) == ("busy", 3, os.getpid()), process
            assert (issue["job"], issue["rank"], issue["pid"]) == ("busy", 3, os.getpid()), issue
            assert process["state"] == "ABNORMAL_OTHER" and process["verdict"] == "fault", process
            assert monitor["processes"]["count"] == monitor["processes"]["judged"] == 1, monitor
            assert monitor["node"]["state"] == monitor["system"]["state"] == "ABNORMAL_OTHER", monitor
            assert monitor["system"]["nodes"] == 1, monitor
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "disks", "--socket",
                                    daemon.socket], capture_output=True, text=True, timeout=60)
            assert f"rank 3 of busy (pid {os.getpid()}): ABNORMAL_OTHER, fault" in shown.stdout, shown
            client.close()


def what_is_set_up_wrong_is_misconfiguration():
    """Eight ranks on a file of one disk, and processors that are held low, while both are busy."""
    with tempfile.TemporaryDirectory() as directory:
        frequency = os.path.join(directory, "sys/devices/system/cpu/cpu0/cpufreq")
        os.makedirs(frequency)
        for name, kHz in (("cpuinfo_max_freq", 3000000), ("scaling_cur_freq", 1000000)):
            with open(os.path.join(frequency, name), "w") as f:
                f.write(f"{kHz}\n")
        with open(os.path.join(directory, "load.txt"), "w") as f:
            f.write("metric utilisation cpu 1 gauge\nmetric utilisation disk 1 gauge\nat 0 0.95 0.1\n")
            f.write("at 4 0.95 0.95\nat 5 0.1 0.95\n")
        path = configuration(directory, "providers: [frequency, {plugin: scripted, config: {file: load.txt}}]\n"
                                        "detectors: []\nreasoners: {node: {least_cycles: 5}}\n")
        os.environ["SIOX_SYSFS_ROOT"] = directory
        with Daemon(monitor=path, monitor_period=0.05, clock="monotonic") as daemon:
            tool = daemon.client()

            def said(subject):
                node = tool.ask("status")["monitor"]["node"]
                return node if node["subject"] == subject else None

            node = until(lambda: said("clock"))
            assert node["verdict"] == "misconfiguration" and "1 GHz of 3" in node["evidence"], node
            daemon.file("data")
            ranks = [daemon.client().join(job="narrow", rank=r, size=8) for r in range(8)]
            for rank in ranks:
                rank.open(os.path.join(daemon.mount, "data"), layout="0:1:64K")
            node = until(lambda: said("striping"))
            assert node["verdict"] == "misconfiguration" and node["evidence"].startswith("8 ranks"), node
            assert node["state"] == "GOOD", node
            for rank in ranks:
                rank.close()


def a_device_that_does_not_answer_does_not_keep_the_daemon():
    with tempfile.TemporaryDirectory() as directory:
        plugin = os.path.join(os.environ["SIOX_BUILD"], "test", "plugins", "adpi_asleep.so")
        mark = os.path.join(directory, "mark")
        path = configuration(directory, f"providers: [memory]\ndetectors: [{{plugin: {plugin}, config: {{mark: {mark}}}}}]\n")
        with Daemon(monitor=path, monitor_period=0.05) as daemon:
            until(lambda: os.path.exists(mark))
            assert daemon.client().ask("status")["monitor"]["cycles"] == 0
            daemon.stop()
            assert not os.path.exists(daemon.socket) and "left behind" in daemon.log_text()


def files_lie_beside_monitor_yaml():
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory, "providers: [{plugin: scripted, config: {file: meter.txt}}]\n")
        with Daemon(monitor=path, monitor_period=0.05) as daemon:
            assert daemon.client().ask("status")["monitor"]["sources"] == [{"name": "scripted", "works": True, "why": None}]


def a_process_with_two_connections_counts_once():
    with tempfile.TemporaryDirectory() as directory:
        with Daemon(monitor=configuration(directory), monitor_period=0.05, clock="monotonic") as daemon:
            clients, tool = [daemon.client().join(job="busy") for _ in range(2)], daemon.client()
            began = time.process_time()

            def seconds():
                sum(range(100000))
                return tool.ask("report")["jobs"][0]["processors"]["seconds"]

            until(lambda: seconds() >= 0.2)
            assert seconds() <= time.process_time() - began + 0.1, (seconds(), time.process_time() - began)
            assert tool.ask("report")["jobs"][0]["processors"]["joules"] > 0
            for client in clients:
                client.close()


def other_users_are_told_joules_of_whole_seconds():
    if os.geteuid() != 0:
        print("needs root to have two users")
        return
    with tempfile.TemporaryDirectory() as directory:
        with Daemon(monitor=configuration(directory), monitor_period=0.05, clock="monotonic") as daemon:
            os.chmod(daemon.directory, 0o755)
            read, write = os.pipe()
            if os.fork() == 0:
                os.setuid(12345)
                peer, seen = daemon.client(), []
                for _ in range(40):
                    monitor = peer.ask("status")["monitor"]
                    seen.append((monitor["cycles"], (monitor["processors"] or {}).get("joules"), "issues" in monitor["node"]))
                    time.sleep(0.05)  # not to wait for something: to look often
                os.write(write, json.dumps(seen).encode())
                os._exit(0)
            os.close(write)
            seen = json.loads(os.fdopen(read).read())
            spent = (seen[-1][0] - seen[0][0]) * 0.05  # seconds, at least
            assert not any(issues for _, _, issues in seen), seen
            assert len({joules for _, joules, _ in seen}) <= 2 + 2 * max(spent, 2), seen


def a_name_of_any_bytes_leaves_the_status_readable():
    with tempfile.TemporaryDirectory() as directory:
        root = os.path.join(os.fsencode(directory), b"\xff\xfe")
        os.makedirs(os.path.join(root, b"proc", b"net"))
        with open(os.path.join(root, b"proc", b"net", b"dev"), "wb") as f:
            f.write(b"Inter-|\n face |\n \xff\xfe: " + b"1 " * 16 + b"\n")
        path = configuration(directory, "providers: [networks, memory]\n")
        os.environb[b"SIOX_SYSFS_ROOT"] = root
        with Daemon(monitor=path, monitor_period=0.05) as daemon:
            sources = daemon.client().ask("status")["monitor"]["sources"]
            assert [s["name"] for s in sources] == ["networks", "memory"], sources
            assert not sources[1]["works"] and "??/proc/meminfo" in sources[1]["why"], sources
        shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "providers", "memory", "--json"],
                               capture_output=True, text=True, timeout=60)
        assert "??/proc/meminfo" in shown.stdout and shown.returncode == 1, shown


def a_slow_disk_is_named():
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory, "providers: [drives]\ndetectors: [{plugin: statistics, config: {learning: 25, metrics: disk_request_time}}]\n")
        with Daemon(monitor=path, monitor_period=0.05, clock="monotonic") as daemon:
            client, tool = daemon.client().join(job="reader"), daemon.client()
            number, _ = client.open(daemon.file("f", 1 << 20), "0:4:64K", time=time.monotonic_ns())

            def node():
                for offset in (0, 262144):  # as a program does: the next request comes when this one is done
                    done = client.io(number, offset, 262144, time.monotonic_ns())
                    time.sleep(max(0, done - time.monotonic_ns()) / 1e9)
                return tool.ask("status")["monitor"]["node"]

            until(lambda: node()["cycles"] > 60)
            assert tool.ask("slow", disks=[[2, 2]], factor=6, seconds=60) == {"slowed": 1}
            found = until(lambda: (n := node())["verdict"] == "fault" and n)
            assert found["subject"] == "disk2" and found["category"] == "disk", found
            assert "disk_request_time of disk2" in found["evidence"] and "no more to do" in found["evidence"], found


def processes_that_come_and_go_keep_nobody():
    """Eight children join and leave, thirty times each, while the monitor looks at them a hundred times a second."""
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory, "providers: [processors, processes]\n")
        with Daemon(monitor=path, monitor_period=0.01, clock="monotonic") as daemon:
            tool, children = daemon.client(), []
            for rank in range(8):
                children.append(os.fork())
                if not children[-1]:
                    status = 1
                    try:
                        for job in range(30):
                            daemon.client().join(job=f"brief-{job % 3}", rank=rank, size=8).close()
                        status = 0
                    finally:
                        os._exit(status)
            for child in children:
                assert os.waitpid(child, 0)[1] == 0, "a child failed"
            cycles = tool.ask("status")["monitor"]["cycles"]
            m = until(lambda: (m := tool.ask("status")["monitor"]) and m["cycles"] > cycles + 5 and
                      not m["processes"]["count"] and m)
            assert m["processes"]["judged"] == 0, m


def processes_that_are_read_in_turns_are_said_to_be_and_keep_their_joules():
    """Four children, of which two work; with no budget each has its turn in every fourth cycle."""
    with tempfile.TemporaryDirectory() as directory:
        path = configuration(directory)
        with open(path) as f:
            text = f.read()
        assert " processes," in text
        with open(path, "w") as f:
            f.write(text.replace(" processes,", " {plugin: processes, config: {budget: 0}},"))
        with Daemon(monitor=path, monitor_period=0.02, clock="monotonic") as daemon:
            tool, children = daemon.client(), []
            ready, end = os.pipe(), os.pipe()
            for rank in range(4):
                children.append(os.fork())
                if not children[-1]:
                    os.close(end[1])
                    client = daemon.client().join(job="turns", rank=rank, size=4)
                    os.write(ready[1], b"x")
                    while rank < 2 and not select.select([end[0]], [], [], 0)[0]:
                        pass
                    os.read(end[0], 1)
                    client.close()
                    os._exit(0)
            for _ in children:
                os.read(ready[0], 1)
            note = until(lambda: next((s["note"] for s in tool.ask("status")["monitor"]["sources"]
                                       if s.get("note")), None))
            assert note.startswith("processor time read every ") and "4 processes within 0 % of a core" in note, note
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "disks", "--socket",
                                    daemon.socket], capture_output=True, text=True, timeout=60)
            assert f"processes: {note.split(' every ')[0]}" in shown.stdout, shown

            report = until(lambda: (r := tool.ask("report"))["jobs"][0]["processors"]["seconds"] > 0.5 and r)
            processors, job = report["monitor"]["processors"], report["jobs"][0]["processors"]
            assert 0 < job["joules"] < processors["joules"], (job, processors)
            close_to(job["joules"] + processors["idle"] + processors["unattributed"] + processors["forgotten"],
                     processors["joules"])
            os.close(end[1])
            for child in children:
                assert os.waitpid(child, 0)[1] == 0, "a child failed"


def without_a_period_nothing_is_measured():
    with Daemon(monitor_period=-1) as daemon:
        assert daemon.client().ask("status")["monitor"] is None


if __name__ == "__main__":
    globals()[sys.argv[1]]()
