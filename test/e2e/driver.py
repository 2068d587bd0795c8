#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler drivers beside the wrappers and compilers they stand for: what has no MPI-IO comes out byte for byte the
same, and what Siox adds is there where it belongs. driver.py CASE; exits with 77 where flang or llvm-ar is not there."""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["SIOX_BUILD"]
CC, CXX, FC = (os.path.join(BUILD, "bin", name) for name in ("siox-cc", "siox-cxx", "siox-fc"))
MPICC = os.environ.get("SIOX_MPICC", "mpicc")
CLANG = os.environ.get("SIOX_CLANG", "clang-19")
PLAIN = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_")}
PLAIN.update(MPICH_CC=CLANG)
NO_IO = "#include <stdio.h>\n#ifndef N\n#define N 3\n#endif\nint sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * N; return s; }\n"
IO = """#include <mpi.h>
#include <stdio.h>
int work(MPI_File f) {
  double b[64] = {1};
  volatile double x = 0;
  for (int i = 0; i < 4; i++) {
    if (MPI_File_write_at(f, i * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE))
      return 1;
    for (int j = 0; j < 1000; j++)
      x += j;
  }
  return 0;
}
"""
MAIN = """#include <mpi.h>
int work(MPI_File f);
int main(int argc, char **argv) {
  MPI_File f;
  (void)argc;
  MPI_Init(0, 0);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
  int bad = work(f);
  MPI_File_close(&f);
  MPI_Finalize();
  return bad;
}
"""


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def read(name):
    with open(name, "rb") as f:
        return f.read()


def run(*command, status=0, **more):
    env = more.pop("env", PLAIN)
    done = subprocess.run(command, capture_output=True, text=True, stdin=more.pop("stdin", subprocess.DEVNULL), env=env, **more)
    assert done.returncode == status, f"{shlex.join(command)} ends with {done.returncode}: {done.stderr[:2000]}"
    return done


def shown(driver, *arguments):
    """Words of the command that a driver would run."""
    words = shlex.split(run(driver, "--siox-show", *arguments).stdout)
    return [w for w in words if not w.startswith(("MPICH_", "OMPI_", "SIOX_"))]


def adds(words):
    return {"pass": any(w.startswith("-fpass-plugin=") for w in words), "library": "-lsiox" in words,
            "headers": "-idirafter" in words}


def same_as_plain(*arguments, out=None):
    """Both compilers print the same and write the same file."""
    a = run(MPICC, *arguments)
    first = read(out) if out else None
    if out:
        os.remove(out)
    b = run(CC, *arguments)
    assert (a.stdout, a.stderr) == (b.stdout, b.stderr), f"{arguments}: prints {b.stdout!r} {b.stderr!r}"
    assert not out or read(out) == first, f"{arguments}: {out} is another"


def needed(name):
    lines = run("readelf", "-d", name).stdout.splitlines()
    return [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]


def marked(name):
    return "siox_at" in run("nm", name).stdout


def objects_without_mpi_io_are_byte_identical():
    write("a.c", NO_IO)
    for options in ("-O0", "-O2", "-O3 -g", "-O0 -g3 -fPIC", "-O1 -gsplit-dwarf"):
        same_as_plain(*options.split(), "-c", "a.c", "-o", "a.o", out="a.o")
    same_as_plain("-O2", "-S", "a.c", "-o", "a.s", out="a.s")


def preprocessing_is_left_alone():
    write("a.c", IO)
    write("own.h", "")
    write("b.c", '#include "own.h"\n#include <mpi.h>\n')
    same_as_plain("-E", "b.c")
    same_as_plain("-E", "-P", "a.c", "-o", "a.i", out="a.i")
    same_as_plain("-M", "b.c")
    same_as_plain("-MM", "b.c")
    same_as_plain("-fsyntax-only", "-Wall", "a.c")
    same_as_plain("-dM", "-E", "-x", "c", "/dev/null")


def dependency_files_are_the_compilers():
    write("own.h", "")
    write("b.c", '#include "own.h"\n' + NO_IO)
    same_as_plain("-MD", "-MF", "b.d", "-MT", "b.c", "-c", "b.c", out="b.d")


def options_that_ask_are_answered_by_the_compiler():
    for option in ("--version", "-dumpversion", "-dumpmachine", "-print-search-dirs", "-print-prog-name=ld", "-v"):
        same_as_plain(option)
    write("a.c", IO)
    assert "-fpass-plugin=" in run(CC, "-###", "a.c").stderr  # what would be run, not run
    assert not os.path.exists("a.out")


def without_inputs_it_fails_as_the_compiler_does():
    run(CC, status=run(MPICC, status=1).returncode)


def arguments_with_spaces_and_quotes_arrive():
    os.mkdir("a dir's")
    write("a dir's/in $put.c", 'extern const char t[];\nconst char t[] = TEXT;\n')
    out = "a dir's/the `out`.o"
    same_as_plain('-DTEXT="a \\"b\\" $c `d`"', "-c", "a dir's/in $put.c", "-o", out, out=out)
    assert b'a "b" $c `d`' in read(out)


def what_is_shown_does_what_the_driver_does():
    write("in put.c", IO)
    run(CC, "-O1", "-c", "in put.c", "-o", "first.o", "--siox-form=split")
    line = run(CC, "-O1", "-c", "in put.c", "-o", "second.o", "--siox-form=split", "--siox-show").stdout
    assert not os.path.exists("second.o") and "SIOX_FORM=split" in line
    run("sh", "-c", line)
    assert read("first.o") == read("second.o")


def response_files_are_read():
    write("a b.c", IO)
    write("inner", '"a b.c"\n-o \'out file.o\'')
    write("outer", "-c\n-O2 @inner")
    run(CC, "@outer")
    assert marked("out file.o")
    assert adds(shown(CC, "@outer")) == {"pass": True, "library": False, "headers": True}
    run(CC, "@missing", status=run(MPICC, "@missing", status=1).returncode)


def settings_in_response_files_are_taken():
    write("a.c", IO)
    write("inner", "--siox-print-access -O2")
    write("outer", "-c a.c @inner")
    assert "MPI_File_write_at" in run(CC, "@outer").stdout
    assert "SIOX_PRINT_ACCESS" not in run(CC, "--siox-show", "@outer", "--siox-no-pass").stderr


def what_includes_nothing_gets_no_directory():
    write("a.c", IO)
    run(CC, "-E", "a.c", "-o", "a.i")
    run(CC, "-c", "-emit-llvm", "a.c", "-o", "a.bc")
    run(CC, "-S", "-emit-llvm", "a.c", "-o", "a.ll")
    for name in ("a.i", "a.bc", "a.ll"):
        assert "-idirafter" not in run(CC, "-O2", "-c", name, "-o", "a.o").stderr, name
        assert marked("a.o"), name
    assert adds(shown(CC, "-c", "a.i", "a.c"))["headers"]


def ccache_keeps_settings_apart():
    """Behind siox-cc objects are those of the settings in force; in front of it, what ccache cannot see is said."""
    if not shutil.which("ccache"):
        sys.exit(77)
    write("a.c", IO)
    write("p.yaml", "siox_profile: 1\ntime_scale: 1\nregions: []\n")
    env = dict(PLAIN, CCACHE_DIR=os.path.abspath("store"), MPICH_CC="ccache " + CLANG)
    for name, compiler in (("behind.o", env["MPICH_CC"]), ("alone.o", CLANG)):
        for more in ({}, {"SIOX_FORM": "split"}):  # the second would find the first's object
            run(CC, "-O2", "-c", "a.c", "-o", name, env=dict(env, MPICH_CC=compiler, **more))
    assert read("behind.o") == read("alone.o")
    env["MPICH_CC"] = CLANG
    front = run("ccache", CC, "-c", "a.c", "--siox-profile=p.yaml", env=dict(env, SIOX_LEAD="7")).stderr
    assert "does not see SIOX_LEAD" in front and "when p.yaml changes" in front, front
    quiet = run("ccache", CC, "-c", "a.c", "-DX", "--siox-lead=7", env=env).stderr
    assert quiet == "", quiet


def the_language_that_x_names_counts():
    write("a.txt", IO)
    assert adds(shown(CC, "-x", "c", "-c", "a.txt"))["pass"]
    assert adds(shown(CC, "-xc", "-c", "a.txt"))["pass"]
    assert adds(shown(CC, "-x", "c", "-c", "-"))["pass"]
    assert not adds(shown(CC, "-x", "assembler", "-c", "a.c"))["pass"]
    assert not adds(shown(CC, "-x", "assembler-with-cpp", "-c", "a.c"))["pass"]
    assert adds(shown(CC, "-x", "c", "a.txt", "-x", "none", "b.o")) == {"pass": True, "library": True, "headers": True}
    with open("a.txt") as f:
        run(CC, "-x", "c", "-c", "-", "-o", "from_stdin.o", stdin=f)
    assert marked("from_stdin.o")


def assembly_gives_no_warning_of_unused_options():
    write("a.s", ".text\n")
    write("b.S", "#define T .text\nT\n")
    same_as_plain("-Werror", "-c", "a.s", "-o", "a.o", out="a.o")
    same_as_plain("-Werror", "-c", "b.S", "-o", "b.o", out="b.o")


def headers_are_precompiled_and_not_linked():
    write("h.h", "int f(void);\n")
    assert not adds(shown(CC, "h.h"))["library"]
    run(CC, "-Werror", "-c", "h.h", "-o", "h.h.gch") # without -c mpicc itself names libraries
    write("a.c", NO_IO)
    run(CC, "-Werror", "-include-pch", "h.h.gch", "-c", "a.c", "-o", "a.o")


def libraries_are_added_to_links_alone():
    for arguments in (["-c", "a.c"], ["-S", "a.c"], ["-E", "a.c"], ["-c", "a.o", "-o", "b.o"], ["-r", "a.o", "-o", "b.o"],
                      ["--version"], ["-MM", "a.c"], ["-c", "-o", "a", "a.c"], ["-I", "a.c"]):
        assert not adds(shown(CC, *arguments))["library"], arguments
    for arguments in (["a.c"], ["a.o"], ["-shared", "a.o"], ["-o", "a", "liba.a"], ["-lfoo"], ["-o", "-c", "a.o"]):
        assert adds(shown(CC, *arguments))["library"], arguments


def a_link_alone_gives_no_warning():
    write("a.c", MAIN + IO)
    run(CC, "-Werror", "-c", "a.c", "-o", "a.o")
    done = run(CC, "-Werror", "a.o", "-o", "a")
    assert not done.stderr, done.stderr


def libsiox_comes_before_an_mpi_library_that_is_named():
    write("a.c", MAIN + IO)
    run(CC, "-lmpich", "a.c", "-o", "a")
    libraries = needed("a")
    assert libraries.index("libsiox.so.0") < next(i for i, name in enumerate(libraries) if "libmpi" in name), libraries


def archives_and_shared_libraries_are_instrumented_and_linked():
    write("main.c", MAIN)
    write("work.c", IO)
    run(CC, "-O2", "-c", "work.c", "-o", "work.o")
    run("ar", "rcs", "libwork.a", "work.o")
    run(CC, "main.c", "-o", "static", "-L.", "-lwork")
    assert marked("libwork.a") and "libsiox.so.0" in needed("static")
    run(CC, "-shared", "-fPIC", "-Wl,-z,defs", "work.c", "-o", "libshared.so")
    run(CC, "main.c", "-o", "shared", "-L.", "-lshared", "-Wl,-rpath," + os.getcwd())
    assert "libsiox.so.0" in needed("libshared.so")
    run("mpiexec", "-n", "1", "./static", "one")
    run("mpiexec", "-n", "1", "./shared", "two")
    assert read("one") == read("two") and len(read("one")) == 4 * 512


def link_time_optimisation_keeps_what_was_inserted():
    if not shutil.which("ld.lld-19") and not os.path.exists("/usr/lib/llvm-19/lib/LLVMgold.so"):
        sys.exit(77)
    write("main.c", MAIN)
    write("work.c", IO)
    for form in ("-flto", "-flto=thin"):
        run(CC, form, "-O2", "-c", "work.c", "-o", "work.o")
        linked = subprocess.run([CC, form, "-O2", "main.c", "work.o", "-o", "whole"], capture_output=True, text=True, env=PLAIN)
        if linked.returncode:  # the linker's own trouble: the plain compiler has it too
            run(MPICC, form, "-O2", "main.c", "-c", "-o", "main.o")
            assert subprocess.run([MPICC, form, "main.o", "-o", "x"], capture_output=True, env=PLAIN).returncode, linked.stderr
            sys.exit(77)
        assert run("nm", "-D", "whole").stdout.count(" siox_at") == 1
        run("mpiexec", "-n", "1", "./whole", "out")
        assert len(read("out")) == 4 * 512


STATE = """#include <mpi.h>
long first, step;
void put(MPI_File f, int i);
int main(int argc, char **argv) {
  MPI_File f;
  (void)argc;
  MPI_Init(0, 0);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
  first = 4096;
  step = 512;
  for (int i = 0; i < 200; i++)
    put(f, i);
  MPI_File_close(&f);
  MPI_Finalize();
}
"""
PUT = """#include <mpi.h>
extern long first, step;
static double b[64];
void put(MPI_File f, int i) { MPI_File_write_at(f, first + i * step, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE); }
"""


def lld():
    if not shutil.which("ld.lld"):
        sys.exit(77)


def the_pass_at_the_link_knows_state_of_other_files():
    lld()
    write("main.c", STATE)
    write("put.c", PUT)
    left = ("--siox-at-link", "-flto", "-O2")
    for name in ("main", "put"):
        run(CC, *left, "-c", name + ".c")
    said = run(CC, *left, "-fuse-ld=lld", "main.o", "put.o", "-o", "whole", "--siox-print-access").stdout
    assert "put.c:4 put MPI_File_write_at" in said and "first=4096 size=512 L0 affine(stride=512,trip=200)" in said, said
    assert run("nm", "-D", "whole").stdout.count(" siox_at") == 1
    run(MPICC, "main.c", "put.c", "-o", "plain")
    for name in ("whole", "plain"):
        run("mpiexec", "-n", "1", "./" + name, name + ".out")
    assert read("whole.out") == read("plain.out") and len(read("plain.out")) == 4096 + 200 * 512


def what_was_left_to_a_linker_without_the_pass_does_not_link():
    lld()
    write("main.c", STATE)
    write("put.c", PUT)
    run(CC, "--siox-at-link", "-flto", "-c", "main.c", "put.c")
    objects = ("main.o", "put.o", "-flto", "-fuse-ld=lld", "-o", "x")
    assert "siox_pass_did_not_run_at_link" in run(MPICC, *objects, status=1).stderr
    assert "siox_pass_did_not_run_at_link" in run(CC, *objects, status=1).stderr
    assert "-fuse-ld=lld" in run(CC, "--siox-at-link", "-flto", "main.o", "put.o", status=1).stderr
    for lto in ("-fno-lto", "-flto=thin"):
        assert "needs -flto" in run(CC, "--siox-at-link", lto, "-c", "put.c", status=1).stderr
    run(CC, "-flto", "-c", "put.c")
    assert "all or none" in run(CC, "--siox-at-link", *objects, status=1).stderr


def calls_are_marked_once_though_the_linker_loads_the_pass_too():
    lld()
    write("main.c", MAIN)
    write("work.c", IO)
    plugin = os.path.join(BUILD, "lib", "SioxPass.so")
    for form in ("-flto", "-flto=thin"):
        counts = []
        for more in ((), (f"-Wl,--load-pass-plugin={plugin}",)):
            run(CC, form, "-fuse-ld=lld", "-O1", "main.c", "work.c", *more, "-o", "whole")
            code = run("objdump", "-d", "whole").stdout
            counts.append([code.count(f"<{name}@plt>\n") for name in ("siox_at", "siox_region_enter")])
        assert counts[0] == counts[1] and min(counts[0]) > 0, (form, counts)
        calls = sum(code.count(f"<{name}@plt>\n") for name in ("MPI_File_open", "MPI_File_close", "MPI_File_write_at"))
        assert counts[0][0] == calls, (form, counts, calls)
        run("mpiexec", "-n", "1", "./whole", "out")
        assert len(read("out")) == 4 * 512


def settings_reach_the_pass():
    write("a.c", IO)
    assert "MPI_File_write_at" in run(CC, "-c", "a.c", "--siox-print-access").stdout
    assert "affine(stride=512,trip=4)" in run(CC, "-c", "a.c", "--siox-print-access=1").stdout
    wrong = run(CC, "-c", "a.c", "--siox-form=sideways", status=1).stderr
    assert "form=sideways: expected guard or split" in wrong, wrong
    assert "SIOX_DISKS=6" in run(CC, "-c", "a.c", "--siox-disks=6", "--siox-show").stdout


def help_is_the_drivers_own_and_names_the_compilers():
    for option in ("--help", "--siox-help"):
        text = run(CC, option).stdout
        assert text.startswith("usage: siox-cc") and "example: siox-cc" in text and "clang-19 --help" in text, text
        assert len(text.splitlines()) < 60, len(text.splitlines())


def a_setting_that_is_not_there_is_refused():
    done = run(CC, "-c", "a.c", "--siox-frm=split", status=1)
    assert "no option --siox-frm; see siox-cc --siox-help" in done.stderr, done.stderr
    done = run(CC, "-c", "a.c", "--siox-form", status=1)
    assert "--siox-form=guard|split" in done.stderr, done.stderr


def what_is_missing_is_said_with_what_to_do():
    write("a.c", IO)
    for variables, text in (({"MPICH_CC": "true"}, "needs clang 19, but true is no clang"),
                            ({"SIOX_MPICC": "/none/mpicc"}, "set SIOX_MPICC to another"),
                            ({"MPICH_CC": "", "PATH": "/none"}, "apt install clang-19")):
        done = run(CC, "-c", "a.c", status=1, env={**PLAIN, **variables})
        assert text in done.stderr, done.stderr


def a_compiler_without_a_wrapper_can_be_asked_for():
    write("a.c", NO_IO)
    environment = {**PLAIN, "SIOX_MPICC": ""}
    words = shlex.split(run(CC, "--siox-show", "-c", "a.c", env=environment).stdout)
    assert os.path.basename(words[0]) == os.path.basename(CLANG) and "-fpass-plugin=" in words[1], words
    run(CC, "-c", "a.c", env=environment)


def places_are_kept_only_where_there_is_mpi_io():
    write("none.c", NO_IO)
    write("direct.c", IO)
    os.mkdir("headers")
    write("headers/inner.h", "#define READ MPI_File_read\n")
    write("outer.h", '#include "inner.h"\n')
    write("nested.c", '#include <mpi.h>\n#  include "outer.h"\n')
    write("mpi_file.f90", "      call mpi_file_read(f, b, 1, t, s, e)\n")
    kept = lambda *a: "-Rpass-analysis=^siox-places" in shown(*a)
    assert not kept(CC, "-c", "none.c")
    assert kept(CC, "-c", "direct.c") and kept(CC, "-c", "none.c", "direct.c")
    assert kept(CC, "-Iheaders", "-c", "nested.c") and kept(CC, "-I", "headers", "-c", "nested.c")
    assert kept(CC, "-include", "outer.h", "-c", "none.c") and kept(CC, "-x", "c", "-c", "-")
    if shutil.which("flang-new-19"):
        assert kept(FC, "-c", "mpi_file.f90")


def cxx_programs_are_instrumented():
    write("a.cpp", "#include <mpi.h>\n#include <vector>\nint work(MPI_File f) { std::vector<double> b(64);\n"
          "  return MPI_File_read_at(f, 0, b.data(), 64, MPI_DOUBLE, MPI_STATUS_IGNORE); }\n")
    run(CXX, "-O2", "-std=c++17", "-Wall", "-Werror", "-c", "a.cpp", "-o", "a.o")
    assert marked("a.o")


FORTRAN = """program p
{use}
  implicit none
{include}
  integer :: ierr, fh, rank, i, buf(1024), st(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: off
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'out', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
  buf = 7
  do i = 0, 9
    off = i * 4096
    call MPI_File_write_at(fh, off, buf, 1024, MPI_INTEGER, st, ierr)
  end do
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program
"""


def flang():
    if not shutil.which("flang-new-19"):
        print("skipped: no flang-new-19")
        sys.exit(77)


def fortran_with_mpif_and_with_module_mpi():
    flang()
    for words in ({"use": "", "include": "  include 'mpif.h'"}, {"use": "  use mpi", "include": ""}):
        write("p.f90", FORTRAN.format(**words))
        for level in ("-O0", "-O2"):
            said = run(FC, level, "p.f90", "-o", "p", "--siox-print-access").stdout
            assert "p.f90:13 _QQmain MPI_File_write_at" in said and "affine(stride=4096,trip=10)" in said, said
            run("mpiexec", "-n", "1", "./p")
            assert read("out") == (7).to_bytes(4, "little") * 10240
            os.remove("out")
            assert needed("p")[0] == "libsiox.so.0"


def fortran_without_mpi_io_is_byte_identical():
    flang()
    write("p.f90", "subroutine s(a, n)\n  integer :: n, i\n  real :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend\n")
    for level in ("-O0", "-O2", "-O2 -g"):
        run("flang-new-19", *level.split(), "-c", "p.f90", "-o", "a.o")
        run(FC, *level.split(), "-c", "p.f90", "-o", "b.o")
        assert read("a.o") == read("b.o"), level


def module_mpi_f08_is_refused_with_what_works():
    flang()
    write("p.f90", FORTRAN.format(use="  use mpi_f08", include=""))
    said = run(FC, "-c", "p.f90", status=1).stderr
    assert "p.f90 uses module mpi_f08" in said and "mpif.h and module mpi" in said and len(said) < 5000, said


if __name__ == "__main__":
    case = globals()[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix="siox-e2e.") as work:
        os.chdir(work)
        case()
        os.chdir("/")
