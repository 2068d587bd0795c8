/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The questions of siox.h: lead, disks, layouts, speeds. */
#include "client/client.h"
#include "client/profile.h"
#include "siox/policy.h"

SIOX_EXPORT int64_t siox_lead(const struct siox_site *site) {
  (void)site; /* no present policy treats sites differently */
  if (!siox__client_usable() && !siox__welcomed())
    return 0;
  switch (siox__client.levels->policy_lead_kind) {
  case SIOX_LEAD_TRANSITION:
    return siox__client.welcome.lead_ns;
  case SIOX_LEAD_GAP:
    return SIOX_NEVER;
  default:
    return 0;
  }
}

SIOX_EXPORT uint32_t siox_ndisks(void) {
  return siox__client_usable() || siox__welcomed() ? siox__client.welcome.ndisks : 0;
}

SIOX_EXPORT int siox_disk_speed(uint32_t disk, int32_t *speed) {
  uint32_t disks = siox_ndisks();
  if (!disks)
    return SIOX_EGONE;
  if (disk >= disks || !speed)
    return disk >= disks ? SIOX_ERANGE : SIOX_EINVAL;
  *speed = atomic_load_explicit(&siox__client.levels->speed[disk], memory_order_relaxed);
  return 0;
}

/* The levels' table says at once whether there is such a disk; the profile itself is asked for. */
SIOX_EXPORT int siox_disk_drive(uint32_t disk, struct siox_drive *drive) {
  uint32_t disks = siox_ndisks();
  if (!disks)
    return SIOX_EGONE;
  if (disk >= disks || !drive)
    return disk >= disks ? SIOX_ERANGE : SIOX_EINVAL;
  if (!siox__enter())
    return SIOX_EREFUSED; /* from a signal handler that interrupted us */
  int saved = errno;
  struct siox_msg_drive ask = {.disk = disk};
  struct siox_drive answer;
  int result = siox__request(SIOX_MSG_DRIVE, &ask, sizeof ask, NULL, 0, NULL, 0, SIOX_MSG_PROFILE,
                             &answer, sizeof answer);
  if (result >= 0 && result != (int)sizeof answer)
    result = SIOX_EPROTO;
  if (result >= 0) {
    *drive = answer;
    result = 0;
  }
  siox__exit();
  errno = saved;
  return result;
}

SIOX_EXPORT int siox_file_layout(const void *mpi_file, struct siox_layout *layout) {
  int saved = errno;
  const struct siox_layout *known = mpi_file ? siox__file_of_handle(mpi_file) : NULL;
  int result = !layout ? SIOX_EINVAL : known ? siox_layout_copy(layout, known) : SIOX_EUNKNOWN;
  errno = saved;
  return result;
}

static void profile_access(const struct siox_site *site) {
  if (site && site->flags & (SIOX_SITE_READ | SIOX_SITE_WRITE))
    siox__profile_access();
}

SIOX_EXPORT void siox_at(const struct siox_site *site) {
  siox__self.site = site;
  if (__builtin_expect(siox__profiling, 0))
    profile_access(site);
}

SIOX_EXPORT const struct siox_site *siox_within(const struct siox_site *site) {
  const struct siox_site *before = siox__self.within;
  siox__self.within = site;
  if (__builtin_expect(siox__profiling, 0))
    profile_access(site);
  return before;
}
