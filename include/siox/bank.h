/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bank: disks, claims and one policy under one clock. It is the emulated store's brain and the simulator's: pure, no
 * clock of its own, no I/O. Time only moves to the stamps of the events it is given and to its own wake-ups, which are
 * carried out at exactly the time they were due, so a late timer changes nothing. Stamps before the bank's time are
 * taken as the bank's time. Semantics: docs/semantics.md (a transition takes its time, serves nothing, starts after
 * the requests already accepted, arrivals queue; first come first served on arrival; a ramp can be turned round when
 * nothing was accepted behind it). Not thread-safe per bank. */
#ifndef SIOX_BANK_H
#define SIOX_BANK_H
#include "siox/drive.h"
#include "siox/layout.h"
#include "siox/policy.h"
#ifdef __cplusplus
extern "C" {
#endif

enum siox_state { SIOX_IDLE, SIOX_ACTIVE, SIOX_UP, SIOX_DOWN, SIOX_NSTATES };
const char *siox_state_name(enum siox_state state); /* "idle", "active", "up", "down" */

/* What happened on a disk, told to the observer in order per disk and exactly once (segments tile the disk's time). */
struct siox_segment {
  uint32_t disk;
  enum siox_state state;
  int64_t start, end;
  double from_speed, to_speed; /* equal unless UP or DOWN */
  uint64_t bytes;              /* ACTIVE */
  uint32_t job;                /* to whom it is attributed; SIOX_NOBODY: unattributed; idle shared by several jobs: the
                                * first of them, with `share` < 1 and one segment told per job */
  double share;                /* part of the joules of this segment told here; shares of one segment add up to 1 */
  double joules;               /* of that part */
  uint32_t pieces;             /* ACTIVE: of the request that this is a piece of; 0: nobody waits for it */
};
typedef void (*siox_segment_fn)(void *context, const struct siox_segment *segment);

struct siox_bank_options {
  uint32_t ndisks;
  const struct siox_drive *const *drive; /* one per disk; kept, not copied */
  const uint32_t *initial_level;         /* NULL: highest */
  const char *policy;                    /* "siox", "static:9000", ... */
  double hold_factor;                    /* hold = factor * break-even; <= 0: 10 */
  int64_t start;                         /* first moment */
  siox_segment_fn segment;               /* may be NULL */
  void *context;
  struct siox_limits limits;
};

struct siox_bank;
/* SIOX_EINVAL (options, or the policy's argument), SIOX_ERANGE (an initial level), SIOX_ENOENT (no such policy),
 * SIOX_ENOMEM. */
int siox_bank_create(struct siox_bank **bank, const struct siox_bank_options *options);
void siox_bank_destroy(struct siox_bank *bank);

/* What follows returns SIOX_EINVAL for a job or client that is not there and after siox_bank_finish, and SIOX_ENOMEM.
 * A job key and its number; asking twice gives the same number. */
int siox_bank_job(struct siox_bank *bank, const char *key, uint32_t *job);
/* A job that has left and of which nobody will ask any more: what it took goes to the forgotten ones together, and its
 * number to another job, when a thousand others have been forgotten after it. SIOX_EINVAL also while it has clients. */
int siox_bank_job_forget(struct siox_bank *bank, uint32_t job);
/* Whose the job is, for limits.user_share: any number that jobs of one user share. A job is its own user until then,
 * and again with SIOX_NOBODY. */
int siox_bank_job_user(struct siox_bank *bank, uint32_t job, uint32_t user);
/* The job's own delay budget, part of its run time. SIOX_EINVAL also when limits neither has a delay_budget above 0 nor
 * says `measure`: then nothing is measured. */
int siox_bank_job_budget(struct siox_bank *bank, uint32_t job, double budget);
/* A new client of a job (numbers are reused after leave). */
int siox_bank_join(struct siox_bank *bank, int64_t now, uint32_t job, uint32_t *client);
/* Of a client that has just joined: it is expected to do I/O, and nobody knows where. Until it opens a file, makes a
 * request or a claim, or leaves, or limits.hold_joined_ns (of the drives' profile, by the first disk's time_scale) have
 * passed, policies that heed claims slow no disk that is at full speed. */
int siox_bank_await(struct siox_bank *bank, uint32_t client);
int siox_bank_leave(struct siox_bank *bank, int64_t now, uint32_t client);
/* Also as siox_claims_apply. */
int siox_bank_claim(struct siox_bank *bank, int64_t now, uint32_t client, const struct siox_claim_header *head,
                    const struct siox_claim_run *runs);
int siox_bank_open(struct siox_bank *bank, int64_t now, uint32_t client, const struct siox_layout *layout);

struct siox_request {
  int64_t arrival;
  uint32_t client;
  uint64_t file;       /* for sequentiality */
  const struct siox_layout *layout;
  int64_t offset, bytes;
  bool write;
  const uint32_t *members; /* clients whose predictions count too (a collective's communicator); may be NULL */
  uint32_t nmembers;
  /* What disks do for it, where a cache has its part of it; NULL: by layout, offset, bytes and write. Disks in range. */
  const struct siox_extent *piece;
  uint32_t npieces;
  /* Nobody waits for it: a server's reading ahead or writing back. It needs no prediction, except of disks that it has to
   * wake, and counts among no job's requests. */
  bool own;
};
struct siox_service {
  int64_t completion;  /* when the last piece is done */
  int64_t queued_ns;   /* longest wait behind other requests among its disks */
  int64_t transition_ns; /* longest wait for a transition */
  bool missed;         /* some disk of it had no live prediction */
};
/* Charges the request; completion = arrival when it touches no disk (bytes 0). SIOX_EUNKNOWN: a disk cannot leave a
 * level that does not serve, because its profile lacks the change; SIOX_ERANGE: it would last beyond 2^61 ns. Then
 * nothing of the request is charged; what the policy commanded when it saw the request come has been done. */
int siox_bank_access(struct siox_bank *bank, const struct siox_request *request, struct siox_service *service);

/* Data for the disk wait in a cache until then: no policy slows it before; INT64_MIN: no longer. SIOX_EINVAL (disk). */
int siox_bank_unflushed(struct siox_bank *bank, uint32_t disk, int64_t until);
/* An administrator's word: the disk goes to the level, which must serve, as soon as it has no requests before it, and
 * stays there whatever the policy says; SIOX_NOBODY lets it go to what the policy wanted last. SIOX_ERANGE (disk),
 * SIOX_EINVAL (level). siox_bank_pinned: the level, SIOX_NOBODY: none. */
int siox_bank_pin(struct siox_bank *bank, int64_t now, uint32_t disk, uint32_t level);
uint32_t siox_bank_pinned(const struct siox_bank *bank, uint32_t disk);
/* For trials of detectors: what the disk begins before `until` takes it `factor` times as long, though nobody's plans know
 * of it. SIOX_ERANGE (disk), SIOX_EINVAL (factor: 1 to 1e6). */
int siox_bank_slow(struct siox_bank *bank, uint32_t disk, double factor, int64_t until);
/* The disk itself: the level that it has or is changing to, and what it waits for power for. The view has for pinned ones
 * what their policy believes. */
void siox_bank_disk_now(const struct siox_bank *bank, uint32_t disk, uint32_t *level, uint32_t *target, bool *moving);
/* Slow-downs of a kind that the drive's limits allow in its day, and how many are left of them now; false: not bounded. */
bool siox_bank_wear(const struct siox_bank *bank, uint32_t disk, enum siox_wear kind, double *a_day, double *left);
/* Wear outlives a bank. All slow-downs that wore so far; by how many ns those of a disk are ahead of being spread evenly;
 * and that for a bank that begins: INT64_MAX takes all of the drive's day as spent. SIOX_EINVAL: nothing bounds this kind
 * there. */
uint64_t siox_bank_worn(const struct siox_bank *bank);
int64_t siox_bank_wear_ahead(const struct siox_bank *bank, uint32_t disk, enum siox_wear kind);
int siox_bank_wear_resume(struct siox_bank *bank, uint32_t disk, enum siox_wear kind, int64_t ahead);

/* Carries out every wake-up due at or before now (each at its own time). Returns the next one, SIOX_NEVER if none. */
int64_t siox_bank_advance(struct siox_bank *bank, int64_t now);
/* Lets time run to `end` and charges each disk's way back to its initial level (energy of the transition only, after
 * `end`). The bank takes no events afterwards. SIOX_EUNKNOWN: some way back is not in the profile and not charged. */
int siox_bank_finish(struct siox_bank *bank, int64_t end);

struct siox_disk_totals {
  double joules[SIOX_NSTATES]; /* idle, active, up, down, integrated up to the bank's time or finish; accepted requests
                                * count at once, a transition when it can no longer change */
  int64_t level_ns[SIOX_MAX_LEVELS];
  uint64_t transitions_up, transitions_down, requests, bytes;
  int64_t busy_ns, moving_ns;
  uint64_t refused_wear;        /* slow-downs that wear refused or made smaller */
  uint64_t worn[SIOX_NWEAR];    /* slow-downs that wore so */
  uint64_t delayed, overdue;    /* speed-ups that waited for power; that went after inrush_wait_ns without it */
  int64_t worst_delay_ns;       /* of them */
  uint64_t undercut[SIOX_NCAUSES]; /* slow-downs below a claim in force, by cause */
};
struct siox_job_totals {
  const char *key;
  double joules[SIOX_NSTATES];
  uint64_t hints, granted, refused, requests, missed; /* hints: per claim message; granted/refused: per disk wish */
  int64_t delayed_ns; /* as in siox_job_view; 0 unless delays are measured */
};
const struct siox_view *siox_bank_view(const struct siox_bank *bank);
int64_t siox_bank_now(const struct siox_bank *bank);
/* Integrates idle time to the bank's present first. SIOX_ERANGE, also of the next one. */
int siox_bank_disk_totals(struct siox_bank *bank, uint32_t disk, struct siox_disk_totals *out);
/* Their sum over all disks; the worst of worst_delay_ns. */
void siox_bank_totals(struct siox_bank *bank, struct siox_disk_totals *out);
/* job SIOX_NOBODY: the unattributed share; SIOX_FORGOTTEN: of all forgotten jobs. Over disks, and over jobs plus these two,
 * the joules add up to the same. SIOX_ERANGE: no such job, or forgotten. */
#define SIOX_FORGOTTEN (SIOX_NOBODY - 1)
int siox_bank_job_totals(struct siox_bank *bank, uint32_t job, struct siox_job_totals *out);
uint32_t siox_bank_njobs(const struct siox_bank *bank); /* numbers, also of forgotten jobs */

#ifdef __cplusplus
}
#endif
#endif
