/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running the program under measurement: its signals, its status, its time. */
#include "siox_tool.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static const int forwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* What a terminal sends goes to the whole foreground group, the command included; what a process
 * sends comes here only. */
static void forward(int number, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_code <= 0 && child > 0) {
    int saved = errno;
    kill(child, number);
    errno = saved;
  }
}

/* In the child: becomes the command, or tells the parent why not. */
_Noreturn static void become(char **argv, int tell) {
  execvp(argv[0], argv);
  int error = errno;
  while (write(tell, &error, sizeof error) < 0 && errno == EINTR)
    ;
  _exit(error == ENOENT ? 127 : 126); /* as shells have it */
}

/* errno of the exec that failed; 0: it did not. */
static int listen_to(int fd) {
  int error = 0;
  ssize_t n;
  while ((n = read(fd, &error, sizeof error)) < 0 && errno == EINTR)
    ;
  close(fd);
  return n == sizeof error ? error : 0;
}

int siox__command_run(char **argv, struct siox__outcome *out) {
  int heard[2]; /* closed by an exec that succeeds */
  if (pipe2(heard, O_CLOEXEC) < 0)
    return SIOX_EIO;
  struct sigaction before[FORWARDED],
      action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask); /* nothing arrives between fork and knowing the child */
  for (int i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &action, &before[i]);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  fflush(NULL);
  child = fork();
  if (child == 0) {
    for (int i = 0; i < FORWARDED; i++)
      sigaction(forwarded[i], &before[i], NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    become(argv, heard[1]);
  }
  close(heard[1]);
  int status = 0;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  out->error = listen_to(heard[0]);
  if (child > 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (int i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &before[i], NULL);
  out->seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  out->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (out->error)
    fprintf(stderr, "siox run: %s: %s\n", argv[0], strerror(out->error));
  return child > 0 ? 0 : SIOX_ENOMEM;
}

const char *siox__command_unseen(const struct siox__outcome *out) {
  return out->error ? "the command did not start"
                    : "no process of the command has connected: those compiled with siox-cc, or "
                      "run with --preload, do so in MPI_Init, or when they open a file";
}
