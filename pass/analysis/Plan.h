/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Plans: what can be said at compile time about the disks around a region (paper section IV,
// Fig. 3). Everything a plan lacks is left to the run time, with the reason.
//
//   masks   each site's disks from layout and offsets; a region needs the union over its next sites
//   phase   union over all sites of the nest around; its complement is not used while the nest runs
//   lead    d = ceil(Ts / Tb) iterations before the end, for each level
//   level   of those for which 2 d <= trip and the gap (trip x Tb) is at least the break-even one
//           the one that saves most, by the drive's closed form
#ifndef SIOX_PASS_PLAN_H
#define SIOX_PASS_PLAN_H

#include "model/Model.h"
#include "siox/drive.h"

namespace siox {

struct PlanOptions {
  const siox_drive *Drive = nullptr; ///< null: no estimate of levels and Ts
  unsigned Disks = 0;                ///< 0: unknown
  int64_t TbNs = SIOX_UNKNOWN;       ///< given time of one iteration of every loop
  int64_t Lead = SIOX_UNKNOWN;       ///< given lead in iterations
};

struct RegionPlan {
  Reason Why = Reason::None; ///< None: masks, level and lead are all constants
  std::string Needed;        ///< LOOP, CALL: disks of the next sites ("011110"); empty: run time
  std::string Phase;         ///< disks used by the nest around (NEST: inside); empty: run time
  std::string Unused;        ///< NEST: complement of Phase, where it names a disk
  int32_t Speed = -1;        ///< level of the gap in the drive's numbers; -1: no opinion
  int32_t FullSpeed = SIOX_SPEED_FULL;
  int64_t TbNs = SIOX_UNKNOWN;
  int64_t GapNs = SIOX_UNKNOWN;
  int64_t Lead = SIOX_UNKNOWN; ///< iterations
  bool Late = false;           ///< a level would pay, but none leaves 2 d <= trip
  bool GivenLead = false;      ///< Lead comes from options, not from an estimate

  bool isStatic() const { return Why == Reason::None && !Needed.empty(); }
};

/// One plan a region; also sets Site.Mask where a site's disks are constants. Warnings are facts a
/// user must know (a striping that does not fit the disks), one line each.
std::vector<RegionPlan> planRegions(ModuleModel &Model, const PlanOptions &Options,
                                    std::vector<std::string> &Warnings);

} // namespace siox
#endif
