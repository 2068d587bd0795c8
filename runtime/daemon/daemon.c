/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bank's life inside the loop: it begins with the first client, moves to the stamps of events
 * and to its own wake-ups, and ends with the daemon or when a tool asks for the end. With `clock:
 * stamped` only stamps move it, so a scripted client gets the same joules on any machine under any
 * load. */
#include "daemon/daemon.h"
#include "common/clock.h"
#include "daemon/activities.h"
#include "daemon/aside.h"
#include "daemon/monitor.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* So often the loop looks into rings whose clients wake nobody for what only says what happened:
 * before the cycles in which it did are decided. */
enum { RINGS_MS = 50 };

int64_t siox__daemon_stamp(const struct siox__daemon *d, int64_t stamp) {
  int64_t past = siox_bank_now(d->bank);
  if (!d->stamped) {
    int64_t now = siox__now_ns();
    stamp = stamp > now ? now : stamp;
  }
  return stamp < past ? past : stamp;
}

void siox__daemon_catch_up(struct siox__daemon *d) {
  if (!d->begun || d->finished)
    return;
  if (d->dirty)
    d->next_wakeup = siox_bank_advance(d->bank, siox_bank_now(d->bank));
  if (d->stamped)
    return;
  for (int64_t now = siox__now_ns(); d->next_wakeup <= now; d->dirty = true)
    d->next_wakeup = siox_bank_advance(d->bank, d->next_wakeup);
}

/* Once a turn of the loop, after all that happened in it: wake-ups, the table, the timer. */
static void before_poll(uv_prepare_t *prepare) {
  struct siox__daemon *d = prepare->data;
  if (!d->begun || d->finished)
    return;
  siox__daemon_catch_up(d);
  if (d->dirty)
    siox__table_update(d);
  d->dirty = false;
  if (d->stamped || d->next_wakeup == d->armed)
    return;
  struct itimerspec at = {0};
  if (d->next_wakeup != SIOX_NEVER) {
    at.it_value.tv_sec = d->next_wakeup / 1000000000;
    at.it_value.tv_nsec = d->next_wakeup % 1000000000;
  }
  if (timerfd_settime(d->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0)
    d->armed = d->next_wakeup;
}

/* A turn is what the loop does between two looks at the sockets, the rest of the last one included.
 */
static void after_poll(uv_check_t *check) {
  struct siox__daemon *d = check->data;
  d->turn++;
}

static void on_timer(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  struct siox__daemon *d = poll->data;
  uint64_t expirations;
  while (read(d->timer_fd, &expirations, sizeof expirations) < 0 && errno == EINTR)
    ;
  d->armed = SIOX_NEVER;
  siox__daemon_catch_up(d);
}

/* Transitions are counted by the node's calendar day, since the daemon's start at most. */
static void turn_the_page(struct siox__daemon *d) {
  time_t now = time(NULL);
  struct tm local;
  if (!localtime_r(&now, &local))
    return;
  int64_t today = local.tm_year * INT64_C(366) + local.tm_yday;
  if (today == d->today)
    return;
  d->today = today;
  for (uint32_t i = 0; i < d->drives.ndisks && d->bank; i++) {
    struct siox_disk_totals t;
    siox_bank_disk_totals(d->bank, i, &t);
    d->midnight[i].transitions = (int64_t)(t.transitions_up + t.transitions_down);
    for (int w = 0; w < SIOX_NWEAR; w++)
      d->midnight[i].worn[w] = (int64_t)t.worn[w];
  }
}

static void on_rings(uv_timer_t *timer) { siox__session_drain_all(timer->data); }

void siox__daemon_want(struct siox__daemon *d, uint32_t wanted) {
  d->wanted = wanted;
  for (struct siox__session *s = d->sessions; s; s = s->next)
    if (s->joined)
      atomic_store_explicit(&s->ring->wanted, wanted, memory_order_relaxed);
  if (!wanted)
    uv_timer_stop(&d->rings);
  else if (!uv_is_active((uv_handle_t *)&d->rings))
    uv_timer_start(&d->rings, on_rings, RINGS_MS, RINGS_MS);
}

static void on_second(uv_timer_t *timer) {
  struct siox__daemon *d = timer->data;
  siox__session_drain_all(d);
  siox__record_flush(d);
  turn_the_page(d);
  siox__wear_second(d);
  int64_t now = siox__now_ns();
  for (struct siox__session *s = d->sessions, *next; s; s = next) {
    next = s->next;
    if ((!s->spoke || s->answer) && now - s->since > SIOX__PATIENCE_NS)
      siox__session_end(s, s->answer ? "it does not read its answer" : "it says nothing");
  }
}

static void on_idle_end(uv_timer_t *timer) {
  struct siox__daemon *d = timer->data;
  if (!d->nsessions)
    siox__daemon_leave(d, "nobody is connected any more");
}

void siox__daemon_idle(struct siox__daemon *d) {
  double seconds = d->config->stop_when_idle;
  if (seconds < 0 || d->leaving)
    return;
  if (seconds == 0)
    siox__daemon_leave(d, "nobody is connected any more");
  else
    uv_timer_start(&d->idle, on_idle_end, (uint64_t)(seconds * 1e3), 0);
}

/* Whoever started it may have been killed before it connected. */
static void wait_for_the_first(struct siox__daemon *d) {
  double seconds = d->config->stop_when_idle, least = SIOX__PATIENCE_NS / 1e9;
  if (seconds >= 0)
    uv_timer_start(&d->idle, on_idle_end, (uint64_t)((seconds > least ? seconds : least) * 1e3), 0);
}

static void on_signal(uv_signal_t *signal, int number) {
  siox__daemon_leave(signal->data, number == SIGTERM ? "SIGTERM" : "SIGINT");
}

void siox__daemon_drained(struct siox__daemon *d) {
  if (d->draining && !d->njoined)
    siox__daemon_leave(d, "drained");
}

void siox__daemon_leave(struct siox__daemon *d, const char *why) {
  if (d->leaving)
    return;
  d->leaving = true;
  siox__log(&d->log, SIOX__LOG_INFO, "leaving: %s", why);
  uv_stop(&d->loop);
}

static int fail(struct siox_diag *diag, const char *what, int code) {
  snprintf(diag->text, sizeof diag->text, "%s: %s", what, siox_strerror(code));
  return code;
}

static int create_bank(struct siox__daemon *d, int64_t start) {
  const struct siox_bank_options options = {.ndisks = d->drives.ndisks,
                                            .drive = d->drives.disk,
                                            .initial_level = d->drives.initial_level,
                                            .policy = d->config->policy,
                                            .hold_factor = d->config->hold_factor,
                                            .start = start,
                                            .segment = siox__record_segment,
                                            .context = d,
                                            .limits = siox_config_limits(d->config)};
  return siox_bank_create(&d->bank, &options);
}

/* The policy's argument is checked by a bank that is thrown away: better now than at the first
 * client. */
static int check_policy(struct siox__daemon *d, struct siox_diag *diag) {
  const struct siox_config *c = d->config;
  if (c->inrush_watts > 0 && c->power_group < c->disks && c->power_group % c->array)
    return siox_config_refuse(c, SIOX_SETTING_array, diag, SIOX_EINVAL,
                              "arrays of %u disks do not fit power groups of %u (power_group)",
                              c->array, c->power_group);
  int r = create_bank(d, 0);
  siox_bank_destroy(d->bank);
  d->bank = NULL;
  if (r == 0)
    return 0;
  const char *policy = d->config->policy, *form = policy;
  for (const char *const *known = siox_policy_names(); *known; known++)
    if (strcspn(*known, "[:") == strcspn(policy, ":") &&
        !strncmp(*known, policy, strcspn(policy, ":")))
      form = *known;
  return siox_config_refuse(d->config, SIOX_SETTING_policy, diag, r, "\"%s\": %s; its form is %s",
                            policy, siox_strerror(r), form);
}

int siox__daemon_begin(struct siox__daemon *d, int64_t stamp, const char *program) {
  if (d->begun)
    return d->finished ? SIOX_EGONE : 0;
  int64_t now = siox__now_ns();
  int64_t start = d->stamped || stamp <= now ? stamp : now;
  if (!d->stamped &&
      now - start > SIOX_WIRE_TIMEOUT_NS) /* no client waits longer for its WELCOME */
    start = now;
  struct siox_diag diag = {""};
  int r = siox__record_begin(d, start, program, &diag);
  if (r < 0) /* the run goes on without its trace; the report says that it is missing */
    siox__record_lost(d, *diag.text ? diag.text : siox_strerror(r));
  r = create_bank(d, start);
  if (r < 0)
    return r;
  turn_the_page(d);
  siox__wear_begin(d);
  d->begun = d->dirty = true;
  d->start = start;
  d->next_wakeup = SIOX_NEVER;
  return 0;
}

void siox__daemon_finish(struct siox__daemon *d) {
  if (!d->begun || d->finished)
    return;
  int64_t end = siox_bank_now(d->bank);
  if (!d->njoined)
    end = d->last_leave > end ? d->last_leave : end;
  else if (!d->stamped)
    end = siox__now_ns();
  siox_bank_finish(d->bank, end);
  siox__monitor_finished(d->monitor);
  d->finished = true;
  siox__table_update(d);
  siox__record_end(d);
}

static void wake(void *daemon) {
  struct siox__daemon *d = daemon;
  (void)uv_async_send(&d->cycles);
}

/* What is recorded of single calls, and so of use to clients to tell. */
static int want(struct siox__daemon *d, struct siox_diag *diag) {
  const struct siox_config *c = d->config;
  bool posix = false;
  for (uint32_t i = 0; i < c->record_layers.count; i++) {
    const char *layer = c->record_layers.item[i];
    posix |= !strcmp(layer, "posix");
    if (strcmp(layer, "posix") && strcmp(layer, "mpiio"))
      return siox_config_refuse(c, SIOX_SETTING_record_layers, diag, SIOX_EINVAL,
                                "\"%.40s\" is not one of mpiio, posix", layer);
  }
  d->wanted_when = SIOX_WANT_MPI | (posix ? SIOX_WANT_POSIX : 0);
  if (c->record || (c->database && c->record_activities != SIOX_RECORD_OFF))
    d->wanted = d->wanted_when;
  return 0;
}

static int start_monitor(struct siox__daemon *d, struct siox_diag *diag) {
  const struct siox_config *c = d->config;
  if (c->record_activities != SIOX_RECORD_ALL && c->monitor_period < 0 &&
      c->record_activities != SIOX_RECORD_OFF)
    return siox_config_refuse(c, SIOX_SETTING_record_activities, diag, SIOX_EINVAL,
                              "nothing is measured (monitor_period), so no cycle is abnormal");
  if (c->record_activities != SIOX_RECORD_ALL && c->monitor_period >= 0 &&
      siox__aside_new(&d->aside, (uint64_t)(c->record_memory * 1048576)) < 0)
    return fail(diag, "activities", SIOX_ENOMEM);
  if (uv_async_init(&d->loop, &d->cycles, siox__record_cycles) < 0)
    return fail(diag, "event loop", SIOX_EIO);
  d->cycles.data = d;
  const struct siox__monitor_env env = {.config = c,
                                        .log = &d->log,
                                        .store = d->store,
                                        .activities = d->activities,
                                        .knowledge = &d->knowledge,
                                        .drives = d->stamped ? NULL : d->drives.disk,
                                        .wake = d->aside ? wake : NULL,
                                        .context = d};
  return siox__monitor_start(&d->monitor, &env, diag);
}

int siox__daemon_create(struct siox__daemon *d, const struct siox_config *config,
                        struct siox_diag *diag) {
  d->config = config;
  d->listen_fd = d->lock_fd = d->timer_fd = d->spare_fd = d->table_fd = -1;
  d->stamped = config->clock == SIOX_CLOCK_STAMPED;
  d->next_wakeup = d->armed = SIOX_NEVER;
  int r = uv_loop_init(&d->loop) < 0 ? fail(diag, "event loop", SIOX_EIO) : 0;
  if (r == 0 && (r = siox_config_drives(&d->drives, config, diag)) == 0)
    r = check_policy(d, diag);
  if (r == 0)
    r = siox__table_create(d, diag);
  if (r == 0)
    r = siox__listen_place(d, config->socket, diag);
  if (r == 0 && siox__store_open(&d->store, config->database, &d->log) < 0)
    r = fail(diag, "store", SIOX_ENOMEM);
  if (r == 0)
    r = siox__files_create(d, diag);
  if (r == 0 && !(d->midnight = calloc(d->drives.ndisks, sizeof *d->midnight)))
    r = fail(diag, "disks", SIOX_ENOMEM);
  if (r == 0 && siox__members_create(&d->members) < 0)
    r = fail(diag, "members", SIOX_ENOMEM);
  if (r == 0 && siox__activities_new(&d->activities, config->monitor_period >= 0) < 0)
    r = fail(diag, "activities", SIOX_ENOMEM);
  if (r == 0)
    r = want(d, diag);
  if (r == 0 && config->knowledge &&
      (r = siox_knowledge_load(&d->knowledge, config->knowledge, diag)) == SIOX_ENOENT)
    r = siox_config_refuse(config, SIOX_SETTING_knowledge, diag, r, "%s", diag->text);
  if (r == 0)
    r = start_monitor(d, diag);
  if (r < 0)
    return r;
  d->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (d->timer_fd < 0)
    return fail(diag, "timerfd_create", SIOX_EIO);
  uv_poll_init(&d->loop, &d->timer, d->timer_fd);
  uv_prepare_init(&d->loop, &d->before_poll);
  uv_check_init(&d->loop, &d->after_poll);
  uv_idle_init(&d->loop, &d->more);
  uv_timer_init(&d->loop, &d->second);
  uv_timer_init(&d->loop, &d->idle);
  uv_timer_init(&d->loop, &d->watch);
  uv_timer_init(&d->loop, &d->rings);
  uv_signal_init(&d->loop, &d->sigterm);
  uv_signal_init(&d->loop, &d->sigint);
  d->timer.data = d->before_poll.data = d->after_poll.data = d->more.data = d->second.data =
      d->idle.data = d->watch.data = d->rings.data = d->sigterm.data = d->sigint.data = d;
  uv_poll_start(&d->timer, UV_READABLE, on_timer);
  uv_prepare_start(&d->before_poll, before_poll);
  uv_check_start(&d->after_poll, after_poll);
  d->turn = 1;
  uv_timer_start(&d->second, on_second, 1000, 1000);
  siox__daemon_want(d, d->wanted);
  uv_signal_start(&d->sigterm, on_signal, SIGTERM);
  uv_signal_start(&d->sigint, on_signal, SIGINT);
  wait_for_the_first(d);
  return 0;
}

static void close_handle(uv_handle_t *handle, void *unused) {
  (void)unused;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

void siox__daemon_destroy(struct siox__daemon *d) {
  d->leaving = true;
  siox__listen_end(d);
  while (d->sessions)
    siox__session_end(d->sessions, NULL);
  siox__daemon_finish(d);
  siox__monitor_last(d->monitor); /* it wakes a loop that is no more */
  uv_walk(&d->loop, close_handle, NULL);
  while (uv_run(&d->loop, UV_RUN_DEFAULT))
    ;
  uv_loop_close(&d->loop);
  siox__wear_close(d);
  siox__monitor_stop(d->monitor);
  siox__activities_free(d->activities);
  siox__store_close(d->store);
  siox_bank_destroy(d->bank);
  siox__aside_free(d->aside);
  siox_knowledge_free(&d->knowledge);
  siox__members_destroy(d->members);
  siox__gather_destroy(d->gatherings);
  siox__files_destroy(d);
  siox__table_destroy(d);
  for (int *fd = (int[]){d->timer_fd, d->spare_fd, d->lock_fd, -2}; *fd != -2; fd++)
    if (*fd >= 0)
      close(*fd);
  free(d->user);
  free(d->job);
  free(d->by_client);
  free(d->midnight);
  siox_config_drives_free(&d->drives);
}
