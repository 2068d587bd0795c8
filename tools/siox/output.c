/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See output.h. */
#include "output.h"
#include "siox/error.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is being written, so that a signal that ends the program leaves nothing of it. */
enum { AT_ONCE = 4 };
static char *volatile under_way[AT_ONCE];
static const int ENDS[] = {SIGINT, SIGTERM, SIGHUP};

static void give_up(int number) {
  for (int i = 0; i < AT_ONCE; i++)
    if (under_way[i])
      unlink(under_way[i]);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch(char *part) {
  struct sigaction before, ours = {.sa_handler = give_up};
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
    if (sigaction(ENDS[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ENDS[i], &ours, NULL);
  for (int i = 0; i < AT_ONCE; i++)
    if (!under_way[i]) {
      under_way[i] = part;
      return;
    }
}

static void unwatch(const char *part) {
  for (int i = 0; i < AT_ONCE; i++)
    if (part && under_way[i] == part)
      under_way[i] = NULL;
}

/* A name that nobody else has, not another node's process either. */
static FILE *open_part(struct siox__output *o, mode_t mode) {
  if (asprintf(&o->part, "%s.XXXXXX", o->path) < 0) {
    o->part = NULL;
    errno = ENOMEM;
    return NULL;
  }
  sigset_t ends, before; /* none comes between the file and the word that it is there */
  sigemptyset(&ends);
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
    sigaddset(&ends, ENDS[i]);
  sigprocmask(SIG_BLOCK, &ends, &before);
  int fd = mkostemp(o->part, O_CLOEXEC);
  if (fd >= 0)
    watch(o->part);
  sigprocmask(SIG_SETMASK, &before, NULL);
  FILE *file = fd < 0 || fchmod(fd, mode) < 0 ? NULL : fdopen(fd, "w");
  if (!file && fd >= 0) {
    int why = errno;
    unlink(o->part);
    unwatch(o->part);
    close(fd);
    errno = why;
  }
  return file;
}

/* What /dev/stdout and its like lead to belongs to whoever made it. */
static bool in_place(const char *path, const struct stat *st) {
  return !S_ISREG(st->st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

int siox__output_open(struct siox__output *o, const char *path) {
  struct stat st;
  bool there = stat(path, &st) == 0;
  *o = (struct siox__output){0};
  if (there && access(path, W_OK) < 0)
    return -1;                                   /* what may not be written may not be replaced */
  o->path = there ? realpath(path, NULL) : NULL; /* a link stays one */
  if (!o->path && !(o->path = strdup(path)))
    return -1;
  if (!there || !in_place(path, &st)) {
    mode_t mask = umask(0);
    umask(mask);
    o->file = open_part(o, there ? st.st_mode & 0777 : 0666 & ~mask);
    if (!o->file) {
      free(o->part);
      o->part = NULL;
    }
    if (!o->file && !(there && (errno == EACCES || errno == EROFS || errno == EPERM))) {
      free(o->path);
      o->path = NULL;
      return -1;
    }
  }
  if (!o->file && !(o->file = fopen(path, "we"))) {
    free(o->path);
    o->path = NULL;
    return -1;
  }
  return 0;
}

const char *siox__output_place(const struct siox__output *o) { return o->part ? o->part : o->path; }

int siox__output_close(struct siox__output *o, bool good) {
  errno = 0;
  bool lost = ferror(o->file) != 0;
  lost |= fflush(o->file) != 0;
  lost |= o->part && fsync(fileno(o->file)) != 0;
  lost |= fclose(o->file) != 0;
  int rc = good && !lost && (!o->part || rename(o->part, o->path) == 0) ? 0 : -1, why = errno;
  if (rc && o->part)
    unlink(o->part);
  unwatch(o->part);
  free(o->part);
  free(o->path);
  *o = (struct siox__output){0};
  errno = why ? why : EIO; /* a stream keeps no reason of earlier writes */
  return rc;
}

int siox__output_write(const char *command, const char *path,
                       int (*write)(void *context, FILE *out), void *context) {
  struct siox__output o;
  int rc = 0, failed = siox__output_open(&o, path);
  if (!failed) {
    rc = write(context, o.file);
    failed = siox__output_close(&o, rc == 0 || rc == SIOX_EIO); /* then the stream knows, too */
  }
  if (!failed && rc == 0)
    return 0;
  fprintf(stderr, "%s: %s: cannot be written: %s\n", command, path,
          rc && rc != SIOX_EIO ? siox_strerror(rc) : strerror(errno));
  return 1;
}

int siox__output_write_in(const char *command, const char *directory, const char *name,
                          int (*write)(void *context, FILE *out), void *context) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", directory, name) < 0) {
    fprintf(stderr, "%s: %s: %s\n", command, directory, siox_strerror(SIOX_ENOMEM));
    return 1;
  }
  int status = siox__output_write(command, path, write, context);
  free(path);
  return status;
}

bool siox__output_possible(const char *command, const char *path) {
  struct stat st;
  char *copy = strdup(path);
  const char *directory = copy ? dirname(copy) : path;
  errno = 0;
  bool there = *path && stat(path, &st) == 0;
  bool good = there ? access(path, W_OK) == 0
                    : *path && errno == ENOENT && access(directory, W_OK | X_OK) == 0;
  if (there && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    good = false;
  }
  if (!good)
    fprintf(stderr, "%s: %s: cannot be written: %s\n", command, path,
            strerror(errno ? errno : ENOENT));
  free(copy);
  return good;
}

int siox__output_directory(const char *command, const char *path) {
  struct stat st;
  bool made = mkdir(path, 0777) == 0, there = made || errno == EEXIST;
  if (there && stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
    there = false;
    errno = ENOTDIR;
  }
  if (there && (made || access(path, W_OK | X_OK) == 0))
    return 0;
  fprintf(stderr, "%s: %s: cannot be %s: %s\n", command, path, there ? "written" : "made",
          strerror(errno));
  return 1;
}

const char *siox__seen_from(const char *file, const char *path) {
  const char *end = strrchr(file, '/');
  size_t n = end ? (size_t)(end - file) + 1 : 0;
  return strncmp(path, file, n) == 0 ? path + n : path;
}

bool siox__same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}
