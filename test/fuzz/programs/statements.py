# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of functions: accesses, loops, branches, calls and things that take time, each within what a scene may cost."""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace


class Body:
    """The lines of one function."""

    def __init__(self, random):
        self.random, self.lines, self.depth = random, [], 1

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    @contextmanager
    def block(self, head, tail="}"):
        self.line(head)
        with self.again(tail):
            yield

    @contextmanager
    def again(self, tail="}"):
        self.depth += 1
        yield
        self.depth -= 1
        self.line(tail)


@dataclass
class Purse:
    """What a scene or helper may still cost: accesses, and units of spin()."""
    accesses: int
    units: int


@dataclass
class Scope:
    files: list
    purse: Purse
    terms: list = field(default_factory=list)
    uniform: bool = True  # every rank of MPI_COMM_WORLD comes here alike
    weight: int = 1  # iterations of the loops around, multiplied
    depth: int = 0
    thread: bool = False
    may_continue: bool = False

    def inner(self, **changes):
        return replace(self, depth=self.depth + 1, **changes)


class Statements:
    def __init__(self, program):
        self.program, self.random = program, program.random

    def test(self, scope):
        """A condition, and whether it is the same on every rank."""
        r = self.random
        if scope.terms and r.random() < 0.6:
            t = r.choice(scope.terms)
            form = r.choice([f"{t.text} % 2 == 0", f"{t.text} > {t.most // 2}", f"{t.text} == 0", f"{t.text} != {t.most}"])
            return form, scope.uniform
        if r.random() < 0.4:
            return r.choice(["rank % 2 == 0", "rank == 0", "rank + 1 < ranks", "(sum & 1) != 0"]), False
        return r.choice(["opaque(1)", "opaque(0)", "ranks > 2", "ranks % 2"]), scope.uniform

    def block(self, scope, body, count):
        for _ in range(count):
            self.one(scope, body)

    def one(self, scope, body):
        r, p = self.random, self.program
        choices = {"access": 6, "gap": 4, "either": 2, "branch": 2, "call": 2, "pointer_loop": 1, "later": 1}
        if scope.depth < 3:
            choices["loop"] = 6 if scope.depth < 2 else 2
        if scope.depth < 2 and p.doors:
            choices["door"] = 1
        if scope.uniform and not scope.thread and scope.files and scope.files[0].known:
            choices["together"] = 1
        if not scope.files:
            choices = {"gap": 4, "loop": 2} if scope.depth < 2 else {"gap": 1}
        kind = r.choices(list(choices), list(choices.values()))[0]
        getattr(self, kind)(scope, body)

    def pay(self, scope, accesses):
        """Whether so many accesses in each iteration can still be afforded; if so, they are paid."""
        if scope.weight * accesses > scope.purse.accesses:
            return False
        scope.purse.accesses -= scope.weight * accesses
        return True

    def access(self, scope, body):
        if self.pay(scope, 1):
            self.program.accesses.one(scope, body, self.random.choice(scope.files))

    def either(self, scope, body):
        if self.pay(scope, 1):
            test, alike = self.test(scope)
            inner = replace(scope, uniform=scope.uniform and alike)
            self.program.accesses.either(inner, body, self.random.choice(scope.files), self.random.choice(scope.files), test)

    def pointer_loop(self, scope, body):
        if scope.depth < 2 and self.pay(scope, 6):
            self.program.accesses.pointer_loop(scope, body, self.random.choice(scope.files))

    def later(self, scope, body):
        if scope.depth < 2 and self.pay(scope, 4):
            self.program.accesses.later(scope, body, self.random.choice(scope.files))

    def together(self, scope, body):
        if scope.weight <= 16:
            if self.random.random() < 0.5:
                body.line("MPI_Barrier(MPI_COMM_WORLD);")
            else:
                with body.block("{"):
                    body.line("uint64_t all = 0;")
                    body.line("MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);")
                    body.line("note(all);")

    def branch(self, scope, body):
        r = self.random
        test, alike = self.test(scope)
        inner = scope.inner(uniform=scope.uniform and alike, may_continue=False)
        if scope.may_continue and r.random() < 0.25:
            # What follows `continue` stands under its condition; a break of some ranks would leave the others alone in
            # collectives that stand before it.
            ways = ["continue", "break"] if alike or not scope.uniform else ["continue"]
            scope.uniform = scope.uniform and alike
            body.line(f"if ({test}) {r.choice(ways)};")
            return
        with body.block(f"if ({test}) {{", "}"):
            self.block(inner, body, r.randint(1, 2))
        if r.random() < 0.5:
            body.lines[-1] = body.lines[-1].rstrip() + " else {"
            with body.again():
                self.block(inner, body, r.randint(1, 2))

    def loop(self, scope, body):
        r, loops = self.random, self.program.loops
        most = max(scope.purse.accesses // scope.weight, 1) if scope.files else 12
        trip = loops.trip(most)
        if r.random() < 0.15:
            with loops.loop(body, r.randint(2, 4), rank_dependent=True) as (term, may_continue):
                self.block(scope.inner(terms=scope.terms + [term], uniform=False, weight=scope.weight * 4,
                                       may_continue=may_continue), body, r.randint(1, 3))
            return
        with loops.loop(body, trip) as (term, may_continue):
            inner = scope.inner(terms=scope.terms + [term], weight=scope.weight * max(trip, 1), may_continue=may_continue)
            self.block(inner, body, r.randint(1, 3))

    def gap(self, scope, body):
        """Something that lasts: a loop of any shape without an access, or a call of a helper with one."""
        r, p = self.random, self.program
        units = min(r.choice([3, 20, 60, 200]), scope.purse.units // scope.weight)
        if units < 3:
            body.line("note(1);")
            return
        scope.purse.units -= units * scope.weight
        kind = r.choice(["loop", "loop", "nest", "data", "rest", "call", "long", "door"])
        if kind == "call" and p.idlers:
            body.line(f"{r.choice(p.idlers)}({units});")
        elif kind == "door" and p.idle_doors:
            text = scope.terms[0].text if scope.terms else "rank"
            body.line(f"{p.idle_doors}[({text}) % 2]({units});")
        elif kind == "rest":
            with p.loops.loop(body, r.choice([1, 3, 8, 9])):
                body.line("rest(50);")
                body.line("note(2);")
        elif kind == "data":
            v = p.name("k")
            rounds = max(units // 4, 1)
            with body.block(f"for (int {v} = 0; {v} < {rounds}; {v}++) {{"):
                body.line("for (int k = 0; k < 4096; k++)")
                body.line("  data[k] = (int)((unsigned)data[k] * 3u + (unsigned)k);")
            body.line("note((uint64_t)(unsigned)data[4095]);")
        elif kind == "long":
            v = p.name("k")
            with body.block(f"for (int {v} = 0; {v} < {units * 40}; {v}++) {{"):
                body.line(f"note((uint64_t){v});")
                if r.random() < 0.3:
                    body.line(f"if (sum % 1000003u == 5) break;")
        else:
            trip = max(p.loops.trip(40), 1)
            with p.loops.loop(body, trip) as (term, _):
                if kind == "nest":
                    with p.loops.loop(body, 3) as (inner, _):
                        body.line(f"spin({max(units // trip // 3, 1)});")
                        body.line(f"note((uint64_t)({inner.text}));")
                else:
                    body.line(f"spin({max(units // trip, 1)});")
                body.line(f"note((uint64_t)({term.text}));")

    def call(self, scope, body):
        f = self.random.choice(scope.files)
        fit = [h for h in self.program.helpers if h.span <= f.room and (not h.together or scope.uniform and f.known)]
        if not fit:
            return
        h = self.random.choice(fit)
        if self.pay(scope, h.cost) and scope.weight * h.units <= scope.purse.units:
            scope.purse.units -= scope.weight * h.units
            body.line(h.call(self.program, f, self.program.accesses.place(scope, f, h.span), self.random))

    def door(self, scope, body):
        name, cost, units, span = self.program.doors
        f = self.random.choice(scope.files)
        if span <= f.room and self.pay(scope, cost) and scope.weight * units <= scope.purse.units:
            scope.purse.units -= scope.weight * units
            text = self.random.choice(scope.terms).text if scope.terms else "rank"
            body.line(f"{name}[({text}) % 2]({f.handle}, {self.program.accesses.place(scope, f, span)}, {self.random.choice([1, 2, 5])});")
