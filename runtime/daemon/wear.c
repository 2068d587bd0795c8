/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The wear of drives outlives the daemon. Each drive is known by its identity, and of each is kept
 * until when, by the node's calendar clock, its slow-downs are ahead of being spread evenly, and
 * what it did today. One JSON file, replaced whole by the loop's helper threads within seconds of
 * a slow-down that wore, and at the end. A file that cannot be believed (not ours, not a file, not
 * of this form) is put aside as PATH.bad, and all of the day counts as spent. */
#include "common/clock.h"
#include "daemon/daemon.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, FILE_MAX = 64 << 20 };

static const char *const kinds[SIOX_NWEAR] = {
    [SIOX_WEAR_LOAD] = "load_unload", [SIOX_WEAR_START] = "start_stop"};

struct siox__wear {
  char *path, *part;
  int lock_fd;    /* of the state directory; -1: none */
  json_t *drives; /* by identity, also those that are not here now */
  bool spent;     /* what was there cannot be believed */
  bool broken;    /* said in the log */
  uint64_t kept;  /* slow-downs that are in the file */
  uint32_t wait;  /* seconds until it may be written again */
  uv_work_t work;
  bool working;
  char *text; /* being written */
  int why;    /* errno of that, 0 */
};

static bool wears(const struct siox__daemon *d) {
  for (uint32_t p = 0; p < d->drives.nprofiles; p++)
    for (uint32_t l = 0; l < d->drives.profile[p].nlevels; l++)
      if (siox_drive_wear(&d->drives.profile[p], l) != SIOX_WEAR_NONE)
        return true;
  return false;
}

static void identity(const struct siox__daemon *d, uint32_t disk, char *text, size_t size) {
  snprintf(text, size, "emulated-%u %s %.3000s", disk, d->drives.disk[disk]->name,
           d->files.mount ? d->files.mount : "");
  for (char *c = text; *c; c++) /* a name in JSON is UTF-8, a path may be anything */
    *c = (unsigned char)*c < 0x80 ? *c : '?';
}

/* NULL with why: what is there is not to be believed; NULL without: nothing is there. */
static json_t *read_file(const char *path, const char **why) {
  json_error_t error;
  struct stat st;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  *why = fd < 0 && errno != ENOENT ? strerror(errno) : NULL;
  if (fd < 0)
    return NULL;
  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
    *why = "not a regular file";
  else if (st.st_uid != geteuid() || st.st_mode & 022)
    *why = "others may write it";
  else if (st.st_size > FILE_MAX)
    *why = "longer than a state file can be";
  json_t *all = *why ? NULL : json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
  close(fd);
  json_t *drives = json_object_get(all, "drives");
  if (!*why &&
      (json_integer_value(json_object_get(all, "version")) != VERSION || !json_is_object(drives)))
    *why = "not of this form";
  drives = *why ? NULL : json_incref(drives);
  json_decref(all);
  return drives;
}

static int find_path(struct siox__daemon *d, struct siox__wear *w) {
  const char *state = d->config->state;
  int n = state ? asprintf(&w->path, "%s/wear.json", state)
                : asprintf(&w->path, "%s.wear", d->config->socket);
  if (n < 0)
    w->path = NULL;
  else if (asprintf(&w->part, "%s.new", w->path) < 0)
    w->part = NULL;
  return w->part ? 0 : SIOX_ENOMEM;
}

/* Two daemons would count over each other. */
static bool take_directory(struct siox__wear *w) {
  char lock[4096];
  snprintf(lock, sizeof lock, "%.4000s.lock", w->path);
  w->lock_fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  return w->lock_fd >= 0 && flock(w->lock_fd, LOCK_EX | LOCK_NB) == 0;
}

static void discard(struct siox__wear *w) {
  if (w->lock_fd >= 0)
    close(w->lock_fd);
  json_decref(w->drives);
  free(w->path);
  free(w->part);
  free(w->text);
  free(w);
}

int siox__wear_open(struct siox__daemon *d) {
  const char *why;
  if (!wears(d) || !siox_config_limits(d->config).wear)
    return 0;
  struct siox__wear *w = d->wear = calloc(1, sizeof *w);
  if (!w)
    return SIOX_ENOMEM;
  w->lock_fd = -1;
  if (find_path(d, w) < 0)
    return SIOX_ENOMEM;
  if (d->config->state && !take_directory(w)) {
    siox__log(&d->log, SIOX__LOG_WARN, "%s: %s: wear is not kept beyond this daemon's end", w->path,
              errno == EWOULDBLOCK ? "another daemon keeps its own there" : strerror(errno));
    discard(w);
    d->wear = NULL;
    return 0;
  }
  w->drives = read_file(w->path, &why);
  if (why) {
    char bad[4096];
    snprintf(bad, sizeof bad, "%.4000s.bad", w->path);
    w->spent = true;
    siox__log(&d->log, SIOX__LOG_WARN,
              "%s: %s: what drives wore is not known, so all of their day is taken as spent",
              w->path, why);
    rename(w->path, bad);
  }
  if (!w->drives)
    w->drives = json_object();
  return w->drives ? 0 : SIOX_ENOMEM;
}

/* A whole number that is not negative; less than nothing: it is none. */
static int64_t count_in(const json_t *o, const char *key) {
  const json_t *value = json_object_get(o, key);
  return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

/* False: something of it is not to be believed. */
static bool resume(struct siox__daemon *d, uint32_t disk, const json_t *drive, int64_t now) {
  const json_t *until = json_object_get(drive, "until"), *today = json_object_get(drive, "today");
  bool same_day = count_in(drive, "day") == d->today, good = json_is_object(until);
  struct siox__midnight *m = &d->midnight[disk];
  for (int k = SIOX_WEAR_LOAD; k < SIOX_NWEAR; k++) {
    int64_t at = count_in(until, kinds[k]), worn = count_in(today, kinds[k]);
    good &= at >= 0 && worn >= 0;
    siox_bank_wear_resume(d->bank, disk, (enum siox_wear)k,
                          at < 0     ? INT64_MAX
                          : at > now ? at - now
                                     : 0);
    m->worn[k] -= same_day && worn > 0 ? worn : 0;
  }
  int64_t transitions = count_in(today, "transitions");
  m->transitions -= same_day && transitions > 0 ? transitions : 0;
  return good;
}

void siox__wear_begin(struct siox__daemon *d) {
  struct siox__wear *w = d->wear;
  int64_t now = siox__wall_ns();
  char name[4096];
  uint32_t wrong = 0;
  for (uint32_t i = 0; w && i < d->drives.ndisks; i++) {
    identity(d, i, name, sizeof name);
    const json_t *drive = json_object_get(w->drives, name);
    if (drive)
      wrong += !resume(d, i, drive, now);
    for (int k = SIOX_WEAR_LOAD; w->spent && k < SIOX_NWEAR; k++)
      siox_bank_wear_resume(d->bank, i, (enum siox_wear)k, INT64_MAX);
  }
  if (wrong)
    siox__log(&d->log, SIOX__LOG_WARN,
              "%s: of %u drives it is not known what they wore: all of their day is taken as spent",
              w->path, wrong);
}

/* Drives that are not here and have nothing ahead any more are forgotten. */
static void forget_others(struct siox__wear *w, int64_t now) {
  const char *key;
  json_t *drive;
  void *next;
  json_object_foreach_safe(w->drives, next, key, drive) {
    bool ahead = false;
    for (int k = SIOX_WEAR_LOAD; k < SIOX_NWEAR; k++)
      ahead |= count_in(json_object_get(drive, "until"), kinds[k]) > now;
    if (!ahead)
      json_object_del(w->drives, key);
  }
}

/* What is to be in the file; NULL: no memory. */
static char *text_of(struct siox__daemon *d) {
  struct siox__wear *w = d->wear;
  int64_t now = siox__wall_ns(), late = d->stamped ? 0 : siox__now_ns() - siox_bank_now(d->bank);
  char name[4096];
  forget_others(w, now);
  for (uint32_t i = 0; i < d->drives.ndisks; i++) {
    struct siox_disk_totals t;
    siox_bank_disk_totals(d->bank, i, &t);
    json_t *until = json_object(), *today = json_object();
    for (int k = SIOX_WEAR_LOAD; k < SIOX_NWEAR; k++) {
      int64_t ahead = siox_bank_wear_ahead(d->bank, i, (enum siox_wear)k) - late;
      json_object_set_new(until, kinds[k],
                          json_integer(ahead <= 0                ? 0
                                       : ahead > INT64_MAX - now ? INT64_MAX
                                                                 : now + ahead));
      json_object_set_new(today, kinds[k],
                          json_integer((json_int_t)t.worn[k] - d->midnight[i].worn[k]));
    }
    json_object_set_new(today, "transitions",
                        json_integer((json_int_t)(t.transitions_up + t.transitions_down) -
                                     d->midnight[i].transitions));
    identity(d, i, name, sizeof name);
    json_object_set_new(
        w->drives, name,
        json_pack("{s:I, s:o, s:o}", "day", (json_int_t)d->today, "until", until, "today", today));
  }
  json_t *all = json_pack("{s:i, s:O}", "version", VERSION, "drives", w->drives);
  char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
  json_decref(all);
  return text;
}

static bool put(int fd, const char *text) {
  for (size_t left = strlen(text); left;) {
    ssize_t n = write(fd, text, left);
    if (n < 0 && errno != EINTR)
      return false;
    text += n > 0 ? n : 0;
    left -= n > 0 ? (size_t)n : 0;
  }
  return fsync(fd) == 0;
}

/* Not on the loop's thread, or when the loop is over. */
static void write_file(uv_work_t *work) {
  struct siox__wear *w = work->data;
  unlink(w->part); /* a killed daemon's */
  int fd = open(w->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  bool good = fd >= 0 && fchmod(fd, 0644) == 0 && put(fd, w->text);
  w->why = good ? 0 : errno;
  if (fd >= 0 && close(fd) < 0 && good)
    w->why = errno;
  if (!w->why && rename(w->part, w->path) < 0)
    w->why = errno;
  if (w->why)
    unlink(w->part);
}

static void written(struct siox__daemon *d) {
  struct siox__wear *w = d->wear;
  free(w->text);
  w->text = NULL;
  if (w->why && !w->broken)
    siox__log(&d->log, SIOX__LOG_WARN, "%s: %s: what drives wear is not kept", w->path,
              strerror(w->why));
  w->broken = w->why != 0;
  if (w->why)
    w->kept = UINT64_MAX; /* tried again */
}

static void on_written(uv_work_t *work, int status) {
  struct siox__wear *w = work->data;
  struct siox__daemon *d = work->loop->data;
  (void)status;
  w->working = false;
  written(d);
}

void siox__wear_second(struct siox__daemon *d) {
  struct siox__wear *w = d->wear;
  if (!w || !d->begun || d->finished || w->working)
    return;
  w->wait -= w->wait > 0;
  if (w->wait || w->kept == siox_bank_worn(d->bank) || !(w->text = text_of(d)))
    return;
  w->wait = d->drives.ndisks / 1000; /* the text of many is long */
  w->kept = siox_bank_worn(d->bank);
  w->work.data = w;
  d->loop.data = d;
  w->working = uv_queue_work(&d->loop, &w->work, write_file, on_written) == 0;
  if (!w->working) {
    free(w->text);
    w->text = NULL;
  }
}

void siox__wear_close(struct siox__daemon *d) {
  struct siox__wear *w = d->wear;
  if (!w)
    return;
  if (d->bank && (siox_bank_worn(d->bank) || json_object_size(w->drives) || w->spent) &&
      (w->text = text_of(d))) {
    w->work.data = w;
    write_file(&w->work);
    written(d);
  }
  discard(w);
  d->wear = NULL;
}
