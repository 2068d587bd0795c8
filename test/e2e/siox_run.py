#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox run and siox disks as a user sees them: one function, one condition. Usage: siox_run.py NAME"""

import contextlib
import json
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import watch  # noqa: E402
from wire import FULL, NEVER, SECOND, Client, close_to  # noqa: E402

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
# A program for `siox run`: two requests of 4 x 64 KiB over four disks, and 60 s on its own clock.
PROGRAM = """
import os, sys
sys.path.insert(0, {here!r})
from wire import Client, SECOND
client = Client(os.environ["SIOX_SOCKET"]).join(time=0, job=os.environ["SIOX_JOB"])
number, _ = client.open({path!r}, "0:4:64K", time=0)
client.io(number, 0, 4 * 65536, 10 * SECOND)
client.io(number, 4 * 65536, 4 * 65536, 30 * SECOND)
client.io(number, 0, 0, 60 * SECOND)
"""


class Place:
    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="siox-test.")
        self.socket = os.path.join(self.directory, "sock")
        self.mount = os.path.join(self.directory, "store")
        os.mkdir(self.mount)
        os.mkdir(os.path.join(self.directory, "tmp"))
        self.path = os.path.join(self.mount, "a")
        with open(self.path, "wb") as f:
            f.truncate(1 << 20)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("SIOX_JOB", "SIOX_SOCKET")}
        self.environment["XDG_RUNTIME_DIR"] = self.directory  # the default socket: never the machine's daemon
        self.environment["TMPDIR"] = os.path.join(self.directory, "tmp")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, *command, options=(), **more):
        return subprocess.Popen([SIOX, "run", "--set", f"socket={self.socket}", "--set", f"mount={self.mount}", "--set",
                                 "disks=4", *options, "--", *command], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def program(self):
        return [sys.executable, "-c", PROGRAM.format(here=HERE, path=self.path)]


def wait_until_gone(path):
    watch.until(os.path.dirname(path), lambda: not os.path.exists(path), "the daemon that was started is still there")


def status_is_the_commands():
    with Place() as place:
        for command, status in ((["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137),
                                (["/no/such/program"], 127), ([place.directory], 126)):
            run = place.run(*command)
            run.communicate(timeout=60)
            assert run.returncode == status, (command, run.returncode)
        wait_until_gone(place.socket)  # with the run's connection
        assert os.listdir(place.environment["TMPDIR"]) == []


def a_time_that_is_no_number_is_named_by_file_and_line():
    with Place() as place:
        profile = os.path.join(place.directory, "profile.yaml")
        row = r"1\t12\t3\t10\t77\t1\t100\tsoon\t0.5\ta.c\tmain\n"
        run = place.run("sh", "-c", f"printf 'siox profile rows 1\n{row}' >$SIOX_PROFILE_DIR/part", options=["--profile", profile])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 1, run.returncode
        assert 'part:2: least_ns: expected a number, not "soon"' in err, err
        assert not os.path.exists(profile)


def a_profile_of_another_libsiox_is_refused():
    with Place() as place:
        profile = os.path.join(place.directory, "profile.yaml")
        run = place.run("sh", "-c", "echo siox profile rows 2 >$SIOX_PROFILE_DIR/part", options=["--profile", profile])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 1, run.returncode
        assert "part:1: the program's libsiox writes another version" in err, err


def a_command_that_never_started_is_not_asked_how_it_was_built():
    with Place() as place:
        run = place.run("/no/such/program", options=["--record", os.path.join(place.directory, "run.siox")])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 127 and "siox run: /no/such/program: No such file or directory" in err, (run.returncode, err)
        assert "did not start" in err and "siox-cc" not in err, err
        run = place.run("true")
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0 and "siox-cc" in err and "did not start" not in err, err


def a_job_of_any_bytes_has_a_report():
    with Place() as place:
        for name in ("J\udcff", "\u00fc" * 48):  # the second is cut within its last letter
            run = place.run("true", options=["--quiet", "--json", "--job", name])
            out, err = run.communicate(timeout=60)
            assert run.returncode == 0, err
            assert json.loads(out)["job"].startswith(("J?", "??")), out


def help_begins_with_an_example():
    text = subprocess.run([SIOX, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "example: siox run" in text, text


def signals_are_passed_on():
    with Place() as place:
        script = "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.1; done"
        run = place.run("sh", "-c", script)
        assert run.stdout.readline() == "ready\n"
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate(timeout=60)
        assert out == "caught\n" and run.returncode == 9, (out, run.returncode)


def stdout_belongs_to_the_command():
    with Place() as place:
        run = place.run("echo", "hello")
        out, err = run.communicate(timeout=60)
        assert out == "hello\n" and "policy siox" in err, (out, err)


def two_at_once_share_one_daemon():
    with Place() as place:
        runs = [place.run("sh", "-c", "read line; exit 3", stdin=subprocess.PIPE) for _ in range(2)]
        while True:  # both have their connection before either ends: a round trip each
            try:
                client = Client(place.socket)
                if client.ask("status")["connections"] == 3:
                    break
                client.close()
            except (ConnectionError, FileNotFoundError, EOFError):
                pass
        errors = [run.communicate("\n", timeout=60)[1] for run in runs]
        assert [run.returncode for run in runs] == [3, 3]
        assert sum("joined" in text for text in errors) == 1, errors


def another_policy_is_not_joined():
    with Place() as place:
        first = place.run("sh", "-c", "echo up; read line", stdin=subprocess.PIPE, options=["--policy", "base"])
        assert first.stdout.readline() == "up\n"
        for variable, options in ((None, ["--policy", "rt"]), (None, ["--set", "policy=rt"]), ("rt", [])):
            if variable:
                place.environment["SIOX_POLICY"] = variable
            second = place.run("true", options=options)
            _, err = second.communicate(timeout=60)
            assert second.returncode == 2 and "runs policy base, not rt" in err, (variable, options, err)
        first.communicate("\n", timeout=60)
        assert first.returncode == 0


def refused(run, *texts):
    """Status 2 before the command was started, and each text on stderr."""
    out, err = run.communicate(timeout=60)
    assert run.returncode == 2 and out == "" and all(text in err for text in texts), (run.returncode, out, err)


def a_daemon_that_stays_measures_one_run_after_another():
    with Place() as place:
        sioxd = subprocess.Popen([os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), "--set", f"socket={place.socket}",
                                  "--set", f"mount={place.mount}", "--set", "disks=4"], env=place.environment)
        try:
            watch.until(place.directory, lambda: os.path.exists(place.socket), "the daemon does not listen")
            for _ in range(2):
                run = place.run(*place.program(), options=["--json"])
                out, err = run.communicate(timeout=60)
                assert run.returncode == 0, err
                report = json.loads(out.splitlines()[-1])
                assert not report["finished"], report
            assert sioxd.poll() is None
        finally:
            sioxd.terminate()
            sioxd.wait(30)


def the_database_is_written_when_the_run_has_ended():
    with Place() as place:
        for count in range(1, 4):
            path = os.path.join(place.directory, "d.sqlite")
            run = place.run(*place.program(), options=["--set", f"database={path}"])
            _, err = run.communicate(timeout=60)
            assert run.returncode == 0, err
            with contextlib.closing(sqlite3.connect(path)) as database:
                (jobs,), = database.execute("SELECT COUNT(*) FROM job")
                (ended,), = database.execute("SELECT COUNT(*) FROM process WHERE finish IS NOT NULL")
            assert (jobs, ended) == (count, count), (jobs, ended, count)


def an_unwritable_record_is_refused_before_the_command():
    with Place() as place:
        for path, why in (("/no/such/place/run.siox", "No such file"), (place.directory, "Is a directory")):
            refused(place.run("echo", "started", options=["--record", path]), f"record: {path}: {why}")
            refused(place.run("echo", "started", options=["--set", f"record={path}"]), f"record: {path}: {why}")


def a_record_that_lies_there_is_kept_until_there_is_another():
    with Place() as place:
        path = os.path.join(place.directory, "run.siox")
        with open(path, "w") as f:
            f.write("old")
        for options, named in ((["--record", path], path), (["--keep"], "--keep")):
            run = place.run("true", options=["--quiet", *options])
            _, err = run.communicate(timeout=60)
            with open(path) as f:
                assert run.returncode == 0 and f.read() == "old"
            assert f"{named}: no trace was written" in err and "trace kept" not in err, err


def an_unwritable_json_file_is_refused_before_the_command():
    with Place() as place:
        for path, why in (("/no/such/place/r.json", "No such file"), (place.directory, "Is a directory")):
            refused(place.run("echo", "started", options=[f"--json={path}"]), f"--json: {path}: {why}")
        assert not os.path.exists(place.socket)


def a_json_file_that_fills_up_is_an_error():
    with Place() as place:
        run = place.run("true", options=["--json=/dev/full"])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 1 and "/dev/full: No space left" in err, (run.returncode, err)


def time_of_a_disk_is_that_at_its_levels_and_that_of_changes():
    """To 6000 RPM when the first client is there and back after 60 s: 9000 of 15000 RPM each time, in 10.9 s for all of them."""
    with Place() as place:
        run = place.run(*place.program(), options=["--policy", "static:6000", "--set", "clock=stamped", "--json"])
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        report = json.loads(out.splitlines()[-1])
        ramp = 10.9 * 9000 / 15000
        for disk in report["disks"]:
            close_to(disk["changing_seconds"], 2 * ramp)
            close_to(sum(level["seconds"] for level in disk["levels"]), report["run"]["seconds"] - ramp)
        assert err.count(f", changing: {2 * ramp:.3f} s, 1 up, 1 down") == 4, err


def processor_time_of_the_command_is_not_others():
    with Place() as place:
        spent = 0.3  # by the command's own clock, in a process that its child waits for
        code = f"import time\nwhile time.process_time() < {spent}: pass"
        run = place.run("sh", "-c", f"'{sys.executable}' -c '{code}'; true", options=["--quiet", "--json"])
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        report = json.loads(out)
        machine = report["machine"]
        assert machine["command_cores"] * report["wall_seconds"] > 0.9 * spent, machine
        used = machine["command_cores"] + machine["daemon_cores"] + machine["other_cores"]
        assert used <= 1.2 * machine["cores"], machine  # ticks of 10 ms


def a_busy_machine_is_named_where_io_took_longer():
    with Place() as place:
        file = os.path.join(place.directory, "report.json")
        run = place.run(*place.program(), options=["--policy", "base", "--set", "clock=stamped", f"--json={file}"])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0 and "the machine was busy" not in err, err  # no I/O time was added
        with open(file) as f:
            report = json.load(f)

        def told(notable, busy):
            report["machine"]["notable"], report["machine"]["busy"] = notable, busy
            with open(file, "w") as f:
                json.dump(report, f)
            return subprocess.run([SIOX, "report", file], capture_output=True, text=True, check=True)
        busy = "other processes kept 1.4 of 2 cores busy"
        said = told(True, busy)
        assert f"  the machine was busy: {busy}, " in said.stdout + said.stderr, said
        for notable, why in ((False, busy), (None, busy), (False, None)):
            said = told(notable, why)
            assert "the machine was busy" not in said.stdout + said.stderr, (notable, why, said)


def the_table_of_the_demonstration_names_a_busy_machine():
    with Place() as place:
        column = {"seconds": 14, "joules": 6000, "saved": 0.4, "added_io_time": 2.15, "transitions": 78}
        for busy in (None, "other processes kept 1.4 of 2 cores busy"):
            with open(os.path.join(place.mount, "alone-siox-mxm.json"), "w") as f:
                json.dump({"run": column, "machine": {"busy": busy, "notable": busy is not None}}, f)
            said = subprocess.run([sys.executable, os.path.join(os.environ["SIOX_SOURCE"], "tools", "demo_table.py"), place.mount],
                                  capture_output=True, text=True, check=True).stdout
            assert "215.0 %" in said and (f"the machine was busy: {busy}" in said if busy else "busy" not in said), said


def reported_without_a_trace(run):
    """Four disks idle for 60 s at 10.2 W, busy twice at 3.3 W more (Table I), from the daemon's own totals."""
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    report = json.loads(out.splitlines()[-1])
    first = round((0.0034 + 0.002 + 65536 / 55e6) * SECOND) / SECOND
    second = round((0.002 + 65536 / 55e6) * SECOND) / SECOND
    expected = 4 * (60 * 10.2 + 3.3 * (first + second))
    close_to(report["run"]["joules"], expected)
    close_to(sum(d["joules"]["total"] for d in report["disks"]), expected)
    close_to(sum(j["joules"] for j in report["jobs"]) + report["unattributed"], expected)
    assert report["run"]["requests"] == 2 and report["run"]["seconds"] == 60, report["run"]
    assert report["run"]["saved"] is None and report["trace_lost"] > 0, report
    assert "no replay" in report["unavailable"]["saved"] and "60.000" in err, (report["unavailable"], err)


def a_trace_that_cannot_be_begun_leaves_a_report():
    with Place() as place:
        reported_without_a_trace(place.run(*place.program(), options=[
            "--json", "--policy", "base", "--set", "clock=stamped", "--record", "/dev/full"]))


def a_trace_that_fails_in_mid_run_leaves_a_report():
    """The daemon may not write to files any more after the first record is in its trace."""
    with Place() as place:
        trace = os.path.join(place.directory, "run.siox")
        limit = f"""
import os, resource
client.ask("flush")
assert os.path.getsize({trace!r})
resource.prlimit(client.ask("status")["pid"], resource.RLIMIT_FSIZE, (1, 1))
"""
        lines = place.program()[2].split("\n")
        second = next(i for i, line in enumerate(lines) if "30 * SECOND" in line)
        script = "\n".join(lines[:second]) + limit + "\n".join(lines[second:])
        reported_without_a_trace(place.run(sys.executable, "-c", script, options=[
            "--json", "--policy", "base", "--set", "clock=stamped", "--record", trace]))


def a_job_has_the_name_and_budget_it_was_given():
    with Place() as place:
        run = place.run("sh", "-c", "echo $SIOX_JOB $SIOX_DELAY_BUDGET",
                        options=["--job", "night", "--delay-budget", "2.5"])
        assert run.communicate(timeout=60)[0] == "night 2.5\n"
        run = place.run("true", options=["--delay-budget", "101"])
        assert "--delay-budget: delay_budget" in run.communicate(timeout=60)[1] and run.returncode == 2


def a_budget_beyond_the_daemons_is_not_joined():
    with Place() as place:
        first = place.run("sh", "-c", "echo up; read line", stdin=subprocess.PIPE, options=["--set", "delay_budget_max=3"])
        assert first.stdout.readline() == "up\n"
        refused(place.run("echo", "started", options=["--delay-budget", "4"]), "allows a delay budget of 3 % at most, not 4")
        run = place.run("echo", "started", options=["--delay-budget", "3"])
        assert run.communicate(timeout=60)[0] == "started\n"
        first.communicate("\n", timeout=60)


def other_settings_are_not_joined():
    """Whichever way they are asked for: setting, both values and what to do are named."""
    with Place() as place:
        other = os.path.join(place.directory, "other")
        os.mkdir(other)
        file = os.path.join(place.directory, "siox.yaml")
        with open(file, "w") as f:
            f.write("time_scale: 7\n")
        layouts = os.path.join(place.directory, "layouts.yaml")
        with open(layouts, "w") as f:
            f.write("- {file: '*', layout: '0:2:64K'}\n")
        first = place.run("sh", "-c", "echo up; read line", stdin=subprocess.PIPE)
        assert first.stdout.readline() == "up\n"
        for options, text in ((["--set", f"mount={other}"], f"has mount {place.mount}, not {other}"),
                              (["--config", file], "has time_scale 1, not 7"),
                              (["--set", "disks=8"], "has disks 4, not 8"),
                              (["--set", "transition_rule=a"], "has transition_rule b, not a"),
                              (["--set", "default_layout=0:2:64K"], "has default_layout 0:4:64K, not 0:2:64K"),
                              (["--set", f"layouts={layouts}"], f"has layouts (none), not {layouts}"),
                              (["--record", "/tmp/r.siox"], "trace.siox, not /tmp/r.siox"),
                              (["--set", "record=/tmp/r.siox"], "trace.siox, not /tmp/r.siox")):
            refused(place.run("echo", "started", options=options), text, "--set socket=PATH")
        place.environment["SIOX_CONFIG"] = file
        refused(place.run("echo", "started"), "has time_scale 1, not 7")
        first.communicate("\n", timeout=60)
        assert os.listdir(place.environment["TMPDIR"]) == []


def equal_settings_are_joined_quietly():
    """The same mount by another name, the same settings in a file; only siox run speaks."""
    with Place() as place:
        link = os.path.join(place.directory, "link")
        os.symlink(place.mount, link)
        file = os.path.join(place.directory, "siox.yaml")
        with open(file, "w") as f:
            f.write("mount: link\ndisks: 4\npolicy: siox\ndrive: 36Z15\nstop_when_idle: -1\n".replace(
                "mount: link", f"mount: {link}"))
        first = place.run("sh", "-c", "echo up; read line", stdin=subprocess.PIPE, options=["--config", file])
        assert first.stdout.readline() == "up\n"
        second = place.run("true", options=["--config", file, "--set", f"mount={link}", "--quiet"])
        _, err = second.communicate(timeout=60)
        lines = err.splitlines()
        assert second.returncode == 0 and len(lines) == 1 and lines[0].startswith("siox run: joined"), err
        first.communicate("\n", timeout=60)


def a_run_without_an_access_says_so():
    with Place() as place:
        joins = place.program()[2].split("number, _ =")[0]
        run = place.run(sys.executable, "-c", joins, options=["--json", "--set", "clock=stamped"])
        out, err = run.communicate(timeout=60)
        report = json.loads(out.splitlines()[-1])
        text = f"no access was below the mount {place.mount}"
        assert run.returncode == 0 and f"\n  {text}\n" in err and report["note"] == text, err
        assert "static" not in err and report["static"] == [], err


def a_run_without_a_mount_says_so():
    with Place() as place:
        run = place.run("true", options=["--set", "mount="])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0 and "\n  no mount is set: nothing is emulated; name a configuration with --config" in err, err


def versions_are_printed():
    for tool in ("siox", "sioxd", "siox-opt"):
        program = os.path.join(os.path.dirname(SIOX), tool)
        if os.path.exists(program):
            run = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, timeout=60)
            assert run.returncode == 0 and run.stdout.split("\n")[0].split()[0] == tool, run
            assert run.stdout.split()[1][0].isdigit(), run


def report_matches_the_closed_form():
    """Four disks idle for 60 s at 10.2 W, each busy twice at 3.3 W more: paper Table I."""
    with Place() as place:
        out_file = os.path.join(place.directory, "report.json")
        run = place.run(*place.program(), options=["--policy", "base", "--set", "clock=stamped", f"--json={out_file}"])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        with open(out_file) as f:
            report = json.load(f)
        first = round((0.0034 + 0.002 + 65536 / 55e6) * SECOND) / SECOND
        second = round((0.002 + 65536 / 55e6) * SECOND) / SECOND
        expected = 4 * (60 * 10.2 + 3.3 * (first + second))
        close_to(report["run"]["joules"], expected)
        close_to(report["base"]["joules"], expected)
        close_to(sum(d["joules"]["total"] for d in report["disks"]), expected)
        close_to(sum(j["joules"] for j in report["jobs"]) + report["unattributed"], expected)
        assert report["run"]["saved"] == report["base"]["saved"] == 0
        assert report["run"]["added_io_time"] == 0
        assert report["run"]["seconds"] == report["base"]["seconds"] == 60
        for column in ("run", "base"):
            close_to(report[column]["io_seconds"], first + second)
        assert [s["policy"] for s in report["static"]] == ["static:6000", "static:9000", "static:12000", "static:15000"]
        close_to(report["static"][3]["joules"], expected)
        # 6000 RPM, closed loop: both requests slower by rotation and transfer, think times kept; the ramps lie outside the run
        slower = [round((seek + 30 / 6000 + 65536 / (55e6 * 0.4)) * SECOND) / SECOND for seek in (0.0034, 0)]
        ramp, full, low = 10.9 * 9000 / 15000, 10.2, 2.5 + 7.7 * 0.16
        ramp_j = ramp * (2.5 + 7.7 * (0.16 + 0.4 + 1) / 3)
        end = 60 + sum(slower) - first - second
        close_to(report["static"][0]["seconds"], end)
        close_to(report["static"][0]["joules"], 4 * (2 * ramp_j + end * low + 3.3 * sum(slower)))


def daemon_killed_in_mid_run_leaves_status_and_a_partial_report():
    with Place() as place:
        script = place.program()[2] + """
client.ask("flush")
print(client.ask("status")["pid"], flush=True)
sys.stdin.readline()
sys.exit(5)
"""
        run = place.run(sys.executable, "-c", script, stdin=subprocess.PIPE,
                        options=["--json", "--policy", "base", "--set", "clock=stamped"])
        pid = int(run.stdout.readline())
        pidfd = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([pidfd], [], [], 30)
        out, err = run.communicate("\n", timeout=60)
        assert run.returncode == 5, err
        report = json.loads(out.splitlines()[-1])
        assert "counters" in report["unavailable"] and "end" in report["unavailable"], report
        assert report["run"]["saved"] is None and "saved" in report["unavailable"], report
        assert report["run"]["requests"] == 3 and report["run"]["joules"] > 4 * 20 * 10.2, report["run"]
        assert os.listdir(place.environment["TMPDIR"]) == []


def started_without_stdio():
    """Every set of closed descriptors 0, 1 and 2: the status is the command's, and the daemon ends."""
    with Place() as place:
        for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            line = f'{SIOX} run -q --set socket={place.socket} --set mount={place.mount} -- sh -c "exit 7" {closed}'
            run = subprocess.run(["sh", "-c", line], env=place.environment, timeout=60)
            assert run.returncode == 7, (closed, run.returncode)
        wait_until_gone(place.socket)


def a_long_temporary_directory_is_used():
    with Place() as place:
        place.environment["TMPDIR"] = os.path.join(place.directory, "with space", "x" * 200)
        os.makedirs(place.environment["TMPDIR"])
        run = place.run("sh", "-c", "exit 7")
        _, err = run.communicate(timeout=60)
        assert run.returncode == 7, err
        assert os.listdir(place.environment["TMPDIR"]) == []


def a_missing_temporary_directory_is_named():
    with Place() as place:
        place.environment["TMPDIR"] = os.path.join(place.directory, "none")
        run = place.run("true")
        _, err = run.communicate(timeout=60)
        assert run.returncode != 0 and place.environment["TMPDIR"] in err, err


def a_record_of_the_settings_is_not_another_daemon():
    with Place() as place:
        place.environment["SIOX_RECORD"] = os.path.join(place.directory, "run.siox")
        run = place.run("true")
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0 and "joined" not in err, err


def killed_before_it_connected_leaves_no_daemon():
    """The daemon that a run started and never met: sioxd with the settings that siox run gives."""
    with Place() as place:
        subprocess.run([os.path.join(os.path.dirname(SIOX), "sioxd"), "--daemonize", "--set", f"socket={place.socket}",
                        "--set", f"mount={place.mount}", "--set", "stop_when_idle=0"], env=place.environment, check=True)
        assert os.path.exists(place.socket)
        wait_until_gone(place.socket)


def a_mount_that_is_no_directory_is_named():
    with Place() as place:
        for mount, why in (("/no/such/place", "No such file"), (place.path, "Not a directory")):
            run = place.run("true", options=["--set", f"mount={mount}"])
            _, err = run.communicate(timeout=60)
            assert run.returncode != 0 and f"mount: {mount}: {why}" in err, err


def a_mount_among_the_systems_files_is_refused():
    """Programs' files there are never managed: without a word nothing would be measured."""
    with Place() as place:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as mount:
            run = place.run("true", options=["--set", f"mount={mount}"])
            _, err = run.communicate(timeout=60)
            assert run.returncode == 2 and f"mount: {mount}: " in err and "tmpfs" in err, (run.returncode, err)


def what_is_wrong_in_a_file_is_named_with_its_place():
    """File, line and key of what shows only when the daemon looks at it, and what there would be."""
    with Place() as place:
        file = os.path.join(place.directory, "siox.yaml")
        for line, texts in (("mount: /no/such/place", ["mount: /no/such/place: No such file"]),
                            ("drive: 36Z16", ["drive: 36Z16: no such drive profile", "there are 36Z15 ES.3-assumed ES.3 PM981-assumed PM981;"]),
                            ("policy: static:abc", ['policy: "static:abc": ', "36Z15 has 6000 9000 12000 15000"]),
                            ("policy: static:99999", ['policy: "static:99999": ', "36Z15 has 6000 9000 12000 15000"]),
                            ("policy: timeout:abc", ['policy: "timeout:abc": ', "timeout[:SECONDS|:adaptive]"]),
                            ("initial_level: 7000", ["initial_level: 7000 is not a speed of 36Z15"]),
                            ("layouts: /no/l.yaml", ["layouts: /no/l.yaml: No such file"])):
            with open(file, "w") as f:
                f.write(f"disks: 8\n{line}\n")
            run = subprocess.Popen([SIOX, "run", "--config", file, "--set", f"socket={place.socket}", "--", "echo", "started"],
                                   env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            refused(run, f"{file}:2: {texts[0]}", *texts[1:])


def output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        for command in (["--help"], ["run", "--help"], ["timeline", "--help"]):
            run = subprocess.run([SIOX, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            assert run.returncode == 1 and "standard output" in run.stderr, (command, run)


def files_below_a_mount_named_by_a_link_are_managed():
    with Place() as place:
        link = os.path.join(place.directory, "a link")
        os.symlink(place.mount, link)
        out_file = os.path.join(place.directory, "report.json")
        run = place.run(*place.program(), options=["--set", f"mount={link}", "--set", "clock=stamped", f"--json={out_file}"])
        _, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        with open(out_file) as f:
            assert json.load(f)["run"]["requests"] == 3


def json_is_the_last_line_of_stdout():
    with Place() as place:
        run = place.run("echo", "hello", options=["--json", "--quiet"])
        out, err = run.communicate(timeout=60)
        lines = out.splitlines()
        assert lines[0] == "hello" and len(lines) == 2 and json.loads(lines[1])["status"] == 0
        assert err == "", err


def disks_says_where_there_is_no_daemon():
    with Place() as place:
        run = subprocess.run([SIOX, "disks", "--socket", place.socket], stderr=subprocess.PIPE, text=True)
        assert run.returncode == 1 and place.socket in run.stderr, run


def disks_shows_who_claims_what():
    with Place() as place:
        run = place.run("sh", "-c", "echo up; read line", stdin=subprocess.PIPE, options=["--policy", "claims"])
        assert run.stdout.readline() == "up\n"
        client = Client(place.socket).join(job="mine", rank=5)
        client.claim(0, [(1, 1, FULL, 1, 0, NEVER)])
        client.ask("flush")
        shown = subprocess.run([SIOX, "disks", "--json", "--socket", place.socket], stdout=subprocess.PIPE, check=True)
        disks = json.loads(shown.stdout)["disks"]
        assert [len(d["claims"]) for d in disks] == [0, 1, 0, 0]
        claim = disks[1]["claims"][0]
        assert (claim["job"], claim["rank"], claim["needed"]) == ("mine", 5, True)
        text = subprocess.run([SIOX, "disks", "--socket", place.socket], stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = [line.split() for line in text.splitlines()]
        assert [line[0] for line in lines[1:4]] == ["0", "1", "2-3"], text  # neighbours that are alike are one line
        assert "mine:5 of root needs full" in text or os.geteuid() and "mine:5 of " in text, text
        every = subprocess.run([SIOX, "disks", "--all", "--socket", place.socket], stdout=subprocess.PIPE, text=True).stdout
        assert [line.split()[0] for line in every.splitlines()[1:5]] == ["0", "1", "2", "3"], every
        one = subprocess.run([SIOX, "disks", "--disk", "1,3", "--json", "--socket", place.socket], stdout=subprocess.PIPE)
        assert [d["disk"] for d in json.loads(one.stdout)["disks"]] == [1, 3]
        client.close()
        run.communicate("\n", timeout=60)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
