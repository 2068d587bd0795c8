#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""siox sim as a user sees it: one function, one condition. Usage: sim.py NAME

Expected joules come from the formulas of the drive (paper Table I as docs/drives.md has it), written down here again."""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
LEVELS = (6000, 9000, 12000, 15000)
FULL = 15000


def idle(rpm):
    return 2.5 + 7.7 * (rpm / FULL) ** 2


def service(rpm, size):  # of one request that does not go on where the last one ended
    return 0.0034 + 30 / rpm + size / (55e6 * rpm / FULL)


def ramp(a, b):
    return 10.9 * abs(a - b) / FULL


def change(rule, a, b):
    if rule == "a":
        return idle(max(a, b)) * ramp(a, b)
    x, y = a / FULL, b / FULL
    if rule == "b":
        return (2.5 + 7.7 * (x * x + x * y + y * y) / 3) * ramp(a, b)
    part = 135 / 148 if b > a else 13 / 148
    return max(148 * abs(x * x - y * y) * part, 2.5 * ramp(a, b))


def sim(scenario, *options, status=0):
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        with open(path, "w") as f:
            f.write(scenario)
        options = [o.replace("@", directory) for o in options]
        done = subprocess.run([SIOX, "sim", path, *options], capture_output=True, text=True)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        files = {n: open(os.path.join(directory, n)).read() for n in os.listdir(directory)}
        return done, files


def rows(scenario, *options):
    return {r["scheme"]: r for r in json.loads(sim(scenario, "--json", *options)[0].stdout)["rows"]}


def near(value, expected, tolerance=1e-9):
    assert abs(value - expected) <= tolerance * max(1, abs(expected)), (value, expected)


def one_job(rule, gap, hints):
    return (f"disks: 1\ndrive: 36Z15\ntransition_rule: {rule}\njobs:\n"
            f"- generate: {{processes: 1, phases: 1, gap: {gap}, burst: 1M, hints: {hints}}}\n")


def one_request_at_each_level_and_rule():
    for rule in "abc":
        got = rows(one_job(rule, 10, "false"), "--schemes", "siox")
        for rpm in LEVELS:
            row = got[f"static:{rpm}"]
            took = service(rpm, 1 << 20)
            near(row["seconds"], 10 + took, 1e-8)
            ways = change(rule, FULL, rpm) + change(rule, rpm, FULL) if rpm != FULL else 0
            near(row["joules"], idle(rpm) * 10 + (idle(rpm) + 3.3) * took + ways, 1e-8)
            near(row["worst_wait_s"], took, 1e-8)
            assert row["transitions"] == (0 if rpm == FULL else 2), row


def one_known_gap_at_each_rule():
    """The hint comes with the start; at the gap's end the disk is at full speed."""
    for rule in "abc":
        for gap in (3, 8, 12, 20, 60):
            # no margins: a client's first predictions are not trusted with ramps turned midway
            got = rows("early_quantile: 0\n" + one_job(rule, gap, "true"), "--schemes", "siox,claims")
            took = service(FULL, 1 << 20)
            ways = [idle(FULL) * gap]
            for rpm in LEVELS[:-1]:
                rest = gap - 2 * ramp(FULL, rpm)
                if rest >= 0:
                    ways.append(change(rule, FULL, rpm) + idle(rpm) * rest + change(rule, rpm, FULL))
                    if rule == "a":  # step by step each change begins at fewer watts
                        steps = [r for r in LEVELS if r >= rpm]
                        ways.append(2 * sum(change(rule, x, y) for x, y in zip(steps, steps[1:])) + idle(rpm) * rest)
            depth = FULL * (1 - gap / 2 / 10.9)  # of a ramp turned midway, if it does not reach the lowest level
            turned = change(rule, FULL, depth) + change(rule, depth, FULL) if depth > LEVELS[0] else math.inf
            used = (idle(FULL) + 3.3) * took
            straight = min(ways) if rule != "a" else min(ways[:1] + ways[1::2])
            near(got["claims"]["joules"], straight + used, 1e-8)
            near(got["siox"]["joules"], min(ways + [turned]) + used, 1e-8)
            assert got["oracle"]["joules"] <= got["siox"]["joules"] * (1 + 1e-8), (rule, gap)
            assert got["siox"]["added_io_time"] == 0, got["siox"]
            assert got["claims"]["added_io_time"] == 0, got["claims"]


TWO_JOBS = """
disks: 8
jobs:
- {name: a, generate: {processes: 4, phases: 6, gap: 20, burst: 16M, request: 1M, error: 25, layout: 0:5:64K}}
- {name: b, start: 30, repeats: 2, pause: 7, instances: 2,
   generate: {processes: 2, phases: 3, gap: 35, burst: 8M, layout: 2:4:64K}}
"""


def joules_of_the_states_add_up():
    for row in json.loads(sim(TWO_JOBS, "--json")[0].stdout)["rows"]:
        if "joules_by_state" in row:
            near(sum(row["joules_by_state"].values()), row["joules"])


def every_scheme_has_a_row():
    names = set(rows(TWO_JOBS))
    assert names >= {"base", "static:6000", "timeout", "hw", "com", "rt", "claims", "siox", "oracle"}, names
    assert {r["scheme"] for r in rows(TWO_JOBS).values() if r["best"]} == {"static:6000"}


def nobody_beats_the_oracle_without_delay():
    got = rows(TWO_JOBS)
    for row in got.values():
        if row["added_io_time"] == 0:
            assert row["joules"] >= got["oracle"]["joules"] * (1 - 1e-9), row


def no_bounds_are_stated_where_base_itself_waits():
    """The first request comes at once: base has it wait 2.18 s for full speed, a static level serves it as it stands."""
    scenario = ("disks: 1\ninitial_level: 12000\njobs:\n"
                "- generate: {phases: 40, gap: 0, burst: 4K, layout: 0:1:64K}\n")
    got = rows(scenario)
    near(got["base"]["worst_wait_s"], ramp(12000, 15000) + service(15000, 4096), 1e-6)
    assert got["static:12000"]["added_io_time"] == 0
    assert got["static:12000"]["joules"] < got["oracle"]["joules"]
    assert not any(name.startswith("bound") for name in got), got.keys()
    assert json.loads(sim(scenario, "--json")[0].stdout)["base_waits_at_start"] is True
    assert "no bounds" in sim(scenario)[0].stdout
    later = rows(scenario.replace("gap: 0", "gap: 3"))  # base is at full speed when it is first used
    assert "bound at 1 %" in later, later.keys()


def csv_says_what_json_says():
    table = {r["scheme"]: r for r in csv.DictReader(io.StringIO(sim(TWO_JOBS, "--csv")[0].stdout))}
    for name, row in rows(TWO_JOBS).items():
        assert float(table[name]["joules"]) == row["joules"], name


def schemes_with_arguments_can_be_asked_for():
    got = rows(TWO_JOBS, "--schemes", "hw:n=250,ut=10,timeout:5")
    assert "hw:n=250,ut=10" in got and "timeout:5" in got and "siox" not in got, got.keys()


def a_scheme_that_cannot_run_is_refused_where_it_stands():
    for scheme, why in (("static:99999", "no disk serves at this speed; they do at 6000 9000 12000 15000"),
                        ("timeout:soon", "its form is timeout[:SECONDS|:adaptive]"), ("siox:dely=2", "its form is siox[:")):
        done, _ = sim(TWO_JOBS, "--schemes", f"rt,{scheme}", status=2)
        assert f'--schemes: "{scheme}": {why}' in done.stderr, done.stderr
        done, _ = sim(f"schemes:\n- rt\n- {scheme}\n{TWO_JOBS}", status=2)
        assert f's.yaml:3: schemes[1]: "{scheme}": {why}' in done.stderr, done.stderr
        done = subprocess.run([SIOX, "sim", "--map", "--points", "busy=10", "--schemes", "timeout:soon"],
                              capture_output=True, text=True)
        assert done.returncode == 2 and "its form is timeout" in done.stderr, done


def an_empty_list_of_schemes_is_refused():
    for words in (("--schemes", ""), ("--schemes", ","), ("--worst", "3")):
        done, _ = sim(TWO_JOBS, *words, status=2)
        assert "names none" in done.stderr or "are for --map" in done.stderr, done.stderr


def a_delay_budget_saves_more_and_is_kept():
    jobs = "jobs:\n- generate: {processes: 2, phases: 8, gap: 12, burst: 16M, layout: 0:4:64K}\n"
    without, within = (rows(f"disks: 4\ndelay_budget: {b}\n{jobs}", "--schemes", "siox")["siox"] for b in (0, 5))
    base = rows(f"disks: 4\n{jobs}", "--schemes", "siox")["base"]
    assert without["added_io_time"] == 0, without
    assert within["joules"] < without["joules"], (within, without)
    assert base["seconds"] <= within["seconds"] <= 1.052 * base["seconds"], (within, base)


def pictures_are_drawn():
    done, files = sim(TWO_JOBS, "--plot", "@/p.svg", "--timeline", "@/t.svg", "--draw", "claims")
    for name in ("p.svg", "t.svg"):
        xml.etree.ElementTree.fromstring(files[name])
    for name in ("base", "static:6000", "siox", "oracle"):
        assert f">{name}</text>" in files["p.svg"], name
    assert "claims" in files["t.svg"] and 'id="disk7"' in files["t.svg"]


def a_wrong_scenario_is_named_with_its_place():
    job = "jobs:\n- generate: {burst: 1M"
    for text, place in ((f"disks: 0\n{job}}}\n", r"s.yaml:1: disks: 0 is not between"),
                        (f"disc: 8\n{job}}}\n", r"s.yaml:1: disc: unknown key"),
                        (f"{job}, gap: -1}}\n", r"s.yaml:2: jobs\[0\].generate.gap: -1 is not between"),
                        (f"{job}, errors: 1}}\n", r"s.yaml:2: jobs\[0\].generate.errors: unknown key"),
                        (f"{job}}}\n  start: -5\n", r"s.yaml:3: jobs\[0\].start: -5 is not between"),
                        (f"{job}, layout: 7:4:64K}}\ndisks: 4\n", r"s.yaml:2: jobs\[0\].generate.layout: "),
                        (f"{job}}}\n  delay_budget: 1\n", r"s.yaml:3: jobs\[0\].delay_budget: needs a delay_budget"),
                        (f"inrush_watts: -1\n{job}}}\n", r"s.yaml:1: inrush_watts: "),
                        ("jobs:\n- {start: 1}\n", r"s.yaml:2: jobs\[0\].trace: a job has either"),
                        ("jobs:\n- {trace: no.siox}\n", r"s.yaml:2: jobs\[0\].trace: .*No such file"),
                        ("disks: 4\n", r"s.yaml:1: jobs: this key is missing"),
                        (f"schemes: [base, fast]\n{job}}}\n", r"s.yaml:1: schemes\[1\]: \"fast\" is not one of"),
                        (f"layouts:\n- {{file: a, layout: 0:1:64K}}\n- {{file: a, layout: 1:1:64K}}\n{job}}}\n",
                         r"s.yaml:3: layouts\[1\].file: layouts\[0\] is for the same files")):
        done, _ = sim(text, status=2)
        assert re.search(place, done.stderr), (text, done.stderr)
        assert done.stdout == ""


def record(directory, place, *options):
    path = os.path.join(directory, "r.siox")
    run = place.run(*place.program(), options=("--set", f"record={path}", *options))
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    return path


def a_recorded_run_gives_the_stores_joules_again():
    from siox_run import Place
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory, Place() as place:
        path = record(directory, place)
        done, _ = sim(f"jobs: [{{trace: {path}}}]\n", "--json")
        got = json.loads(done.stdout)["recorded"]
        near(got["joules_arrivals_kept"], got["joules"], 1e-6)
        assert got["joules"] > 0
        done, _ = sim(f"jobs: [{{trace: {path}}}]\n")
        assert "in closed loop under the recorded policy" in done.stdout.replace("\n", " "), done.stdout


def a_trace_by_itself_is_a_scenario_of_one_job():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with open(os.path.join(directory, "t.csv"), "w") as f:
            f.write("rank,file,op,offset,bytes,start,end\n0,/a,read,0,4096,1,1.1\n0,/a,read,8192,4096,30,30.1\n")
        trace = os.path.join(directory, "t \"1\".siox")
        subprocess.run([SIOX, "sim", "import", "t.csv", trace], cwd=directory, check=True)
        with open(os.path.join(directory, "s.yaml"), "w") as f:
            f.write("jobs: [{trace: 't \"1\".siox'}]\n")
        tables = [subprocess.run([SIOX, "sim", what, "--quiet", "--csv"], cwd=directory, capture_output=True, text=True, check=True).stdout
                  for what in (trace, "s.yaml")]
        assert tables[0] == tables[1] and "base" in tables[0], tables


def options_that_do_not_go_together_are_refused_with_the_reason():
    for options, why in ((["--draw", "siox"], "--draw is for --timeline"), (["--quick"], "options of a map are for --map"),
                         (["--json", "--csv"], "exclude each other")):
        done, _ = sim("disks: 1\n", *options, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def two_layouts_that_match_one_file_are_refused():
    from siox_run import Place
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory, Place() as place:
        path = record(directory, place)
        done, _ = sim(f"layouts:\n- {{file: '*', layout: 0:4:64K}}\n- {{file: a, layout: 0:2:64K}}\n"
                      f"jobs: [{{trace: {path}}}]\n", status=2)
        assert re.search(r"s.yaml:3: layouts\[1\].file: \"a\" overlaps layouts\[0\]", done.stderr), done.stderr


def two_disks_of_eight(directory):
    """A trace of 8 disks of which a file uses two."""
    with open(os.path.join(directory, "siox.yaml"), "w") as f:
        f.write("disks: 8\ndrive: 36Z15\ndefault_layout: 0:2:64K\n")
    with open(os.path.join(directory, "t.csv"), "w") as f:
        f.write("rank,file,op,offset,bytes,start,end\n0,/out/one.dat,read,0,131072,1,1.1\n0,/out/one.dat,read,262144,131072,30,30.1\n")
    subprocess.run([SIOX, "sim", "import", "-c", "siox.yaml", "t.csv", "t.siox"], cwd=directory, check=True)
    return os.path.join(directory, "t.siox")


def a_layout_that_is_for_no_file_is_refused():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = two_disks_of_eight(directory)
        text = f"jobs: [{{trace: {trace}}}]\nlayouts:\n- {{file: '*.dat', layout: 0:4:64K}}\n- {{file: 'two.*', layout: 0:4:64K}}\n"
        done, _ = sim(text, status=2)
        assert 's.yaml:4: layouts[1].file: "two.*" matches no file of any job; there are /out/one.dat\n' in done.stderr, done.stderr
        sim(text.replace("- {file: 'two.*', layout: 0:4:64K}\n", ""))
    done, _ = sim("layouts: [{file: a, layout: 0:4:64K}]\njobs: [{generate: {burst: 1M}}]\n", status=2)
    assert "matches no file of any job; no job has a trace" in done.stderr, done.stderr


def unmatched(directory, names, jobs=1):
    """What is said of a layout for no file of so many jobs, each of which plays one trace of these files."""
    with open(os.path.join(directory, "t.csv"), "w") as f:
        f.write("rank,file,op,offset,bytes,start,end\n" + "".join(f"0,{name},write,0,4096,{i + 1},{i + 1.1}\n" for i, name in enumerate(names)))
    trace = os.path.join(directory, "t.siox")
    subprocess.run([SIOX, "sim", "import", os.path.join(directory, "t.csv"), trace], check=True)
    done, _ = sim(f"jobs: [{', '.join(jobs * [f'{{trace: {trace}}}'])}]\nlayouts: [{{file: none, layout: 0:1:64K}}]\n", status=2)
    return done.stderr.split("matches no file of any job; ")[1]


def files_of_several_jobs_are_named_and_counted_once():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        names = [f"/directory/{i:02}" for i in range(40)]
        said = unmatched(directory, names, jobs=3)
        shown, more = re.fullmatch(r"there are (.*) and (\d+) more\n", said).groups()
        shown = shown.split(", ")
        assert shown == names[:len(shown)] and len(shown) > 10 and len(shown) + int(more) == len(names), said


def files_of_which_no_name_can_be_shown_are_counted():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        said = unmatched(directory, [f"/{i}" + 300 * "x" for i in range(5)])
        assert said == "number of files: 5, with names too long to be shown\n", said


def a_file_on_more_disks_than_there_are_says_what_helps():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        trace = two_disks_of_eight(directory)
        done, _ = sim(f"disks: 1\njobs: [{{trace: {trace}}}]\n", status=2)
        assert "`disks`" in done.stderr, done.stderr
        entry = re.search(r"\{file: .*\}", done.stderr).group(0)  # what it proposes
        sim(f"disks: 1\njobs: [{{trace: {trace}}}]\nlayouts: [{entry}]\n")


def disks_that_no_job_uses_are_told():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        text = f"jobs: [{{trace: {two_disks_of_eight(directory)}}}]\n"
        got = json.loads(sim(text, "--json")[0].stdout)
        near(got["joules_unused"], 6 * idle(FULL) * got["rows"][0]["seconds"], 1e-6)
        assert got["disks_used"] == 2
        assert f"6 of 8 disks serve nothing: {got['joules_unused']:.3f} J of base's" in sim(text)[0].stdout
        text = text.replace("jobs", "disks: 2\njobs")
        assert "serve nothing" not in sim(text)[0].stdout


def the_rule_is_named_wherever_it_counts():
    for rule in "abc":
        text = one_job(rule, 10, "true")
        done, files = sim(text, "--plot", "@/p.svg", "--timeline", "@/t.svg")
        assert done.stdout.startswith(f"scheme (rule {rule}) "), done.stdout
        assert json.loads(sim(text, "--json")[0].stdout)["transition_rule"] == rule
        for name in ("p.svg", "t.svg"):
            title = xml.etree.ElementTree.fromstring(files[name]).find("{http://www.w3.org/2000/svg}title").text
            assert title.endswith(f", rule {rule}"), title
        assert ">15000 RPM</text>" in files["t.svg"]


ONE_BURST = "jobs: [{generate: {burst: 1M}}]\n"


def an_unknown_key_names_the_nearest():
    for text, what in ((f"disk: 8\n{ONE_BURST}", "disk: unknown key; did you mean disks?"),
                       (f"delay_bugdet: 8\n{ONE_BURST}", "delay_bugdet: unknown key; did you mean delay_budget?"),
                       (f"cache: {{sise: 1M}}\n{ONE_BURST}", "cache.sise: unknown key; did you mean size?"),
                       (f"layouts: [{{files: a}}]\n{ONE_BURST}", "layouts[0].files: unknown key; did you mean file?"),
                       ("jobs: [{traces: a}]\n", "jobs[0].traces: unknown key; did you mean trace?")):
        done, _ = sim(text, status=2)
        assert what in done.stderr, (what, done.stderr)


def an_unknown_key_without_a_near_one_names_those_there_are():
    for text, what in ((f"nonsense: 8\n{ONE_BURST}", r": nonsense: unknown key; there are .*disks.*jobs$"),
                       ("jobs: [{generate: {burst: 1M, geometry: 5}}]\n", r"generate\.geometry: unknown key; there are .*gap.*burst")):
        done, _ = sim(text, status=2)
        assert re.search(what, done.stderr, re.M), (what, done.stderr)


def help_lists_the_schemes_that_there_are():
    text = subprocess.run([SIOX, "sim", "--help"], capture_output=True, text=True, check=True).stdout
    done, _ = sim(one_job("b", 1, "true"), "--schemes", "nosuch", status=2)
    names = done.stderr.split("there are ")[1].split()
    assert "rt" in names and "claims" in names
    for name in names:
        assert f"\n  {name}: " in text, name


def requests_without_a_hint_are_counted_under_every_scheme():
    done, _ = sim(one_job("b", 10, "false"), "--schemes", "hw,siox")
    assert "missed: requests" in done.stdout
    assert {r["missed"] for r in rows(one_job("b", 10, "false")).values() if "missed" in r} == {1}
    hinted = "disks: 1\ndrive: 36Z15\njobs: [{generate: {processes: 1, phases: 5, gap: 20, burst: 1M}}]\n"
    missed = {name: r["missed"] for name, r in rows(hinted).items() if "missed" in r}
    for name, number in missed.items():  # who heeds no hints is told none by a generated job
        assert number == (0 if name.split(":")[0] in ("com", "rt", "claims", "siox") else 5), missed
    assert "missed: requests" in sim(hinted)[0].stdout


def the_man_page_has_every_form_of_the_command():
    script = os.path.join(os.environ["SIOX_SOURCE"], "tools", "man", "man.py")
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        subprocess.run([sys.executable, script, os.path.dirname(SIOX), directory, "1"], check=True)
        with open(os.path.join(directory, "man1", "siox-sim.1")) as f:
            page = f.read().replace("\\-", "-")
    synopsis = page.split(".SH SYNOPSIS", 1)[1].split(".SH", 1)[0]
    for form in ("SCENARIO.yaml|TRACE.siox", "--sweep", "--map", "--point", "--paper", "import"):
        assert re.search(rf"^siox sim .*{re.escape(form)}", synopsis, re.M), form
    assert "Plays recorded" not in synopsis


def imported(directory, name, text, *options, status=0):
    path = os.path.join(directory, name)
    with open(path, "w") as f:
        f.write(text)
    out = os.path.join(directory, "i.siox")
    done = subprocess.run([SIOX, "sim", "import", *options, path, out], capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stderr)
    return out, done.stderr


CSV = """# two ranks, and a file with a comma in its name
rank,file,op,offset,bytes,start,end
0,"/data/a,b",write,0,1048576,1.0,1.1
0,,barrier,1,,5,6
1,/data/c,read,0,1048576,0.5,0.6

1,,barrier,1,,2,6
"""


def a_csv_becomes_the_trace_it_says():
    """Rank 0 asks at 1 s and thinks 3.9 s, the barrier takes 1 s from its entry, rank 1 waits for it."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        out, _ = imported(directory, "a.csv", CSV, "-s", "disks=2", "-s", "default_layout=0:1:64K")
        got = rows(f"jobs: [{{trace: {out}}}]\n", "--schemes", "siox")
        took = service(FULL, 1 << 20)
        near(got["base"]["seconds"], 1 + took + 3.9 + 1, 1e-8)
        near(got["base"]["joules"], 2 * idle(FULL) * got["base"]["seconds"] + 3.3 * 2 * took, 1e-8)
        near(got["static:6000"]["seconds"], 1 + service(6000, 1 << 20) + 3.9 + 1, 1e-8)
        cat = subprocess.run([SIOX, "trace", "cat", out], capture_output=True, text=True).stdout
        assert "/data/a,b" in cat, cat


def a_wrong_csv_is_named_with_its_place():
    head = "rank,file,op,offset,bytes,start,end\n"
    for text, place in (("rank,file\n", r"a.csv:1: op: this column is missing"),
                        (head.replace("op", "operation"), r"a.csv:1: operation: not a column"),
                        (head + "0,f,write,0,10,1,2\n0,f,write,0,x,1,2\n", r"a.csv:3: bytes: \"x\": expected a whole"),
                        (head + "0,f,write,0,10,-1,2\n", r"a.csv:2: start: \"-1\": expected seconds, not negative"),
                        (head + "0,f,write,0,10,3,2\n", r"a.csv:2: end: \"2\": before start"),
                        (head + "0,f,write,0,10,1\n", r"a.csv:2: not as many fields"),
                        (head + "0,\"f,write,0,10,1,2\n", r"a.csv:2: a quote is not closed"),
                        (head + "0,,write,0,10,1,2\n", r"a.csv:2: file: a request needs a file"),
                        (head + "0,f,erase,0,10,1,2\n", r"a.csv:2: op: \"erase\": expected read, write or barrier"),
                        (head, r"a.csv: there is no request in it")):
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
            out, error = imported(directory, "a.csv", text, status=1)
            assert re.search(place, error), (text, error)
            assert not os.path.exists(out)


def a_wrong_dxt_text_is_named_with_its_place():
    section = "# DXT, file_id: 7, file_name: /f\n"
    for text, place in (("X_POSIX 0 write 0 0 8 0.1 0.2\n", r"a.txt:1: a request before the first file"),
                        (section + " X_POSIX 0 write 0 0 8 0.1\n", r"a.txt:2: a request has eight fields"),
                        (section + " X_POSIX 0 write 0 0 8 0.1 z\n", r"a.txt:2: End\(s\): \"z\": expected seconds"),
                        (section + "hello\n", r"a.txt:2: \"hello\": not a line of darshan-dxt-parser")):
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
            _, error = imported(directory, "a.txt", text, status=1)
            assert re.search(place, error), (text, error)


def dxt_samples_are_imported_whole():
    """Ranks, files, requests and bytes are those that a few lines of Python find in the text."""
    samples = os.environ.get("SIOX_SAMPLES") or os.path.join(os.environ["SIOX_SOURCE"], "..", "shared", "data", "darshan")
    names = [n for n in (os.listdir(samples) if os.path.isdir(samples) else []) if n.endswith(".dxt.txt")]
    if not names:
        print(f"no samples of darshan-dxt-parser in {samples} (SIOX_SAMPLES)")
        sys.exit(77)
    for name in names:
        with open(os.path.join(samples, name)) as f:
            text = f.read()
        lines = [line.split() for line in text.splitlines() if line.startswith(" X_POSIX")]
        with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
            out, _ = imported(directory, "a.txt", text)
            cat = subprocess.run([SIOX, "trace", "cat", "--json", out], capture_output=True, text=True).stdout
            events = [json.loads(line) for line in cat.splitlines()]
            io_events = [e for e in events if e["event"] == "io"]
            clients = {e["client"]: e["rank"] for e in events if e["event"] == "client"}
            want = sorted((int(f[1]), int(f[4]), int(f[5]), round(float(f[6]) * 1e9), f[2] == "write") for f in lines)
            have = sorted((clients[e["client"]], e["offset"], e["bytes"], e["start_ns"], e["op"] == 1) for e in io_events)
            assert have == want, name
            files = set(re.findall(r"^# DXT, file_id: \d+, file_name: (.*)$", text, re.M))
            assert {e["path"] for e in events if e["event"] == "file"} == files, name
            rows(f"jobs: [{{trace: {out}}}]\n", "--schemes", "siox")


def who_is_quicker_than_base_is_left_out_of_the_bounds():
    """Two processes that read at once queue for both disks in base; com's late spin-ups pull them apart."""
    jobs = "jobs: [{hints: truth, generate: {processes: 2, phases: 5, gap: 12.0787, burst: 100M, request: 256K, hints: true, together: false, operation: read, layout: '0:2:4K'}}]\n"
    done, _ = sim("disks: 2\n" + jobs, "--schemes", "com,rt")
    assert re.search(r"^bound at 1 % .* no scheme uses less, save those named below$", done.stdout, re.M), done.stdout
    assert re.search(r"^  com: -[1-9][0-9.]* % I/O time .* -[0-9.]+ % run time against base", done.stdout, re.M), done.stdout
    assert "  rt: " not in done.stdout, done.stdout
    got = rows("disks: 2\n" + jobs, "--schemes", "com,rt")
    assert got["com"]["less_io_time"] > 0.01 and got["rt"]["less_io_time"] == 0, got["com"]
    done, _ = sim("disks: 2\n" + jobs, "--schemes", "rt")
    assert done.stdout.count("no scheme uses less\n") == 3, done.stdout


def ask(*words, **more):
    done = subprocess.run([SIOX, "sim", *words], capture_output=True, text=True, timeout=60, **more)
    return done.returncode, done.stderr


def what_is_read_more_than_once_is_no_pipe():
    for text in ("SXtrace", one_job("b", 10, "true")):
        status, error = ask("/dev/stdin", input=text)
        assert status == 2 and "/dev/stdin: is not a regular file, and it is read more than once" in error, error


def a_scheme_to_draw_is_known_at_once():
    for name in ("nope", "rt", "static:7"):
        done, files = sim(one_job("b", 10, "true"), "--schemes", "siox", "--timeline", "@/t.svg", "--draw", name, status=2)
        assert f"--draw: scheme {name} is not among those compared" in done.stderr and not done.stdout, done
        assert list(files) == ["s.yaml"], files
    for name in ("base", f"static:{FULL}", "siox"):
        assert "t.svg" in sim(one_job("b", 10, "true"), "--schemes", "siox", "--timeline", "@/t.svg", "--draw", name)[1]


def an_argument_of_a_scheme_stands_once():
    done, _ = sim(one_job("b", 10, "true"), "--schemes", "siox:delay=1,delay=50", status=2)
    assert "its form is siox[:delay=" in done.stderr, done.stderr
    sim(one_job("b", 10, "true"), "--schemes", "siox:delay=1,early=50")


def a_file_that_is_nested_deeply_is_refused_at_once():
    """libyaml alone takes minutes for so many."""
    done, _ = sim("disks: 1\njobs:\n  " + "[" * 200000, status=2)
    assert "s.yaml:3: more than 64 levels deep" in done.stderr, done.stderr


def a_table_that_cannot_be_written_is_an_error():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        with open(path, "w") as f:
            f.write(one_job("b", 10, "true"))
        done = subprocess.run(["sh", "-c", '"$0" sim "$1" --schemes siox >&-', SIOX, path], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "standard output cannot be written" in done.stderr, done


def a_sweep_varies_a_key_once():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory, "'jobs[0].generate.gap'")
        error = sweep(directory, status=2)
        assert re.search(r"w.yaml:5: vary\[1\].key: jobs\[0\].generate.gap varies twice", error), error


def an_output_of_a_sweep_is_a_regular_file():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory)
        path = os.path.join(directory, "w.yaml")
        text = open(path).read()
        for output in (".", "/dev/full"):
            with open(path, "w") as f:
                f.write(text.replace("output: w.csv", f"output: {output}"))
            error = sweep(directory, status=2)
            assert "is there and is not a regular file" in error, error
            assert sorted(os.listdir(directory)) == ["s.yaml", "w.yaml"] and not os.path.exists("/dev/full.d")


def many_jobs_may_have_one_name():
    """Each gets a number. Looking for a free one from the start each time took half an hour of so many."""
    jobs = "".join(f"- {{name: {name}, start: {i}, generate: {{processes: 1, phases: 1, gap: 1, burst: 4K, hints: false}}}}\n"
                   for i, name in enumerate(["x", "'x#2'"] + ["x"] * 6000))
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        path = os.path.join(directory, "s.yaml")
        with open(path, "w") as f:
            f.write("disks: 1\njobs:\n" + jobs)
        done = subprocess.run([SIOX, "sim", path, "--schemes", "siox", "--json"], capture_output=True, text=True, timeout=120)
    got = {r["scheme"]: r for r in json.loads(done.stdout)["rows"]}
    near(got["base"]["seconds"], 6002, 1e-3)


def write_sweep(directory, key="transition_rule"):
    with open(os.path.join(directory, "s.yaml"), "w") as f:
        f.write("# gr\u00f6\u00dfer\n" + one_job("b", 10, "true"))
    with open(os.path.join(directory, "w.yaml"), "w") as f:
        f.write(f"scenario: s.yaml\noutput: w.csv\nvary:\n- {{key: 'jobs[0].generate.gap', values: [5, 20]}}\n"
                f"- {{key: {key}, values: [a, b, c]}}\n")


def sweep(directory, rank=0, size=1, status=0):
    environment = dict(os.environ, PMI_RANK=str(rank), PMI_SIZE=str(size))
    done = subprocess.run([SIOX, "sim", "--sweep", os.path.join(directory, "w.yaml"), "--schemes", "siox"],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stderr


def a_sweep_has_each_combination_once():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory)
        sweep(directory)
        with open(os.path.join(directory, "w.csv")) as f:
            table = [r for r in csv.DictReader(f) if r["scheme"] == "siox"]
        assert [(r["jobs[0].generate.gap"], r["transition_rule"]) for r in table] == [
            (gap, rule) for gap in ("5", "20") for rule in "abc"], table
        alone = rows(one_job("c", 20, "true"), "--schemes", "siox")["siox"]
        assert float(table[5]["joules"]) == alone["joules"]


def ranks_share_a_sweep():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as one, tempfile.TemporaryDirectory(
            prefix="siox-test.") as two:
        write_sweep(one)
        write_sweep(two)
        sweep(one)
        sweep(two, 0, 2)
        assert len(os.listdir(os.path.join(two, "w.csv.d"))) == 3
        assert not os.path.exists(os.path.join(two, "w.csv"))
        sweep(two, 1, 2)
        texts = [open(os.path.join(d, "w.csv")).read() for d in (one, two)]
        assert texts[0] == texts[1]


def a_sweep_goes_on_where_it_stood():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory)
        sweep(directory)
        results = os.path.join(directory, "w.csv.d")
        whole = open(os.path.join(directory, "w.csv")).read()
        os.unlink(os.path.join(results, "00000002.csv"))
        os.unlink(os.path.join(directory, "w.csv"))
        with open(os.path.join(results, "00000004.csv"), "w") as f:
            f.write(open(os.path.join(results, "00000003.csv")).read())  # another's
        times = {n: os.stat(os.path.join(results, n)).st_mtime_ns for n in os.listdir(results)}
        sweep(directory)
        assert open(os.path.join(directory, "w.csv")).read() == whole
        for name, time in times.items():
            now = os.stat(os.path.join(results, name)).st_mtime_ns
            assert (now != time) == (name == "00000004.csv"), name
        with open(os.path.join(directory, "s.yaml"), "a") as f:
            f.write("hold_factor: 5\n")  # another scenario: nothing of it is there
        sweep(directory)
        for name, time in times.items():
            assert os.stat(os.path.join(results, name)).st_mtime_ns != time, name


def a_damaged_result_is_told_and_its_point_done_again():
    """Shorter, empty, other bytes, or one figure changed: nothing of it gets into OUTPUT."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory)
        sweep(directory)
        output, one = os.path.join(directory, "w.csv"), os.path.join(directory, "w.csv.d", "00000001.csv")
        whole, result = open(output).read(), open(one, "rb").read()
        last = result.rstrip(b"\n").rfind(b"\n") + 1
        for text in (result[:300], result[:20], result[:last], b"", bytes(range(256)), b"\0" + result, result + b"\n",
                     result.replace(b"base,0,", b"base,0,nan", 1)):
            os.unlink(output)
            with open(one, "wb") as f:
                f.write(text)
            error = sweep(directory, status=1)
            assert f"{one}: cannot be read: it is not as it was written; the point is done again" in error, error
            assert (open(output).read(), open(one, "rb").read()) == (whole, result)
        assert "cannot be read" not in sweep(directory)


def a_sweep_of_other_traces_or_drives_begins_anew():
    """What a scenario names counts by what is in it."""
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        with open(os.path.join(os.environ["SIOX_SOURCE"], "share", "drives", "36Z15.yaml")) as f:
            drive = f.read()
        for name, text in (("d.yaml", drive), ("t.csv", "rank,file,op,offset,bytes,start,end\n0,/a,read,0,4096,9,9.1\n"),
                           ("s.yaml", "drive: ./d.yaml\nhold_factor: 1\njobs: [{trace: t.siox}]\n"),
                           ("w.yaml", "scenario: s.yaml\noutput: w.csv\nvary: [{key: hold_factor, values: [5, 10]}]\n")):
            with open(os.path.join(directory, name), "w") as f:
                f.write(text)

        def joules():
            subprocess.run([SIOX, "sim", "import", "t.csv", "t.siox"], cwd=directory, check=True)
            subprocess.run([SIOX, "sim", "--sweep", "w.yaml"], cwd=directory, check=True)
            with open(os.path.join(directory, "w.csv")) as f:
                return [row["joules"] for row in csv.DictReader(f) if row["scheme"] == "base"]

        first = joules()
        with open(os.path.join(directory, "t.csv"), "a") as f:
            f.write("0,/a,read,8192,4096,99,99.1\n")
        second = joules()
        assert len(set(first)) == len(set(second)) == 1 and second[0] != first[0], (first, second)
        with open(os.path.join(directory, "d.yaml"), "w") as f:
            f.write(re.sub(r"seek_ms: *[0-9.]+", "seek_ms: 9", drive))
        assert joules()[0] != second[0]


def a_sweep_of_a_key_that_is_not_there_is_refused():
    with tempfile.TemporaryDirectory(prefix="siox-test.") as directory:
        write_sweep(directory, "rule")
        error = sweep(directory, status=2)
        assert re.search(r"point 0: .*s.yaml:\d+: rule: this key is not there", error), error


if __name__ == "__main__":
    globals()[sys.argv[1]]()
