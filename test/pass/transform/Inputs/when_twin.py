# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a C program of many loops that do I/O in some iterations only, by conditions on their index: every type, width and sign
of index and modulus, step, direction, way to advance and place of the condition, constants and variables, at the ends of types.
The program says nothing itself: what it is linked with (when_twin.c) sees in which iterations the accesses come.

usage: when_twin.py SEED LOOPS"""
import random
import sys

TYPES = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "unsigned long": (64, False), "short": (16, True),
         "unsigned short": (16, False), "signed char": (8, True), "unsigned char": (8, False)}
TRIPS = (1, 2, 5, 11, 40)


def limits(name):
    bits, signed = TYPES[name]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def literal(name, value):
    if value == -(1 << 63):
        return "(-9223372036854775807L - 1)"
    return f"({name})({value}{'UL' if value > (1 << 63) - 1 else 'L'})"


def first_index(rng, name, step, trip):
    """Near 0 or an end of the type; over it where that is no overflow."""
    low, high = limits(name)
    bits, signed = TYPES[name]
    span = step * (trip + 2)  # with room for an offset
    wraps = not signed
    places = [0, 1, rng.randint(-20, 20), low, high - abs(span), high // 2, low + abs(span), high, high - abs(span) // 2]
    for first in rng.sample(places, len(places)):
        if low <= first <= high and (wraps or low + 2 <= min(first, first + span) and max(first, first + span) <= high - 2):
            return first
    return 3 if step > 0 else -3 if signed else 3


def condition(rng, name, modulus_name, pick):
    """A test of i, and whether its modulus is the variable n."""
    i = rng.choice(["i", "i", "i", f"(i + {rng.choice([1, 2])})", f"(i - {rng.choice([1, 2])})", f"(({rng.choice(list(TYPES))})i)"])
    if rng.random() < 0.15:
        mask = rng.choice([1, 3, 7])
        return f"({i} & {mask}) {rng.choice(['==', '==', '!='])} {rng.randint(0, mask)}", False
    n = "n" if rng.random() < 0.6 else literal(modulus_name, pick)
    rest = rng.choice([0, 0, 0, 1, rng.randint(0, 5), -1, 7])
    return f"{i} % {n} {rng.choice(['=='] * 7 + ['!='])} {rest}", n == "n"


def body(rng, test):
    write = rng.choice(["MPI_File_write_at(f, 0, b, 8, MPI_BYTE, MPI_STATUS_IGNORE);", "save(1);"])
    other = rng.choice(["", "else pause_();"])
    form = rng.choice(["before", "after", "both", "nested", "else", "continue", "continue", "wrapped", "wrapped"])
    if form == "before":
        return f"if ({test}) {write} {other} gap();"
    if form == "after":
        return f"gap(); if ({test}) {{ {write} }}"
    if form == "both":
        return f"pause_(); if ({test}) {{ gap(); {write} }} gap();"
    if form == "nested":
        return f"gap(); if (one) {{ if ({test}) for (int k = 0; k < 2; k++) {write} }}"
    if form == "else":
        return f"gap(); if ({test}) pause_(); else {write}"
    if form == "wrapped":
        return f"if (({test}) && one) {{ gap(); {write} gap(); }}"
    return f"gap(); if (!({test})) CONTINUE {write}"


def loop(rng, k):
    name, modulus_name = rng.choice(list(TYPES)), rng.choice(list(TYPES))
    step, trip = rng.choice([1, 1, 1, 2, 3, 7, -1, -2, -5]), rng.choice(TRIPS)
    low, high = limits(modulus_name)
    pick = rng.choice([1, 2, 3, 5, 10, high, high // 2 + 1, max(-2, low) or 2, max(-1, low) or 1])
    test, variable = condition(rng, name, modulus_name, pick)
    inside = body(rng, test)
    if rng.random() < 0.2:
        second, _ = condition(rng, name, modulus_name, pick)
        inside += f" if ({second}) save(2);"
    first = first_index(rng, name, step, trip)
    way = rng.choice(["for", "for", "while", "first", "first_test"])
    advance = f"i {'+' if step > 0 else '-'}= {abs(step)};"
    index = rng.choice(["local"] * 4 + ["static", "global"])
    where = rng.choice(["argument", "argument", "copied", "global"])
    change = rng.choice([""] * 12 + ["i += zero;", "n = one ? n : 2;", "touch(&n);", "look(&n);", "renew();", "skip(&i);"])
    head = []
    if index == "global":
        head.append(f"{name} i{k};")
    if where == "global":
        head.append(f"static {modulus_name} n{k};")
    i = f"i{k}" if index == "global" else "i"
    lines = []
    if index != "global":
        lines.append(f"{'static ' if index == 'static' else ''}{name} i;")
    lines.append(f"i = {literal(name, first)};")
    n = "n"
    if where == "copied":
        lines.append(f"{modulus_name} m = n; opaque_bytes(&m);")
        n = "m"
    if where == "global":
        lines.append(f"n{k} = n;")
        n = f"n{k}"
    may = way == "for"
    inside = inside.replace("CONTINUE", "continue;" if may else "goto next;").replace("n = one ? n : 2;", "")
    change = change.replace("&n", f"({{ void *p = &{n}; p; }})" if rng.random() < 0.3 else f"&{n}")
    change = change.replace("renew();", f"renew{k}();" if where == "global" else "")
    if "renew" in change:
        head.append(f"static __attribute__((noinline)) void renew{k}(void) {{ n{k} = zero ? 4 : n{k}; if (one && calls == 3) n{k} = 2; }}")
    trips = "trips"
    count = f"long c = 0, trips = opaque({trip});"
    if way == "for":
        text = f"for (; c < {trips}; c++, {advance.rstrip(';')}) {{ calls++; {change} {inside} }}"
    elif way == "while":
        text = f"while (c < {trips}) {{ calls++; {change} {inside} next:; {advance} c++; }}"
    elif way == "first":  # advanced before the condition
        text = f"while (c < {trips}) {{ calls++; c++; {advance} {change} {inside} next:; }}"
    else:
        text = f"do {{ calls++; {inside} {change} next:; {advance} }} while (++c < {trips});"
    lines += [count, "calls = 0;", text]
    code = "\n  ".join(lines)
    import re
    if index == "global":
        code = re.sub(r"\bi\b", i, code)
    if n != "n":
        parts = code.split("\n  ")
        keep = [j for j, p in enumerate(parts) if "m = n;" in p or p.startswith(f"n{k} = n;")]
        code = "\n  ".join(p if j in keep else re.sub(r"\bn\b", n, p) for j, p in enumerate(parts))
    head.append(f"static __attribute__((noinline)) void loop{k}({modulus_name} n) {{\n  {code}\n}}")
    values = {v for v in (1, 2, 3, 5, 9, high, high // 2 + 1, pick) if v and low <= v <= high}
    if TYPES[modulus_name][1]:
        values |= {-1, -3}
    runs = " ".join(f"begin(); loop{k}({literal(modulus_name, v)});" for v in sorted(values))
    return "\n".join(head), runs


def main():
    rng = random.Random(int(sys.argv[1]))
    loops = [loop(rng, k) for k in range(int(sys.argv[2]))]
    print('#include "when_twin.h"')
    for head, _ in loops:
        print(head)
    print("int main(void) {")
    for k, (_, runs) in enumerate(loops):
        print(f"  at_loop = {k}; {runs}")
    print("  return over();\n}")


main()
