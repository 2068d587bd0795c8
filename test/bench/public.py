#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that others wrote, with the pass and without: compiles each at -O0 and -O2, runs both on the ranks that the manifest
says, compares what they print and write, and lets siox run --check-hints judge the hints on emulated disks. Prints a table:

  sites      accesses by what the pass knows of their offsets, at -O2: constant / affine / periodic / invariant / run time / unknown
  same       runs that printed and wrote what they do without the pass, of all; what differs between two runs without it is
             not compared (times, say)
  outside    requests on disks that no hint had predicted, of all requests; must be 0
  held       disks predicted per disk touched, burst by burst; the target is at most 1.25
  windows    gaps that pay whose disks were all given up in time, of all such gaps; the target is 80 % over all programs
  moves      changes of speed

The programs are not part of Siox: clone them below a directory of your own, and describe them in a manifest (docs/public-programs.md
tells its keys; test/bench/public-example.json describes two of ours). The status is 1 when a program could not be tried, did
otherwise with the pass, or had a request outside; windows and held are figures."""

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import public_manifest  # noqa: E402
import public_run  # noqa: E402

EXAMPLES = """examples:
  python3 test/bench/public.py --manifest programs.json --clone-commands --sources ~/programs | sh
  python3 test/bench/public.py --manifest programs.json --sources ~/programs --results results.jsonl
  python3 test/bench/public.py --manifest test/bench/public-example.json --sources test --only relay
SIOX_BUILD names the build directory (default: build)."""
BEGIN, END = "<!-- public.py: begin -->\n", "<!-- public.py: end -->\n"
COLUMNS = ("program", "repository", "language", "ranks", "sites", "same", "outside", "held", "windows", "moves")


def clone_commands(programs, sources):
    seen = {}
    for program in programs:
        seen.setdefault(program["folder"], program)
    for folder, program in seen.items():
        at = shlex.quote(os.path.join(sources, folder))  # a shell gets it, and manifests may be anybody's
        line = f"git clone {shlex.quote('https://github.com/' + program['repository'])} {at}"
        print(line + (f" && git -C {at} checkout -q {shlex.quote(program['commit'])}" if program["commit"] else ""))


def missing(programs, sources):
    """Lines about sources that are not there."""
    lines = []
    for program in programs:
        for name in program["sources"]:
            path = os.path.join(sources, program["folder"], program["directory"], name)
            if not os.path.isfile(path):
                lines.append(f"{program['name']}: {path} is not there; it comes from {program['repository']}")
                break
    return lines


def try_program(program, sources, keep):
    """Its result: sites, one row a run, or why it could not be tried."""
    directory = tempfile.mkdtemp(prefix="siox-public.")
    result = {key: program[key] for key in ("name", "repository", "commit", "language", "what")}
    result["rows"] = []
    try:
        binaries, result["sites"] = public_run.compiled(program, os.path.abspath(os.path.join(sources, program["folder"])), directory)
        for run in program["runs"]:
            for ranks in run["ranks"]:
                for level in public_run.LEVELS:
                    row = public_run.one_run(run, ranks, level, binaries, directory)
                    result["rows"].append(row)
                    print("%s %s %s on %d: %s, outside %d of %d, windows %d of %d" % (
                        program["name"], " ".join(run["arguments"]), level, ranks, "; ".join(row["differences"]) or "same", row["outside"],
                        row["accesses"], row["used"], row["eligible"]), file=sys.stderr, flush=True)
    except public_run.Failed as why:
        result["failed"] = str(why)
        print(f"{program['name']}: {why}", file=sys.stderr, flush=True)
    finally:
        if keep:
            print(f"{program['name']}: kept in {directory}", file=sys.stderr)
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return result


def total(results, key):
    return sum(row[key] for result in results for row in result["rows"])


def ratio(results):
    touched = total(results, "touched")
    return "%.2f" % (total(results, "predicted") / touched) if touched else "-"


def windows(results):
    used, eligible = total(results, "used"), total(results, "eligible")
    return "%d of %d" % (used, eligible) + (" = %.0f %%" % (100 * used / eligible) if eligible else "")


def cells(result):
    rows, one = result["rows"], [result]
    if "failed" in result:
        return [result["name"], result["repository"], result["language"], "", "could not be tried"] + [""] * 5
    return [result["name"], result["repository"], result["language"], ", ".join(map(str, sorted({row["ranks"] for row in rows}))),
            " / ".join(map(str, result["sites"])), "%d of %d" % (sum(not row["differences"] for row in rows), len(rows)),
            "%d of %d" % (total(one, "outside"), total(one, "accesses")), ratio(one), windows(one),
            str(sum(row["transitions"] or 0 for row in rows))]


def table(results):
    sites = [sum(column) for column in zip(*(result["sites"] for result in results if "sites" in result))]
    rows = [row for result in results for row in result["rows"]]
    last = ["all", "%d" % len({result["repository"] for result in results}), "", "", " / ".join(map(str, sites)),
            "%d of %d" % (sum(not row["differences"] for row in rows), len(rows)),
            "%d of %d" % (total(results, "outside"), total(results, "accesses")), ratio(results), windows(results),
            str(sum(row["transitions"] or 0 for row in rows))]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *map(cells, results), last]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write(path, text):
    """Puts the table between its marks in a page, which stays as it is otherwise."""
    with open(path, encoding="utf-8") as f:
        page = f.read()
    if BEGIN not in page or END not in page:
        sys.exit(f"{path}: there is no place for the table: lines {BEGIN.strip()} and {END.strip()}")
    before, after = page.split(BEGIN)[0], page.split(END, 1)[1]
    with open(path, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "\n" + text + "\n" + END + after)


def had(path):
    """Results of earlier runs, the last of each program."""
    found = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                result = json.loads(line)
                found[result["name"]] = result
    return found


def options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", required=True, metavar="FILE", help="the programs")
    parser.add_argument("--sources", required=True, metavar="DIR", help="where they were cloned")
    parser.add_argument("--clone-commands", action="store_true", help="print the commands that clone them, and do nothing else")
    parser.add_argument("--only", action="append", metavar="NAME", help="this program; may be given more than once")
    parser.add_argument("--results", metavar="FILE", help="append each program's result; programs that are there are not tried again, "
                        "unless --only names them")
    parser.add_argument("--write", metavar="PAGE", help="put the table into this page")
    parser.add_argument("--json", action="store_true", help="JSON in place of the table")
    parser.add_argument("--keep", action="store_true", help="leave what was compiled and written where it is")
    return parser, parser.parse_args()


def main():
    parser, args = options()
    try:
        programs = public_manifest.read(args.manifest)
    except public_manifest.Slip as slip:
        sys.exit(f"public.py: {slip}")
    names = [program["name"] for program in programs]
    for name in args.only or ():
        if name not in names:
            parser.error(f"--only: {name} is none of {', '.join(names)}")
    chosen = [program for program in programs if not args.only or program["name"] in args.only]
    if args.clone_commands:
        clone_commands(chosen, args.sources)
        return
    found = had(args.results)
    to_try = [program for program in chosen if args.only or program["name"] not in found]
    lines = missing(to_try, args.sources)
    if lines:
        sys.exit("\n".join(lines) + "\n--clone-commands prints the commands that clone what the manifest names")
    for program in to_try:
        result = found[program["name"]] = try_program(program, args.sources, args.keep)
        if args.results:
            with open(args.results, "a", encoding="utf-8") as f:
                f.write(json.dumps(result) + "\n")
    results = [found[name] for name in names if name in found]
    if args.json:
        json.dump(results, sys.stdout, indent=1)
        print()
    else:
        sys.stdout.write(table(results))
    if args.write:
        write(args.write, table(results))
    rows = [row for result in results for row in result["rows"]]
    sys.exit(any("failed" in result for result in results) or any(row["differences"] or row["outside"] for row in rows))


if __name__ == "__main__":
    main()
