# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small MPI-IO programs, one a seed: prelude, tables, helpers, scenes, main. They have no undefined behaviour, every byte and
line they write follows from the seed and the number of ranks, and each scene ends with all ranks at its end."""

import os
import random
from dataclasses import dataclass

from accesses import PART, Accesses, File
from filetypes import FileTypes
from loops import Loops, Term
from scenes import Scenes
from statements import Body, Purse, Scope, Statements

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Helper:
    name: str
    form: str  # how it takes the file: handle, pointer, box
    together: bool  # has collectives
    cost: int
    units: int
    span: int  # bytes from `at` on that it uses

    def call(self, program, f, place, r):
        n = r.choice([0, 1, 2, 4, 5])
        if self.form == "handle":
            return f"{self.name}({f.handle}, {place}, {n});"
        name = program.name("passed")
        if self.form == "pointer":
            return f"{{ MPI_File {name} = {f.handle}; {self.name}(&{name}, {place}, {n}); }}"
        return f"{{ struct box {name} = {{1, {f.handle}}}; {self.name}(&{name}, {place}, {n}); }}"


class Program:
    def __init__(self, seed, scenes=None):
        self.seed, self.random = seed, random.Random(f"siox-{seed}")
        self.names, self.head, self.helpers, self.idlers = {}, [], [], []
        self.doors = self.idle_doors = None
        self.wraps = self.random.random() < 0.15
        self.loops, self.accesses = Loops(self), Accesses(self)
        self.types, self.statements = FileTypes(self), Statements(self)
        self.scenes = Scenes(self)
        self.wanted = scenes

    def name(self, stem):
        self.names[stem] = self.names.get(stem, 0) + 1
        return f"{stem}{self.names[stem]}"

    def top(self, text):
        self.head.append(text)

    def function(self, signature, body):
        self.head.append(signature + " {\n" + "\n".join(body.lines) + "\n}")

    def linkage(self):
        return self.random.choice(["static ", "static ", "static __attribute__((noinline)) ", "static inline ", ""])

    def idler(self):
        """Takes time and does nothing else."""
        body, name = Body(self.random), self.name("idle")
        form = self.random.choice(["loop", "recursive", "nest"])
        if form == "recursive":
            body.line("if (units <= 0)")
            body.line("  return;")
            body.line("spin(1);")
            body.line(f"{name}(units - 1);")
        else:
            with self.loops.loop(body, self.random.choice([1, 4, 8])) as (term, _):
                body.line("for (int k = 0; k < units; k += 8)")
                body.line("  spin(1);")
                body.line(f"note((uint64_t)({term.text}));")
        linkage = self.linkage()
        if not linkage.strip():
            self.top(f"void {name}(int units);")
        self.function(f"{linkage}void {name}(int units)", body)
        self.idlers.append(name)

    def helper(self):
        r = self.random
        body, name = Body(r), self.name("help")
        together = r.random() < 0.3
        form = r.choice(["handle", "handle", "pointer", "box"])
        span = r.choice([32768, 65536, 131072])
        parameter, handle = {"handle": ("MPI_File f", "f"), "pointer": ("MPI_File *f", "*f"), "box": ("struct box *b", "b->file")}[form]
        f = File(handle, "at", span, alone=False, known=together)
        purse = Purse(6, 120)
        scope = Scope([f], purse, [Term("(MPI_Offset)n", 5)], uniform=together, depth=1)
        self.statements.block(scope, body, r.randint(1, 3))
        if r.random() < 0.3 and not together:
            body.lines.insert(0, f"  if (n == {r.choice([0, 4])})\n    return;")
        linkage = self.linkage()
        signature = f"void {name}({parameter}, MPI_Offset at, int n)"
        if not linkage.strip():
            self.top(signature + ";")
        self.function(linkage + signature, body)
        self.helpers.append(Helper(name, form, together, 6 - purse.accesses, 120 - purse.units, span))

    def make_doors(self):
        fit = [h for h in self.helpers if h.form == "handle" and not h.together]
        if len(self.idlers) >= 2:
            self.idle_doors = self.name("idles")
            self.top(f"static void (*const {self.idle_doors}[2])(int) = {{{', '.join(self.idlers[:2])}}};")
        if len(fit) >= 2:
            name = self.name("doors")
            const = self.random.choice(["const ", ""])
            self.top(f"static void (*{const}{name}[2])(MPI_File, MPI_Offset, int) = {{{fit[0].name}, {fit[1].name}}};")
            self.doors = name, max(h.cost for h in fit[:2]), max(h.units for h in fit[:2]), max(h.span for h in fit[:2])

    def text(self):
        for _ in range(2):
            self.idler()
        for _ in range(self.random.randint(2, 4)):
            self.helper()
        self.make_doors()
        names = self.scenes.make(self.wanted)
        with open(os.path.join(HERE, "prelude.c")) as f:
            prelude = f.read()
        flags = " -fwrapv" if self.wraps else ""
        status = 7 if self.seed % 16 == 3 else 0
        calls = "\n".join(f"  {n}();\n  scene_over(\"{n}\");" for n in names)
        return f"/* Program {self.seed}; flags:{flags} */\n" + prelude + "\n" + "\n".join(self.head) + f"""
int main(int argc, char **argv) {{
  int level;
  MPI_Init_thread(&argc, &argv, {self.scenes.thread_level()}, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sum = (uint64_t)rank;
  MPI_Type_vector(512, 4, 8, MPI_BYTE, &holed);
  MPI_Type_commit(&holed);
{calls}
  MPI_Type_free(&holed);
  MPI_Finalize();
  return {status};
}}
"""


def generate(seed, scenes=None):
    """The text of a program; scenes: with these of its scenes alone, by number from 0."""
    return Program(seed, scenes).text()
