# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a C program of many loops that the split form splits: every type, step, direction and way to end, with bounds known at
run time only or constant. Each loop runs over several bounds, chosen for trip counts around the lead, and prints what it ran:
the number of iterations, the first and last index and a hash of all of them in order. An instrumented program must print the
same as a plain one, which is the twin.

usage: split_twin.py SEED LOOPS [wrap]     wrap: signed indices may overflow, for -fwrapv"""
import random
import sys

TYPES = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "unsigned long": (64, False),
         "short": (16, True), "unsigned char": (8, False), "signed char": (8, True)}
LONGEST = 400
TRIPS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 31, 50)


def limits(name):
    bits, signed = TYPES[name]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def passes(i, op, bound):
    return {"<": i < bound, "<=": i <= bound, ">": i > bound, ">=": i >= bound, "!=": i != bound}[op]


def trips(name, start, step, op, bound, at_end, wrap):
    """Iterations of the loop, None where they are too many or the index would overflow against the rules."""
    low, high = limits(name)
    bits, signed = TYPES[name]
    i, n = start, 0
    while (n == 0 and at_end) or passes(i, op, bound):
        n += 1
        i += step
        if not low <= i <= high:
            if signed and bits >= 32 and not wrap:
                return None
            i = (i - low) % (1 << bits) + low
        if n > LONGEST:
            return None
    return n


def bounds(rng, name, step, op, at_end, wrap):
    """Pairs of first index and bound for several trip counts, some at the ends of the type."""
    low, high = limits(name)
    found = []
    for trip in TRIPS:
        span = step * trip
        places = [rng.randint(max(low, -50), min(high, 50)), high - span, low - span, high, low, high - abs(step), low + abs(step)]
        for start in rng.sample(places, len(places)):
            bound = start + span - (rng.randint(0, abs(step) - 1) * (1 if step > 0 else -1) if op != "!=" and trip else 0)
            if op in ("<=", ">="):
                bound -= 1 if step > 0 else -1
            if low <= start <= high and low <= bound <= high and trips(name, start, step, op, bound, at_end, wrap) is not None:
                found.append((start, bound))
                break
    if wrap: # over the end of the type and on
        for _ in range(40):
            start, bound = high - rng.randint(0, 5), low + rng.randint(0, 20)
            if step < 0:
                start, bound = bound, start
            if trips(name, start, step, op, bound, at_end, True) is not None:
                found.append((start, bound))
    return found


def literal(name, value):
    if value == -(1 << 63):
        return "(-9223372036854775807L - 1)"
    return f"({name})({value}{'UL' if value > (1 << 63) - 1 else 'L'})"


BODIES = {
    "plain": "visit({i});",
    "continue": "if (({i} & 3) == 1) {{ visit(-1); STEP continue; }} visit({i});",
    "break": "visit({i}); if (seen.count == stop) break;",
    "nest": "for (int j = 0; j < ({i} & 3); j++) visit((long)((unsigned long){i} * 4 + j)); visit({i});",
    "flat": "data[(unsigned long){i} & 63] += (unsigned){i} * 3 + 1; total++;",
    "two": "visit({i}); visit(other); other -= 3;",
}


def loop(k, rng, wrap):
    name = rng.choice(["int", "int", "unsigned", "long", "unsigned long", "short", "unsigned char", "signed char"])
    down = rng.random() < 0.5
    step = rng.randint(1, 7) * (-1 if down else 1)
    form = rng.choice(["for", "for", "for", "while", "do"])
    op = rng.choice([">", ">=", "!="] if down else ["<", "<=", "!="])
    body = rng.choice(list(BODIES))
    pairs = bounds(rng, name, step, op, form == "do", wrap)
    if not pairs:
        return loop(k, rng, wrap)
    constant = rng.random() < 0.2
    if constant:
        pairs = [p for p in pairs if trips(name, *((p[0], step, op, p[1])), form == "do", wrap) > 1][:1] or pairs[:1]
    first, last = (literal(name, v) for v in pairs[0]) if constant else ("first", "last")
    stride = f"i += {step};" if form != "for" else ""
    text = BODIES[body].format(i="i").replace("STEP", stride)
    head = {"for": f"for ({name} i = {first}; i {op} {last}; i += {step}) {{",
            "while": f"{name} i = {first}; while (i {op} {last}) {{", "do": f"{name} i = {first}; do {{"}[form]
    tail = f"{stride} }} while (i {op} {last});" if form == "do" else f"{stride} }}"
    out = [f"static __attribute__((noinline)) void loop{k}({name} first, {name} last, long stop) {{",
           "  long other = 100; int total = 0; (void)other, (void)total, (void)first, (void)last, (void)stop; begin();",
           f"  {head} {text} {tail}", f"  finish({k}, total, other, {int(body not in ('flat', 'nest', 'two'))}, {int(body == 'break')});",
           "  io();", "}"]
    if body == "continue" and form == "do":
        return loop(k, rng, wrap) # continue goes to the test: the step before it is all there is
    calls = [f"  loop{k}({literal(name, a)}, {literal(name, b)}, {rng.choice([1, 2, 5, 30])});" for a, b in pairs]
    return out, calls


def main():
    rng, count, wrap = random.Random(int(sys.argv[1])), int(sys.argv[2]), "wrap" in sys.argv[3:]
    print('#include "split_twin.h"')
    calls = []
    for k in range(count):
        out, more = loop(k, rng, wrap)
        print("\n".join(out))
        calls += more
    print("int main(void) {\n" + "\n".join(calls) + "\n  return over();\n}")


main()
