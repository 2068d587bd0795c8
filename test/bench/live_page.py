# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/live-results.md from the figures of live.py: live, simulated, and why they differ."""

import collections

from live_run import PAPER, PAPERS, SCENARIOS, STATES

NAMES = {"s1": "MxM alone (S1)", "x2": "two MxM at once"}
SMALLEST = 5e-5  # of the joules: what is less is not explained

HEAD = """# Results: the paper's runs, live
Made by `%(command)s` on %(cores)d cores, and not by hand.
MxM of the evaluation (`docs/applications.md`) alone, which is S1 of Table III, and twice at once, as in Fig. 11, **really run**: compiled with the
pass (`siox-cc -O2`), %(ranks)d ranks of `mpiexec` for each instance, on one `sioxd` with an emulated store of 8 disks (36Z15, %(speed)s,
striping 0:8:64K, transition rule b). Each run was recorded and played again by `siox sim` in closed loop under the same policy, with the
think times that it had (`docs/sim.md`). Joules are those of all disks over the whole run, back to full speed at its end, as the daemon reports
them; they come from the drive model and not from a meter.
%(size)s
"""


def percent(part, digits=2):
    return "–" if part is None else f"{100 * part:.{digits}f} %"


def signed(part):
    return "–" if part is None else f"{100 * part:+.2f} %"


def table(head, rows, numbers):
    """Columns from the numbers-th on stand to the right."""
    marks = ["---"] * numbers + ["---:"] * (len(head) - numbers)
    if head[-1] == "why":
        marks[-1] = "---"
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in (head, marks, *rows)) + "\n"


def watts(f):
    return f["joules"] / f["seconds"]


def ratio(live, other):
    return live / other - 1 if other else None


def runs(figures, scenario):
    """Of a scenario by policy, base first, as they were asked for."""
    return {r["policy"]: r for r in figures["runs"].values() if r["scenario"] == scenario}


def changes(policy, row, disks=8):
    """Of a simulated run before its end. The way back after it is counted for static levels only."""
    return row["transitions"] - (disks if policy.startswith("static") and row["transitions"] else 0)


def parts(live, other):
    """Where the difference in joules comes from; the sum is the whole difference. Time: as much longer at the power of the other's
    idle disks. Then other levels while idle, requests, and changes of speed."""
    time = (live["seconds"] - other["seconds"]) * other["states"]["idle"] / other["seconds"]
    by = {state: live["states"][state] - other["states"][state] for state in STATES}
    return {"time": time, "levels": by["idle"] - time, "requests": by["active"], "changes of speed": by["up"] + by["down"]}


def why(policy, live, moves, other, recorded=None):
    """In words, greatest part first."""
    if abs(live["joules"] - other["joules"]) < SMALLEST * live["joules"] and abs(live["seconds"] - other["seconds"]) < 0.01:
        return "agrees"
    said = []
    if policy.startswith("static"):
        said.append("the way to its level lies within the live run, where the first requests wait for it, and before the simulated one")
        if recorded:  # the same, simulated: what there is beyond it follows
            kept = recorded["joules_closed_loop"]
            said.append(f"simulated with this way within the run it takes {kept:,.1f} J ({signed(ratio(live['joules'], kept))}) in "
                        f"{recorded['seconds_closed_loop']:.2f} s")
            return "; ".join(said)
    for name, joules in sorted(parts(live, other).items(), key=lambda p: -abs(p[1])):
        if abs(joules) < SMALLEST * live["joules"]:
            continue
        seconds = live["seconds"] - other["seconds"]
        what = {"time": f"the live run is {abs(seconds):.2f} s {'longer' if seconds > 0 else 'shorter'}",
                "levels": "idle at other speeds, or for another part of the time", "requests": "time in service",
                "changes of speed": f"changes of speed, {moves} live and {changes(policy, other)} simulated"}[name]
        said.append(f"{what}: {joules:+.0f} J")
    if recorded and abs(recorded["joules_arrivals_kept"] - live["joules"]) < SMALLEST * live["joules"]:
        said.append("none of it where requests arrive as they did live, so it comes from when they arrive in closed loop")
    elif recorded:
        kept = live["joules"] - recorded["joules_arrivals_kept"]
        said.append(f"{kept:+.0f} J of it also where requests arrive as they did live, so there the daemon decided at other moments than the replay")
    return "; ".join(said) or "agrees in joules"


def saved(run, base):
    return 1 - run["joules"] / base["joules"] if base and run is not base else None


def power_saved(run, base):
    return 1 - watts(run) / watts(base) if base and run is not base else None


def own(figures):
    """Each run beside its own recording played again."""
    lines = []
    for scenario in SCENARIOS:
        all_of = runs(figures, scenario)
        for policy, r in all_of.items():
            s = r["simulated"]
            lines.append([NAMES[scenario], f"`{policy}`", f"{r['seconds']:.2f}", f"{s['seconds']:.2f}", f"{r['joules']:,.1f}",
                          f"{s['joules']:,.1f}", signed(ratio(r["joules"], s["joules"])), percent(saved(r, all_of.get("base"))), percent(power_saved(r, all_of.get("base"))),
                          percent(s["saved"]) if policy != "base" else "–", r["moves"], changes(policy, s),
                          why(policy, r, r["moves"], s, r["recorded"])])
    return table(("scenario", "policy", "s live", "s simulated", "J live", "J simulated", "live over simulated", "J saved live", "W saved live",
                  "J saved simulated", "changes live", "changes simulated", "why"), lines, 2)


def predicted(figures):
    lines = []
    for key, rows in figures["predictions"].items():
        scenario, source = key.split()
        for policy, r in runs(figures, scenario).items():
            if policy not in rows or (policy == "siox" and source == scenario):
                continue
            p = rows[policy]
            base = runs(figures, scenario).get("base")
            lines.append([NAMES[scenario], f"`{policy}`", NAMES[source] + ", `siox`", f"{r['seconds']:.2f}", f"{p['seconds']:.2f}",
                          f"{r['joules']:,.1f}", f"{p['joules']:,.1f}", signed(ratio(r["joules"], p["joules"])),
                          f"{watts(r):.3f}", f"{watts(p):.3f}", signed(ratio(watts(r), watts(p))), percent(power_saved(r, base)),
                          percent(p["saved"]) if policy != "base" else "–", r["moves"], changes(policy, p), why(policy, r, r["moves"], p)])
    return table(("scenario", "policy", "played from the recording of", "s live", "s simulated", "J live", "J simulated",
                  "live over simulated", "W live", "W simulated", "live over simulated", "W saved live", "J saved simulated", "changes live",
                  "changes simulated", "why"), lines, 3)


def conduct(figures):
    lines = []
    for scenario in SCENARIOS:
        for policy, r in runs(figures, scenario).items():
            hinted = r["hinted"] > 0
            lines.append([NAMES[scenario], f"`{policy}`", r["requests"], r["hinted"],
                          "%d of %d" % tuple(r["windows"]) if hinted else "–", r["outside"] if hinted else "–", r["missed"], r["late"],
                          f"{r['added_ms']:.1f}", f"{r['simulated']['added_ms']:.1f}", percent(r["added_io_time"]),
                          percent(r["simulated"]["added_io_time"]), percent(r["slow_down"]), r["lost"], "?" if r["load"] is None else f"{r['load']:.2f}"])
    return table(("scenario", "policy", "requests", "hints", "windows used", "outside", "missed", "late", "added I/O live, ms",
                  "simulated, ms", "added I/O live", "simulated", "slow-down", "records lost", "cores busy with others"), lines, 2)


def unused(figures):
    """Why windows were not used, as the check of hints says it of the first ten disks of each run."""
    lines = []
    for r in figures["runs"].values():
        counts = collections.Counter(r.get("unused", []))
        if r["hinted"] and counts:
            lines.append(f"- {NAMES[r['scenario']]}, `{r['policy']}`: " + ", ".join(f"{why} ({n})" for why, n in counts.most_common()))
    return "\nWhy windows were not used, disk by disk, of the first ten disks (`docs/check-hints.md`):\n\n" + "\n".join(lines) + "\n" if lines else ""


def evaluation(figures):
    lines = []
    for scenario, rows in figures.get("evaluation", {}).items():
        all_of = runs(figures, scenario)
        for policy, r in all_of.items():
            if policy in rows and policy != "base":
                lines.append([NAMES[scenario], f"`{policy}`", f"{r['seconds']:.1f}", percent(power_saved(r, all_of.get("base"))),
                              f"`share/paper/{PAPER[scenario]}`", f"{rows[policy]['seconds']:.1f}", percent(rows[policy]["saved"])])
    return table(("scenario", "policy", "s live", "W saved live", "the evaluation's", "s there", "J saved there"), lines, 2) if lines else ""


def extreme(rows, key):
    return max(rows, key=lambda row: abs(key(row))) if rows else None


NOTHING = ("- **These figures mean nothing.** The programs take a second or two, to see that all works here: their pauses are too short to save "
           "anything. Without `--quick` they are measured.")


def short(figures):
    out = []
    if figures["size"] != vars(PAPERS):
        return "\n".join([NOTHING, *(f"- **Failed**: {text}" for text in figures.get("failed", {}).values())]) + "\n"
    for scenario in SCENARIOS:
        all_of = runs(figures, scenario)
        base = all_of.get("base")
        said = [f"`{p}` saves {percent(saved(r, base))} of the joules and {percent(power_saved(r, base))} of the mean power live, "
                f"{percent(r['simulated']['saved'])} of the joules simulated"
                for p, r in all_of.items() if base and p != "base"]
        if said:
            out.append(f"- {NAMES[scenario]}: {'; '.join(said)}.")
    every = list(figures["runs"].values())
    if every:
        most = extreme(every, lambda r: ratio(r["joules"], r["simulated"]["joules"]))
        time = extreme(every, lambda r: ratio(r["seconds"], r["simulated"]["seconds"]))
        out.append(f"- Played from its own recording, each run takes the joules that it took within {percent(abs(ratio(most['joules'], most['simulated']['joules'])), 3)} "
                   f"({NAMES[most['scenario']]}, `{most['policy']}`) and the seconds within "
                   f"{percent(abs(ratio(time['seconds'], time['simulated']['seconds'])), 3)} ({NAMES[time['scenario']]}, `{time['policy']}`).")
    others = [(r, figures["predictions"][f"{r['scenario']} {r['scenario']}"][r["policy"]]) for r in every
              if r["policy"] != "siox" and r["policy"] in figures["predictions"].get(f"{r['scenario']} {r['scenario']}", {})]
    if others:
        most = extreme(others, lambda pair: ratio(watts(pair[0]), watts(pair[1])))
        out.append(f"- Played from the recording of the same scenario under `siox`, that is from another run, the other policies take the watts that they "
                   f"took live within {percent(abs(ratio(watts(most[0]), watts(most[1]))))} ({NAMES[most[0]['scenario']]}, `{most[0]['policy']}`).")
    twice = figures["predictions"].get("x2 s1", {}).get("siox")
    if twice:
        r = figures["runs"]["x2 siox"] if "x2 siox" in figures["runs"] else None
        out += [f"- Two at once, played from S1's recording alone as the evaluation does it, take {percent(abs(ratio(watts(r), watts(twice))))} "
                f"{'less' if watts(r) > watts(twice) else 'more'} watts than the two really did under `siox`."] if r else []
    hinted = [r for r in every if r["hinted"] and r["policy"] == "siox"]
    if hinted:
        used, eligible = (sum(r["windows"][i] for r in hinted) for i in (0, 1))
        out.append(f"- Under `siox` {used} of {eligible} windows were used, and {sum(r['outside'] or 0 for r in hinted)} of "
                   f"{sum(r['requests'] for r in hinted)} requests came to disks that were not foretold.")
    busy = [f"{NAMES[r['scenario']]}, `{r['policy']}`: {r['busy']}" for r in every if r.get("busy")]  # as siox run judges it
    if busy:
        out.append(f"- **The machine was busy** ({'; '.join(busy)}): runs took longer for it, pauses are less even and their ends foretold less well.")
    unseen = sum(r["load"] is None for r in every)
    if unseen:
        out.append(f"- How busy the machine was with other things is not known of {unseen} of {len(every)} runs.")
    out += [f"- **Failed**: {text}" for text in figures.get("failed", {}).values()]
    return "\n".join(out) + "\n"


BESIDE = """
## Beside the evaluation's own scenarios
By transition rule b (`docs/energy-results.md` has all rules). There the pauses of a recording of its own are stretched or shortened to Table II's
seconds, and the longer a pause, the more of it is left for a lower speed. Its program was compiled with the times of a first run, this one without.

"""

PICTURE = """
## Two at once under `siox`, over time
![mean speed and power of the disks, live and simulated](live-results/speeds.svg)

Every lane of `siox timeline` of the live run and of `siox sim --timeline`, taken together: *simulated* is the live run's own recording played
again, *from S1* two instances played from the recording of one alone, which had both cores for itself: its pauses are its own, so that it
tells when disks would change their speeds if both ran like that one.
"""

READING = """
## How to read this
- *Changes* are those of all disks before the end of the run. The disks' way back to full speed after it is in the joules of both.
- The **first table** shows that the daemon, with processes that really wait, and the simulator, which has only their recording, come to the same
  run. The recording has the hints that were given and the times that the program computed; when requests are served, and when disks change
  their speed, is computed anew.
- The **second table** is the harder one: a policy's live run against another run of the program, which was recorded under `siox`. No two runs compute for
  equally long, so joules differ with seconds; watts compare better. Hints that were given for `siox` are translated for policies that take
  a lead (`docs/sim.md`, Hints); the program itself gave its own. Rows for two at once from S1 alone do as the evaluation does, which has one recording and plays it twice.
- *Saved live* is of the live run under `base`, another run, which computed for longer or shorter: joules have that in them, watts (joules a second) have not.
  *Saved simulated* is of the joules of the same recording with every disk at full speed.
- *Why*: the difference in joules is split into what more time costs at the mean power of idle disks, idle time at other speeds, time in service, and changes
  of speed; these four are the whole difference. What is below %(smallest)s of the joules is left out.
- *Windows*, *outside*: `docs/check-hints.md`. Under `base`, `hw` and static levels programs give no hints. *Missed* requests came to a disk
  without a live prediction, *late* completions are wake-ups after the time when a request was done. *Added I/O*
  is a part of the time that the program's I/O takes, here %(base_ms)s ms at least, so that one wait makes a large percentage.
- `--results` keeps the figures of this page (`docs/live-results/figures.json`); `test/bench/live.py --read docs/live-results/figures.json` makes this
  page from them, and runs nothing.
"""


def make(figures):
    size = figures["size"]
    text = f"n = {size['n']}, {size['slabs']} phases, `--work {size['work']:g}` alone and `--work {size['work'] / 2:g}` each for two, which share the cores."
    text += " Files lay in memory." if figures["in_memory"] else " Files lay on a disk of the machine, in its cache."
    speed = "life's speed" if size["time_scale"] == 1 else f"{size['time_scale']} times faster than life"
    out = HEAD % {"command": figures["command"], "cores": figures["cores"], "ranks": figures["ranks"], "speed": speed, "size": text}
    out += "\n## In short\n" + short(figures)
    out += "\n## Live, and its own recording played again\n" + own(figures)
    if figures["predictions"]:
        out += "\n## Live, and another recording played under the same policy\n" + predicted(figures)
    out += "\n## How the runs went\n" + conduct(figures) + unused(figures)
    table_of = evaluation(figures)
    if table_of:
        out += BESIDE + table_of
    if figures.get("picture"):
        out += PICTURE
    base = [r["added_ms"] / r["added_io_time"] for r in figures["runs"].values() if r["added_io_time"] > 0]
    out += READING % {"smallest": percent(SMALLEST, 3), "base_ms": f"{min(base):.0f}" if base else "some"}
    return out
