# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table 2 and Fig. 4 of the monitoring paper: the four levels of access on the emulated store."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from monitoring_run import SIOX, Place

# Watts that nobody measured here: of a node that, like the paper's, takes some 60 W with little to do.
IDLE_WATTS, DYNAMIC_WATTS = 55, 95
MONITOR = """providers:
  - processors
  - processes
  - utilisation
  - {plugin: model, config: {idle_watts: %d, dynamic_watts: %d}}
""" % (IDLE_WATTS, DYNAMIC_WATTS)
RANKS = 8
# name, level, disks, hints
VARIANTS = [(str(level), level, 1, ()) for level in range(4)]
VARIANTS += [("1, buffered", 1, 1, ("romio_cb_write=enable", "romio_cb_read=enable")),
             ("2, not sieved", 2, 1, ("romio_ds_write=disable", "romio_ds_read=disable"))]
VARIANTS += [(f"{level} on 8 disks", level, 8, ()) for level in range(4)]
PAPER = {"0": (377, 23605, 21335), "1": (133, 8279, 17390), "2": (119, 7453, 11704), "3": (120, 7541, 2826)}


def spread(pieces, start, end, step):
    """Watts in each step of time, of pieces (start, end, joules)."""
    joules = [0.0] * (int((end - start) / step) + 1)
    for a, b, j in pieces:
        a, b, length = max(a, start), min(b, end), b - a
        i = int((a - start) / step)
        while a < b and length > 0:
            part = min(b, start + (i + 1) * step) - a
            joules[i] += j * part / length
            a, i = start + (i + 1) * step, i + 1
    return [j / step for j in joules[:-1]]


def meter(seen):
    """The joules of a node that has this job alone, as pieces, from looks at the daemon: the model's, with the job's processor time."""
    told = [(t, jobs) for t, monitor, jobs in seen if monitor]
    return [(t, u, alone({"seconds": u - t, "cpu_seconds": k - j})) for (t, j), (u, k) in zip(told, told[1:])]


def one(name, level, disks, hints, scale, keep):
    """keep: of its report and of its power over time, too."""
    options = ["--levels", level, "--scale", scale, "--json=" + "phases.json", "store/output.dat"]
    for hint in hints:
        options[:0] = ["--info", hint]
    with Place(MONITOR, disks=disks) as place:
        report, seen = place.run(RANKS, "levels", *options)
        phases = {p["phase"]: p for p in place.json("phases.json")["phases"]}
        job, cpu = report["processors"], [sum(p["cpu_seconds"][r] for p in phases.values()) for r in range(RANKS)]
        result = {"write": phases["write"]["seconds"], "read": phases["read"]["seconds"], "seconds": sum(p["seconds"] for p in phases.values()),
                  "node_joules": job["joules"], "job_joules": job["job_joules"], "disk_joules": report["run"]["joules"],
                  # of the job's processors' joules, what rank 0 has of the processors' time
                  "rank_0_joules": job["job_joules"] * cpu[0] / sum(cpu), "cpu_seconds": sum(cpu),
                  "activities": report["activities"]["rank_0"], "calls": report["activities"]["calls"],
                  "requests": report["run"]["requests"], "requested": report["activities"]["bytes_read"] + report["activities"]["bytes_written"],
                  "bytes": sum(p["bytes"] for p in phases.values()), "late": report["late"], "dropped": report["records_dropped"]}
        if keep:
            result["report"] = report
            segments = list(place.segments())
            start, end = min(s[0] for s in segments), max(s[1] for s in segments)
            step = max((end - start) / 100, 0.3)
            result["power"] = {"step": step, "processors": spread(meter(seen), start, end, step), "disks": spread(segments, start, end, step)}
        return result


def compare(rows):
    """What siox report --compare prints of the first runs: Fig. 2."""
    with tempfile.TemporaryDirectory(prefix="siox-bench.") as directory:
        files = []
        for name in PAPER:
            report = dict(rows[name][0]["report"])
            report["command"] = "levels --levels " + name
            files.append(os.path.join(directory, name + ".json"))
            with open(files[-1], "w") as f:
                json.dump(report, f)
        return subprocess.run([SIOX, "report", "--compare", *files], stdout=subprocess.PIPE, text=True, check=True).stdout


def measure(scale, repeats):
    rows = {}
    for repeat in range(repeats):
        for name, level, disks, hints in VARIANTS:
            print("levels: %s, %d of %d" % (name, repeat + 1, repeats), file=sys.stderr, flush=True)
            rows.setdefault(name, []).append(one(name, level, disks, hints, scale, repeat == 0 and name in PAPER))
    fig2 = compare(rows)
    for name in PAPER:
        rows[name][0].pop("report")
    return {"fig2": fig2, "scale": scale, "repeats": repeats, "blocks": max(1, round(6400 * scale)), "rows": rows}


def alone(m):
    """Joules of a node that has nothing else to do: those of the meter hold what its other processes took."""
    return m["seconds"] * IDLE_WATTS + m["cpu_seconds"] * DYNAMIC_WATTS / len(os.sched_getaffinity(0))


def median(runs, key):
    return statistics.median(r[key] for r in runs)


def table(results):
    yield ("| level | paper s | ours s | write | read | over level 3: paper | ours | paper J (processors) | node's processors J* | rank 0's J* | disks J | "
           "paper activities | activities of rank 0 | requests to disks | bytes to disks, of those asked for |")
    yield "|" + " --- |" * 15
    for name, runs in results["rows"].items():
        base = "3 on 8 disks" if "8 disks" in name else "3"
        paper = PAPER.get(name)
        m = {key: median(runs, key) for key in runs[0] if key not in ("power", "report")}
        ratio = m["seconds"] / median(results["rows"][base], "seconds")
        yield "| %s | %s | %.2f | %.2f | %.2f | %s | %.2f | %s | %.1f | %.2f | %.1f | %s | %d | %d | %.2f |" % (
            name, paper[0] if paper else "", m["seconds"], m["write"], m["read"], "%.2f" % (paper[0] / 120) if paper else "", ratio,
            paper[1] if paper else "", alone(m), m["rank_0_joules"], m["disk_joules"], paper[2] if paper else "", m["activities"],
            m["requests"], m["requested"] / m["bytes"])


def ratio_of_levels(results, suffix=""):
    return median(results["rows"]["0" + suffix], "seconds") / median(results["rows"]["3" + suffix], "seconds")
