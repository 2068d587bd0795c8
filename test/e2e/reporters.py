#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process says of itself when it ends (SIOX_REPORT): programs of all kinds, with libsiox preloaded, beside the same
programs without. reporters.py CASE; exits with 77 where something is not permitted here."""
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["SIOX_BUILD"]
LIBRARY = os.path.join(BUILD, "lib", "libsiox-preload.so")
MPICC = os.environ.get("SIOX_MPICC", "mpicc")
MPIEXEC = os.environ.get("SIOX_MPIEXEC", "mpiexec")
HEAD = """
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static char piece[1 << 20];
static int data(const char *name) { return open(name, O_CREAT | O_RDWR, 0600); }
static void put(const char *name, int n) { /* n writes of 1000 bytes, and an open and a close */
  int fd = data(name);
  for (int i = 0; i < n; i++)
    if (write(fd, piece, 1000) != 1000) exit(99);
  close(fd);
}
"""


class Place:
    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="siox-reporters.")
        self.directory = self.temporary.name
        self.data, self.file = os.path.join(self.directory, "data"), os.path.join(self.directory, "report")
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def compiled(self, text, *flags, compiler="clang-19", name="program"):
        source, program = os.path.join(self.directory, name + ".c"), os.path.join(self.directory, name)
        with open(source, "w") as f:
            f.write(HEAD + text)
        subprocess.run([compiler, "-D_GNU_SOURCE", "-O1", "-Wno-unused-function", source, "-o", program, *flags, "-lpthread"],
                       check=True)
        return program

    def environment(self, report, preload=True):
        e = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") and k != "LD_PRELOAD"}
        e["SIOX_SOCKET"] = os.path.join(self.directory, "none")  # never the machine's daemon
        if report:
            e["SIOX_REPORT"] = report
        if preload:
            e["LD_PRELOAD"] = LIBRARY
        return e

    def run(self, *command, report="console", preload=True, timeout=60, **more):
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        p = subprocess.Popen(command, env=self.environment(report, preload), text=True, cwd=self.directory, **more)
        out, err = p.communicate(timeout=timeout)
        err = "".join(line for line in (err or "").splitlines(True) if "no sioxd at" not in line)
        return p.returncode, out, err

    def blocks(self):
        with open(self.file) as f:
            return re.split(r"(?=^siox: )", f.read(), flags=re.M)[1:]


def figure(block, name):
    return re.search(rf"^  {re.escape(name)} = (\S+)", block, re.M).group(1)


def row(block, kind):
    """calls, bytes, seconds, longest, errors of "posix write"."""
    layer, name = kind.split()
    found = re.search(rf"^  {layer} +{name} +(\d+) +(\d+) +(\S+) +(\S+) +(\d+)$", block, re.M)
    return found and (int(found[1]), int(found[2]), float(found[3]), float(found[4]), int(found[5]))


def heads(text):
    return re.findall(r"^siox: (?:joint )?report of .*$", text, re.M)


def the_block_has_the_papers_figures_and_each_kind_of_call():
    with Place() as place:
        program = place.compiled("int main(int c, char **v) { put(v[1], 23); (void)c; return close(-1) == 0; }")
        status, out, err = place.run(program, place.data)
        assert (status, out) == (0, ""), (status, out)
        assert re.match(r"siox: report of program, pid \d+, ended by exit\n", err), err
        assert 0 < float(figure(err, "CONSUMED_CPU_SECONDS")) < 10
        assert figure(err, "CONSUMED_ENERGY_JOULE") == "not" and "there is no sioxd" in err, err
        assert figure(err, "ACCESSED_IO_BYTES") == "23000", err
        assert int(figure(err, "TRANSFERRED_NETWORK_BYTES")) >= 0
        assert int(figure(err, "OBSERVED_RUNTIME_MS")) < 10000
        calls, size, seconds, longest, errors = row(err, "posix write")
        assert (calls, size, errors) == (23, 23000, 0) and 0 < longest <= seconds, err
        assert row(err, "posix open")[0] == 1 and row(err, "posix close")[0] == 1, err
        assert "siox itself: 25 calls counted" in err and "nobody looked" in err, err


ENDS = """
static jmp_buf away;
static void handler(int s) { (void)s; longjmp(away, 1); }
int main(int c, char **v) {
  put(v[1], 3);
  switch (c > 2 ? atoi(v[2]) : 0) {
  case 0: return 5;
  case 1: exit(5);
  case 2: _exit(5);
  case 3: _Exit(5);
  case 4: quick_exit(5);
  case 5: abort();
  case 6: kill(getpid(), SIGKILL); break;
  case 7: kill(getpid(), SIGTERM); break;
  case 8: signal(SIGABRT, handler); if (!setjmp(away)) abort(); put(v[1], 1); return 6;
  case 9: pthread_exit(0);
  case 10: *(volatile int *)8 = 0;
  }
}
"""


def each_way_to_end_reports_once_and_ends_the_same():
    with Place() as place:
        program = place.compiled(ENDS)
        told = {0: "exit", 1: "exit", 2: "_exit", 3: "_Exit", 4: "quick_exit", 5: "abort", 8: "exit", 9: "exit"}
        for way in range(11):
            plain = place.run(program, place.data, str(way), preload=False)
            status, out, err = place.run(program, place.data, str(way))
            assert (status, out) == plain[:2], (way, status, plain)
            if way in told:
                assert len(heads(err)) == 1 and f"ended by {told[way]}\n" in err, (way, err)
                assert row(err, "posix write")[0] == (4 if way == 8 else 3), (way, err)
            else:  # no call of libc that could be seen: the daemon tells
                assert err == "", (way, err)


def what_atexit_does_is_counted():
    with Place() as place:
        program = place.compiled('static void late(void) { put("late", 7); }\n'
                                 "int main(void) { atexit(late); put(\"early\", 1); return 0; }")
        _, _, err = place.run(program)
        assert row(err, "posix write")[:2] == (8, 8000), err


def nothing_is_said_unless_it_is_asked_for():
    with Place() as place:
        program = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 3); return 0; }")
        for report in (None, "", "off", "off:" + place.file):
            assert place.run(program, place.data, report=report) == (0, "", ""), report
        for wrong in ("consol", "console,child", "console:", "mpi,children,children"):
            status, _, err = place.run(program, place.data, report=wrong)
            assert status == 0 and err.count("\n") == 1 and f'"{wrong}" is ignored' in err, (wrong, err)
        assert not os.path.exists(place.file)


def children_report_if_asked_and_share_nothing_with_their_parent():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              put(v[1], 5);
              for (int i = 0; i < 2; i++) {
                pid_t child = fork();
                if (child == 0) {
                  put(v[1], 2 + i);
                  if (i) _exit(0);
                  exit(0);
                }
                waitpid(child, 0, 0);
              }
              return 0;
            }""")
        _, _, err = place.run(program, place.data)
        assert len(heads(err)) == 1 and row(err, "posix write")[0] == 5, err
        place.run(program, place.data, report="console,children:" + place.file)
        assert [row(b, "posix write")[:2] for b in place.blocks()] == [(2, 2000), (3, 3000), (5, 5000)], place.blocks()


def a_child_of_vfork_says_nothing():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              put(v[1], 5);
              pid_t child = vfork();
              if (child == 0) _exit(0);
              int status;
              waitpid(child, &status, 0);
              return status;
            }""")
        status, _, err = place.run(program, place.data, report="console,children")
        assert status == 0 and len(heads(err)) == 1 and row(err, "posix write")[0] == 5, (status, err)


def a_program_after_exec_reports_anew():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              put(v[1], c > 2 ? 3 : 5);
              if (c == 2) execl(v[0], v[0], v[1], "again", (char *)0);
              return 0;
            }""")
        _, _, err = place.run(program, place.data)
        assert len(heads(err)) == 1 and row(err, "posix write")[0] == 3, err


def a_file_that_got_the_number_of_stderr_stays_as_it_is():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              close(2);
              int fd = data(v[1]);
              return fd != 2 || write(fd, "mine", 4) != 4;
            }""")
        status, _, err = place.run(program, place.data)
        with open(place.data) as f:
            assert (status, err, f.read()) == (0, "", "mine")
        os.unlink(place.data)
        status, _, _ = place.run("sh", "-c", f"exec {program} {place.data} 2>&-")
        with open(place.data) as f:
            assert (status, f.read()) == (0, "mine")


def one_that_became_a_daemon_reports_if_asked():
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              put(v[1], 1);
              if (fork()) _exit(0);
              setsid();
              if (fork()) _exit(0);
              if (chdir("/")) return 1;
              int null = open("/dev/null", O_RDWR);
              for (int i = 0; i < 3; i++) dup2(null, i);
              put(v[1], 9);
              return 0;
            }""")
        status, _, err = place.run(program, place.data)
        assert status == 0 and len(heads(err)) == 1 and row(err, "posix write")[0] == 1, err
        place.run(program, place.data, report="console,children:report")  # a relative name, and the daemon is in /
        until = time.monotonic() + 30
        while not os.path.exists(place.file) or len(place.blocks()) < 3:
            assert time.monotonic() < until, "the daemon's report did not come"
            time.sleep(0.01)
        counts = [row(b, "posix write") for b in place.blocks()]
        assert sorted(c[0] for c in counts if c) == [1, 9], counts


def reports_in_one_file_are_whole():
    with Place() as place:
        program = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 4); return 0; }")
        running = [subprocess.Popen([program, place.data + str(i)], env=place.environment("console:" + place.file))
                   for i in range(16)]
        assert [p.wait(timeout=60) for p in running] == [0] * 16
        blocks = place.blocks()
        assert len(blocks) == 16 and all(row(b, "posix write")[0] == 4 and "KiB\n" in b for b in blocks), blocks


def a_full_disk_is_said_and_the_status_is_the_programs():
    with Place() as place:
        program = place.compiled("int main(int c, char **v) { (void)c; put(v[1], 4); return 6; }")
        for file, why in (("/dev/full", "No space left on device"), ("/no/such/place/report", "No such file"),
                          (place.directory, "Is a directory")):
            status, _, err = place.run(program, place.data, report="console:" + file)
            assert status == 6 and err.startswith(f"siox: report in {file}: {why}") and err.count("\n") == 1, (status, err)


def limits_of_the_process_are_said_and_end_nobody():
    """No file may have any bytes, and then none may be opened: that ends the report and not the program."""
    with Place() as place:
        program = place.compiled("""
            #include <sys/resource.h>
            int main(int c, char **v) {
              struct rlimit r = {atoi(v[2]), atoi(v[2])};
              (void)c;
              setrlimit(*v[1] == 'f' ? RLIMIT_FSIZE : RLIMIT_NOFILE, &r);
              return 6;
            }""")
        for what, limit, why in (("f", 0, "File too large"), ("n", 3, "Too many open files"), ("n", 4, None), ("n", 20, None)):
            status, _, err = place.run(program, what, str(limit), report="console:" + place.file)
            assert status == 6 and (f"siox: report in {place.file}: {why}" in err if why else err == ""), (limit, status, err)
        assert len(place.blocks()) == 2, place.blocks()


def data_that_do_not_fit_on_a_disk_are_told_as_errors():
    """A file system of 64 KiB: what failed is counted as failed, the report finds no room either, and the status is the
    program's own."""
    with Place() as place:
        program = place.compiled("""
            int main(int c, char **v) {
              (void)c;
              int fd = data(v[1]), failed = 0;
              for (int i = 0; i < 32; i++) failed += write(fd, piece, 8192) < 0 && errno == ENOSPC;
              return failed;
            }""")
        tiny = os.path.join(place.directory, "tiny")
        os.mkdir(tiny)
        mounted = f"mount -t tmpfs -o size=64k tmpfs {tiny} && export LD_PRELOAD={LIBRARY} && "
        if subprocess.run(["unshare", "-m", "sh", "-c", mounted + "true"], capture_output=True).returncode:
            print("skipped: no mount namespaces here (unshare -m)")
            sys.exit(77)
        status, _, err = place.run("unshare", "-m", "sh", "-c", mounted + f"exec {program} {tiny}/data", preload=False)
        blocks = [b for b in re.split(r"(?=^siox: )", err, flags=re.M) if "report of program" in b]
        assert status == 24 and row(blocks[0], "posix write")[::4] == (32, 24), (status, err)
        assert figure(blocks[0], "ACCESSED_IO_BYTES") == "65536", err
        status, _, err = place.run("unshare", "-m", "sh", "-c", mounted + f"exec {program} {tiny}/data",
                                   preload=False, report=f"console:{tiny}/report")
        assert status == 24 and f"siox: report in {tiny}/report: No space left on device" in err, (status, err)


def a_reader_that_has_gone_ends_nobody():
    with Place() as place:
        program = place.compiled("int main(void) { return 6; }")
        r, w = os.pipe()
        os.close(r)
        status, _, _ = place.run(program, stderr=w, restore_signals=True)
        os.close(w)
        assert status == 6, status


def a_reader_that_does_not_read_is_left_after_a_second():
    with Place() as place:
        program = place.compiled("int main(void) { return 6; }")
        r, w = os.pipe()
        os.set_blocking(w, False)
        try:
            while True:
                os.write(w, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(w, True)
        status, _, _ = place.run(program, stderr=w, timeout=20)
        assert status == 6, status
        os.close(w)
        os.close(r)


def signals_wait_until_the_report_is_out():
    """A timer that fires all the time, and a SIGTERM that comes while the report waits for its reader: it is whole, and the
    process ends as the signal says."""
    with Place() as place:
        program = place.compiled("""
            static volatile int n;
            static void tick(int s) { (void)s; n++; }
            int main(int c, char **v) {
              struct itimerval often = {{0, 200}, {0, 200}};
              signal(SIGALRM, tick);
              setitimer(ITIMER_REAL, &often, 0);
              while (n < 50) if (c == 2) put(v[1], 1);
              return c > 2 ? 0 : 6;
            }""")
        status, _, err = place.run(program, place.data)
        assert status == 6 and len(heads(err)) == 1 and "KiB\n" in err, (status, err)
        r, w = os.pipe()
        os.set_blocking(w, False)
        filled = 0
        try:
            while True:
                filled += os.write(w, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(w, True)
        process = subprocess.Popen([program, place.data, "end"], env=place.environment("console"), stderr=w)
        os.close(w)
        until = time.monotonic() + 30
        while "S" not in open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[0] or \
                "SigBlk:\tf" not in open(f"/proc/{process.pid}/status").read():
            assert time.monotonic() < until and process.poll() is None, "it never waited"
        process.send_signal(signal.SIGTERM)
        text = b""
        while select.select([r], [], [], 30)[0]:
            got = os.read(r, 65536)
            if not got:
                break
            text += got
        os.close(r)
        text = text[filled:].decode()
        assert process.wait(timeout=30) == -signal.SIGTERM and len(heads(text)) == 1 and "KiB\n" in text, text


def a_handler_on_a_small_stack_may_end_the_process():
    with Place() as place:
        program = place.compiled("""
            static void handler(int s) { (void)s; _exit(6); }
            int main(int c, char **v) {
              (void)c;
              stack_t stack = {.ss_sp = piece, .ss_size = 8192}; /* SIGSTKSZ as it was for long */
              struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
              put(v[1], 4);
              memset(piece, 7, 1);
              sigaltstack(&stack, 0);
              sigaction(SIGSEGV, &a, 0);
              *(volatile int *)8 = 0;
            }""")
        status, _, err = place.run(program, place.data)
        assert status == 6 and row(err, "posix write")[0] == 4, (status, err)


def an_allocator_that_reads_files_and_calls_dlsym_is_left_alone():
    with Place() as place:
        program = place.compiled("""
            #include <dlfcn.h>
            static char heap[1 << 24];
            static size_t used;
            static int depth, looked;
            void *malloc(size_t n) {
              if (!depth++) {
                char b[16];
                int fd = open("/proc/self/stat", O_RDONLY), other = open("/etc/hostname", O_RDONLY);
                looked += read(fd, b, 16) == 16;
                close(fd);
                close(other);
                dlsym(RTLD_NEXT, "malloc");
              }
              depth--;
              used = (used + 15) & ~15ul;
              void *at = heap + used;
              used += n + 16;
              return used < sizeof heap ? at : 0;
            }
            void free(void *p) { (void)p; }
            void *calloc(size_t n, size_t m) { return malloc(n * m); }
            void *realloc(void *p, size_t n) { void *q = malloc(n); if (p && q) memcpy(q, p, n); return q; }
            int main(int c, char **v) { (void)c; free(malloc(10)); put(v[1], 3); return looked > 0 ? 6 : 1; }""", "-ldl")
        status, _, err = place.run(program, place.data)
        assert status == 6 and row(err, "posix write")[0] == 3, (status, err)


def a_program_without_io_has_a_report():
    with Place() as place:
        _, _, err = place.run(place.compiled("int main(void) { return 0; }"))
        assert figure(err, "ACCESSED_IO_BYTES") == "0" and "siox itself: 0 calls" in err and "posix" not in err, err


def sixteen_threads_are_counted_to_the_call():
    with Place() as place:
        program = place.compiled("""
            static const char *name;
            static void *work(void *i) {
              char own[4200];
              snprintf(own, sizeof own, "%s%ld", name, (long)i);
              put(own, 500);
              return 0;
            }
            int main(int c, char **v) {
              pthread_t t[16];
              (void)c;
              name = v[1];
              for (long i = 0; i < 16; i++) pthread_create(&t[i], 0, work, (void *)i);
              for (int i = 0; i < 16; i++) pthread_join(t[i], 0);
              return 0;
            }""")
        _, _, err = place.run(program, place.data)
        assert row(err, "posix write")[:2] == (8000, 8000000) and row(err, "posix open")[0] == 16, err


if __name__ == "__main__":
    globals()[sys.argv[1]]()
