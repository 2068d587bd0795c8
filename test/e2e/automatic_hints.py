#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What hints placed by the pass do on any machine, however busy. How much they save and delay beside hints by hand is
measured by test/bench/hints.py. Usage: automatic_hints.py PROGRAM SCALE, PROGRAM mxm or relay, SCALE x0.1 or x1.

x1, by hand and by the pass side by side, each on disks of its own: both programs print and write what they do without
hints; no request of either meets a disk that was not predicted; both runs take less energy than at full speed; and every
disk that is slowed between two requests by hand is also by the pass.

x0.1, gaps too short to pay, alone and with a second instance: no disk changes its speed as long as a request is still
to come, and the run takes at most 0.5 % more energy than at full speed. Beside other work a gap can last so long that
it pays, or look so when it begins: a round that misses is repeated. When all of them miss, and the machine was not ours,
the case says so and counts as skipped; what the program makes is judged all the same."""

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hint_programs  # noqa: E402
from hint_programs import OtherLoad, Place, Program  # noqa: E402

ROUNDS = 5
QUIET = 0.3  # cores busy with others
SLOWED_DOWN = 1.4  # times as long as alone
SKIPPED = 77


class Unhinted:
    """What the plain program prints and writes, with as much computing as the hinted ones do."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        os.mkdir(directory)
        self.output = os.path.join(directory, "out")
        with open(self.output, "w") as out:
            subprocess.run(program.command(program.plain, program.prepare(directory, 0)), check=True,
                           stdin=subprocess.DEVNULL, stdout=out)

    def differs(self, place, instance):
        """The files of an instance that are not as they should be."""
        pairs = [(self.output, place.output(instance))]
        pairs += zip(self.program.written(self.directory, 0), self.program.written(place.store, instance))
        return [mine for right, mine in pairs if not filecmp.cmp(right, mine, shallow=False)]


def wrong_outputs(unhinted, place, instances):
    return ["%s is not what the unhinted program makes" % path
            for i in range(instances) for path in unhinted.differs(place, i)]


def show(what, report, more=""):
    run = report["run"]
    print("  %s: saved %.2f %%, %d transitions, %d of %d requests missed, %d late, %.2f s%s" % (
        what, 100 * run["saved"], run["transitions"], run["missed"], run["requests"], report["late"], run["seconds"], more),
        flush=True)


def used_gaps(program, unhinted, directory):
    hand, auto = (Place(program, os.path.join(directory, who)) for who in ("hand", "auto"))
    started = hand.start(program.hand, 1), auto.start(program.auto, 1)
    reports = hand.finish(started[0]), auto.finish(started[1])
    moved = hand.moved_between_requests(), auto.moved_between_requests()
    for what, report, disks in zip(("by hand", "by the pass"), reports, moved):
        show(what, report, ", slowed between requests: %s" % sorted(disks))
    wrong = wrong_outputs(unhinted, hand, 1) + wrong_outputs(unhinted, auto, 1)
    if not moved[0]:
        wrong.append("hints by hand slowed no disk")
    if moved[0] - moved[1]:
        wrong.append("hints by hand slowed disks that those of the pass did not: %s" % sorted(moved[0] - moved[1]))
    for what, report in zip(("by hand", "by the pass"), reports):
        if report["run"]["missed"]:
            wrong.append("hints %s: %d requests met a disk that was not predicted" % (what, report["run"]["missed"]))
        if report["run"]["saved"] <= 0:
            wrong.append("hints %s saved no energy" % what)
    return wrong


def left_alone(program, unhinted, directory):
    wrong, busy, alone = [], False, None
    place = Place(program, os.path.join(directory, "auto"))
    for instances in (1, 2):
        telling = False  # a round missed that others did not disturb
        for _ in range(ROUNDS):
            load = OtherLoad()
            report = place.finish(place.start(program.auto, instances))
            others, possible, moved = load.cores(), place.possible(), place.moved_between_requests()
            show("%d at once" % instances, report, ", possible %.2f %%, others use %.1f cores, slowed between requests: %s"
                 % (100 * possible, others, sorted(moved)))
            wrong += wrong_outputs(unhinted, place, instances)
            if not moved and report["run"]["joules"] <= 1.005 * report["base"]["joules"]:
                break
            # Two that take much longer than one, at full speed in the replay of base, had no core each, whoever had them:
            # their gaps are longer, too. What disks did to the run is not in that time.
            slowed_down = alone and report["base"]["seconds"] > SLOWED_DOWN * alone
            telling = telling or (possible <= 0 and others < QUIET and not slowed_down)
        else:
            if telling:
                wrong.append("%d at once: disks were slowed in gaps that do not pay" % instances)
            busy = busy or not telling
        alone = report["base"]["seconds"]
    if busy and not wrong:
        print("SKIPPED: others use the machine, and gaps that should not pay last too long", flush=True)
        sys.exit(SKIPPED)
    return wrong


def main():
    name, scale = sys.argv[1:3]
    hint_programs.own_daemons_only()
    directory = tempfile.mkdtemp(prefix="siox-e2e.")
    try:
        program = Program(name, scale, directory)
        print("%s %s (--work %s), load %.1f:" % (name, scale, program.work, os.getloadavg()[0]), flush=True)
        unhinted = Unhinted(program, os.path.join(directory, "unhinted"))
        wrong = (left_alone if scale == "x0.1" else used_gaps)(program, unhinted, directory)
        if wrong and os.environ.get("SIOX_KEEP"):
            shutil.copytree(directory, os.environ["SIOX_KEEP"], dirs_exist_ok=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if wrong:
        sys.exit("FAILED: " + "\n        ".join(wrong))


if __name__ == "__main__":
    main()
