#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test/bench/public.py and its manifest: one function, one condition. Usage: public_programs.py NAME"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SIOX_SOURCE") or os.path.dirname(os.path.dirname(HERE))
BENCH = os.path.join(SOURCE, "test", "bench")
EXAMPLE = os.path.join(BENCH, "public-example.json")
sys.path.insert(0, BENCH)
import public  # noqa: E402
import public_manifest  # noqa: E402
import public_run  # noqa: E402

LEAST = {"name": "p", "repository": "owner/p", "sources": ["p.c"], "runs": [{}]}


def run(*words):
    return subprocess.run([sys.executable, os.path.join(BENCH, "public.py"), *words], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False)


def manifest(directory, *programs):
    path = os.path.join(directory, "m.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"programs": programs}, f)
    return path


def refused(words, **change):
    with tempfile.TemporaryDirectory() as directory:
        path = manifest(directory, {**LEAST, **change})
        done = run("--manifest", path, "--sources", directory)
        assert done.returncode == 1 and done.stdout == "", done
        assert done.stderr.startswith(f"public.py: {path}: p: ") and words in done.stderr, done.stderr


def the_example_is_well_formed():
    programs = public_manifest.read(EXAMPLE)
    assert [program["name"] for program in programs] == ["relay", "mxm"]
    assert public.missing(programs, os.path.join(SOURCE, "test")) == []


def what_is_left_out_has_its_default():
    with tempfile.TemporaryDirectory() as directory:
        program, = public_manifest.read(manifest(directory, LEAST))
    assert (program["folder"], program["language"], program["runs"][0]["ranks"]) == ("owner+p", "c", [1, 2, 4]), program


def slips_are_named_with_program_and_key():
    refused("flag: no such key", flag=[])
    refused("sources: a list of files is needed, not []", sources=[])
    refused("language: c or c++ or fortran is needed", language="d")
    refused("run 1: ranks: a list of numbers from 1 on is needed, not [0]", runs=[{"ranks": [0]}])
    refused("runs: a list of runs is needed, not []", runs=[])
    refused("repository: owner/name is needed", repository="p")


def what_is_no_json_is_named_with_its_line():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "m.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"programs":\n[}')
        done = run("--manifest", path, "--sources", directory)
        assert done.returncode == 1 and f"public.py: {path}:2: " in done.stderr, done


def sources_that_are_not_there_are_listed_with_how_to_get_them():
    with tempfile.TemporaryDirectory() as directory:
        done = run("--manifest", manifest(directory, LEAST), "--sources", directory)
        assert done.returncode == 1 and done.stdout == "", done
        assert f"p: {directory}/owner+p/./p.c is not there; it comes from owner/p\n--clone-commands prints" in done.stderr, done.stderr


def clone_commands_name_each_repository_once():
    with tempfile.TemporaryDirectory() as directory:
        path = manifest(directory, {**LEAST, "commit": "abc"}, {**LEAST, "name": "q"})
        done = run("--manifest", path, "--sources", directory, "--clone-commands")
        assert done.returncode == 0, done
        assert done.stdout == f"git clone https://github.com/owner/p {directory}/owner+p && git -C {directory}/owner+p checkout -q abc\n", done


def clone_commands_are_words_to_a_shell():
    with tempfile.TemporaryDirectory() as directory:
        path = manifest(directory, {**LEAST, "repository": "owner/p;x", "folder": "a b", "commit": "$(x)"})
        done = run("--manifest", path, "--sources", "s", "--clone-commands")
        assert done.stdout == "git clone 'https://github.com/owner/p;x' 's/a b' && git -C 's/a b' checkout -q '$(x)'\n", done


def only_what_is_stable_without_the_pass_is_compared():
    def ran(lines, **files):
        return public_run.Ran(0, public_run.collections.Counter(lines), files)
    plain = [ran(["a", "took 1 s"], out="1", log="x"), ran(["took 2 s", "a"], out="1", log="y")]
    assert public_run.differences(plain, ran(["took 3 s", "a"], out="1", log="z")) == []
    assert public_run.differences(plain, ran(["took 3 s", "b"], out="1", log="z")) == ["this line is missing: a"]
    assert public_run.differences(plain, ran(["took 3 s", "a"], out="2", log="z")) == ["file out has other content"]
    assert public_run.differences(plain, ran(["took 3 s", "a"], log="z")) == ["file out is missing"]
    assert public_run.differences(plain, ran(["took 3 s", "a"], out="1", log="z")._replace(status=1)) == ["status 1, not 0"]


def the_table_goes_between_its_marks():
    with tempfile.TemporaryDirectory() as directory:
        page = os.path.join(directory, "page.md")
        with open(page, "w", encoding="utf-8") as f:
            f.write("before\n" + public.BEGIN + "old\n" + public.END + "after\n")
        public.write(page, "new\n")
        with open(page, encoding="utf-8") as f:
            assert f.read() == "before\n" + public.BEGIN + "\nnew\n\n" + public.END + "after\n"


def a_program_is_compared_and_judged():
    """The example's second program as it stands, on one rank."""
    with open(EXAMPLE, encoding="utf-8") as f:
        program = json.load(f)["programs"][1]
    program["runs"][0]["ranks"] = [1]
    with tempfile.TemporaryDirectory() as directory:
        done = run("--manifest", manifest(directory, program), "--sources", os.path.join(SOURCE, "test"), "--json")
    assert done.returncode == 0, done
    result, = json.loads(done.stdout)
    rows = result["rows"]
    assert [row["level"] for row in rows] == ["-O0", "-O2"] and sum(result["sites"]) == 4, result
    assert all(row["differences"] == [] and row["outside"] == 0 and row["accesses"] > 0 for row in rows), result


def what_compiling_costs_is_told_by_program():
    done = subprocess.run([sys.executable, os.path.join(BENCH, "compile_public.py"), "--manifest", EXAMPLE, "--sources", os.path.join(SOURCE, "test"),
                           "--only", "relay", "--pairs", "1"], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False)
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[0] == "relay"]
    assert done.stderr == "" and len(rows) == 2, done
    for row in rows:  # one file, with MPI-IO, so both ratios are of the same times
        assert row[1:3] == ["1", "1"] and float(row[3]) > 0 and float(row[4]) > 0 and row[4] == row[5], done.stdout


def what_compile_public_cannot_do_is_refused():
    with tempfile.TemporaryDirectory() as empty:
        for words, build, said in ((["--pairs", "0"], None, "--pairs: at least 1"),
                                   (["--only", "nope"], None, "has no program nope"),
                                   ([], empty, "siox-cc is not there: build Siox with the pass")):
            done = subprocess.run([sys.executable, os.path.join(BENCH, "compile_public.py"), "--manifest", EXAMPLE, "--sources",
                                   os.path.join(SOURCE, "test"), *words], capture_output=True, text=True, check=False,
                                  env=dict(os.environ, **({"SIOX_BUILD": build} if build else {})))
            assert done.returncode and said in done.stderr and "Traceback" not in done.stderr and not done.stdout, done


if __name__ == "__main__":
    globals()[sys.argv[1]]()
