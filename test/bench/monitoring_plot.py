# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines over time as SVG, one panel above the other."""

import math

COLOURS = ("#c44e3c", "#3a6ea5", "#3a7d44", "#222222")
LEFT, RIGHT, PANEL, GAP, TOP = 62, 690, 170, 46, 52


def nice(value):
    """1, 2 or 5 times a power of ten, at least value."""
    power = 10 ** math.floor(math.log10(value))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= value * (1 - 1e-9))


def pen(broad):
    return 'stroke-width="5" stroke-opacity="0.45"' if broad else 'stroke-width="1.4"'


def panel(top, title, lines, longest, behind):
    """lines: (step, values); behind: the line that is drawn broad and pale, below the others"""
    most = max(max(values) for _, values in lines if values) * 1.05
    tick = nice(most / 4)
    most = math.ceil(most / tick) * tick
    x = lambda t: LEFT + t / longest * (RIGHT - LEFT)  # noqa: E731
    y = lambda w: top + PANEL - w / most * PANEL  # noqa: E731
    out = ['<text x="%d" y="%d" font-size="13" fill="#222">%s</text>' % (LEFT, top - 8, title)]
    for i in range(round(most / tick) + 1):
        out.append('<path d="M%d %.1fH%d" stroke="#e3e3e3"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%g</text>'
                   % (LEFT, y(i * tick), RIGHT, LEFT - 8, y(i * tick) + 4, i * tick))
    step = nice(longest / 8)
    for i in range(int(longest / step) + 1):
        out.append('<path d="M%.1f %dv4" stroke="#999"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">%g</text>'
                   % (x(i * step), top + PANEL, x(i * step), top + PANEL + 18, i * step))
    order = sorted(range(len(lines)), key=lambda i: (i != behind, -lines[i][0] * len(lines[i][1])))  # short ones on top
    for i in order:
        (width, values), colour = lines[i], COLOURS[i]
        points = " ".join("%.1f,%.1f" % (x((i + 0.5) * width), y(v)) for i, v in enumerate(values))
        out.append('<polyline points="%s" fill="none" stroke="%s" %s/>' % (points, colour, pen(i == behind)))
    return out


def draw(title, names, panels, behind=None):
    """panels: (title, [(step, values) for each name])"""
    longest = max(step * len(values) for _, lines in panels for step, values in lines)
    height = TOP + len(panels) * (PANEL + GAP) + 8
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="820" height="%d" viewBox="0 0 820 %d" font-family="sans-serif" font-size="12">'
           % (height, height), "<title>%s</title>" % title, '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="24" font-size="16" fill="#222">%s</text>' % (LEFT, title)]
    for i, (heading, lines) in enumerate(panels):
        out += panel(TOP + i * (PANEL + GAP), heading, lines, longest, behind)
    for i, (name, colour) in enumerate(zip(names, COLOURS)):
        out.append('<path d="M%d %dh18" stroke="%s" %s/><text x="%d" y="%d" fill="#222">%s</text>'
                   % (RIGHT + 18, TOP + 12 + 20 * i, colour, pen(i == behind), RIGHT + 42, TOP + 16 + 20 * i, name))
    out.append('<text x="%d" y="%d" text-anchor="middle" fill="#555">seconds</text></svg>' % ((LEFT + RIGHT) / 2, height - 6))
    return "\n".join(out) + "\n"
