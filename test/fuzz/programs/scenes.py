# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scenes: each opens its files, works on them one way, closes them."""

from dataclasses import replace

from accesses import PART, STRIPING, File, emit
from statements import Body, Purse, Scope

ROMIO = [("romio_cb_read", ["enable", "disable", "automatic"]), ("romio_cb_write", ["enable", "disable", "automatic"]),
         ("romio_ds_read", ["enable", "disable", "automatic"]), ("romio_ds_write", ["enable", "disable", "automatic"]),
         ("cb_buffer_size", ["16384", "65536"]), ("ind_rd_buffer_size", ["8192", "65536"]), ("ind_wr_buffer_size", ["8192", "65536"]),
         ("cb_config_list", ["*:*", "*:1"]), ("cb_nodes", ["1", "2"])]
KINDS = {"general": 9, "view": 4, "interleaved": 3, "jump": 1, "threads": 2, "errors": 1, "end_of_file": 1, "shared": 1, "reopen": 1,
         "either_open": 1, "steps": 4}
EVERY = ["int", "int", "long", "unsigned", "short", "unsigned char", "unsigned long"]


class Scenes:
    def __init__(self, program):
        self.program, self.random = program, program.random
        self.kinds = []

    def thread_level(self):
        return "MPI_THREAD_MULTIPLE" if "threads" in self.kinds else self.random.choice(["MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE"])

    def make(self, wanted):
        self.kinds = self.random.choices(list(KINDS), list(KINDS.values()), k=self.random.randint(4, 7))
        names = []
        for i, kind in enumerate(self.kinds):
            name, before = f"scene{i}_{kind}", len(self.program.head)
            body = Body(self.random)
            getattr(self, kind)(body, i)
            self.program.function(f"static void {name}(void)", body)
            if wanted is None or i in wanted:
                names.append(name)
            else:
                del self.program.head[before:]
        return names

    def purse(self):
        return Purse(40, 1500)

    def info(self, body, name, romio=None):
        """An MPI_Info variable for an open: striping with constants or not at all, hints for ROMIO."""
        r = self.random
        body.line(f"MPI_Info {name} = MPI_INFO_NULL;")
        if r.random() < 0.7:
            factor, unit = r.choice(STRIPING)
            base = r.randrange(0, 8)
            for key, value in (("striping_factor", factor), ("striping_unit", unit), ("start_iodevice", base)):
                body.line(f"with_info(&{name}, \"{key}\", \"{value}\");")
        for key, values in ROMIO:
            if r.random() < 0.4 and not (romio and key in romio):
                body.line(f"with_info(&{name}, \"{key}\", \"{r.choice(values)}\");")
        for key, value in (romio or {}).items():
            body.line(f"with_info(&{name}, \"{key}\", \"{value}\");")

    def handle(self, body):
        """Somewhere to keep a handle, as a C lvalue."""
        r, p = self.random, self.program
        kind = r.choice(["local", "local", "global", "array", "box", "heap", "global_box"])
        name = p.name("file")
        if kind == "global":
            p.top(f"{r.choice(['static ', ''])}MPI_File {name};")
        elif kind == "array":
            p.top(f"static MPI_File {name}[3];")
            return f"{name}[{r.randrange(3)}]"
        elif kind == "box":
            body.line(f"struct box {name} = {{0}};")
            return f"{name}.file"
        elif kind == "global_box":
            p.top(f"static struct box {name};")
            return f"{name}.file"
        elif kind == "heap":
            body.line(f"struct box *{name} = malloc(sizeof *{name});")
            body.line(f"if (!{name})")
            body.line("  return;")
            return f"{name}->file"
        else:
            body.line(f"MPI_File {name};")
        return name

    def opened(self, body, scene, alone=None, romio=None, amode="MPI_MODE_CREATE | MPI_MODE_RDWR", handle=None, letter=None):
        """Opens a file and gives it its size; the File."""
        r = self.random
        alone = r.random() < 0.4 if alone is None else alone
        letter = letter or r.choice("abcd")
        name, info, handle = self.program.name(f"s{scene}_{letter}"), self.program.name("info"), handle or self.handle(body)
        self.info(body, info, romio)
        path = f'"{name}"'
        if alone:
            body.line(f"char {name}_name[64];")
            body.line(f'snprintf({name}_name, sizeof {name}_name, "{name}.%d", rank);')
            path = f"{name}_name"
        comm = "MPI_COMM_SELF" if alone else "MPI_COMM_WORLD"
        body.line(f'scene_failed("open", MPI_File_open({comm}, {path}, {amode}, {info}, &{handle}));')
        body.line(f"if ({info} != MPI_INFO_NULL)")
        body.line(f"  MPI_Info_free(&{info});")
        size = r.choice(["size", "size", "preallocate"])
        total = "PART" if alone else "(MPI_Offset)ranks * PART"
        body.line(f"sized({handle}, {total});" if size == "size" else f'scene_failed("size", MPI_File_preallocate({handle}, {total}));')
        if not alone:
            body.line("MPI_Barrier(MPI_COMM_WORLD);")
        return File(handle, "0" if alone else "(MPI_Offset)rank * PART", PART, alone)

    def close(self, body, f):
        if self.random.random() < 0.3:
            body.line(f"MPI_File_sync({f.handle});")
        body.line(f"MPI_File_close(&{f.handle});")
        if "->" in f.handle:
            body.line(f"free({f.handle.split('->')[0]});")

    def general(self, body, scene):
        files = [self.opened(body, scene) for _ in range(self.random.randint(1, 2))]
        scope = Scope(files, self.purse())
        self.program.statements.block(scope, body, self.random.randint(3, 7))
        for f in files:
            self.close(body, f)

    def view(self, body, scene):
        """A nested file type over the rank's own part, used from loops at any place of it."""
        r, p = self.random, self.program
        f = self.opened(body, scene)
        etype = r.choice([1, 4])
        t = p.types.build(body, etype, r.choice([64, 1024, 16384]), r.randint(1, 3))
        if t.derived:
            body.line(f"MPI_Type_commit(&{t.name});")
        start = r.choice([0, 4, 4096, 5000 // 4 * 4])
        body.line(f'scene_failed("view", MPI_File_set_view({f.handle}, {f.base} + {start}, '
                  f'{"MPI_BYTE" if etype == 1 else "MPI_INT"}, {t.name}, "native", MPI_INFO_NULL));')
        early = r.random() < 0.5
        if t.derived and early:
            body.line(f"MPI_Type_free(&{t.name});")
        # Places are counted in etypes of the view's data; the part holds so many whole types.
        room = (PART - start - t.extent) // t.extent * t.size // etype
        seen = File(f.handle, "0", min(room, 1 << 15), f.alone)
        purse = self.purse()
        with p.loops.loop(body, p.loops.trip(9)) as (term, _):
            scope = Scope([seen], purse, [term], weight=9)
            self.in_view(body, scope, seen, etype)
            if r.random() < 0.7:
                p.statements.gap(scope, body)
            if r.random() < 0.4:
                self.in_view(body, scope, seen, etype)
        self.in_view(body, Scope([seen], purse), seen, etype)
        if r.random() < 0.5:
            body.line(f'MPI_File_set_view({f.handle}, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);')
            p.statements.block(Scope([f], purse), body, 2)
        if t.derived and not early:
            body.line(f"MPI_Type_free(&{t.name});")
        self.close(body, f)

    def in_view(self, body, scope, f, etype):
        r, accesses = self.random, self.program.accesses
        m = accesses.move(scope, f)
        n = min(r.choice([1, 7, 100, 1000, 4000]), f.room)
        place = accesses.place(scope, f, n)
        emit(body, m.kind, f.handle, place, str(n), "MPI_BYTE" if etype == 1 else "MPI_INT", n * etype)

    def interleaved(self, body, scene):
        """A view in which ranks take turns; written collectively, or by each without reading what lies between."""
        r, p = self.random, self.program
        together = r.random() < 0.6
        f = self.opened(body, scene, alone=False, romio=None if together else {"romio_ds_write": "disable"})
        block, n = r.choice([16, 512, 4096]), r.choice([1, 4, 8])
        hole = r.choice([0, 0, 100])
        name = p.name("type")
        body.line(f"MPI_Datatype {name}, {name}_whole;")
        body.line(f"MPI_Type_create_hvector({n}, {block}, (MPI_Aint)ranks * {block + hole}, MPI_BYTE, &{name});")
        body.line(f"MPI_Type_create_resized({name}, 0, (MPI_Aint){n} * ranks * {block + hole}, &{name}_whole);")
        body.line(f"MPI_Type_commit(&{name}_whole);")
        order = r.choice(["rank", "(ranks - 1 - rank)"])
        body.line(f'scene_failed("view", MPI_File_set_view({f.handle}, (MPI_Offset){order} * {block + hole}, MPI_BYTE, {name}_whole, '
                  '"native", MPI_INFO_NULL));')
        body.line(f"MPI_Type_free(&{name});")
        body.line(f"MPI_Type_free(&{name}_whole);")
        room = max(PART // (n * (block + hole)) - 1, 1) * n * block
        seen = File(f.handle, "0", room, False)
        size = min(r.choice([1, 100, n * block, 2 * n * block, 20000]), room)
        kinds = ["write_at_all", "write_all", "iwrite_at_all", "write_at_all_begin", "write_all_begin"] if together else [
            "write_at", "write", "iwrite_at"]
        purse = self.purse()
        with p.loops.loop(body, p.loops.trip(6)) as (term, _):
            scope = Scope([seen], purse, [term], weight=6)
            emit(body, r.choice(kinds), f.handle, p.accesses.place(replace(scope), seen, size), str(size), "MPI_BYTE", size)
            p.statements.gap(scope, body)
        body.line("MPI_Barrier(MPI_COMM_WORLD);")
        with p.loops.loop(body, p.loops.trip(6)) as (term, _):
            scope = Scope([seen], purse, [term], weight=6)
            kind = r.choice([k.replace("write", "read") for k in kinds] + ["read_at", "read"])
            emit(body, kind, f.handle, p.accesses.place(scope, seen, size), str(size), "MPI_BYTE", size)
            if r.random() < 0.6:
                p.statements.gap(scope, body)
        body.line("MPI_Barrier(MPI_COMM_WORLD);")
        self.close(body, f)

    def steps(self, body, scene):
        """A loop that does I/O in some of its iterations, by its index; the number may be said to be one thing and change."""
        r, p = self.random, self.program
        f = self.opened(body, scene)
        value, every, kind = r.choice([1, 2, 2, 3, 4, 5, 7, 100]), p.name("every"), r.choice(EVERY)
        form = r.choice(["constant", "copied", "copied", "global", "changed", "pointer", "helper", "negative"])
        if form == "negative":
            kind, value = r.choice(["int", "long"]), -value
        if form == "constant":
            text = str(value)
        elif form in ("global", "helper"):
            text = every
            p.top(f"{r.choice(['static ', ''])}{kind} {every};")
            p.top(f"static __attribute__((noinline)) void renew_{every}(int n) {{ {every} = ({kind})n; }}")
            body.line(f"{every} = ({kind})opaque({value});")
        else:
            text = every
            body.line(f"{kind} {every} = ({kind})opaque({value});")
            if form == "copied":
                body.line(f"MPI_Bcast(&{every}, sizeof {every}, MPI_BYTE, 0, MPI_COMM_WORLD);")
            elif form == "pointer":
                body.line(f"{kind} *{every}_p = &{every};")
        trip, purse = r.choice([3, 9, 14, 25]), Purse(60, 1500)
        with p.loops.loop(body, trip) as (term, _):
            inner = Scope([f], purse, [term], weight=trip)
            if r.random() < 0.7:
                p.statements.gap(inner, body)
            change = {"changed": f"{every} = {r.choice([2, 3])};", "pointer": f"*{every}_p = {r.choice([2, 3])};",
                      "helper": f"renew_{every}({r.choice([2, 3])});"}.get(form)
            if change:
                body.line(f"if ({term.text} == {r.choice([0, term.most // 2, term.most])}) {change}")
            for _ in range(r.randint(1, 2)):
                self.sometimes(body, inner.inner(), term, text, value)
            if r.random() < 0.4:
                p.statements.gap(inner, body)
        p.statements.block(Scope([f], purse), body, r.randint(0, 2))
        self.close(body, f)

    def sometimes(self, body, scope, term, every, value):
        r, p = self.random, self.program
        index = r.choice([term.text, term.text, f"({term.text} + 1)", f"(int)({term.text})", f"(unsigned)({term.text})",
                          f"(unsigned char)({term.text})", f"({term.text} - 1)", f"-({term.text})"])
        rest = r.choice([0, 0, abs(value) - 1, 1, value + 1, -1])
        test = f"{index} % {every} {r.choice(['==', '==', '==', '!='])} {rest}"
        if r.random() < 0.2:
            test = f"{test} {r.choice(['&&', '||'])} {index} % {r.choice([2, 3, 8])} == {r.choice([0, 1])}"
        with body.block(f"if ({test}) {{"):
            if r.random() < 0.4:
                p.statements.gap(scope, body)
            for _ in range(r.randint(1, 2)):
                r.choice([p.statements.access, p.statements.access, p.statements.call, p.statements.loop])(scope, body)
        if r.random() < 0.2:
            body.lines[-1] = body.lines[-1].rstrip() + " else {"
            with body.again():
                r.choice([p.statements.gap, p.statements.access])(scope, body)

    def jump(self, body, scene):
        """A helper leaves its loops by longjmp, from within an access's loop or something that takes time."""
        r, p = self.random, self.program
        env, name = p.name("env"), p.name("leap")
        p.top(f"static jmp_buf {env};")
        helper = Body(r)
        f = File("f", "at", 65536, False, known=False)
        trip = r.choice([2, 4, 9])
        with p.loops.loop(helper, trip) as (term, _):
            scope = Scope([f], Purse(18, 300), [term], uniform=False, weight=trip, depth=1)
            p.statements.block(scope, helper, r.randint(1, 2))
            with helper.block(f"if ({term.text} == {r.choice(['n', str(term.most), '0'])}) {{"):
                with p.loops.loop(helper, 3) as (inner, _):
                    helper.line("spin(20);")
                    helper.line(f"if ({inner.text} >= n % 2)")
                    helper.line(f"  longjmp({env}, 1 + n);")
            p.statements.block(scope, helper, 1)
        p.function(f"{r.choice(['static ', 'static __attribute__((noinline)) '])}void {name}(MPI_File f, MPI_Offset at, int n)", helper)
        f = self.opened(body, scene)
        with body.block("for (volatile int round = 0; round < 3; round++) {"):
            with body.block(f"if (setjmp({env}) == 0) {{", "} else {"):
                body.line(f"{name}({f.handle}, {f.base} + round * 4096, round);")
            with body.again():
                body.line("note(77);")
                if r.random() < 0.5:
                    p.statements.access(Scope([f], Purse(3, 30), uniform=False), body)
        self.close(body, f)

    def threads(self, body, scene):
        """Two threads, each on a file of its own, whose checksums are joined in order."""
        r, p = self.random, self.program
        name = p.name("worker")
        p.top(f"struct {name} {{ MPI_File file; int number; uint64_t sum; pthread_t thread; }};")
        same = r.random() < 0.5
        for k in range(1 if same else 2):
            worker = Body(r)
            worker.line(f"struct {name} *w = argument;")
            worker.line("sum = (uint64_t)w->number;")
            f = File("w->file", "0", PART, True)
            p.statements.block(Scope([f], Purse(20, 500), thread=True, uniform=False), worker, r.randint(2, 4))
            worker.line("w->sum = sum;")
            worker.line("return NULL;")
            p.function(f"static void *{name}_{k}(void *argument)", worker)
        body.line(f"struct {name} w[2];")
        for k in range(2):
            self.opened(body, scene, alone=True, handle=f"w[{k}].file")
            body.line(f"w[{k}].number = {k};")
        body.line("for (int k = 0; k < 2; k++)")
        second = 0 if same else 1
        body.line(f"  pthread_create(&w[k].thread, NULL, k ? {name}_{second} : {name}_0, &w[k]);")
        if r.random() < 0.5:
            p.statements.gap(Scope([], Purse(0, 200), thread=True), body)
        with body.block("for (int k = 0; k < 2; k++) {"):
            body.line("pthread_join(w[k].thread, NULL);")
            body.line("note(w[k].sum);")
            body.line("MPI_File_close(&w[k].file);")

    def errors(self, body, scene):
        """Calls that fail, inside loops and out, and what goes on after them."""
        r, p = self.random, self.program
        f = self.opened(body, scene, alone=True)
        only, missing = p.name("only"), p.name("missing")
        body.line(f"MPI_File {only}, {missing} = MPI_FILE_NULL;")
        body.line(f'saw(MPI_File_open(MPI_COMM_SELF, "{missing}", MPI_MODE_RDONLY, MPI_INFO_NULL, &{missing}), NULL);')
        mode = r.choice(["MPI_MODE_WRONLY", "MPI_MODE_RDONLY"])
        body.line(f'char {only}_name[64];')
        body.line(f'snprintf({only}_name, sizeof {only}_name, "{only}.%d", rank);')
        body.line(f'scene_failed("open", MPI_File_open(MPI_COMM_SELF, {only}_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &{only}));')
        body.line(f"MPI_File_close(&{only});")
        body.line(f'scene_failed("open", MPI_File_open(MPI_COMM_SELF, {only}_name, {mode}, MPI_INFO_NULL, &{only}));')
        wrong = "read" if "WRONLY" in mode else "write"
        calls = [f"MPI_File_{wrong}_at({only}, 0, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE)",
                 f"MPI_File_read_at({f.handle}, -1, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE)",
                 f"MPI_File_write_at({f.handle}, 0, buffer, -1, MPI_BYTE, MPI_STATUS_IGNORE)",
                 "MPI_File_read_at(MPI_FILE_NULL, 0, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE)",
                 f"MPI_File_read({missing}, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE)",
                 f"MPI_File_seek({f.handle}, -5, MPI_SEEK_SET)",
                 f"MPI_File_write_at_all({f.handle}, -7, buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE)",
                 'MPI_File_delete("not/there", MPI_INFO_NULL)']
        r.shuffle(calls)
        purse = self.purse()
        scope = Scope([f], purse, uniform=False)
        with p.loops.loop(body, r.choice([1, 4, 9])) as (term, _):
            inner = scope.inner(terms=[term], weight=9)
            p.statements.access(inner, body)
            body.line(f"saw({calls[0]}, NULL);")
            p.statements.gap(inner, body)
            body.line(f"if (saw({calls[1]}, NULL) != MPI_SUCCESS && {term.text} == {r.choice([0, 2])})")
            body.line(f"  goto out{scene};")
            p.statements.access(inner, body)
        body.line(f"out{scene}:;")
        for call in calls[2:]:
            body.line(f"saw({call}, NULL);")
            if r.random() < 0.3:
                p.statements.one(scope, body)
        body.line(f"MPI_File_close(&{only});")
        self.close(body, f)

    def end_of_file(self, body, scene):
        """Reads to the end and beyond it; the count is what ends the loop."""
        r, p = self.random, self.program
        f = self.opened(body, scene, alone=True)
        size = r.choice([1, 5000, 65536, 100001])
        piece = r.choice([4096, 5000, 20000])
        body.line(f"sized({f.handle}, {size});")
        p.statements.access(Scope([File(f.handle, "0", size, True, known=False)], Purse(3, 0)), body) if size > 30000 else None
        body.line("int count, pieces = 0;")
        body.line("MPI_Status status;")
        body.line(f"MPI_File_seek({f.handle}, 0, MPI_SEEK_SET);")
        with body.block("do {"):
            body.line("memset(buffer, 0, sizeof buffer);")
            body.line(f"saw(MPI_File_read({f.handle}, buffer, {piece}, MPI_BYTE, &status), &status);")
            body.line("MPI_Get_count(&status, MPI_BYTE, &count);")
            body.line(f"got(buffer, {piece});")
            p.statements.gap(Scope([f], Purse(0, 400), weight=8), body)
        body.lines[-1] = body.lines[-1].replace("}", f"}} while (count == {piece} && ++pieces < 1000);")
        body.line("note((uint64_t)pieces);")
        body.line("memset(buffer, 0, 100);")
        body.line(f"saw(MPI_File_read_at({f.handle}, {size + r.choice([0, 1, 4096, 1 << 30])}, buffer, 100, MPI_BYTE, &status), &status);")
        body.line("got(buffer, 100);")
        self.close(body, f)

    def shared(self, body, scene):
        """The shared file pointer: each rank for itself on its own file, or in rank order with a barrier after each."""
        r, p = self.random, self.program
        f = self.opened(body, scene)
        size, trip = r.choice([1, 512, 5000]), p.loops.trip(9)
        for verb in ("write", "read"):
            body.line("MPI_Barrier(MPI_COMM_WORLD);")
            body.line(f"MPI_File_seek_shared({f.handle}, 0, MPI_SEEK_SET);")
            with p.loops.loop(body, trip) as (term, _):
                call = r.choice(["shared", "ordered"]) if f.alone else "ordered"
                body.line("MPI_Status status;")
                body.line(f"{'fill' if verb == 'write' else 'got'}(buffer, {size});")
                body.line(f"saw(MPI_File_{verb}_{call}({f.handle}, buffer, {size}, MPI_BYTE, &status), &status);")
                body.line("MPI_Barrier(MPI_COMM_WORLD);")
                if verb == "read":
                    body.line(f"got(buffer, {size});")
                if r.random() < 0.5:
                    p.statements.gap(Scope([f], Purse(0, 400), [term], weight=9), body)
        body.line("MPI_Barrier(MPI_COMM_WORLD);")
        self.close(body, f)

    def reopen(self, body, scene):
        """Opened, used and closed in each iteration."""
        r, p = self.random, self.program
        alone = r.random() < 0.5
        with p.loops.loop(body, p.loops.trip(4)) as (term, _):
            f = self.opened(body, scene, alone=alone)
            scope = Scope([f], Purse(30, 400), [term], weight=4, depth=1)
            p.statements.block(scope, body, r.randint(1, 3))
            self.close(body, f)
            p.statements.gap(Scope([], Purse(0, 400), weight=4), body)

    def either_open(self, body, scene):
        """One handle, opened by one of two calls on files with other layouts."""
        r, p = self.random, self.program
        handle = self.handle(body)
        with body.block(f"if ({r.choice(['rank % 2', 'opaque(1)', '(sum & 1) != 0'])}) {{", "} else {"):
            f = self.opened(body, scene, alone=True, handle=handle, letter="a")
        with body.again():
            self.opened(body, scene, alone=True, handle=handle, letter="b")
        scope = Scope([f], self.purse(), uniform=False)
        p.statements.block(scope, body, r.randint(2, 5))
        self.close(body, f)
