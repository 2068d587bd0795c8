#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paper's MxM live: alone (S1 of Table III) and twice at once (Fig. 11), compiled with the pass and started by mpiexec, on an emulated store of
8 disks at life's speed; each run recorded and played again by siox sim in closed loop, so that joules, seconds, savings and changes of speed
stand beside each other. Prints docs/live-results.md, or writes it and its picture with --write.

A run takes about as long as its program, 150 to 200 s: twenty minutes for the policies that are run by default. Leave the machine alone
meanwhile: what else runs makes the programs' pauses uneven. Figures are kept after each run, so that one that was ended goes on where it
stood; what was made by another build, size or setting is run again. The status is 0 whatever the figures are, and 1 when a run fails."""

import argparse
import json
import os
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
import live_page  # noqa: E402
import live_picture  # noqa: E402
from live_run import PAPER, PAPERS, RANKS, SCENARIOS, SMALL, SOURCE, Failed, Place, in_memory  # noqa: E402

EXAMPLES = """examples:
  test/bench/live.py --policies base,siox --write        as docs/live-results.md has it: four runs, a quarter of an hour
  test/bench/live.py --write                             base, siox and rt: six runs, twenty minutes
  test/bench/live.py --policies base,siox,rt,com,hw,static:6000 --write
  test/bench/live.py --scenarios s1 --policies siox --again
  test/bench/live.py --read docs/live-results/figures.json --write
                                                         the page from figures that are there: nothing is run
  test/bench/live.py --quick                             programs of seconds on disks ten times faster than life, to see that all works
  mount -t tmpfs -o size=3g tmpfs /mnt && test/bench/live.py --work /mnt/live --write
                                                         files in memory"""


POLICIES, QUICK = ["base", "siox", "rt"], ["base", "siox"]


def note(*what):
    print("live.py:", *what, file=sys.stderr, flush=True)


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".part", path)


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            figures = json.load(f)
    except ValueError as wrong:
        raise Failed(f"{path}: {wrong}") from None
    if not isinstance(figures, dict):
        raise Failed(f"{path}: these are no figures of live.py")
    return figures


def keep(path, figures):
    put(path, json.dumps(figures, indent=1) + "\n")


def added(place, run):
    """A run's figures with those of its recording, played again under the policy that it was made under."""
    trace = place.path(run["scenario"], run["policy"], ".siox")
    rows, recorded = place.simulate(trace, [run["policy"]])
    run.update(moves=place.moves_within(run["scenario"], run["policy"], run["seconds"]), simulated=rows[run["policy"]],
               simulated_base=rows["base"], recorded=recorded)


def sorted_runs(found, policies):
    """By scenario, base first, then as asked for."""
    order = list(dict.fromkeys(["base", *policies, *sorted(r["policy"] for r in found.values())]))
    return dict(sorted(found.items(), key=lambda item: (list(SCENARIOS).index(item[1]["scenario"]), order.index(item[1]["policy"]))))


def there(place, run):
    return run["key"] == place.key(run["scenario"], run["policy"]) and os.path.exists(place.path(run["scenario"], run["policy"], ".siox"))


def measure(place, args, figures):
    """All runs that are not there yet. A run that fails is tried once more; the others go on."""
    figures["runs"], figures["failed"] = {name: run for name, run in figures.get("runs", {}).items() if there(place, run)}, {}
    wanted = [(s, p) for s in args.scenarios for p in args.policies]
    for i, (scenario, policy) in enumerate(wanted):
        name = f"{scenario} {policy}"
        if name in figures["runs"] and not args.again:
            note(f"{i + 1} of {len(wanted)}: {name} is there")
            continue
        for attempt in (1, 2):
            note(f"{i + 1} of {len(wanted)}: {name}" + (", once more" if attempt > 1 else ""))
            try:
                run = place.run(scenario, policy)
                added(place, run)
            except Failed as wrong:
                note(wrong)
                figures["failed"][name] = str(wrong)
                continue
            figures["failed"].pop(name, None)
            figures["runs"] = sorted_runs(figures["runs"] | {name: run}, args.policies)
            keep(args.results, figures)
            note(f"{name}: {run['seconds']:.1f} s, {run['joules']:.0f} J live, {run['simulated']['joules']:.0f} J simulated, "
                 f"{run['windows'][0]} of {run['windows'][1]} windows used, {run['late']} late completions")
            break


def predict(place, figures):
    """What the recordings under siox say of the other policies, and S1's of two at once; the evaluation's scenarios; the picture."""
    recordings = {s: place.path(s, "siox", ".siox") for s in SCENARIOS if f"{s} siox" in figures["runs"]}
    figures["predictions"], figures["evaluation"], figures["picture"] = {}, {}, None
    for scenario in SCENARIOS:
        policies = [r["policy"] for r in figures["runs"].values() if r["scenario"] == scenario]
        if scenario in recordings:
            figures["predictions"][f"{scenario} {scenario}"] = place.simulate(recordings[scenario], policies)[0]
        if scenario == "x2" and policies and "s1" in recordings:
            figures["predictions"]["x2 s1"] = place.simulate(live_picture.twice(recordings["s1"]), policies)[0]
        if policies and place.size is PAPERS:
            figures["evaluation"][scenario] = place.simulate(os.path.join(SOURCE, "share", "paper", PAPER[scenario]), policies)[0]
    if "x2" in recordings:
        figures["picture"] = live_picture.make(place, figures["runs"]["x2 siox"], recordings)


def tell(args, figures):
    if args.json:
        json.dump(figures, sys.stdout, indent=1)
        print()
    if args.write:
        put(os.path.join(args.docs, "live-results.md"), live_page.make(figures))
        if figures.get("picture"):
            put(os.path.join(args.docs, "live-results", "speeds.svg"), live_picture.draw(figures["picture"]))
        keep(os.path.join(args.docs, "live-results", "figures.json"), figures)
    elif not args.json:
        print(live_page.make(figures), end="")


def names(allowed=None):
    def split(text):
        found = [name for name in text.split(",") if name]
        if not found or len(set(found)) < len(found) or any(allowed and name not in allowed for name in found):
            raise argparse.ArgumentTypeError(f"{text}: wanted some of {', '.join(allowed)}" if allowed else f"{text}: each once is wanted")
        return found
    return split


def arguments():
    parser = argparse.ArgumentParser(prog="test/bench/live.py", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=names(SCENARIOS), default=list(SCENARIOS), metavar="A,B", help="of s1, x2 (default: both)")
    parser.add_argument("--policies", type=names(), metavar="A,B,...",
                        help="as sioxd has them: base, siox, rt, com, hw, claims, static:6000, ... (default: base,siox,rt)")
    parser.add_argument("--again", action="store_true", help="run also what is there")
    parser.add_argument("--quick", action="store_true", help="small programs, base and siox unless --policies says else")
    parser.add_argument("--write", action="store_true", help="the page, its picture and its figures into the directory of --docs")
    parser.add_argument("--docs", default=os.path.join(SOURCE, "docs"), metavar="DIR", help="(default: docs)")
    parser.add_argument("--json", action="store_true", help="figures as JSON on standard output in place of the page")
    parser.add_argument("--read", metavar="FILE", help="run nothing: figures of an earlier run")
    parser.add_argument("--results", metavar="FILE", help="where figures are kept after each run (default: figures.json in the place of --work)")
    parser.add_argument("--build", default=os.environ.get("SIOX_BUILD") or os.path.join(SOURCE, "build"), metavar="DIR",
                        help="a build with the pass (default: $SIOX_BUILD, else build)")
    parser.add_argument("--work", metavar="DIR", default=os.path.join(tempfile.gettempdir(), "siox-live"),
                        help="program, files and recordings, 2 GB, best in memory, but not below /dev, where nothing is emulated (mount -t tmpfs tmpfs DIR) (default: %(default)s)")
    parser.add_argument("--launcher", help="starts the ranks with -n N (default: the build's test/mpiexec, else mpiexec)")
    args = parser.parse_args()
    if args.quick and args.write and os.path.realpath(args.docs) == os.path.realpath(os.path.join(SOURCE, "docs")):
        parser.error("--quick: its figures are no good for docs; --docs names another place")
    args.policies = args.policies or (QUICK if args.quick else POLICIES)
    for key in ("build", "work", "docs", "results"):
        if getattr(args, key):
            setattr(args, key, os.path.abspath(getattr(args, key)))
    args.results = args.results or os.path.join(args.work, "figures.json")
    return args


def main():
    args = arguments()
    if args.read:
        figures = read(args.read)
        for key in ("runs", "predictions", "evaluation", "size", "cores", "ranks", "in_memory", "command"):
            if key not in figures:
                raise Failed(f"{args.read}: {key} is missing")
        tell(args, figures)
        return 0
    size = SMALL if args.quick else PAPERS
    place = Place(args.build, args.work, size, args.launcher)
    place.begin(args.policies)
    try:
        figures = read(args.results)
    except FileNotFoundError:
        figures = {}
    figures.update(cores=len(os.sched_getaffinity(0)), ranks=RANKS, in_memory=in_memory(args.work), size=vars(size))
    if os.getloadavg()[0] > 0.5:
        note(f"{os.getloadavg()[0]:.1f} other processes are running on average; measure on a quiet machine")
    try:
        measure(place, args, figures)
        predict(place, figures)
        figures["command"] = command(args, figures)
        keep(args.results, figures)
    finally:
        place.empty()
    tell(args, figures)
    return 1 if figures["failed"] else 0


def command(args, figures):
    """With which somebody else makes this page."""
    policies = list(dict.fromkeys(run["policy"] for run in figures["runs"].values()))
    return " ".join(["test/bench/live.py", *(["--quick"] if args.quick else []),
                     *(["--policies", ",".join(policies)] if policies != (QUICK if args.quick else POLICIES) else []),
                     *(["--docs", "DIR"] if args.write and args.quick else []), *(["--write"] if args.write else [])])


def ended(number, _):
    sys.exit(128 + number)


if __name__ == "__main__":
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, ended)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Failed as wrong:
        sys.exit(f"live.py: {wrong}")
    except OSError as wrong:
        sys.exit(f"live.py: {wrong.filename or 'output'}: {wrong.strerror}")
