/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A trigger's command: started without a shell, in a process group of its own, with nothing of the
 * daemon's open, what it says in the log, killed with its group when its time is over. */
#include "common/clock.h"
#include "daemon/act.h"
#include "monitor/metrics.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { VARIABLES = 11, MOST_LINES = 20, LINE = 500 };
/* So long a command may still run when the daemon ends. */
static const int64_t GRACE_NS = 1000000000, MOST_NS = INT64_C(60000000000);

/* SIOX_EVENT_..., for SIOX_STATE and others are settings. */
struct environment {
  char text[VARIABLES][400];
  char **list;
};

static int make_environment(struct environment *e, const struct siox__event *event, unsigned line) {
  const struct {
    const char *name, *value;
  } texts[] = {{"LEVEL", siox__level_name(event->level)},
               {"STATE", siox_condition_name(event->state)},
               {"VERDICT", siox_verdict_name(event->verdict)},
               {"CATEGORY", siox_category_name(event->category)},
               {"SUBJECT", event->subject},
               {"EVIDENCE", event->evidence},
               {"HOST", event->host},
               {"JOB", event->job}};
  const struct {
    const char *name;
    long long value;
  } numbers[] = {{"RANK", event->rank}, {"PID", event->pid}, {"LINE", line}};
  size_t n = 0, own = 0;
  while (environ[n])
    n++;
  e->list = malloc((n + VARIABLES + 1) * sizeof *e->list);
  if (!e->list)
    return SIOX_ENOMEM;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "SIOX_EVENT_", 11) != 0)
      e->list[own++] = environ[i];
  size_t t = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++, t++)
    snprintf(e->text[t], sizeof e->text[t], "SIOX_EVENT_%s=%s", texts[i].name, texts[i].value);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++, t++)
    snprintf(e->text[t], sizeof e->text[t], "SIOX_EVENT_%s=%lld", numbers[i].name,
             numbers[i].value);
  for (size_t i = 0; i < t; i++)
    e->list[own++] = e->text[i];
  e->list[own] = NULL;
  return 0;
}

static int spawn(char *const *argv, char *const *list, int out, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, out, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int e = posix_spawn(pid, argv[0], &files, &how, argv, list);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return e;
}

/* What it says, line by line. */
struct speech {
  char line[LINE];
  size_t n;
  unsigned lines;
};

static void end_line(struct speech *s, const struct siox__doing *doing, unsigned at) {
  s->line[s->n] = 0;
  siox__printable(s->line);
  if (s->n > 0 && s->lines++ < MOST_LINES)
    siox__log(doing->log, SIOX__LOG_WARN, "%s:%u says: %s", doing->file, at, s->line);
  s->n = 0;
}

/* False: nothing more will come. */
static bool listen_to(struct speech *s, int fd, const struct siox__doing *doing, unsigned at) {
  char text[4096];
  const ssize_t n = read(fd, text, sizeof text);
  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  for (ssize_t i = 0; i < n; i++) {
    if (text[i] == '\n')
      end_line(s, doing, at);
    else if (s->n < LINE - 1)
      s->line[s->n++] = text[i];
  }
  return n > 0;
}

/* Until it has ended. A child of its that holds the pipe open is not waited for. */
static int wait_for(const struct siox__doing *doing, const struct siox__action *action, pid_t pid,
                    int pidfd, int pipe, int *status) {
  struct speech speech = {.n = 0};
  int64_t until = siox__now_ns() + (int64_t)(action->seconds * 1e9);
  int result = 0;
  bool silent = false, ending = false;
  for (;;) {
    struct pollfd fd[] = {{.fd = pidfd, .events = POLLIN},
                          {.fd = silent ? -1 : pipe, .events = POLLIN},
                          {.fd = ending ? -1 : doing->end_fd, .events = POLLIN}};
    const int64_t left = until - siox__now_ns();
    const int r = poll(fd, 3,
                       left < 0         ? 0
                       : left > MOST_NS ? (int)(MOST_NS / 1000000)
                                        : (int)(left / 1000000) + 1);
    if (r < 0 && errno != EINTR)
      break;
    if (r > 0 && fd[1].revents)
      silent = !listen_to(&speech, pipe, doing, action->line);
    if (r > 0 && fd[0].revents)
      break;
    if (r > 0 && fd[2].revents) {
      const int64_t soon = siox__now_ns() + GRACE_NS;
      until = soon < until ? soon : until;
      ending = true;
    }
    if (siox__now_ns() >= until) {
      kill(-pid, SIGKILL);
      result = SIOX_EIO;
      until = INT64_MAX / 2;
    }
  }
  while (waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
  if (!silent)
    listen_to(&speech, pipe, doing, action->line);
  end_line(&speech, doing, action->line);
  return result;
}

int siox__act_command(const struct siox__doing *doing, const struct siox__action *action,
                      const struct siox__event *event, struct siox_diag *why) {
  struct environment *env = malloc(sizeof *env);
  int ends[2] = {-1, -1}, pidfd = -1, status = 0;
  pid_t pid = 0;
  int e = env ? make_environment(env, event, event->line) : SIOX_ENOMEM;
  if (e == 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
    e = SIOX_EIO;
  if (e < 0) {
    snprintf(why->text, sizeof why->text, "command %.200s: %s", action->argv[0], siox_strerror(e));
    free(env);
    return e;
  }
  /* What the command writes to may be full: that is its own matter, so it gets a pipe that waits.
   */
  fcntl(ends[1], F_SETFL, 0);
  int wrong = spawn(action->argv, env->list, ends[1], &pid);
  close(ends[1]);
  free(env->list);
  free(env);
  if (wrong == 0 && (pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0) {
    wrong = errno;
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
  }
  if (wrong != 0) {
    snprintf(why->text, sizeof why->text, "command %.200s: %s", action->argv[0], strerror(wrong));
    close(ends[0]);
    return SIOX_EIO;
  }
  e = wait_for(doing, action, pid, pidfd, ends[0], &status);
  close(pidfd);
  close(ends[0]);
  if (e < 0)
    snprintf(why->text, sizeof why->text, "command %.200s: killed after %g s", action->argv[0],
             action->seconds);
  else if (WIFSIGNALED(status))
    snprintf(why->text, sizeof why->text, "command %.200s: signal %d", action->argv[0],
             WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    snprintf(why->text, sizeof why->text, "command %.200s: status %d", action->argv[0],
             WEXITSTATUS(status));
  return e < 0 || status != 0 ? SIOX_EIO : 0;
}
