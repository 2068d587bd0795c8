# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/monitoring-results.md from the figures of monitoring.py: paper, ours, and why they differ."""

import monitoring_levels
import monitoring_plot

HEAD = """# Results: the monitoring paper's experiments
*Monitoring Energy Consumption With SIOX*, sections 6.1 to 6.3, beside ours. Made by `python3 test/bench/monitoring.py --write` on
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
Level 0 takes %(ratio).2f times as long as level 3 (paper: 3.14; eight disks: %(ratio8).2f).

Where ours differ, and why:
- **Level 1**: MPICH's ROMIO buffers a collective call only where the ranks' pieces interleave within the call. A block a rank a call lie side
  by side, so each rank writes its own, as at level 0. Told to buffer (`romio_cb_write=enable`, `romio_cb_read=enable`; row "1,
  buffered") it is near level 3, as in the paper.
- **Level 2**: a view with holes and no partners means data sieving: each rank reads all that lies between its blocks, for writing too, and
  writes it back under a lock; see the last column. On the paper's node the file was in memory once one rank had read it, which
  makes that cheap. The emulated store has no cache: what is asked of a disk is charged.
- **Activities**: ours are what processes of rank 0 did, with MPI-IO calls, requests below them, and the collectives that order them. The
  paper counts seeks and calls of lower layers as well, and has %(more)d times as many blocks.
- **Joules of the node** follow the time in both, for most of them are idle watts. Those of rank 0 do not: who waits for a disk takes nothing
  (waiting ranks sleep here), who moves data between ranks does.

Fig. 4: power over time. All levels look alike in the paper; here they do but for what moving data costs. The disk is busy (13.5 W) nearly all the time; at level 3 it waits (10.2 W) while ranks exchange data.

![power over time](monitoring-results/power.svg)
"""


def levels(results):
    r = results["levels"]
    facts = dict(r, ranks=monitoring_levels.RANKS, idle=monitoring_levels.IDLE_WATTS, dynamic=monitoring_levels.DYNAMIC_WATTS,
                 ratio=monitoring_levels.ratio_of_levels(r), ratio8=monitoring_levels.ratio_of_levels(r, " on 8 disks"), more=round(6400 / r["blocks"]))
    text = LEVELS % facts + "\n".join(monitoring_levels.table(r)) + "\n" + LEVELS_WHY % facts
    power = [runs[0]["power"] for name, runs in r["rows"].items() if "power" in runs[0]]
    picture = monitoring_plot.draw("Power over time at the four levels of access", ["level %d" % i for i in range(len(power))],
                                   [("processors, W (estimated)", [(p["step"], p["processors"]) for p in power]),
                                    ("disk, W (drive model)", [(p["step"], p["disks"]) for p in power])])
    return text, {"monitoring-results/power.svg": picture}


PARTS = (("levels", levels),)


def make(results):
    text, pictures = HEAD % results, {}
    for name, part in PARTS:
        if name in results:
            more, drawn = part(results)
            text += more
            pictures.update(drawn)
    return text, pictures
