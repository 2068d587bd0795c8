/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program has open by itself, as a speaker of its own among those of the process. It is
 * told before the access that it foretells, and told again where that is due; an access that came
 * less than `renew` after what was told last takes two loads. Memory is mmap's: an open may come
 * from a handler that has interrupted malloc. */
#include "client/held.h"
#include "client/real.h"
#include "siox/policy.h"

static struct siox__holds holds; /* under the lock of hints; disk NULL: not yet */
_Atomic int64_t siox__held_renew, siox__held_due = SIOX_NEVER;

/* There are holds, as of the present connection. */
static bool ready(void) {
  const struct siox_msg_welcome *w = &siox__client.welcome;
  if (!siox__welcomed() || !w->ndisks || w->lead_kind == SIOX_LEAD_NONE)
    return false;
  if (!holds.disk) {
    void *memory = siox__real()->mmap(NULL, siox__holds_size(w->ndisks), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    siox__holds_init(&holds, memory, w->ndisks);
  }
  siox__holds_times(&holds, w->lead_kind == SIOX_LEAD_GAP, w->min_gap_ns, w->lead_ns);
  atomic_store_explicit(&siox__held_renew, holds.renew, memory_order_relaxed);
  return true;
}

/* A thread that is cancelled, or left by a handler's siglongjmp, would keep the lock. */
static int begin(void) {
  int state;
  siox__hold_signals();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  siox__hint_lock();
  return state;
}

static void end(int state) {
  siox__hint_unlock();
  pthread_setcancelstate(state, NULL);
  siox__let_signals();
}

void siox__held_tell(struct siox__file *file, int64_t end_byte, int64_t time,
                     bool request_follows) {
  const int state = begin();
  const int64_t now = siox__now_ns(), reach = atomic_load(&file->reach);
  /* Whoever reads beyond what was there at first may go on with that. */
  const int64_t has = end_byte <= reach ? reach : reach ? SIOX__WHOLE : end_byte;
  const int64_t until = time > now ? time : now;
  if (ready()) {
    siox__hint_publish(siox__hold_use(&holds, file->layout, file->held, has, now,
                                      atomic_load(&file->last), until,
                                      request_follows ? siox__client.levels->speed : NULL));
    file->held = has;
  }
  /* After what was said, for other threads look at it without the lock. */
  atomic_store_explicit(&file->reach, has, memory_order_relaxed);
  atomic_store_explicit(&file->told, until, memory_order_release);
  end(state);
}

void siox__held_end(struct siox__file *file) {
  const int state = begin();
  if (file->held && !atomic_load(&file->references)) {
    if (ready())
      siox__hint_publish(siox__hold_end(&holds, file->layout, file->held));
    atomic_store(&file->told, 0);
    atomic_store(&file->reach, 0);
    atomic_store(&file->last, 0);
    file->held = 0; /* from now on it may be another file's */
  }
  end(state);
}

void siox__held_lapse(void) {
  if (siox__borrowed() || !siox__enter())
    return;
  const int saved = errno, state = begin();
  holds.due = SIOX_NEVER;
  siox__hint_publish(NULL);
  end(state);
  siox__exit();
  errno = saved;
}

void siox__held_says(uint32_t disk, int64_t now, struct siox__stance *w) {
  if (disk < holds.ndisks)
    siox__hold_says(&holds, disk, now, w);
}

void siox__held_published(void) {
  atomic_store_explicit(&siox__held_due, holds.disk ? holds.due : SIOX_NEVER, memory_order_relaxed);
}

void siox__held_reset(void) {
  holds = (struct siox__holds){0};
  siox__held_published();
}
