# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose trip count and values are known here, whatever the compiler can see of them."""

from contextlib import contextmanager
from dataclasses import dataclass

INT_MAX, INT_MIN = 2**31 - 1, -(2**31)
LEAD = 4  # d of the variants that settle it: trip counts lie around it and twice it
TRIPS = [0, 1, 1, 2, 3, LEAD - 1, LEAD, LEAD, LEAD + 1, 2 * LEAD - 1, 2 * LEAD, 2 * LEAD + 1]


@dataclass
class Term:
    """A C expression of type MPI_Offset between 0 and most."""
    text: str
    most: int


def number(value):
    if value == INT_MIN:
        return "(-2147483647 - 1)"
    return str(value) if value >= 0 else f"({value})"


class Loops:
    def __init__(self, program):
        self.program, self.random = program, program.random

    def trip(self, most):
        if self.random.random() < 0.12:
            return min(most, self.random.randint(9, 40))
        return min(most, self.random.choice(TRIPS))

    @contextmanager
    def loop(self, body, trip, rank_dependent=False):
        """A loop of trip iterations; yields the term of its variable and whether `continue` is allowed in it."""
        r, v = self.random, self.program.name("i")
        step = r.choice([1, 1, 1, 2, 3, 4, 5, 6, 7])
        kinds = ["up", "up", "up", "down", "down", "not_equal", "while", "do", "near_max", "near_min", "wrap", "narrow",
                 "count_down", "wide", "goto", "list"]
        if self.program.wraps:
            kinds += ["signed_wrap"] * 3
        kind = r.choice(kinds)
        if kind in ("do", "goto") and trip < 1:
            kind = "up"
        if kind == "list" and trip > 40:
            kind = "up"
        if rank_dependent:  # as many iterations again as the rank says, up to trip
            kind = r.choice(["rank_up", "rank_down"])
        tail, may_continue = "", True
        most = max(trip - 1, 0) * step
        first = r.choice([0, 0, 1, -3, 17, 1000])
        rest = r.randrange(step)  # a bound that the last step overshoots

        def bound(value):
            return f"opaque({number(value)})" if r.random() < 0.35 else number(value)

        up = f"((MPI_Offset){v} - {number(first)})"
        if kind == "rank_up":
            head, term, most = f"for (int {v} = 0; {v} < 1 + rank % {max(trip, 1)}; {v}++) {{", f"(MPI_Offset){v}", max(trip - 1, 0)
        elif kind == "rank_down":
            head, term, most = f"for (int {v} = rank % {max(trip, 1)}; {v} >= 0; {v}--) {{", f"(MPI_Offset){v}", max(trip - 1, 0)
        elif kind == "up":
            if trip:
                last = first + (trip - 1) * step + 1 + rest
                test = f"{v} < {bound(last)}" if r.random() < 0.6 else f"{v} <= {bound(last - 1)}"
            else:
                test = f"{v} < {bound(first - r.randrange(3))}"
            head, term = f"for (int {v} = {bound(first)}; {test}; {v} += {step}) {{", up
        elif kind == "down":
            last = first - (trip - 1) * step - 1 - rest if trip else first + r.randrange(3)
            test = f"{v} > {bound(last)}" if r.random() < 0.6 else f"{v} >= {bound(last + 1)}"
            head, term = f"for (int {v} = {bound(first)}; {test}; {v} -= {step}) {{", f"({number(first)} - (MPI_Offset){v})"
        elif kind == "not_equal":
            head = f"for (int {v} = {number(first)}; {v} != {bound(first + trip * step)}; {v} += {step}) {{"
            term = up
        elif kind == "wide":
            big = r.choice([2**40, -(2**33), 2**62])
            head = f"for (long {v} = {big}L; {v} < {big + trip * step}L; {v} += {step}) {{"
            term = f"((MPI_Offset){v} - ({big}L))"
        elif kind == "near_max":
            first = INT_MAX - trip * step - r.choice([0, 0, 1])
            end = bound(first + trip * step)
            head = f"for (int {v} = {first}; {v} < {end}; {v} += {step}) {{"
            term = f"((MPI_Offset){v} - {first})"
        elif kind == "near_min":
            first = INT_MIN + trip * step + r.choice([0, 0, 1])
            end = bound(first - trip * step) if first - trip * step > INT_MIN else number(INT_MIN)
            head = f"for (int {v} = {number(first)}; {v} > {end}; {v} -= {step}) {{"
            term = f"({number(first)} - (MPI_Offset){v})"
        elif kind == "wrap":
            first = (2**32 - r.randrange(0, trip * step + 1)) % 2**32
            end = (first + trip * step) % 2**32
            head = f"for (unsigned {v} = {first}u; {v} != {end}u; {v} += {step}) {{"
            term = f"(MPI_Offset)({v} - {first}u)"
            if r.random() < 0.4:
                first = r.randrange(0, trip * step + 1)
                end = (first - trip * step) % 2**32
                head = f"for (unsigned {v} = {first}u; {v} != {end}u; {v} -= {step}) {{"
                term = f"(MPI_Offset)({first}u - {v})"
        elif kind == "narrow":
            bits, name = r.choice([(8, "unsigned char"), (16, "unsigned short")])
            if trip * step >= 2**bits:
                bits, name = 16, "unsigned short"
            first = (2**bits - r.randrange(0, trip * step + 1)) % 2**bits
            head = f"for ({name} {v} = {first}; {v} != {(first + trip * step) % 2**bits}; {v} = ({name})({v} + {step})) {{"
            term = f"(MPI_Offset)({name})({v} - {first})"
        elif kind == "signed_wrap":
            first = INT_MAX - r.randrange(0, trip * step + 1)
            end = first + trip * step
            end = end - 2**32 if end > INT_MAX else end
            head = f"for (int {v} = {first}; {v} != {number(end)}; {v} += {step}) {{"
            term = f"(MPI_Offset)((unsigned){v} - {first}u)"
        elif kind == "count_down":
            body.line(f"int {v} = {bound(trip)};")
            head, term, most, may_continue = f"while ({v}-- > 0) {{", f"(MPI_Offset){v}", max(trip - 1, 0), True
        elif kind == "list":
            node = self.program.name("node")
            body.line(f"struct {node} {{ int value; struct {node} *next; }} {node}s[{trip + 1}], *{node}_first = NULL;")
            body.line(f"for (int k = 0; k < {trip}; k++) {{ {node}s[k].value = k; {node}s[k].next = {node}_first; "
                      f"{node}_first = &{node}s[k]; }}")
            head = f"for (struct {node} *{v} = {node}_first; {v}; {v} = {v}->next) {{"
            term, most = f"(MPI_Offset){v}->value", max(trip - 1, 0)
        else:  # while, do, goto
            last = first + (trip - 1) * step + 1 + rest if trip else first
            end, term, may_continue = bound(last), up, False
            body.line(f"int {v} = {bound(first)};")
            if kind == "while":
                head, tail = f"while ({v} < {end}) {{", f"{v} += {step};"
            elif kind == "do":
                head, tail = "do {", f"{v} += {step};"
            else:
                label = self.program.name("again")
                body.line(f"{label}:;")
                head, tail = "{", f"{v} += {step};"
        with body.block(head, f"}} while ({v} < {end});" if kind == "do" else "}"):
            yield Term(term, most), may_continue
            if tail:
                body.line(tail)
        if kind == "goto":
            body.line(f"if ({v} < {end}) goto {label};")
