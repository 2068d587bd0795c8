/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of a process that run no destructors, as far as they are calls of libc that the program
 * makes itself: _exit, _Exit and abort (quick_exit runs what at_quick_exit was given, report.c).
 * Of what ends within libc or the kernel, by a signal or a raw system call, the daemon tells. */
#include "client/report.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Found before anything of the program runs: dlsym is not for signal handlers. */
static void (*next_exit)(int), (*next_Exit)(int), (*next_abort)(void);

__attribute__((constructor(101))) static void find(void) {
  *(void **)&next_exit = dlsym(RTLD_NEXT, "_exit");
  *(void **)&next_Exit = dlsym(RTLD_NEXT, "_Exit");
  *(void **)&next_abort = dlsym(RTLD_NEXT, "abort");
}

static _Noreturn void leave(void (*next)(int), int status) {
  if (next)
    next(status);
  for (;;)
    syscall(SYS_exit_group, status);
}

SIOX_EXPORT _Noreturn void _exit(int status) {
  siox__report_end("_exit");
  leave(next_exit, status);
}

SIOX_EXPORT _Noreturn void _Exit(int status) {
  siox__report_end("_Exit");
  leave(next_Exit, status);
}

/* With a handler of its own the program may yet get away, by longjmp. */
SIOX_EXPORT _Noreturn void abort(void) {
  const int saved = errno;
  struct sigaction now;
  if (sigaction(SIGABRT, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
      (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
    siox__report_end("abort");
  errno = saved;
  if (next_abort)
    next_abort();
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
  leave(next_exit, 127);
}
