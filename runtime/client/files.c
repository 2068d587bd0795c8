/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptor -> file. Looking up takes no lock; opening and closing do. Memory comes from mmap, not
 * malloc: open is allowed in a signal handler, and one may have interrupted malloc. */
#include "client/held.h"
#include "client/real.h"
#include "client/tally.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define SLAB 64

_Atomic(struct siox__file *) siox__fd_file[SIOX_MAX_FD];
static struct siox__file *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct siox__file *grow(void) {
  struct siox__file *slab = siox__real()->mmap(NULL, SLAB * sizeof *slab, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slab == MAP_FAILED)
    return NULL;
  for (int i = 0; i < SLAB; i++) {
    slab[i].next = all;
    all = &slab[i];
  }
  return all;
}

/* The entry of (dev, ino), or an unused one made so; with one more reference. What is held still is
 * about to be let go by another thread. */
static struct siox__file *get(dev_t dev, ino_t ino, bool own) {
  struct siox__file *unused = NULL;
  pthread_mutex_lock(&lock);
  struct siox__file *f = all;
  for (; f; f = f->next) {
    if (atomic_load(&f->references)) {
      if (f->dev == dev && f->ino == ino && f->own == own)
        break;
    } else if (!atomic_load(&f->held)) {
      unused = f;
    }
  }
  if (!f && (f = unused ? unused : grow())) {
    f->dev = dev;
    f->ino = ino;
    f->own = own;
    f->id = 0;
    f->layout[0] = 0;
  }
  if (f)
    atomic_fetch_add(&f->references, 1);
  pthread_mutex_unlock(&lock);
  return f;
}

void siox__file_hold(struct siox__file *file) { atomic_fetch_add(&file->references, 1); }
void siox__file_release(struct siox__file *file) {
  if (file)
    atomic_fetch_sub(&file->references, 1);
}

/* A descriptor means another file, or NULL. inside: the guard is the caller's. Where it is not to
 * be had, a handler has interrupted us, and what the descriptor held before lapses instead. */
static void set(int fd, struct siox__file *file, bool inside) {
  struct siox__file *old = atomic_exchange(&siox__fd_file[fd], file);
  siox__file_release(old);
  if (!old || !atomic_load(&old->held) || atomic_load(&old->references))
    return;
  const int saved = errno;
  if (inside) {
    siox__held_end(old);
  } else if (siox__enter()) {
    siox__held_end(old);
    siox__exit();
  }
  errno = saved;
}

static void closed(int fd, bool inside) {
  siox__posix_forget(fd);
  if ((unsigned)fd < SIOX_MAX_FD &&
      atomic_load_explicit(&siox__fd_file[fd], memory_order_relaxed) && !siox__borrowed())
    set(fd, NULL, inside);
}

void siox__file_closed(int fd) { closed(fd, false); }
void siox__file_gone(int fd) { closed(fd, true); }

void siox__file_dup(int from, int to) {
  if (from != to)
    siox__posix_forget(to);
  if ((unsigned)to >= SIOX_MAX_FD || from == to)
    return;
  struct siox__file *file = (unsigned)from < SIOX_MAX_FD ? atomic_load(&siox__fd_file[from]) : NULL;
  if ((!file && !atomic_load_explicit(&siox__fd_file[to], memory_order_relaxed)) ||
      siox__borrowed())
    return;
  if (file)
    siox__file_hold(file);
  set(to, file, false);
}

/* Path below the mount, or NULL. */
static const char *below_mount(const char *path, size_t length) {
  size_t mount = siox__client.mount_length;
  return length > mount && !memcmp(path, siox__client.welcome.mount, mount) && path[mount] == '/'
             ? path
             : NULL;
}

/* What an open needs room for; not on the stack, which is a few KiB where a handler has one of its
 * own. */
struct opening {
  char path[SIOX_PATH_MAX];
  struct {
    struct siox_msg_opened fixed;
    char text[SIOX_WIRE_MAX - sizeof(struct siox_msg_head) - sizeof(struct siox_msg_opened)];
  } reply;
};

static struct siox__file *announce(const struct stat *st, struct opening *o, size_t length,
                                   bool created, bool own) {
  const char *layout = siox__self.layout ? siox__self.layout : "";
  struct siox_msg_open open = {.time = siox__now_ns(),
                               .dev = st->st_dev,
                               .ino = st->st_ino,
                               .size = (uint64_t)st->st_size,
                               .created = created,
                               .path_length = (uint32_t)length,
                               .layout_length = (uint32_t)strlen(layout)};
  uint32_t connection = atomic_load(&siox__client.connection);
  int got = siox__request(SIOX_MSG_OPEN, &open, sizeof open, o->path, length, layout,
                          open.layout_length, SIOX_MSG_OPENED, &o->reply, sizeof o->reply);
  if (got < (int)sizeof o->reply.fixed ||
      o->reply.fixed.layout_length > (size_t)got - sizeof o->reply.fixed || !o->reply.fixed.file)
    return NULL;
  struct siox__file *file = get(st->st_dev, st->st_ino, own);
  if (file) {
    pthread_mutex_lock(&lock);
    if (connection == atomic_load(&siox__client.connection))
      file->id = o->reply.fixed.file;
    size_t n = o->reply.fixed.layout_length;
    if (n >= sizeof file->layout)
      n = 0;
    o->reply.text[n] = 0;
    /* Others may be reading it, and what is held goes by it. */
    if (!atomic_load(&file->held) && strcmp(file->layout, o->reply.text) != 0)
      memcpy(file->layout, o->reply.text, n + 1);
    pthread_mutex_unlock(&lock);
  }
  return file;
}

static struct siox__file *look_with(int fd, bool created, bool own, bool ready,
                                    const struct stat *st, const char *link, struct opening *o) {
  ssize_t length = readlink(link, o->path, sizeof o->path - 1);
  if (length <= 0)
    return NULL;
  o->path[length] = 0;
  if (!below_mount(o->path, (size_t)length))
    return NULL;
  if (fd >= SIOX_MAX_FD) {
    siox__record_missing(SIOX_MISSING_FILES);
    return NULL;
  }
  struct siox__file *file = ready ? announce(st, o, (size_t)length, created, own) : NULL;
  return file || siox__connected() ? file : get(st->st_dev, st->st_ino, own);
}

/* The file behind a descriptor if it is one to charge, with one more reference; told to the daemon
 * unless that is away. */
static struct siox__file *look(int fd, bool created, bool own) {
  struct stat st;
  char link[64], start[256];
  bool ready = siox__client_ready();
  if (!siox__welcomed() || !siox__client.mount_length)
    return NULL;
  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
    return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  /* Most files are not below the mount, and their first characters say so. */
  ssize_t length = readlink(link, start, sizeof start);
  if (length <= 0 ||
      (siox__client.mount_length < sizeof start && !below_mount(start, (size_t)length)))
    return NULL;
  struct opening *o = siox__real()->mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (o == MAP_FAILED)
    return NULL;
  struct siox__file *file = look_with(fd, created, own, ready, &st, link, o);
  munmap(o, sizeof *o);
  return file;
}

/* Bytes in which a descriptor can be used as the file is now. */
static int64_t reach_of(int fd) {
  struct stat st;
  const int mode = (int)syscall(SYS_fcntl, fd, F_GETFL);
  return mode < 0 || (mode & O_ACCMODE) != O_RDONLY || fstat(fd, &st) < 0 ? SIOX__WHOLE
                                                                          : st.st_size;
}

struct siox__file *siox__file_opened(int fd, bool created) {
  siox__file_gone(fd); /* whatever was known of this number is over */
  struct siox__file *file = look(fd, created, !siox__self.io_running);
  if (!file)
    return NULL;
  set(fd, file, true);
  siox__self.opened = file;
  if (file->own)
    siox__held_opened(file, reach_of(fd));
  return file;
}

struct siox__file *siox__file_live(struct siox__file *file, int fd) {
  if (!siox__client_ready())
    return NULL;
  if (file->id)
    return file;
  struct siox__file *now = look(fd, false, file->own);
  if (now == file)
    siox__file_release(now); /* the descriptor has its reference already */
  else
    set(fd, now, true);
  return now && now->id ? now : NULL;
}

void siox__files_forget(void) {
  pthread_mutex_lock(&lock);
  for (struct siox__file *f = all; f; f = f->next)
    f->id = 0;
  pthread_mutex_unlock(&lock);
}

void siox__files_reset(void) {
  /* The child's daemon connection will be a new one with numbers of its own. */
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  siox__client.pid = getpid();
  for (struct siox__file *f = all; f; f = f->next) {
    f->id = 0;
    f->told = f->reach = f->held = f->last = 0;
  }
}
