# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/monitoring-results.md from the figures of monitoring.py: paper, ours, and why they differ."""

import collections

import monitoring_climate
import monitoring_detectors
import monitoring_levels
import monitoring_plot

HEAD = """# Results: the monitoring paper's experiments
*Monitoring Energy Consumption With SIOX* (Kunkel et al., 2015), sections 6.1 to 6.3, beside ours. Made by `python3 test/bench/monitoring.py --write` on
%(cores)d cores, and not by hand. This machine has no energy meter: **joules of processors are estimated** from the time they
worked (marked *), joules of disks come from the drive model.
"""

LEVELS = """
## Table 2: four levels of access
`levels` (`test/apps/levels.c`): %(ranks)d ranks, %(blocks)d blocks of 100 KB each (the paper: 6400; scale %(scale)g), one file, written, caches
dropped, read; medians of %(repeats)d runs. One emulated 36Z15 at full speed, as the paper's node had its one local disk; then eight of them
with stripes of 64 KB. A request that does not go on where the one before ended pays 3.4 ms of seek; every request pays 2 ms for half a
turn; 55 MB/s. Processors: %(idle)d W and %(dynamic)d W more at full load, which are assumed. The *node's* joules are idle watts
and this program's processor time, without what other processes of this machine took; *rank 0's* are its part of what the daemon says that the
job took, by processor time. The paper's joules divided by its seconds are 62.2 to 62.8 W at each level: those of a socket, whoever used it.

"""

LEVELS_WHY = """
Level 0 takes %(ratio).2f times as long as level 3 (paper: 3.14; eight disks: %(ratio8).2f). %(longer)s

Where ours differ, and why:
- **Level 1**: MPICH's ROMIO buffers a collective call only where the ranks' pieces interleave within the call. A block a rank a call lie side
  by side, so each rank writes its own, as at level 0. Told to buffer (`romio_cb_write=enable`, `romio_cb_read=enable`; row "1,
  buffered") it is near level 3, as in the paper.
- **Level 2**: a view with holes and no partners means data sieving: each rank reads all that lies between its blocks, for writing too, and
  writes it back under a lock; see the last column. On the paper's node the file was in memory once one rank had read it, which
  makes that cheap. The emulated store has no cache: what is asked of a disk is charged, so that sieving makes level 2 the slowest of all. Told not
  to sieve (`romio_ds_write=disable`, `romio_ds_read=disable`; row "2, not sieved") it asks for its blocks alone, as level 0 does.
- **Activities**: ours are what processes of rank 0 did, with MPI-IO calls, requests below them, and the collectives that order them. The
  paper counts seeks and calls of lower layers as well, and has %(more)d times as many blocks.
- **Joules of the node** follow the time in both, for most of them are idle watts. Those of rank 0 do not: who waits for a disk takes nothing
  (waiting ranks sleep here), who moves data between ranks does.

Fig. 4: power over time. All levels look alike in the paper; here they differ by what moving data costs. The disk is busy (13.5 W) nearly all the time; at level 3 it waits (10.2 W) while ranks exchange data.

![power over time](monitoring-results/power.svg)

Fig. 2, of the first run of each level (ID 1 is level 0), with `siox report --compare 0.json 1.json 2.json 3.json`. Processors, the node's, have here what other programs took:

```
%(fig2)s```
"""


def levels(results):
    r = results["levels"]
    facts = dict(r, ranks=monitoring_levels.RANKS, idle=monitoring_levels.IDLE_WATTS, dynamic=monitoring_levels.DYNAMIC_WATTS,
                 ratio=monitoring_levels.ratio_of_levels(r), ratio8=monitoring_levels.ratio_of_levels(r, " on 8 disks"), more=round(6400 / r["blocks"]))
    zero = monitoring_levels.median(r["rows"]["0"], "seconds")
    over = [(name, monitoring_levels.median(runs, "seconds") / zero) for name, runs in r["rows"].items() if "8 disks" not in name]
    longer = ["%s (%.2f times)" % one for one in over if one[1] > 1]
    facts["longer"] = "Of one disk's rows these take longer than level 0: " + ", ".join(longer) + "." if longer else "No other row of one disk takes longer."
    text = LEVELS % facts + "\n".join(monitoring_levels.table(r)) + "\n" + LEVELS_WHY % facts
    power = [runs[0]["power"] for name, runs in r["rows"].items() if "power" in runs[0]]
    picture = monitoring_plot.draw("Power over time at the four levels of access", ["level %d" % i for i in range(len(power))],
                                   [("processors, W (estimated)", [(p["step"], p["processors"]) for p in power]),
                                    ("disk, W (drive model)", [(p["step"], p["disks"]) for p in power])])
    return text, {"monitoring-results/power.svg": picture}


CLIMATE = """
## Table 3: what is stored of a climate model
`climate` (`test/apps/climate.c`) stands in for ICON: %(ranks)d ranks, a 128 x 128 grid with three variables of eight layers and two of one, %(steps)d
steps; an output along Hilbert's curve every %(output)d steps, a restart file every %(restart)d; emulated disks, eight. `record_activities: anomalies`; average
(least to greatest) of %(repeats)d runs. The energy meter is **scripted** (a powercap tree, `test/bench/monitoring_tree.py`): %(idle)d W and up to %(dynamic)d W
more by the processor time that the program really took, with noise of 1 %%, and %(factor)d times as much during two faults of 1.2 s at random times
in each run, %(injected).1f %% of it. The tree's processors are those that the program's processes used; other programs of this machine are not in it, but took
processors away from this one: run times tell how much (load average %(load).0f on %(cores)d cores).

"""

CLIMATE_WHY = """
S: `statistics` (`learning: 40`). E: `efficiency` (`k: 2`, `stabilisation: 30`; by default k is 4, in the paper's Listing 3 it is 1). Where ours differ, and why:
- **Cycles of 0.4 s** instead of 0.1 s: the kernel counts processor time in ticks of 10 ms. In 0.1 s two processors have 20 of them, and half a
  ratio more or less cannot be told from ticks (`docs/monitoring.md`). The paper read a cycle counter.
- **S** learns ranges in 16 s, for a run is about a minute (the paper's: 553 s). It tells the meter's faults, and what goes beyond what those seconds had
  until it has been so for half a window: other programs of this machine that take more of the processors than before. That is what its spread comes
  from. Restart files may be over before they are known to be more than a greater burst (`docs/monitoring.md`, Detectors).
- **E** tells the meter's faults, and little else. The paper's tells phases as well in which processors wait, for there idle watts give no work.
- **S&E** in the paper is anything from 3 to 88 %% of all phases, which it does not explain. Ours is about what either tells in these runs (each row has its own), for both tell the same faults.
- **Stored** is more than the share of abnormal cycles, for the cycle before and the one after are kept too, and for there is I/O in what is abnormal.
"""

DETECTORS = """
## Do detectors find what is made to happen?
Beyond the paper. The same program writes an output each step on eight emulated disks, in %(runs)d runs of %(seconds).0f s; in each, once, at random times and in random
order, for 1.5 to 2.5 s: a disk is 6 times as slow (`siox admin slow`), processes that are not the job's take all processors, the meter stands
still, a thread of a rank spins. That is %(share).1f %% of the time. Node and meter are a tree of files (`test/bench/monitoring_tree.py`): its processors do what the run's processes do, and the
meter is scripted from their processor time; the ranks were given processors before other
programs of this machine. All detectors, cycles of 0.1 s; nothing counts in the first %(learning)d s, when ranges are
learned (`learning: 300`). *Found*: at least one of its cycles is told. *Named rightly*: the node's verdict was, at some look ten times a
second, a fault of that disk, meter or process; of the neighbour, high load of processors.

"""

DETECTORS_FACTS = """
| | ours | wanted |
| --- | --- | --- |
| found | %(found)d of %(all)d | all |
| told cycles that lie within, or up to three cycles after | %(right)d of %(judged)d (%(precision).1f %%; by run %(by_run)s) | 90 %% |
| activities stored, after %(learning)d s | %(stored).1f %% | at most %(most).1f %%: what was injected then, two cycles for each, 5 points |
| activities that ended within, stored | %(inside_stored)d of %(inside)d | all |
| records that there was no room for | %(dropped)d | 0 |

What was told though nothing was made to happen: %(false)s. What of it is true, when it occurs: a new output file
begins, and each disk has to seek; other programs of this machine hold the program up, so that it writes less. A process' pages that come from disk,
single ticks of its processor time, what it catches up and memory that grows by a few per cent are not told (`docs/monitoring.md`, Detectors);
joules of an idle drive are measured cycle by cycle.
"""


def climate(results):
    r = results["climate"]
    some = r["rows"]["S"]
    facts = dict(r, cores=results["cores"], ranks=monitoring_climate.RANKS, idle=monitoring_climate.IDLE_WATTS, dynamic=monitoring_climate.DYNAMIC_WATTS,
                 steps=monitoring_climate.STEPS, output=monitoring_climate.OUTPUT_EVERY, restart=monitoring_climate.RESTART_EVERY,
                 factor=monitoring_climate.FACTOR, injected=100 * 2.4 * len(some) / sum(row["seconds"] for row in some))
    return CLIMATE % facts + "\n".join(monitoring_climate.table(r)) + "\n" + CLIMATE_WHY.replace("%%", "%"), {}


def short(text):
    """"statistics: disk_request_time", "response: posix.pwrite" of what a detector said."""
    detector, evidence = text.split(": ", 1)
    return "%s: %s" % (detector, next((word for word in evidence.split() if "_" in word or "." in word and not word[0].isdigit()), evidence.split()[0]))


def detectors(results):
    runs = results["detectors"]["runs"]
    learning, period = monitoring_detectors.LEARNING, monitoring_detectors.PERIOD
    episodes = [e for r in runs for e in r["episodes"]]
    total = lambda key: sum(r[key] for r in runs)  # noqa: E731
    late = total("seconds") - learning * len(runs)
    kinds = collections.Counter(short(text) for r in runs for text in r["false"])
    facts = {"runs": len(runs), "seconds": total("seconds") / len(runs), "share": 100 * total("injected") / total("seconds"), "learning": learning,
             "found": sum(e["told"] > 0 for e in episodes), "all": len(episodes), "right": total("right"), "judged": total("judged"),
             "by_run": ", ".join("%.0f %%" % (100 * r["right"] / max(1, r["judged"])) for r in runs),
             "precision": 100 * total("right") / max(1, total("judged")), "stored": 100 * total("late_stored") / total("late_activities"),
             "most": 100 * (total("injected") + 2 * period * len(episodes)) / late + 5, "inside": total("inside"),
             "inside_stored": total("inside_stored"), "dropped": total("dropped"),
             "false": "; ".join("%s (%d times)" % pair for pair in kinds.most_common()) or "nothing"}
    text = DETECTORS % facts + "\n".join(monitoring_detectors.table(results["detectors"])) + "\n" + DETECTORS_FACTS % facts
    return text, {}


PARTS = (("levels", levels), ("climate", climate), ("detectors", detectors))


def make(results):
    text, pictures = HEAD % results, {}
    for name, part in PARTS:
        if name in results:
            more, drawn = part(results)
            text += more
            pictures.update(drawn)
    return text, pictures
