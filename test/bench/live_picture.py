# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What speed disks had on average, over time: read from the pictures that siox timeline and siox sim --timeline draw, and drawn
over each other."""

import re
import subprocess

import monitoring_plot
from live_run import Failed

STEPS = 400
IDLE_BASE, IDLE_SPAN, FULL = 2.5, 7.7, 15000  # watts of an idle 36Z15: base + span * w * w (docs/drives.md), under rule b also while it changes


def pieces(svg):
    """For each disk (start, end, speed, speed) in seconds and parts of full speed."""
    ticks = [(float(x), float(text)) for x, text in
             re.findall(r'<text x="([\d.]+)" y="[\d.]+">([\d.]+)</text>', svg.split('text-anchor="middle">', 1)[1].split("</g>", 1)[0])]
    (left, first), (right, last) = ticks[0], ticks[-1]
    seconds = lambda x: first + (float(x) - left) * (last - first) / (right - left)  # noqa: E731
    disks = []
    for lane in svg.split('<g id="disk')[1:]:
        found = re.findall(r'<path d="M([\d.]+) ([\d.]+)V([\d.]+)L([\d.]+) ([\d.]+)V', lane)
        disks.append([(seconds(x0), seconds(x1), float(bottom) - float(y0), float(bottom) - float(y1)) for x0, bottom, y0, x1, y1 in found])
    highest = max(max(piece[2:]) for disk in disks for piece in disk)
    return [[(a, b, y0 / highest, y1 / highest) for a, b, y0, y1 in disk] for disk in disks]


def speeds(path, step, seconds):
    """Of each disk at the middle of each step, in parts of full speed. Every disk is at full speed at some time: so high is the lane."""
    with open(path) as f:
        disks = pieces(f.read())
    out = []
    for disk in disks:
        line, at = [], 0
        for i in range(round(seconds / step)):
            t = (i + 0.5) * step
            while at + 1 < len(disk) and disk[at][1] < t:
                at += 1
            start, end, a, b = disk[at]
            part = min(1, max(0, (t - start) / (end - start))) if end > start else 0
            line.append(a + (b - a) * part)
        out.append(line)
    return out


def curve(path, step, seconds):
    """(mean speed in RPM, idle watts of all disks at their speeds) for each step."""
    columns = list(zip(*speeds(path, step, seconds)))
    return {"rpm": [round(FULL * sum(c) / len(c)) for c in columns],
            "watts": [round(sum(IDLE_BASE + IDLE_SPAN * w * w for w in c), 2) for c in columns]}


def of_trace(place, trace, svg):
    if subprocess.run([place.siox, "timeline", trace, "--svg", svg], stdout=subprocess.DEVNULL, check=False).returncode:
        raise Failed(f"siox timeline {trace} failed")
    return svg


def make(place, siox, recordings):
    """Curves of the two at once under siox: live, played from its own recording, and from MxM's alone where there is one."""
    live = of_trace(place, recordings["x2"], place.path("x2", "siox", ".live.svg"))
    step = siox["seconds"] / STEPS
    out = {"step": step, "names": ["live"], "curves": [curve(live, step, siox["seconds"])]}
    for name, scenario in (("simulated", recordings["x2"]), ("from S1", recordings.get("s1"))):
        if scenario:
            svg = place.path("x2", "siox", ".simulated.svg")
            if scenario != recordings["x2"]:
                scenario = twice(scenario)
            place.simulate(scenario, ["siox"], svg)
            out["names"].append(name)
            out["curves"].append(curve(svg, step, siox["seconds"]))
    return out


def twice(trace):
    return 'jobs:\n  - {trace: "%s", instances: 2}\n' % trace


def draw(picture):
    """The whole picture: mean speed above, power below."""
    step, curves = picture["step"], picture["curves"]
    panels = [("mean speed of the 8 disks, 1000 RPM", [(step, [v / 1000 for v in c["rpm"]]) for c in curves]),
              ("watts of the 8 disks at these speeds when they are idle, as at life's speed", [(step, c["watts"]) for c in curves])]
    return monitoring_plot.draw("Two MxM at once under siox", picture["names"], panels, behind=0)
