/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One message of one peer: join, open, charge, claim, leave. What is malformed or out of turn ends
 * the connection; what is well-formed but cannot be done gets an error back. */
#include "common/clock.h"
#include "daemon/activities.h"
#include "daemon/daemon.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int end(const char **why, const char *text) {
  *why = text;
  return SIOX_EPROTO;
}

/* A reply that cannot be sent ends the connection: the peer does not read, or is gone. */
static int sent(int r, const char **why) {
  if (r == SIOX_EFULL)
    *why = "it does not read its replies";
  else if (r < 0)
    *why = "its socket is gone";
  return r;
}

static int refuse(struct siox__session *s, const struct siox_msg_head *request, int code,
                  const char **why) {
  const char *text = siox_strerror(code);
  return sent(siox__send(s, request, SIOX_MSG_ERROR, code, text, strlen(text), NULL, 0, NULL, 0),
              why);
}

/* A descriptor that becomes readable when the peer dies; -1 where the kernel cannot (then its
 * socket must tell). */
static int open_pidfd(const struct siox__session *s) {
  int fd = -1;
  socklen_t length = sizeof fd;
  if (getsockopt(s->fd, SOL_SOCKET, SO_PEERPIDFD, &fd, &length) < 0)
    fd = s->pid > 0 ? (int)syscall(SYS_pidfd_open, s->pid, 0) : -1;
  if (fd >= 0)
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

/* The ring's memory cannot be cut under the daemon by its client (seals), so reading it never
 * faults. */
static int make_ring(struct siox__session *s) {
  size_t bytes = siox__ring_size(SIOX__RING_BYTES);
  int fd = memfd_create("siox ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return -1;
  void *at = MAP_FAILED;
  if (ftruncate(fd, (off_t)bytes) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    close(fd);
    return -1;
  }
  s->ring = at;
  siox__ring_init(s->ring);
  atomic_store_explicit(&s->ring->wanted, s->d->wanted, memory_order_relaxed);
  return fd;
}

/* Lines "ACCESS RANKS hints" of what is known of its program; as many as there is room for. */
static void advise(const struct siox__session *s, char *text, size_t size) {
  const struct siox_knowledge *k = &s->d->knowledge;
  size_t used = 0;
  *text = 0;
  for (size_t i = 0; i < k->n; i++) {
    const struct siox_lesson *l = &k->lesson[i];
    char hints[SIOX_HINTS_MOST];
    if (strcmp(l->situation.program, s->program) != 0 ||
        siox_settings_format(&l->response, hints, sizeof hints) <= 0)
      continue;
    const int n = snprintf(text + used, size - used, "%s %u %s\n",
                           siox_access_name(l->situation.access), l->situation.ranks, hints);
    if (n < 0 || (size_t)n >= size - used) {
      text[used] = 0;
      return;
    }
    used += (size_t)n;
  }
}

static void fill_welcome(const struct siox__session *s, struct siox_msg_welcome *w) {
  const struct siox__daemon *d = s->d;
  w->client = s->serial;
  w->job = d->job[s->job].serial;
  w->ndisks = d->drives.ndisks;
  w->lead_kind = d->table->policy_lead_kind;
  w->first_of_job = d->job[s->job].seen == 1;
  w->ring_bytes = SIOX__RING_BYTES;
  advise(s, w->advice, sizeof w->advice);
  w->min_gap_ns = SIOX_NEVER;
  for (uint32_t p = 0; p < d->drives.nprofiles; p++) {
    const struct siox_drive *drive = &d->drives.profile[p];
    const struct siox_level *lowest = &drive->level[siox_drive_level(drive, SIOX_SPEED_LOWEST)];
    const struct siox_level *full = &drive->level[siox_drive_level(drive, SIOX_SPEED_FULL)];
    int64_t lead = siox_drive_transition_ns(drive, lowest->speed, full->speed);
    if (lead > w->lead_ns)
      w->lead_ns = lead;
    for (uint32_t l = 0; l < drive->nlevels; l++)
      if (drive->level[l].serves && &drive->level[l] != full) {
        int64_t gap = siox_drive_min_gap(drive, l);
        w->min_gap_ns = gap < w->min_gap_ns ? gap : w->min_gap_ns;
      }
  }
  if (d->files.mount)
    snprintf(w->mount, sizeof w->mount, "%s", d->files.mount);
}

/* What the site allows at most. */
static double most_delay(const struct siox_config *config) {
  double most = config->delay_budget_max, usual = config->delay_budget;
  return (most > usual ? most : usual) / 100;
}

/* A job's own delay budget is the last that one of its processes named; it ends with the job. */
static void take_budget(struct siox__session *s, double asked) {
  struct siox__daemon *d = s->d;
  struct siox__job *job = &d->job[s->job];
  const struct siox_view *view = siox_bank_view(d->bank);
  if (asked < 0 && job->clients)
    return;
  job->asked = asked;
  if (!view->job)
    return; /* no budgets here */
  double most = most_delay(d->config), budget = asked < 0 ? view->limits.delay_budget : asked;
  siox_bank_job_budget(d->bank, s->job, asked > most ? most : budget);
}

/* The process is a client of the bank from now on. */
static int enter(struct siox__session *s, int64_t now) {
  struct siox__daemon *d = s->d;
  int r = siox_bank_join(d->bank, now, s->job, &s->client);
  if (r < 0)
    return r;
  if (s->client >= d->nby_client) {
    uint32_t room = 2 * s->client + 16;
    struct siox__session **more = realloc(d->by_client, room * sizeof(struct siox__session *));
    if (!more) {
      siox_bank_leave(d->bank, now, s->client);
      return SIOX_ENOMEM;
    }
    memset(more + d->nby_client, 0, (room - d->nby_client) * sizeof(struct siox__session *));
    d->by_client = more;
    d->nby_client = room;
  }
  d->by_client[s->client] = s;
  s->serial = d->next_serial++;
  return 0;
}

static void record_join(struct siox__session *s, int64_t now, const char *program, bool known) {
  struct siox_trace_event event = {.kind = SIOX_TRACE_CLIENT, .client = s->serial};
  event.u.client_def.client = s->serial;
  event.u.client_def.job = siox__job_serial(s->d, s->job);
  event.u.client_def.rank = s->rank;
  event.u.client_def.size = s->size;
  event.u.client_def.pid = (int32_t)s->pid;
  event.u.client_def.program = program;
  siox__record_event(s->d, &event);
  event = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = s->serial};
  event.u.join.time = now;
  event.u.join.known = known;
  siox__record_event(s->d, &event);
}

static void quit(struct siox__session *s, int64_t now) {
  struct siox__daemon *d = s->d;
  siox__members_drop(d->members, s->client);
  d->by_client[s->client] = NULL;
  siox_bank_leave(d->bank, now, s->client);
  d->dirty = true;
  struct siox_trace_event event = {.kind = SIOX_TRACE_LEAVE, .client = s->serial};
  event.u.leave.time = now;
  siox__record_event(d, &event);
}

int siox__session_renew(struct siox__session *s) {
  struct siox__daemon *d = s->d;
  if (d->finished)
    return SIOX_EGONE;
  int64_t now = siox__daemon_stamp(d, d->stamped ? siox_bank_now(d->bank) : siox__now_ns());
  quit(s, now);
  s->last_uid = 0;
  int r = enter(s, now); /* there is room: it has just left */
  if (r == 0)
    record_join(s, now, "", true);
  return r;
}

/* The process counts its calls in memory that it gave us, or does not. */
static void take_tally(struct siox__session *s) {
  struct siox__daemon *d = s->d;
  const char *why = "no memory for its tally";
  if (s->given < 0)
    return;
  const int r = siox__activities_enter(d->activities, s->given, (int32_t)s->pid, s->rank,
                                       d->job[s->job].serial, &s->tallied, &why);
  if (r == 0) {
    d->count.tallies++;
    return;
  }
  d->count.refused_tallies++;
  siox__complain(d, "calls of pid %d (uid %u) are not counted: %s", (int)s->pid, (unsigned)s->uid,
                 why);
}

static int64_t join(struct siox__session *s, const struct siox_msg_hello *hello) {
  struct siox__daemon *d = s->d;
  int r = siox__daemon_begin(d, hello->time, hello->program);
  if (r == 0 && d->draining)
    r = SIOX_EGONE;             /* for who comes now it is */
  siox__work(s, d->njobs / 64); /* the key is looked for among them */
  if (r < 0 || (r = siox__job_find(s, hello->job, &s->job)) < 0)
    return r;
  int64_t now = siox__daemon_stamp(d, hello->time);
  r = enter(s, now);
  if (r < 0)
    return r;
  take_budget(s, hello->delay_budget);
  bool awaited =
      hello->rank >= 0 && (hello->flags & (SIOX_HELLO_MPI | SIOX_HELLO_REJOIN)) == SIOX_HELLO_MPI;
  if (awaited)
    siox_bank_await(d->bank, s->client);
  s->joined = true;
  s->rank = hello->rank;
  s->size = hello->size;
  s->came = siox__now_ns();
  const char *slash = strrchr(hello->program, '/');
  snprintf(s->program, sizeof s->program, "%.63s", slash ? slash + 1 : hello->program);
  d->njoined++;
  d->dirty = true;
  d->count.clients++;
  siox__job_enters(d, s->job);
  take_tally(s);
  record_join(s, now, hello->program, !awaited);
  return 0;
}

static int hello(struct siox__session *s, const struct siox__message *m, const char **why) {
  if (s->joined)
    return end(why, "a second hello");
  int ring_fd = make_ring(s);
  int wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  int r = ring_fd < 0 || wake_fd < 0 ? SIOX_ENOMEM : 0;
  if (r == 0 && (r = siox__session_watch(s, open_pidfd(s), wake_fd)) == 0)
    r = (int)join(s, &m->u.hello);
  else if (wake_fd >= 0 && s->wake_fd != wake_fd)
    close(wake_fd);
  struct siox_msg_welcome *welcome = r == 0 ? calloc(1, sizeof *welcome) : NULL;
  if (welcome) {
    fill_welcome(s, welcome);
    r = siox__send(s, &m->head, SIOX_MSG_WELCOME, 0, welcome, sizeof *welcome, NULL, 0,
                   (int[]){ring_fd, wake_fd, s->d->table_fd}, 3);
    r = sent(r, why);
    free(welcome);
  } else if (s->d->draining) {
    refuse(s, &m->head, r, why);
    siox__session_end(s, NULL);
    r = 0;
  } else {
    refuse(s, &m->head, r ? r : SIOX_ENOMEM, why);
    r = end(why, "it could not be taken in");
  }
  if (ring_fd >= 0)
    close(ring_fd);
  return r;
}

void siox__session_leave(struct siox__session *s) {
  struct siox__daemon *d = s->d;
  if (!s->joined)
    return;
  s->joined = false;
  siox__record_calls(s);
  siox__activities_leave(d->activities, s->tallied);
  s->tallied = NULL;
  d->count.dropped += atomic_load_explicit(&s->ring->dropped, memory_order_relaxed);
  d->count.refused_records += atomic_load_explicit(&s->ring->refused, memory_order_relaxed);
  d->count.issued += atomic_load_explicit(&s->ring->issued, memory_order_relaxed);
  d->njoined--;
  siox__daemon_drained(d);
  if (d->finished) {
    siox__members_drop(d->members, s->client);
    d->by_client[s->client] = NULL;
    d->job[s->job].clients--; /* all is over: nothing is forgotten any more */
    return;
  }
  int64_t now = siox__daemon_stamp(d, d->stamped ? siox_bank_now(d->bank) : siox__now_ns());
  quit(s, now);
  siox__job_leaves(d, s->job);
  d->last_leave = now;
  siox__record_flush(d);
}

static int open_file(struct siox__session *s, const struct siox__message *m, const char **why) {
  struct siox__daemon *d = s->d;
  struct siox__file *file;
  int r = siox__files_open(s, m, &file);
  if (r < 0)
    return refuse(s, &m->head, r, why);
  int64_t now = siox__daemon_stamp(d, m->u.open.head->time);
  r = siox_bank_open(d->bank, now, s->client, &file->layout);
  if (r < 0)
    return refuse(s, &m->head, r, why);
  d->dirty = true;
  struct siox_trace_event event = {.kind = SIOX_TRACE_OPEN, .client = s->serial};
  event.u.open.time = now;
  event.u.open.file = file->id;
  siox__record_event(d, &event);
  struct siox_msg_opened opened = {.file = file->id,
                                   .layout_length = (uint32_t)strlen(file->layout_text)};
  return sent(siox__send(s, &m->head, SIOX_MSG_OPENED, 0, &opened, sizeof opened, file->layout_text,
                         opened.layout_length, NULL, 0),
              why);
}

static int access_file(struct siox__session *s, const struct siox__message *m, const char **why) {
  struct siox__daemon *d = s->d;
  const struct siox_msg_io *io = m->u.io;
  struct siox__file *file = siox__files_get(d, io->file);
  siox__work(s, siox__work_of(d, file ? file->layout.factor : 0));
  int kept = file ? siox__files_keep(s, file) : 0; /* a forked child's, say */
  if (kept < 0)
    return refuse(s, &m->head, kept, why);
  if (!file || io->offset < 0 || io->bytes < 0 || io->op > SIOX_IO_SYNC || io->thread > UINT16_MAX)
    return refuse(s, &m->head, file ? SIOX_EINVAL : SIOX_ENOENT, why);
  int64_t arrival = siox__daemon_stamp(d, io->arrival);
  bool booked = s->booked > arrival && s->booked - arrival > SIOX__BOOKED_NS;
  if (io->bytes > SIOX__BYTES_MOST || booked) {
    d->count.refused_io++;
    return refuse(s, &m->head, booked ? SIOX_EFULL : SIOX_ERANGE, why);
  }
  if (io->coll_uid != s->last_uid)
    d->count.forgotten_members +=
        siox__members_add(d->members, s->last_uid = io->coll_uid, s->client);
  struct siox_request request = {.arrival = arrival,
                                 .client = s->client,
                                 .file = io->file,
                                 .layout = &file->layout,
                                 .offset = io->offset,
                                 .bytes = io->bytes,
                                 .write = io->op == SIOX_IO_WRITE};
  request.members = siox__members_of(d->members, io->coll_uid, &request.nmembers);
  struct siox_service service = {0};
  int r = siox_bank_access(d->bank, &request, &service);
  if (r < 0)
    return refuse(s, &m->head, r, why);
  d->dirty = true;
  d->count.requests++;
  int64_t own = service.completion - request.arrival - service.queued_ns - service.transition_ns;
  s->booked = (s->booked > request.arrival ? s->booked : request.arrival) + (own > 0 ? own : 0);
  struct siox_msg_done done = {.completion = service.completion};
  r = sent(siox__send(s, &m->head, SIOX_MSG_DONE, 0, &done, sizeof done, NULL, 0, NULL, 0), why);
  if (service.completion > request.arrival && siox__now_ns() > service.completion)
    d->count.late++;
  struct siox_trace_event event = {
      .kind = SIOX_TRACE_IO, .client = s->serial, .thread = io->thread};
  event.u.io.arrival = request.arrival;
  event.u.io.completion = service.completion;
  event.u.io.file = io->file;
  event.u.io.offset = io->offset;
  event.u.io.bytes = io->bytes;
  event.u.io.site = io->site;
  event.u.io.coll_uid = io->coll_uid;
  event.u.io.coll_seq = io->coll_seq;
  event.u.io.op = io->op;
  event.u.io.flags = io->flags;
  event.u.io.request = io->request;
  event.u.io.missed = service.missed;
  siox__record_event(d, &event);
  return r;
}

static int give_drive(struct siox__session *s, const struct siox__message *m, const char **why) {
  const struct siox_config_drives *drives = &s->d->drives;
  if (m->u.drive->disk >= drives->ndisks)
    return refuse(s, &m->head, SIOX_ERANGE, why);
  const struct siox_drive *drive = drives->disk[m->u.drive->disk];
  return sent(siox__send(s, &m->head, SIOX_MSG_PROFILE, 0, drive, sizeof *drive, NULL, 0, NULL, 0),
              why);
}

static int give_totals(struct siox__session *s, const struct siox__message *m, const char **why) {
  struct siox_msg_totals totals;
  if (!s->d->finished)
    siox__daemon_catch_up(s->d);
  siox__work(s, 256);
  siox__totals(s, &totals);
  return sent(
      siox__send(s, &m->head, SIOX_MSG_TOTALLED, 0, &totals, sizeof totals, NULL, 0, NULL, 0), why);
}

int siox__serve(struct siox__session *s, const struct siox__message *m, const char **why) {
  *why = "";
  switch (m->head.type) {
  case SIOX_MSG_HELLO:
    return hello(s, m, why);
  case SIOX_MSG_CONTROL:
    return siox__control(s, m->head.tag, m->u.control.text, m->u.control.length);
  case SIOX_MSG_BYE:
    siox__session_end(s, NULL);
    return 0;
  default:
    break;
  }
  if (!s->joined)
    return end(why, "a request before hello");
  if (m->head.type == SIOX_MSG_DRIVE)
    return give_drive(s, m, why);
  if (m->head.type == SIOX_MSG_TOTALS)
    return give_totals(s, m, why);
  if (s->d->finished)
    return m->head.type == SIOX_MSG_CLAIM ? 0 : refuse(s, &m->head, SIOX_EGONE, why);
  siox__daemon_catch_up(s->d);
  switch (m->head.type) {
  case SIOX_MSG_OPEN:
    return open_file(s, m, why);
  case SIOX_MSG_IO:
    return access_file(s, m, why);
  default:
    return siox__claim(s, 0, m->u.claim.head, m->u.claim.runs, why);
  }
}
