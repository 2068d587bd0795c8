# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files, places in them, and the ways to read and write there. A rank works in its own part of a file, so that nothing it
sees depends on which rank comes first."""

from dataclasses import dataclass

PART = 1 << 18
SIZES = [1, 3, 100, 512, 4096, 4097, 5000, 16384, 20000]
STRIPING = [(1, 4096), (2, 4096), (3, 4096), (3, 16384), (4, 16384), (4, 65536), (8, 4096), (5, 8192)]


@dataclass
class File:
    handle: str  # C expression
    base: str  # its first byte that is this rank's, C expression
    room: int  # bytes from there
    alone: bool  # opened on MPI_COMM_SELF: collectives are one rank's matter
    known: bool = True  # false: whose it is the function does not know, so no collectives


@dataclass
class Move:
    """What one access moves."""
    kind: str
    count: str
    type: str
    most: int  # bytes


INDEPENDENT = ["write_at", "read_at", "write", "read", "iwrite_at", "iread_at", "iwrite", "iread", "write_at_c", "read_at_c"]
COLLECTIVE = ["write_at_all", "read_at_all", "write_all", "read_all", "iwrite_at_all", "iread_at_all", "write_at_all_begin",
              "read_at_all_begin", "write_all_begin", "read_all_begin"]


def emit(body, kind, handle, place, count, kind_type, most):
    """One access, with what is seen of it."""
    name, status = f"MPI_File_{kind}", "&status"
    reads = "read" in kind
    at = "_at" in kind
    if not at:
        body.line(f"MPI_File_seek({handle}, {place}, MPI_SEEK_SET);")
    where = f", {place}" if at else ""
    if not reads:
        body.line(f"fill(buffer, {most});")
    else:
        body.line(f"memset(buffer, 0, {most});")
    with body.block("{"):
        body.line("MPI_Status status;")
        arguments = f"{handle}{where}, buffer, {count}, {kind_type}"
        if kind.endswith("_begin"):
            end = name.replace("_begin", "_end")
            body.line(f"saw({name}({arguments}), NULL);")
            if body.random.random() < 0.5:
                body.line(f"spin({body.random.choice([1, 20])});")
            body.line(f"saw({end}({handle}, buffer, &status), &status);")
        elif "_i" in name:
            body.line("MPI_Request request = MPI_REQUEST_NULL;")
            body.line(f"saw({name}({arguments}, &request), NULL);")
            if body.random.random() < 0.5:
                body.line(f"spin({body.random.choice([1, 30])});")
            if body.random.random() < 0.5:
                body.line("saw(MPI_Wait(&request, &status), &status);")
            else:
                body.line("for (int done = 0; !done;)")
                body.line("  MPI_Test(&request, &done, &status);")
                body.line("saw(MPI_SUCCESS, &status);")
        else:
            body.line(f"saw({name}({arguments}, {status}), {status});")
    if reads:
        body.line(f"got(buffer, {most});")


class Accesses:
    def __init__(self, program):
        self.program, self.random = program, program.random

    def place(self, scope, f, need):
        """An offset from which `need` bytes are within the file's part."""
        r = self.random
        room = f.room - need
        assert room >= 0, (f, need)
        parts = [f.base] if f.base != "0" else []
        terms = r.sample(scope.terms, min(len(scope.terms), r.choice([1, 1, 2])))
        kind = r.choices(["affine", "table", "scramble", "modulo", "data"], [8, 2, 1, 1, 1])[0]
        if kind == "data":
            unit = r.choice([1, 512, 4096])
            parts.append(f"(MPI_Offset)(sum % {max(room // unit, 1)}u) * {unit}")
            return " + ".join(parts)
        if kind == "scramble" and terms:
            parts.append(f"(MPI_Offset)(scramble((uint64_t)({terms[0].text})) % {room + 1}u)")
            return " + ".join(parts)
        if kind == "table" and terms:
            length, unit = r.choice([4, 8]), r.choice([1, 512, 4096])
            values = [str(r.randrange(0, max(room // unit, 0) + 1)) for _ in range(length)]
            name = self.program.name("table")
            self.program.top(f"static const int {name}[{length}] = {{{', '.join(values)}}};")
            parts.append(f"(MPI_Offset){name}[({terms[0].text}) % {length}] * {unit}")
            return " + ".join(parts)
        for t in terms:
            scale = r.choice([1, 16, 512, 4096, 4096, 16384, 65536, room // max(t.most, 1)])
            if kind == "modulo":
                m = r.choice([2, 3, 5])
                scale = min(scale, room // (m - 1))
                parts.append(f"({t.text}) * {r.choice([1, 3, 7])} % {m} * {scale}")
                room -= scale * (m - 1)
                continue
            scale = min(scale, room // t.most) if t.most else scale
            if scale:
                down = t.most and r.random() < 0.2
                parts.append(f"({t.most} - {t.text}) * {scale}" if down else f"{t.text} * {scale}")
                room -= scale * t.most
        constant = r.choice([0, 0, room, r.randrange(room + 1), r.randrange(room + 1) // 4096 * 4096])
        if constant or not parts:
            parts.append(str(constant))
        return " + ".join(parts)

    def move(self, scope, f):
        r = self.random
        kinds = list(INDEPENDENT)
        if f.known and (f.alone or scope.uniform):
            kinds += COLLECTIVE
        size = r.choice(SIZES if scope.weight <= 8 else SIZES[:6])
        form = r.random()
        if form < 0.6:
            return Move(r.choice(kinds), str(size), "MPI_BYTE", size)
        if form < 0.75:
            return Move(r.choice(kinds), str(max(size // 4, 1)), "MPI_INT", max(size // 4, 1) * 4)
        if form < 0.85:
            return Move(r.choice(kinds), str(max(size // 8, 1)), "MPI_DOUBLE", max(size // 8, 1) * 8)
        if form < 0.93 and scope.terms:
            t = r.choice(scope.terms)
            return Move(r.choice(kinds), f"(int)({size} + {t.text} % 7)", "MPI_BYTE", size + 6)
        if form < 0.96:
            return Move(r.choice(kinds), "0", "MPI_BYTE", 1)
        return Move(r.choice(kinds), "1", "holed", 4096)

    def one(self, scope, body, f):
        m = self.move(scope, f)
        emit(body, m.kind, f.handle, self.place(scope, f, m.most), m.count, m.type, m.most)

    def either(self, scope, body, f, g, test):
        """Two calls that differ in their arguments alone: what optimisers merge and sink."""
        m, h = self.move(scope, f), f.handle
        if not (f.known and g.known and f.alone == g.alone) and m.kind in COLLECTIVE:
            m.kind = "write_at"
        form = self.random.choice(["if", "place", "handle" if f.handle != g.handle else "if"])
        if form == "handle" and (f.base != g.base or m.kind in COLLECTIVE):
            form = "if"
        if form == "place":
            p, q = self.place(scope, f, m.most), self.place(scope, f, m.most)
            emit(body, m.kind, h, f"({test} ? {p} : {q})", m.count, m.type, m.most)
        elif form == "handle":
            emit(body, m.kind, f"({test} ? {h} : {g.handle})", self.place(scope, f, m.most), m.count, m.type, m.most)
        else:
            with body.block(f"if ({test}) {{", "} else {"):
                emit(body, m.kind, h, self.place(scope, f, m.most), m.count, m.type, m.most)
            with body.again():
                emit(body, m.kind, g.handle, self.place(scope, g, m.most), m.count, m.type, m.most)

    def pointer_loop(self, scope, body, f):
        """Seek once, then piece after piece by the file pointer."""
        r = self.random
        trip = self.program.loops.trip(12)
        size = min(r.choice([100, 4096, 5000, 16384]), f.room // max(trip, 1))
        body.line(f"MPI_File_seek({f.handle}, {self.place(scope, f, size * max(trip, 1))}, MPI_SEEK_SET);")
        reads = r.random() < 0.5
        name = "MPI_File_" + ("read" if reads else "write") + ("_all" if f.known and (f.alone or scope.uniform) and r.random() < 0.4 else "")
        with self.program.loops.loop(body, trip):
            body.line("MPI_Status status;")
            body.line(f"fill(buffer, {size});")
            body.line(f"saw({name}({f.handle}, buffer, {size}, MPI_BYTE, &status), &status);")
            if reads:
                body.line(f"got(buffer, {size});")
            if r.random() < 0.4:
                body.line(f"spin({r.choice([1, 40])});")
        if r.random() < 0.5:
            with body.block("{"):
                body.line("MPI_Offset at;")
                body.line(f"MPI_File_get_position({f.handle}, &at);")
                body.line("note((uint64_t)at);")
        return trip

    def later(self, scope, body, f):
        """Several nonblocking accesses under way at once, and something that takes time before they are waited for."""
        r = self.random
        reads, size = r.random() < 0.5, r.choice([64, 512, 4096])
        together = f.known and (f.alone or scope.uniform) and r.random() < 0.3
        name = "MPI_File_i" + ("read" if reads else "write") + "_at" + ("_all" if together else "")
        with body.block("{"):
            body.line("MPI_Request request[PENDING] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};")
            body.line("MPI_Status statuses[PENDING];")
            stride = r.choice([size, 4096, 16384 if f.room > 65536 else 4096])
            base = self.place(scope, f, 3 * stride + size)
            body.line(f"const MPI_Offset from = {base};")
            with body.block("for (int k = 0; k < PENDING; k++) {"):
                body.line(f"fill(pending[k], {size});")
                body.line(f"saw({name}({f.handle}, from + k * {stride}, pending[k], {size}, MPI_BYTE, &request[k]), NULL);")
            if r.random() < 0.7:
                body.line(f"spin({r.choice([5, 60])});")
            # No MPI_Testall: MPICH 4.0.2 ends in an assertion when it completes several accesses of files at once.
            how = r.choice(["all", "each", "backwards", "any", "testany"]) if not together else r.choice(["all", "each"])
            if how == "all":
                body.line("saw(MPI_Waitall(PENDING, request, statuses), NULL);")
            elif how == "any":
                body.line("for (int k = 0, which; k < PENDING; k++)")
                body.line("  MPI_Waitany(PENDING, request, &which, &statuses[0]);")
            elif how == "testany":
                body.line("for (int k = 0, which, done; k < PENDING; k += done && which != MPI_UNDEFINED)")
                body.line("  MPI_Testany(PENDING, request, &which, &done, &statuses[0]);")
            else:
                order = "int k = 0; k < PENDING; k++" if how == "each" else "int k = PENDING - 1; k >= 0; k--"
                body.line(f"for ({order})")
                body.line("  saw(MPI_Wait(&request[k], &statuses[k]), &statuses[k]);")
            if reads:
                body.line("for (int k = 0; k < PENDING; k++)")
                body.line(f"  got(pending[k], {size});")
