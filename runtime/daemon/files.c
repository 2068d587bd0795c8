/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which layout a file has. In this order: what is stored with the file (extended attribute
 * user.siox.layout; by device and inode where the file system has none); what this open asked for,
 * which is then stored; layouts.yaml; the default. Daemon only: clients take the answer. */
#include "common/paths.h"
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CHAINS = 1 << 16, FILES_MAX = 1 << 20, IDLE_MOST = 4096 };
#define ATTRIBUTE "user.siox.layout"

static size_t chain_of(uint64_t dev, uint64_t ino) {
  return ((ino ^ dev << 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
}

static struct siox__file *find(const struct siox__files *files, uint64_t dev, uint64_t ino) {
  struct siox__file *f = files->chain[chain_of(dev, ino)];
  while (f && (f->dev != dev || f->ino != ino))
    f = f->next;
  return f; /* the newest of several: it stands first */
}

const struct siox__file *siox__files_known(const struct siox__daemon *d, uint64_t dev,
                                           uint64_t ino) {
  return find(&d->files, dev, ino);
}

static void take_out(struct siox__file **chain, const struct siox__file *f, bool by_id) {
  while (*chain != f)
    chain = by_id ? &(*chain)->like : &(*chain)->next;
  *chain = by_id ? f->like : f->next;
}

static void free_file(struct siox__file *f) {
  siox_layout_free(&f->layout);
  free(f->path);
  free(f->layout_text);
  free(f);
}

static void leave_idle(struct siox__files *files, struct siox__file *f) {
  if (files->oldest != f && !f->older)
    return; /* it is not among them */
  *(f->older ? &f->older->newer : &files->oldest) = f->newer;
  *(f->newer ? &f->newer->older : &files->newest) = f->older;
  f->older = f->newer = NULL;
  files->idle--;
}

static void forget_oldest(struct siox__daemon *d) {
  struct siox__files *files = &d->files;
  struct siox__file *f = files->oldest;
  leave_idle(files, f);
  take_out(&files->chain[chain_of(f->dev, f->ino)], f, false);
  take_out(&files->by_id[f->id % CHAINS], f, true);
  files->stored -= f->stored;
  files->count--;
  d->count.forgotten_files++;
  free_file(f);
}

/* What is stored with the inode number alone is nowhere else to be read, unless there are very many
 * of these. */
static void become_idle(struct siox__daemon *d, struct siox__file *f) {
  struct siox__files *files = &d->files;
  if (f->stored && files->stored <= FILES_MAX / 2)
    return;
  f->older = files->newest;
  *(f->older ? &f->older->newer : &files->oldest) = f;
  files->newest = f;
  if (++files->idle > IDLE_MOST)
    forget_oldest(d);
}

/* How many files in use lie on how many disks, and the greatest such number, for the reasoners. */
static void in_use(struct siox__daemon *d, const struct siox__file *f, int change) {
  struct siox__files *files = &d->files;
  const uint32_t disks = f->layout.factor * (f->layout.array.members ? f->layout.array.members : 1);
  files->on_disks[disks] += (uint32_t)change;
  if (disks > files->most_disks)
    files->most_disks = disks;
  while (files->most_disks > 0 && files->on_disks[files->most_disks] == 0)
    files->most_disks--;
}

static int add(struct siox__daemon *d, const struct siox__file *like, struct siox__file **out) {
  struct siox__files *files = &d->files;
  if (files->count == FILES_MAX && files->oldest)
    forget_oldest(d);
  if (files->count == FILES_MAX)
    return SIOX_EFULL;
  struct siox__file *f = malloc(sizeof *f);
  if (!f)
    return SIOX_ENOMEM;
  *f = *like;
  f->path = strdup(like->path);
  f->layout_text = strdup(like->layout_text);
  f->layout = (struct siox_layout){0};
  if (!f->path || !f->layout_text || siox_layout_copy(&f->layout, &like->layout) < 0) {
    free(f->path);
    free(f->layout_text);
    free(f);
    return SIOX_ENOMEM;
  }
  struct siox__file **chain = &files->chain[chain_of(f->dev, f->ino)];
  f->next = *chain;
  *chain = f;
  f->id = ++files->next_id;
  f->like = files->by_id[f->id % CHAINS];
  files->by_id[f->id % CHAINS] = f;
  files->count++;
  files->stored += f->stored;
  *out = f;
  return 0;
}

struct siox__file *siox__files_get(struct siox__daemon *d, uint64_t id) {
  struct siox__file *f = d->files.by_id[id % CHAINS];
  while (f && f->id != id)
    f = f->like;
  return f;
}

int siox__files_keep(struct siox__session *s, struct siox__file *f) {
  struct siox__daemon *d = s->d;
  uint32_t low = 0, high = s->nfiles;
  if (high && s->file[high - 1]->id < f->id)
    low = high; /* as it mostly is */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->file[middle]->id < f->id)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < s->nfiles && s->file[low] == f)
    return 0;
  struct siox__user *user = siox__user_of(d, s->uid);
  if (!user || !siox__user_may(d, s->uid, user->files, d->files.kept, FILES_MAX))
    return SIOX_EFULL;
  if (s->nfiles == s->file_room) {
    uint32_t room = s->file_room ? 2 * s->file_room : 16;
    struct siox__file **more = realloc(s->file, room * sizeof(struct siox__file *));
    if (!more)
      return SIOX_ENOMEM;
    s->file = more;
    s->file_room = room;
  }
  memmove(&s->file[low + 1], &s->file[low], (s->nfiles - low) * sizeof(struct siox__file *));
  s->file[low] = f;
  s->nfiles++;
  user->files++;
  d->files.kept++;
  d->files.users += s->nfiles == 1;
  if (f->refs++ == 0) {
    leave_idle(&d->files, f);
    in_use(d, f, 1);
  }
  siox__monitor_files(d->monitor, d->files.users, d->files.most_disks);
  return 0;
}

void siox__files_release(struct siox__session *s) {
  struct siox__daemon *d = s->d;
  struct siox__user *user = siox__user_of(d, s->uid);
  for (uint32_t i = 0; i < s->nfiles; i++)
    if (--s->file[i]->refs == 0) {
      in_use(d, s->file[i], -1);
      become_idle(d, s->file[i]);
    }
  d->files.kept -= s->nfiles;
  d->files.users -= s->nfiles > 0;
  siox__monitor_files(d->monitor, d->files.users, d->files.most_disks);
  if (user)
    user->files -= s->nfiles;
  free(s->file);
  s->file = NULL;
  s->nfiles = s->file_room = 0;
}

static void remember(void *context, uint64_t dev, uint64_t ino, const char *path,
                     const char *text) {
  struct siox__daemon *d = context;
  struct siox__file *file, like = {.dev = dev,
                                   .ino = ino,
                                   .path = (char *)path,
                                   .layout_text = (char *)text,
                                   .stored = true};
  if (siox_layout_parse(&like.layout, d->drives.ndisks, text) < 0)
    return; /* of a time with other disks */
  add(d, &like, &file);
  siox_layout_free(&like.layout);
}

/* The mount as the kernel names files in it: clients send those names. */
static int find_mount(struct siox__daemon *d, struct siox_diag *diag) {
  const char *given = d->config->mount;
  if (!given || !*given)
    return 0;
  struct stat st;
  char *real = realpath(given, NULL);
  int why = !real || stat(real, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
  if (why) {
    free(real);
    return siox_config_refuse(d->config, SIOX_SETTING_mount, diag, SIOX_ENOENT, "%s: %s%s", given,
                              strerror(why),
                              why == ENOENT ? "; make the directory, or set another" : "");
  }
  /* By the name that programs will use: by another one, a link's, their files would be seen. */
  const char *system = siox__system_path(given);
  if (system) {
    free(real);
    return siox_config_refuse(
        d->config, SIOX_SETTING_mount, diag, SIOX_EINVAL,
        "%s: files below %s are the system's and never emulated; name another directory (for "
        "files in memory: mount -t tmpfs tmpfs DIRECTORY)",
        given, system);
  }
  d->files.mount = real;
  return 0;
}

int siox__files_create(struct siox__daemon *d, struct siox_diag *diag) {
  int r = find_mount(d, diag);
  if (r < 0)
    return r;
  d->files.chain = calloc(CHAINS, sizeof(struct siox__file *));
  d->files.by_id = calloc(CHAINS, sizeof(struct siox__file *));
  d->files.on_disks = calloc(d->drives.ndisks + 1, sizeof *d->files.on_disks);
  if (!d->files.chain || !d->files.by_id || !d->files.on_disks)
    return SIOX_ENOMEM;
  siox__store_layouts(d->store, remember, d);
  if (!d->config->layouts)
    return 0;
  struct siox_diag why = {""};
  r = siox_layouts_load(&d->files.layouts, d->config->layouts, d->drives.ndisks, &why);
  if (r == SIOX_ENOENT) /* of what is wrong inside the file says the place */
    return siox_config_refuse(d->config, SIOX_SETTING_layouts, diag, r, "%s", why.text);
  *diag = why;
  return r;
}

void siox__files_destroy(struct siox__daemon *d) {
  for (uint32_t i = 0; d->files.by_id && i < CHAINS; i++)
    for (struct siox__file *f = d->files.by_id[i], *next; f; f = next) {
      next = f->like;
      free_file(f);
    }
  free(d->files.by_id);
  free(d->files.on_disks);
  free(d->files.mount);
  free(d->files.chain);
  siox_layouts_free(&d->files.layouts);
}

/* Where the file's attribute can be reached: only if the path still leads to the very file that the
 * client has open. */
static bool reach(const char *path, const struct siox_msg_open *open_, char *proc, size_t size,
                  int *fd, uid_t *owner) {
  struct stat st;
  *fd = open(path, O_PATH | O_CLOEXEC);
  if (*fd < 0)
    return false;
  if (fstat(*fd, &st) < 0 || st.st_dev != open_->dev || st.st_ino != open_->ino ||
      !S_ISREG(st.st_mode))
    return false;
  snprintf(proc, size, "/proc/self/fd/%d", *fd);
  *owner = st.st_uid;
  return true;
}

/* array: what nodes are that the text does not say it of. Fills layout from one source; false when
 * it has nothing usable. */
static bool take(struct siox__daemon *d, const struct siox_array *array, const char *text,
                 const char *path, const char *source, struct siox_layout *layout) {
  if (!*text)
    return false;
  int r = siox_layout_parse_over(layout, d->drives.ndisks, array, text);
  if (r < 0)
    siox__complain(d, "%s: layout \"%s\" %s is ignored: %s", path, text, source, siox_strerror(r));
  return r == 0;
}

static int decide(struct siox__session *s, const struct siox_msg_open *asked, const char *path,
                  const char *asked_text, struct siox__file *like) {
  struct siox__daemon *d = s->d;
  const struct siox__file *known = find(&d->files, asked->dev, asked->ino);
  static const struct siox_array disks;
  char proc[64], text[4096];
  int fd;
  uid_t owner = (uid_t)-1;
  bool reached = reach(path, asked, proc, sizeof proc, &fd, &owner);
  ssize_t got = reached ? getxattr(proc, ATTRIBUTE, text, sizeof text - 1) : -1;
  text[got > 0 ? got : 0] = 0;
  bool decided = take(d, &disks, text, path, "stored with the file", &like->layout);
  /* By inode only for the same file: one made anew under another name has nothing but the number in
   * common. */
  if (!decided && known && known->stored && !(asked->created && strcmp(known->path, path)))
    decided = like->stored =
        take(d, &disks, known->layout_text, path, "known by inode", &like->layout);
  if (!decided &&
      take(d, &d->config->default_layout.array, asked_text, path, "asked for", &like->layout)) {
    decided = true;
    bool allowed = s->uid == 0 || s->uid == owner;
    siox_layout_format(&like->layout, text, sizeof text);
    if (!reached || !allowed || setxattr(proc, ATTRIBUTE, text, strlen(text), 0) < 0) {
      like->stored = true;
      siox__store_put(
          d->store, &(struct siox__store_row){.kind = SIOX__ROW_LAYOUT,
                                              .number = {(int64_t)asked->dev, (int64_t)asked->ino},
                                              .text = {path, text}});
    }
  }
  if (fd >= 0)
    close(fd);
  if (decided)
    return 0;
  const struct siox_layout *named = siox_layouts_find(&d->files.layouts, path);
  return siox_layout_copy(&like->layout, named ? named : &d->config->default_layout);
}

static bool leads_up(const char *path) {
  for (const char *at = path; (at = strstr(at, "/.."));)
    if (at[3] == '/' || !at[3])
      return true;
    else
      at += 3;
  return false;
}

int siox__files_open(struct siox__session *s, const struct siox__message *m,
                     struct siox__file **file) {
  struct siox__daemon *d = s->d;
  const struct siox_msg_open *asked = m->u.open.head;
  const char *mount = d->files.mount ? d->files.mount : "";
  size_t mount_length = strlen(mount);
  if (!mount_length || asked->path_length <= mount_length ||
      memcmp(m->u.open.path, mount, mount_length) || m->u.open.path[mount_length] != '/')
    return SIOX_EUNKNOWN;
  char *path = strndup(m->u.open.path, asked->path_length);
  if (path && leads_up(path)) { /* the kernel's names of files below the mount never do */
    free(path);
    return SIOX_EUNKNOWN;
  }
  char *asked_text = strndup(m->u.open.layout, asked->layout_length);
  char text[4096];
  struct siox__file like = {
      .dev = asked->dev, .ino = asked->ino, .path = path, .layout_text = text};
  int r = path && asked_text ? decide(s, asked, path, asked_text, &like) : SIOX_ENOMEM;
  if (r == 0 && (r = siox_layout_format(&like.layout, text, sizeof text)) >= 0)
    r = r < (int)sizeof text ? 0 : SIOX_EFULL;
  if (r == 0) {
    *file = find(&d->files, asked->dev, asked->ino);
    if (!*file || strcmp((*file)->layout_text, text) ||
        (asked->created && strcmp((*file)->path, path)))
      r = add(d, &like, file);
    bool made = r == 0 && !(*file)->refs && !(*file)->older && d->files.oldest != *file;
    if (r == 0 && (r = siox__files_keep(s, *file)) < 0 && made)
      become_idle(d, *file);
  }
  if (r == 0 && !(*file)->defined) {
    struct siox_trace_event event = {.kind = SIOX_TRACE_FILE};
    event.u.file.file = (*file)->id;
    event.u.file.path = (*file)->path;
    event.u.file.layout = (*file)->layout_text;
    siox__record_event(d, &event);
    (*file)->defined = true;
  }
  siox_layout_free(&like.layout);
  free(path);
  free(asked_text);
  return r;
}
