/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading below a root. */
#include "monitor/input.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 16 << 20 };

int siox__input_error(int number) {
  switch (number) {
  case ENOENT:
  case ENOTDIR:
  case ENODEV:
  case ENXIO:
  case ESRCH:
    return SIOX_ENOENT;
  case EACCES:
  case EPERM:
    return SIOX_EPERM;
  case ENOMEM:
    return SIOX_ENOMEM;
  default:
    return SIOX_EIO;
  }
}

int siox__input_at(struct siox__input *in, const char *root, const char *path) {
  in->fd = -1;
  in->own = !*root;
  const int n = snprintf(in->path, sizeof in->path, "%s%s", root, path);
  return n < 0 || (size_t)n >= sizeof in->path ? SIOX_ERANGE : 0;
}

void siox__input_close(struct siox__input *in) {
  if (in->fd >= 0)
    close(in->fd);
  in->fd = -1;
}

/* The file behind the descriptor is no longer in any directory: another one may have its name. Of a
 * device that went away /sys and /proc read no more, so there it need not be asked each time. */
static bool is_replaced(int fd) {
  struct stat s;
  return fstat(fd, &s) != 0 || s.st_nlink == 0;
}

/* /proc and /sys make the text anew for each read, the one that finds its end, too. They give less
 * than was asked for at the end, and where a line has no room in their page any more: what is much
 * shorter than a page is all. */
enum { SHORT = 2048 };

static ssize_t read_at_start(int fd, char *text, size_t size) {
  size_t got = 0;
  while (got < size) {
    const ssize_t n = pread(fd, text + got, size - got, (off_t)got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    const bool all = got == 0 && (size_t)n < size && n < SHORT;
    got += (size_t)n;
    if (all)
      break;
  }
  return (ssize_t)got;
}

int siox__input_again(struct siox__input *in, char *text, size_t size) {
  text[0] = 0;
  if (in->fd >= 0 && !in->own && is_replaced(in->fd))
    siox__input_close(in);
  const bool kept = in->fd >= 0;
  if (in->fd < 0)
    in->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (in->fd < 0)
    return siox__input_error(errno);
  const ssize_t n = read_at_start(in->fd, text, size);
  if (n < 0) {
    const int e = siox__input_error(errno);
    siox__input_close(in);
    return e == SIOX_ENOENT && kept && in->own ? siox__input_again(in, text, size) : e;
  }
  const bool cut = (size_t)n == size;
  size_t length = cut ? size - 1 : (size_t)n;
  while (length > 0 && isspace((unsigned char)text[length - 1]))
    length--;
  text[length] = 0;
  return cut ? SIOX_ERANGE : (int)length;
}

int siox__input_text(const char *root, const char *path, char *text, size_t size) {
  struct siox__input in;
  text[0] = 0;
  const int e = siox__input_at(&in, root, path);
  if (e < 0)
    return e;
  const int n = siox__input_again(&in, text, size);
  siox__input_close(&in);
  return n;
}

int siox__input_all(const char *root, const char *path, char **text, size_t *length) {
  struct siox__input in;
  int e = siox__input_at(&in, root, path);
  *text = NULL;
  if (e < 0)
    return e;
  for (size_t size = 16384; e == 0; size *= 4) {
    char *more = size > LARGEST ? NULL : realloc(*text, size);
    e = more ? 0 : size > LARGEST ? SIOX_ERANGE : SIOX_ENOMEM;
    if (e < 0)
      break;
    *text = more;
    const int n = siox__input_again(&in, *text, size);
    if (n >= 0) {
      *length = (size_t)n;
      break;
    }
    if (n != SIOX_ERANGE)
      e = n;
  }
  siox__input_close(&in);
  if (e < 0) {
    free(*text);
    *text = NULL;
  }
  return e;
}

bool siox__input_number(const char **at, uint64_t *value) {
  const char *p = *at;
  uint64_t v = 0;
  if (!isdigit((unsigned char)*p))
    return false;
  for (; isdigit((unsigned char)*p); p++)
    if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
        __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
      return false;
  *at = p;
  *value = v;
  return true;
}

/* All of the text, which has no NUL in it, is one number. */
static int whole_number(const char *text, int length, uint64_t *value) {
  const char *at = text;
  return siox__input_number(&at, value) && at == text + length ? 0 : SIOX_ESYNTAX;
}

int siox__input_u64(const char *root, const char *path, uint64_t *value) {
  char text[32];
  const int n = siox__input_text(root, path, text, sizeof text);
  return n < 0 ? n : whole_number(text, n, value);
}

int siox__input_again_u64(struct siox__input *in, uint64_t *value) {
  char text[32];
  const int n = siox__input_again(in, text, sizeof text);
  return n < 0 ? n : whole_number(text, n, value);
}

static int by_number_and_letter(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

int siox__input_names(const char *root, const char *path, char ***names, size_t *n) {
  struct siox__input in;
  *names = NULL;
  *n = 0;
  const int e = siox__input_at(&in, root, path);
  if (e < 0)
    return e;
  DIR *d = opendir(in.path);
  if (!d)
    return siox__input_error(errno);
  size_t room = 0;
  int result = 0;
  for (const struct dirent *entry; result == 0 && (entry = readdir(d));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (*n == room) {
      room = room ? 2 * room : 16;
      char **more = realloc(*names, room * sizeof *more);
      if (!more) {
        result = SIOX_ENOMEM;
        break;
      }
      *names = more;
    }
    if (!((*names)[*n] = strdup(entry->d_name)))
      result = SIOX_ENOMEM;
    else
      ++*n;
  }
  closedir(d);
  if (result < 0) {
    siox__input_names_free(*names, *n);
    *names = NULL;
    *n = 0;
    return result;
  }
  if (*n > 0)
    qsort(*names, *n, sizeof **names, by_number_and_letter);
  return 0;
}

void siox__input_names_free(char **names, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(names[i]);
  free(names);
}

void siox__probe_file(const struct siox_provider_env *env, const char *path,
                      struct siox_probe *probe) {
  char text[64];
  *probe = (struct siox_probe){0};
  const int e = siox__input_text(env->root, path, text, sizeof text);
  probe->error = e == SIOX_ERANGE || e > 0 ? 0 : e; /* longer than what was asked for is fine */
  if (probe->error < 0)
    snprintf(probe->why, sizeof probe->why, "%s%s: %s", env->root, path,
             siox_strerror(probe->error));
}

int siox__beside(const char *origin, const char *path, char *out, size_t size) {
  char *real = path[0] != '/' && origin ? realpath(origin, NULL) : NULL;
  const char *from = real ? real : "", *slash = strrchr(from, '/');
  const int n = snprintf(out, size, "%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, path);
  free(real);
  return n < 0 || (size_t)n >= size ? SIOX_ERANGE : 0;
}

const char *siox__setting(const struct siox_provider_env *env, const char *key) {
  for (size_t i = env->nsettings; i-- > 0;)
    if (strcmp(env->settings[i].key, key) == 0)
      return env->settings[i].value;
  return NULL;
}

int siox__settings_known(const struct siox_provider_env *env, const char *provider,
                         const char *const *known, struct siox_diag *diag) {
  for (size_t i = 0; i < env->nsettings; i++) {
    const struct siox_option *s = &env->settings[i];
    bool found = false;
    for (const char *const *k = known; *k && !found; k++)
      found = strcmp(*k, s->key) == 0;
    if (found)
      continue;
    snprintf(diag->text, sizeof diag->text, "%s:%u: %s: provider %s has no such setting%s%s",
             env->origin ? env->origin : "settings", s->line, s->key, provider,
             known[0] ? "; it has " : "", known[0] ? known[0] : "");
    return SIOX_EINVAL;
  }
  return 0;
}
