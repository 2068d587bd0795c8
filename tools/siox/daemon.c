/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Talking to sioxd, and starting it where it is not. */
#include "common/wire.h"
#include "siox_tool.h"
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int siox__daemon_connect(const char *socket_path, int patience_s) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(socket_path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, socket_path);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
  }
  const struct timeval patience = {.tv_sec = patience_s};
  if (fd >= 0 && patience_s > 0)
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return fd;
}

static int send_ask(int fd, const char *text) {
  size_t length = strlen(text);
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = SIOX_MSG_CONTROL,
                               .length = (uint32_t)(sizeof head + length)};
  struct iovec part[2] = {{&head, sizeof head}, {(void *)(uintptr_t)text, length}};
  struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};
  return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? SIOX_EGONE : 0;
}

/* The packets of one answer, put together. NULL: the daemon hung up or speaks another language. */
static char *receive(int fd, size_t *length) {
  char *text = NULL, *packet = malloc(SIOX_WIRE_MAX);
  struct siox_msg_head head = {.more = 1};
  *length = 0;
  while (packet && head.more) {
    ssize_t got;
    do
      got = recv(fd, packet, SIOX_WIRE_MAX, 0);
    while (got < 0 && errno == EINTR);
    if (got < (ssize_t)sizeof head)
      break;
    memcpy(&head, packet, sizeof head);
    size_t body = (size_t)got - sizeof head;
    char *more = realloc(text, *length + body + 1);
    if (head.magic != SIOX_WIRE_MAGIC || head.type != SIOX_MSG_ANSWER ||
        head.length != (size_t)got || !more) {
      text = more ? more : text;
      head.more = 1;
      break;
    }
    text = more;
    memcpy(text + *length, packet + sizeof head, body);
    *length += body;
  }
  free(packet);
  if (!head.more)
    return text;
  free(text);
  return NULL;
}

json_t *siox__daemon_ask_about(int fd, const json_t *ask, struct siox_diag *diag) {
  size_t length = 0;
  char *asked = json_dumps(ask, JSON_COMPACT);
  errno = 0;
  char *text = asked && send_ask(fd, asked) == 0 ? receive(fd, &length) : NULL;
  free(asked);
  if (!text) {
    snprintf(diag->text, sizeof diag->text,
             errno == EAGAIN || errno == EWOULDBLOCK ? "the daemon does not answer"
                                                     : "the daemon is gone");
    return NULL;
  }
  json_error_t error;
  json_t *answer = json_loadb(text, length, 0, &error);
  free(text);
  const char *refusal = json_string_value(json_object_get(answer, "error"));
  if (answer && !refusal)
    return answer;
  snprintf(diag->text, sizeof diag->text, "the daemon's answer to \"%s\": %s",
           json_string_value(json_object_get(ask, "ask")), refusal ? refusal : error.text);
  json_decref(answer);
  return NULL;
}

json_t *siox__daemon_ask(int fd, const char *what, struct siox_diag *diag) {
  json_t *ask = json_pack("{s:s}", "ask", what);
  json_t *answer = siox__daemon_ask_about(fd, ask, diag);
  json_decref(ask);
  return answer;
}

/* sioxd beside this program, so that a build tree and an installation each use their own; else on
 * PATH. */
static void find_sioxd(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 8);
  char *slash = length > 0 ? (path[length] = 0, strrchr(path, '/')) : NULL;
  if (slash)
    strcpy(slash + 1, "sioxd");
  if (!slash || access(path, X_OK) < 0)
    snprintf(path, size, "sioxd");
}

int siox__daemon_ensure(const char *config, const struct siox_config_override *set, size_t nset,
                        struct siox_diag *diag) {
  char path[PATH_MAX + 8];
  const char **argv = calloc(2 * nset + 6, sizeof *argv);
  if (!argv)
    return SIOX_ENOMEM;
  find_sioxd(path, sizeof path);
  size_t n = 0;
  argv[n++] = path;
  argv[n++] = "--daemonize";
  argv[n++] = "--quiet";
  if (config) {
    argv[n++] = "--config";
    argv[n++] = config;
  }
  for (size_t i = 0; i < nset; i++) {
    argv[n++] = "--set";
    argv[n++] = set[i].text;
  }
  pid_t pid;
  int r = posix_spawnp(&pid, path, NULL, NULL, (char **)argv, environ);
  free(argv);
  if (r) {
    snprintf(diag->text, sizeof diag->text, "%s: %s", path, strerror(r));
    return SIOX_EGONE;
  }
  int status = -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return 0;
  snprintf(diag->text, sizeof diag->text, "sioxd could not be started");
  return SIOX_EGONE;
}
