# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""File types of every constructor, nested, with displacements that never fall and never overlap (MPI 4.0, section 14.3)."""

from dataclasses import dataclass


@dataclass
class Type:
    name: str  # C variable or constant
    size: int  # bytes of data
    extent: int  # from the first byte of one to that of the next; lower bound 0
    derived: bool = True


class FileTypes:
    def __init__(self, program):
        self.program, self.random = program, program.random

    def made(self, body, call, size, extent, name):
        body.line(call)
        return Type(name, size, extent)

    def build(self, body, etype_bytes, most, depth):
        """A type of at most `most` bytes from end to end, in etypes of 1 or 4 bytes."""
        if depth == 0:
            return Type("MPI_BYTE" if etype_bytes == 1 else "MPI_INT", etype_bytes, etype_bytes, False)
        inner = self.build(body, etype_bytes, max(most // 8, etype_bytes), depth - 1 if self.random.random() < 0.7 else 0)
        outer = self.around(body, inner, most)
        if inner.derived:
            body.line(f"MPI_Type_free(&{inner.name});")
        return outer

    def around(self, body, inner, most):
        r = self.random
        e, fits = inner.extent, max(most // inner.extent, 1)
        name = self.program.name("type")
        body.line(f"MPI_Datatype {name};")
        kind = r.choice(["contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "struct", "subarray", "resized",
                         "dup", "darray"])
        if kind == "contiguous":
            n = r.randint(1, fits)
            return self.made(body, f"MPI_Type_contiguous({n}, {inner.name}, &{name});", n * inner.size, n * e, name)
        if kind in ("vector", "hvector"):
            n = r.randint(1, min(fits, 6))
            stride = r.randint(1, max(fits // n, 1))
            block = r.randint(1, stride)
            extent = ((n - 1) * stride + block) * e
            if kind == "vector":
                call = f"MPI_Type_vector({n}, {block}, {stride}, {inner.name}, &{name});"
            else:
                call = f"MPI_Type_create_hvector({n}, {block}, {stride * e}, {inner.name}, &{name});"
            return self.made(body, call, n * block * inner.size, extent, name)
        if kind in ("indexed", "hindexed", "indexed_block", "struct"):
            n = min(r.randint(1, 4), fits)
            share = fits // n
            if kind == "indexed_block":
                block = r.randint(1, share)
                lengths = [block] * n
            else:
                lengths = [r.randint(1, share) for _ in range(n)]
            places = [0] + [k * share + r.randint(0, share - lengths[k]) for k in range(1, n)]
            extent, size = (places[-1] + lengths[-1]) * e, sum(lengths) * inner.size
            array = ", ".join
            if kind == "indexed_block":
                call = f"MPI_Type_create_indexed_block({n}, {lengths[0]}, (int[]){{{array(map(str, places))}}}, {inner.name}, &{name});"
            elif kind == "indexed":
                call = (f"MPI_Type_indexed({n}, (int[]){{{array(map(str, lengths))}}}, (int[]){{{array(map(str, places))}}}, "
                        f"{inner.name}, &{name});")
            else:
                aints = array(str(p * e) for p in places)
                if kind == "hindexed":
                    call = (f"MPI_Type_create_hindexed({n}, (int[]){{{array(map(str, lengths))}}}, (MPI_Aint[]){{{aints}}}, "
                            f"{inner.name}, &{name});")
                else:
                    call = (f"MPI_Type_create_struct({n}, (int[]){{{array(map(str, lengths))}}}, (MPI_Aint[]){{{aints}}}, "
                            f"(MPI_Datatype[]){{{array([inner.name] * n)}}}, &{name});")
            return self.made(body, call, size, extent, name)
        if kind in ("subarray", "darray"):
            rows = r.randint(1, min(4, fits))
            columns = r.randint(1, max(fits // rows, 1))
            order = r.choice(["MPI_ORDER_C", "MPI_ORDER_FORTRAN"])
            if kind == "subarray":
                part = [r.randint(1, rows), r.randint(1, columns)]
                start = [r.randint(0, rows - part[0]), r.randint(0, columns - part[1])]
                call = (f"MPI_Type_create_subarray(2, (int[]){{{rows}, {columns}}}, (int[]){{{part[0]}, {part[1]}}}, "
                        f"(int[]){{{start[0]}, {start[1]}}}, {order}, {inner.name}, &{name});")
                return self.made(body, call, part[0] * part[1] * inner.size, rows * columns * e, name)
            # One process, so that the whole array is its part whatever the distribution.
            split = [r.choice(["MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC"]) for _ in range(2)]
            call = (f"MPI_Type_create_darray(1, 0, 2, (int[]){{{rows}, {columns}}}, (int[]){{{split[0]}, {split[1]}}}, "
                    f"(int[]){{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}}, (int[]){{1, 1}}, {order}, {inner.name}, &{name});")
            return self.made(body, call, rows * columns * inner.size, rows * columns * e, name)
        if kind == "dup":
            return self.made(body, f"MPI_Type_dup({inner.name}, &{name});", inner.size, e, name)
        extent = e * r.randint(1, fits)
        return self.made(body, f"MPI_Type_create_resized({inner.name}, 0, {extent}, &{name});", inner.size, extent, name)
