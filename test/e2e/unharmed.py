#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are allowed little, or do what is seldom done, under siox run --preload: each prints and returns what it does
without. unharmed.py CASE"""
import os
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from siox_run import Place  # noqa: E402

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
"""


def compiled(place, text, compiler=os.environ.get("SIOX_CLANG", "clang-19")):
    source, program = os.path.join(place.directory, "program.c"), os.path.join(place.directory, "program")
    with open(source, "w") as f:
        f.write(HEAD + text)
    subprocess.run([compiler, "-O1", source, "-o", program, "-pthread"], check=True)
    return program


def alike(place, text, *arguments, **more):
    """The program's status and output with libsiox are those without."""
    program = compiled(place, text, **more)
    command = [program, os.path.join(place.mount, "f"), *arguments]
    plain = subprocess.run(command, capture_output=True, text=True, timeout=60)
    run = place.run(*command, options=["--quiet", "--preload", "--set", "time_scale=1000"])
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (plain.returncode, plain.stdout), (run.returncode, out, err, plain)
    return plain.stdout


def a_limit_on_the_size_of_files_ends_nobody():
    with Place() as place:
        # Before the first call that is seen, and so before libsiox makes memory of its own.
        assert alike(place, """
            int main(int argc, char **argv) {
              struct rlimit file = {1000, 1000};
              setrlimit(RLIMIT_FSIZE, &file);
              int fd = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0600);
              printf("%d\\n", (int)write(fd, "text", 4));
              return 0;
            }""") == "4\n"


def stack_of_a_handler(size):
    with Place() as place:
        assert alike(place, """
            static const char *path;
            static void handler(int number) {
              int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
              _exit(write(fd, "crash", 5) == 5 ? 0 : number);
            }
            int main(int argc, char **argv) {
              size_t size = atoi(argv[2]);
              path = argv[1];
              char *at = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              mprotect(at, 4096, PROT_NONE);
              sigaltstack(&(stack_t){.ss_sp = at + 4096, .ss_size = size}, NULL);
              sigaction(SIGSEGV, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
              printf("crashes\\n");
              fflush(stdout);
              raise(SIGSEGV);
            }""", str(size)) == "crashes\n"


def a_handler_on_a_stack_of_its_own_writes_its_file():
    stack_of_a_handler(16384)


def a_thread_with_the_least_stack_writes_its_file():
    with Place() as place:
        assert alike(place, """
            static void *work(void *path) {
              int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
              return (void *)(write(fd, "text", 4) == 4 ? "written" : "lost");
            }
            int main(int argc, char **argv) {
              pthread_attr_t a;
              pthread_t thread;
              void *said;
              pthread_attr_init(&a);
              pthread_attr_setstacksize(&a, 16384);
              pthread_create(&thread, &a, work, argv[1]);
              pthread_join(thread, &said);
              puts(said);
              return 0;
            }""") == "written\n"


def a_jump_out_of_a_handler_leaves_other_threads_going():
    """siglongjmp out of a read that a timer interrupted, some thousand times a second."""
    with Place() as place:
        assert alike(place, """
            static sigjmp_buf back;
            static const char *path;
            static volatile int over;
            static void handler(int number) { siglongjmp(back, number); }
            static void *other(void *unused) {
              char piece[64];
              int fd = open(path, O_RDONLY);
              while (!over)
                if (pread(fd, piece, sizeof piece, 0) != sizeof piece)
                  return "short";
              return pread(fd, piece, sizeof piece, 0) == sizeof piece ? "whole" : "short";
            }
            int main(int argc, char **argv) {
              char piece[64] = {0};
              struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
              sigset_t alarm;
              pthread_t thread;
              void *said;
              path = argv[1];
              int fd = open(path, O_CREAT | O_RDWR, 0600);
              write(fd, piece, sizeof piece);
              sigemptyset(&alarm);
              sigaddset(&alarm, SIGALRM);
              pthread_sigmask(SIG_BLOCK, &alarm, NULL);
              pthread_create(&thread, NULL, other, NULL);
              signal(SIGALRM, handler);
              pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
              struct timespec now;
              clock_gettime(CLOCK_MONOTONIC, &now);
              const time_t end = now.tv_sec + 2;
              sigsetjmp(back, 1);
              setitimer(ITIMER_REAL, &often, NULL);
              do {
                pread(fd, piece, sizeof piece, 0);
                clock_gettime(CLOCK_MONOTONIC, &now);
              } while (now.tv_sec < end);
              signal(SIGALRM, SIG_IGN);
              setitimer(ITIMER_REAL, &never, NULL);
              over = 1;
              pthread_join(thread, &said);
              puts(said);
              return 0;
            }""") == "whole\n"


def seventy_thousand_threads_one_after_the_other_are_counted():
    with Place() as place:
        report = os.path.join(place.directory, "report")
        place.environment["SIOX_REPORT"] = f"console:{report}"
        assert alike(place, """
            static int fd;
            static void *work(void *unused) { return pwrite(fd, "x", 1, 0) == 1 ? "whole" : NULL; }
            int main(int argc, char **argv) {
              fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
              int n = 0;
              for (int i = 0; i < 70000; i++) {
                pthread_t thread;
                void *said = NULL;
                pthread_create(&thread, NULL, work, NULL);
                pthread_join(thread, &said);
                n += said != NULL;
              }
              printf("%d\\n", n);
              return 0;
            }""") == "70000\n"
        with open(report) as f:
            assert "posix pwrite                        70000" in f.read()


def wrong_pointers_give_efault():
    with Place() as place:
        assert alike(place, """
            int main(int argc, char **argv) {
              int fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
              const struct iovec *wrong = (const struct iovec *)8;
              const char *volatile none = NULL;
              int n = (open(none, O_RDONLY) < 0 && errno == EFAULT) + (openat(fd, (const char *)wrong, O_RDONLY) < 0 && errno == EFAULT) +
                      (writev(fd, wrong, 2) < 0 && errno == EFAULT) + (readv(fd, wrong, 2) < 0 && errno == EFAULT) +
                      (preadv(fd, wrong, 2, 0) < 0 && errno == EFAULT) + (pwritev(fd, wrong, 2, 0) < 0 && errno == EFAULT) +
                      (write(fd, wrong, 2) < 0 && errno == EFAULT);
              printf("%d\\n", n);
              return 0;
            }""") == "7\n"


def an_access_of_no_datatype_returns_its_error():
    with Place() as place:
        assert alike(place, """
            #include <mpi.h>
            int main(int argc, char **argv) {
              char piece[4] = {0};
              int class = 0;
              MPI_File file;
              MPI_Init(&argc, &argv);
              MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
              MPI_Error_class(MPI_File_write_at(file, 0, piece, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE), &class);
              puts(class == MPI_ERR_TYPE ? "type" : "other");
              MPI_File_close(&file);
              return MPI_Finalize();
            }""", compiler=os.environ.get("SIOX_MPICC", "mpicc")) == "type\n"


def few_descriptors_are_the_programs():
    with Place() as place:
        program = compiled(place, """
            int main(int argc, char **argv) {
              struct rlimit few = {atoi(argv[2]), atoi(argv[2])};
              int n = 0;
              setrlimit(RLIMIT_NOFILE, &few);
              while (open(argv[1], O_CREAT | O_RDWR, 0600) >= 0)
                n++;
              printf("%d %s\\n", n, strerror(errno));
              return 0;
            }""")
        for limit in (8, 20, 63):
            run = place.run(program, os.path.join(place.mount, "f"), str(limit), options=["--quiet", "--preload"])
            out, err = run.communicate(timeout=60)
            assert out == f"{limit - 3} Too many open files\n", (limit, out, err)
            assert err.count("\n") == 1 and "too few file descriptors" in err, err


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    globals()[sys.argv[1]]()
