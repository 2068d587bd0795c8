/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which layout a file has. In this order: what is stored with the file (extended attribute
 * user.siox.layout; by device and inode where the file system has none); what this open asked for,
 * which is then stored; layouts.yaml; the default. Daemon only: clients take the answer. */
#include "daemon/daemon.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CHAINS = 4096, FILES_MAX = 1 << 20 };
#define ATTRIBUTE "user.siox.layout"

static size_t chain_of(uint64_t dev, uint64_t ino) {
  return ((ino ^ dev << 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 52;
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

static int add(struct siox__files *files, const struct siox__file *like, struct siox__file **out) {
  if (files->count == FILES_MAX)
    return SIOX_EFULL;
  if (files->count == files->room) {
    uint64_t room = files->room ? 2 * files->room : 64;
    struct siox__file **more = realloc(files->by_id, room * sizeof(struct siox__file *));
    if (!more)
      return SIOX_ENOMEM;
    files->by_id = more;
    files->room = room;
  }
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
  files->by_id[files->count++] = f;
  f->id = files->count;
  *out = f;
  return 0;
}

struct siox__file *siox__files_get(struct siox__daemon *d, uint64_t id) {
  return id - 1 < d->files.count ? d->files.by_id[id - 1] : NULL;
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
  add(&d->files, &like, &file);
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
    return siox_config_refuse(d->config, SIOX_SETTING_mount, diag, SIOX_ENOENT, "%s: %s", given,
                              strerror(why));
  }
  d->files.mount = real;
  return 0;
}

int siox__files_create(struct siox__daemon *d, struct siox_diag *diag) {
  int r = find_mount(d, diag);
  if (r < 0)
    return r;
  d->files.chain = calloc(CHAINS, sizeof(struct siox__file *));
  if (!d->files.chain)
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
  for (uint64_t i = 0; i < d->files.count; i++) {
    siox_layout_free(&d->files.by_id[i]->layout);
    free(d->files.by_id[i]->path);
    free(d->files.by_id[i]->layout_text);
    free(d->files.by_id[i]);
  }
  free(d->files.by_id);
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
    siox__log(&d->log, SIOX__LOG_WARN, "%s: layout \"%s\" %s is ignored: %s", path, text, source,
              siox_strerror(r));
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
      r = add(&d->files, &like, file);
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
