#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projects of others with Siox, from a staged installation that was moved: each is built, run plain and under siox run, and
has to print and write the same, with hints. run.py CASE; `run.py subdirectory_builds` builds all of Siox and takes
minutes. Exits with 77 where flang is not there."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SIOX_SOURCE"], os.environ["SIOX_BUILD"]
MPIEXEC = os.environ.get("SIOX_MPIEXEC", "mpiexec")
MPICC = os.environ.get("SIOX_MPICC", "mpicc")
CLANG = os.environ.get("SIOX_CLANG", "clang-19")
HERE = os.path.dirname(os.path.abspath(__file__))
APP = os.path.join(HERE, "app")
PLAIN = {k: v for k, v in os.environ.items() if not k.startswith(("SIOX_", "CFLAGS", "LDFLAGS", "MAKE"))}
PLAIN["MPICH_CC"] = CLANG
RANKS = 2


def run(*command, status=0, **more):
    more.setdefault("env", PLAIN)
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def stage():
    """An installation, then moved: nothing in it may depend on where it was put first."""
    run("cmake", "--install", BUILD, "--prefix", os.path.abspath("first"))
    os.rename("first", "in stalled")
    return os.path.abspath("in stalled")


def cmake(project, where, *options, env=None):
    run("cmake", "-S", os.path.join(HERE, project), "-B", where, "-G", "Ninja", *options, env=env or PLAIN)


def outputs(program, name):
    shutil.rmtree("store", ignore_errors=True)
    os.mkdir("store")
    said = run(MPIEXEC, "-n", str(RANKS), program, name)
    with open(name, "rb") as f:
        return sorted(said.splitlines()), f.read()


def equal_and_hinted(prefix, plain, *programs):
    wanted = outputs(plain, "store/data")
    assert len(wanted[1]) == 4 * RANKS * 8192 * 8
    with open("siox.yaml", "w") as f:
        f.write(f"socket: {os.getcwd()}/s.sock\nmount: {os.getcwd()}/store\ndisks: 4\ndrive: 36Z15\ntime_scale: 1000\n")
    for program in programs:
        shutil.rmtree("store")
        os.mkdir("store")
        said = run(os.path.join(prefix, "bin/siox"), "run", "--quiet", "--config", "siox.yaml", "--json=run.json", "--", MPIEXEC,
                   "-n", str(RANKS), program, "store/data")
        with open("store/data", "rb") as f:
            assert f.read() == wanted[1], f"{program} writes something else"
        assert sorted(said.splitlines()) == wanted[0], f"{program} prints {said}"
        with open("run.json") as f:
            report = json.load(f)
        assert report["hints"]["sent"] > 0 and report["run"]["requests"] > 0, f"{program}: no hints: {report['hints']}"


def mpi_plain():
    """The fixtures' program without Siox."""
    run(MPICC, "-O2", "-I", APP, os.path.join(APP, "main.c"), os.path.join(APP, "grid.c"), "-o", "without")
    return "./without"


def compilers(prefix):
    return [f"-DCMAKE_{language}_COMPILER={prefix}/bin/{name}" for language, name in (("C", "siox-cc"), ("CXX", "siox-cxx"))]


def find_package_from_an_installation_that_was_moved():
    prefix = stage()
    cmake("find_package", "b", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CLANG}")
    run("cmake", "--build", "b")
    assert "libsiox" not in run("readelf", "-d", "b/plain")
    equal_and_hinted(prefix, "b/plain", "b/by_library", "b/by_target")


def find_package_from_a_build_tree():
    cmake("find_package", "b", f"-DSiox_DIR={BUILD}", f"-DCMAKE_C_COMPILER={CLANG}")
    run("cmake", "--build", "b")
    equal_and_hinted(BUILD, "b/plain", "b/by_library", "b/by_target")


def find_package_refuses_another_compiler():
    prefix = stage()
    if not shutil.which("gcc"):
        sys.exit(77)
    said = run("cmake", "-S", os.path.join(HERE, "find_package"), "-B", "b", f"-DCMAKE_PREFIX_PATH={prefix}",
               "-DCMAKE_C_COMPILER=gcc", status=1)
    assert "loaded by clang 19" in said and "configure with" in said, said


def subdirectory_has_the_pass_built_first():
    cmake("subdirectory", "b", f"-DSIOX_TREE={SOURCE}", f"-DCMAKE_C_COMPILER={CLANG}",
          f"-DCMAKE_CXX_COMPILER={CLANG.replace('clang', 'clang++')}")
    commands = run("ninja", "-C", "b", "-t", "commands", "by_target").splitlines()
    link = next(line for line in commands if "-o by_target " in line)
    assert link.index("/siox/lib/libsiox.so") < link.index("libmpi"), link
    order = run("ninja", "-C", "b", "-t", "query", "cmake_object_order_depends_target_by_target")
    assert "siox/siox_pass_built" in order, order  # what Ninja waits for before it compiles grid.c
    built = run("ninja", "-C", "b", "-t", "commands", "siox/siox_pass_built")
    assert "-o siox/lib/SioxPass.so" in built, built
    assert not [line for line in commands if "cmocka" in line], "Siox's tests are built"


def subdirectory_builds():
    cmake("subdirectory", "b", f"-DSIOX_TREE={SOURCE}", f"-DCMAKE_C_COMPILER={CLANG}",
          f"-DCMAKE_CXX_COMPILER={CLANG.replace('clang', 'clang++')}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", "b", "--target", "by_target", "siox_tool", "sioxd")
    equal_and_hinted("b/siox", mpi_plain(), "b/by_target")


def an_unfamiliar_project_needs_the_compilers_alone():
    prefix = stage()
    cmake("unfamiliar", "b", *compilers(prefix))
    run("cmake", "--build", "b")
    equal_and_hinted(prefix, mpi_plain(), "b/plain", "b/whole")


def a_makefile_needs_cc_alone():
    prefix = stage()
    os.mkdir("b")
    run("make", "-C", "b", "-f", os.path.join(HERE, "makefile/Makefile"), f"APP={APP}", f"CC='{prefix}/bin/siox-cc'")
    equal_and_hinted(prefix, mpi_plain(), "b/plain")


def configure_checks_answer_as_with_the_compiler():
    prefix = stage()
    os.symlink(prefix, "prefix")  # configure scripts take no blanks in CC
    answers = []
    for name, compiler in (("with", os.path.abspath("prefix") + "/bin/siox-cc"), ("without", MPICC)):
        os.mkdir(name)
        said = run("sh", os.path.join(HERE, "configure/configure"), cwd=name, env={**PLAIN, "CC": compiler, "APP": APP})
        answers.append(said.replace(compiler, "CC"))
        run("make", "-C", name)
    assert answers[0] == answers[1], answers[0]
    equal_and_hinted(prefix, "without/plain", "with/plain")


def pkg_config_names_what_a_build_needs():
    prefix = stage()
    os.symlink(prefix, "prefix")
    env = {**PLAIN, "PKG_CONFIG_PATH": os.path.abspath("prefix/lib/pkgconfig")}
    flags = [run("pkg-config", *words, "siox", env=env).split() for words in (["--cflags"], ["--variable=pass_cflags"], ["--libs"])]
    run(MPICC, "-O2", "-I", APP, *flags[0], *flags[1], os.path.join(APP, "main.c"), os.path.join(APP, "grid.c"), *flags[2],
        "-Wl,-rpath," + os.path.abspath("prefix/lib"), "-o", "built")
    equal_and_hinted(prefix, mpi_plain(), "./built")


def a_drive_profile_is_found_beside_an_installation():
    prefix = stage()
    profile = os.path.join(prefix, "share/siox/drives/36Z15.yaml")
    shutil.copy(profile, os.path.join(prefix, "share/siox/drives/only_here.yaml"))
    os.mkdir("store")
    run(os.path.join(prefix, "bin/siox"), "run", "--quiet", "--set", "drive=only_here", "--set", f"mount={os.getcwd()}/store",
        "--set", f"socket={os.getcwd()}/s.sock", "--", "true")
    with open("a.c", "w") as f:
        f.write("#include <mpi.h>\nvoid f(MPI_File f) { MPI_File_sync(f); }\n")
    run(os.path.join(prefix, "bin/siox-cc"), "-c", "a.c", "--siox-drive=only_here")


def man_pages_are_installed_and_read_without_warnings():
    prefix = stage()
    if not shutil.which("man"):
        sys.exit(77)
    for page in ("man1/siox.1", "man1/siox-run.1", "man1/siox-sim.1", "man1/siox-cc.1", "man1/siox-opt.1", "man5/siox.yaml.5", "man8/sioxd.8"):
        said = run("man", "--warnings", "-l", os.path.join(prefix, "share/man", page), env={**PLAIN, "LC_ALL": "C.UTF-8", "MANWIDTH": "130"})
        assert "NAME" in said and "SEE ALSO" in said and "warning" not in said, said[:2000]


def pages_that_programs_and_man_pages_name_are_installed():
    prefix, named = stage(), set()
    for where in ("bin", "lib", "share/man", "include"):
        for directory, _, files in os.walk(os.path.join(prefix, where)):
            for name in files:
                with open(os.path.join(directory, name), "rb") as f:
                    named |= set(re.findall(rb"docs/([a-z-]+\.md)", f.read()))
    assert b"monitoring.md" in named, named
    missing = [page for page in named if not os.path.exists(os.path.join(prefix.encode(), b"share/doc/siox", page))]
    assert not missing, missing


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="siox-consumer.") as work:
        os.chdir(work)
        os.environ["XDG_RUNTIME_DIR"] = PLAIN["XDG_RUNTIME_DIR"] = work
        globals()[sys.argv[1]]()
        os.chdir("/")
