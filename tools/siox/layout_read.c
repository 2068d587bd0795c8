/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who knows where a file lies: what Siox stored with it, its file system, a running daemon, and of
 * a file below the mount the configuration. The first that answers is believed. */
#include "layout.h"
#include <errno.h>
#include <fcntl.h>
#include <siox/layouts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ATTRIBUTE_MAX = 65536 };                  /* the kernel hands out no longer ones */
enum { BEEGFS = 0x19830326, GPFS = 0x47504653 }; /* of statfs */

struct stripe_info {
  uint32_t pattern, chunk;
  uint16_t targets;
};
struct stripe_target {
  uint16_t index, target, node;
  char name[256];
};
#define GET_STRIPE_INFO _IOR('f', 25, struct stripe_info)
#define GET_STRIPE_TARGET _IOR('f', 26, struct stripe_target)

struct search {
  const struct layout_reader *reader;
  struct layout_found *found;
  struct siox_diag *diag;
  struct stat st;
};

static void source(struct search *s, const char *text) {
  snprintf(s->found->source, sizeof s->found->source, "%s", text);
}

/* The attribute's length, -1: there is none, -2: it cannot be read, with diag. */
static ssize_t attribute(struct search *s, const char *prefix, const char *name, void *buffer) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s%s", prefix, name);
  ssize_t got = getxattr(s->found->path, whole, buffer, ATTRIBUTE_MAX);
  if (got >= 0 || errno == ENODATA || errno == EOPNOTSUPP)
    return got < 0 ? -1 : got;
  snprintf(s->diag->text, sizeof s->diag->text, "attribute %s cannot be read: %s", whole,
           strerror(errno));
  return -2;
}

/* A layout in Siox's own words. */
static int from_text(struct search *s, const char *text, uint32_t ndisks) {
  struct siox_placement *p = &s->found->placement;
  if (!(p->part = calloc(1, sizeof *p->part)))
    return SIOX_ENOMEM;
  p->part->end = UINT64_MAX;
  int rc = siox_layout_parse(&p->part->layout, ndisks, text);
  p->count = rc == 0;
  if (rc) {
    snprintf(s->diag->text, sizeof s->diag->text, "its layout \"%.80s\" does not fit %u disks: %s",
             text, ndisks, siox_strerror(rc));
    siox_placement_free(p);
  }
  return rc;
}

/* Each: 1 found, 0 the next one is asked, negative an error. */
static int ask_siox(struct search *s) {
  static char text[ATTRIBUTE_MAX + 1];
  ssize_t n = attribute(s, "", "user.siox.layout", text);
  if (n < 0)
    return n == -1 ? 0 : SIOX_EIO;
  text[n] = 0;
  source(s, "stored with the file");
  int rc = from_text(s, text, s->reader->disks ? s->reader->disks : s->reader->config->disks);
  return rc ? rc : 1;
}

static int ask_lustre(struct search *s) {
  static char bytes[ATTRIBUTE_MAX];
  ssize_t n = attribute(s, s->reader->prefix, "lustre.lov", bytes);
  if (n < 0)
    return n == -1 ? 0 : SIOX_EIO;
  source(s, "Lustre");
  int rc =
      siox_placement_lustre(&s->found->placement, bytes, (size_t)n, &s->reader->targets, s->diag);
  return rc ? rc : 1;
}

static int ask_pvfs2(struct search *s) {
  static char dist[ATTRIBUTE_MAX], handles[ATTRIBUTE_MAX];
  ssize_t n = attribute(s, s->reader->prefix, "system.pvfs2.md", dist);
  ssize_t h = n < 0 ? n : attribute(s, s->reader->prefix, "system.pvfs2.dh", handles);
  if (n < 0 || h < -1)
    return n == -1 ? 0 : SIOX_EIO;
  source(s, "OrangeFS");
  int rc = siox_placement_pvfs2(&s->found->placement, dist, (size_t)n, handles,
                                h < 0 ? 0 : (size_t)h, &s->reader->targets, s->diag);
  return rc ? rc : 1;
}

static int beegfs_targets(int fd, uint32_t **list, struct stripe_info *info) {
  if (ioctl(fd, GET_STRIPE_INFO, info) < 0)
    return SIOX_EIO;
  if (!(*list = calloc((size_t)info->targets + 1, sizeof **list)))
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < info->targets; i++) {
    struct stripe_target one = {.index = (uint16_t)i};
    if (ioctl(fd, GET_STRIPE_TARGET, &one) < 0)
      return SIOX_EIO;
    (*list)[i] = one.target;
  }
  return 0;
}

static int ask_beegfs(struct search *s) {
  struct statfs fs;
  struct stripe_info info = {0};
  uint32_t *list = NULL;
  if (statfs(s->found->path, &fs) < 0 || fs.f_type != BEEGFS)
    return 0;
  int fd = open(s->found->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int rc = fd < 0 ? SIOX_EIO : beegfs_targets(fd, &list, &info);
  source(s, "BeeGFS");
  if (rc)
    snprintf(s->diag->text, sizeof s->diag->text, "BeeGFS does not tell its layout: %s",
             strerror(errno));
  else
    rc = siox_placement_beegfs(&s->found->placement, info.pattern, info.chunk, list, info.targets,
                               &s->reader->targets, s->diag);
  if (fd >= 0)
    close(fd);
  free(list);
  return rc ? rc : 1;
}

/* Those that have no disk map to give. */
static int ask_others(struct search *s) {
  static char text[ATTRIBUTE_MAX + 1];
  struct statfs fs;
  ssize_t n = attribute(s, s->reader->prefix, "ceph.file.layout", text);
  if (n < -1)
    return SIOX_EIO;
  if (n >= 0) {
    text[n] = 0;
    snprintf(s->diag->text, sizeof s->diag->text,
             "CephFS (%.200s) places objects by CRUSH, not in turns: there is no disk map", text);
    return SIOX_EUNKNOWN;
  }
  if (statfs(s->found->path, &fs) == 0 && fs.f_type == GPFS) {
    snprintf(s->diag->text, sizeof s->diag->text,
             "GPFS tells the size of its blocks (%ld bytes) and no more: there is no per-disk map",
             (long)fs.f_bsize);
    return SIOX_EUNKNOWN;
  }
  return 0;
}

static int ask_daemon(struct search *s) {
  struct siox_diag why = {""};
  int rc = 0, fd = siox__daemon_connect(s->reader->config->socket, SIOX__PATIENCE_S);
  if (fd < 0)
    return 0;
  json_t *ask = json_pack("{s:s, s:I, s:I}", "ask", "layout", "dev", (json_int_t)s->st.st_dev,
                          "ino", (json_int_t)s->st.st_ino);
  json_t *answer = siox__daemon_ask_about(fd, ask, &why);
  const char *text = json_string_value(json_object_get(answer, "layout"));
  if (text) {
    source(s, "the daemon");
    rc = from_text(s, text, (uint32_t)json_integer_value(json_object_get(answer, "ndisks")));
    rc = rc ? rc : 1;
  }
  json_decref(answer);
  json_decref(ask);
  close(fd);
  return rc;
}

static int copy_layout(struct search *s, const struct siox_layout *layout) {
  struct siox_placement *p = &s->found->placement;
  if (!(p->part = calloc(1, sizeof *p->part)))
    return SIOX_ENOMEM;
  p->part->end = UINT64_MAX;
  int rc = siox_layout_copy(&p->part->layout, layout);
  p->count = rc == 0;
  return rc ? rc : 1;
}

static int ask_configuration(struct search *s) {
  const struct siox_config *c = s->reader->config;
  char *mount = c->mount ? realpath(c->mount, NULL) : NULL;
  size_t n = mount ? strlen(mount) : 0;
  bool below = n && strncmp(s->found->path, mount, n) == 0 && s->found->path[n] == '/';
  struct siox_layouts layouts = {0};
  free(mount);
  if (!below)
    return 0;
  int rc = c->layouts ? siox_layouts_load(&layouts, c->layouts, c->disks, s->diag) : 0;
  if (rc)
    return rc;
  const struct siox_layout *named = siox_layouts_find(&layouts, s->found->path);
  source(s, named ? "the configuration's layouts" : "the configuration's default_layout");
  rc = copy_layout(s, named ? named : &c->default_layout);
  siox_layouts_free(&layouts);
  return rc;
}

static int reach(struct search *s, const char *path) {
  if (!(s->found->path = realpath(path, NULL)) || stat(s->found->path, &s->st) < 0) {
    snprintf(s->diag->text, sizeof s->diag->text, "%s", strerror(errno));
    return SIOX_ENOENT;
  }
  if (!S_ISREG(s->st.st_mode)) {
    snprintf(s->diag->text, sizeof s->diag->text, "it is not a regular file");
    return SIOX_EINVAL;
  }
  s->found->size = (uint64_t)s->st.st_size;
  return 0;
}

int layout_read(const struct layout_reader *reader, const char *path, struct layout_found *found,
                struct siox_diag *diag) {
  static int (*const ask[])(struct search *) = {
      ask_siox, ask_lustre, ask_pvfs2, ask_beegfs, ask_others, ask_daemon, ask_configuration};
  struct search s = {.reader = reader, .found = found, .diag = diag};
  memset(found, 0, sizeof *found);
  diag->text[0] = 0;
  int rc = reach(&s, path);
  for (size_t i = 0; rc == 0 && i < sizeof ask / sizeof *ask; i++)
    rc = ask[i](&s);
  if (rc == 0) {
    rc = SIOX_EUNKNOWN;
    snprintf(diag->text, sizeof diag->text,
             "neither its file system nor a daemon tells where it lies; write an entry into "
             "layouts.yaml by hand, or let the program pass striping_factor, striping_unit and "
             "start_iodevice when it makes the file");
  }
  if (rc < 0)
    layout_found_free(found);
  return rc < 0 ? rc : 0;
}

void layout_found_free(struct layout_found *found) {
  siox_placement_free(&found->placement);
  free(found->path);
  memset(found, 0, sizeof *found);
}
