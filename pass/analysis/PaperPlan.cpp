/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fig. 3 of the paper, line by line.
#include "analysis/PaperPlan.h"
#include "analysis/Shape.h"
#include "analysis/SiteMask.h"
#include "siox/layout.h"
#include "llvm/IR/Function.h"
#include <cmath>

using namespace llvm;

namespace siox {

/// Step 1 for one I/O call: sets its bits of T, or says what is not known.
static Reason addBits(const Site &S, unsigned Disks, std::string &T) {
  if (!S.Layout)
    return Reason::LayoutUnknown;
  if (!Disks)
    return Reason::DisksUnknown;
  if (S.Size == SIOX_UNKNOWN)
    return Reason::SizeUnknown;
  siox_layout DL = {};
  if (siox_layout_parse(&DL, Disks, S.Layout->Text.c_str()) < 0)
    return Reason::LayoutInvalid;
  Reason Why = Reason::None;
  uint64_t Base = DL.nodes[0];
  if (uint64_t(S.Size) <= DL.unit) { // small request size
    if (S.First == SIOX_UNKNOWN)
      Why = Reason::OffsetUnknown;
    else
      T[(Base + uint64_t(S.First) % DL.unit) % Disks] = '1';
  } else { // large request size; T has no bits behind the last disk
    for (uint64_t J = Base; J < Base + DL.factor && J < Disks; J++)
      T[J] = '1';
  }
  siox_layout_free(&DL);
  return Why;
}

/// Step 2 for one loop nest.
static void selectSpeed(const Region &L, const PlanOptions &Options, RegionPlan &P) {
  const siox_drive &DS = *Options.Drive;
  double Tb = Options.TbNs != SIOX_UNKNOWN ? double(Options.TbNs) : L.ExactNs;
  P.FullSpeed = DS.level[DS.nlevels - 1].speed;
  P.GapNs = int64_t(Tb * double(L.Trip));
  for (uint32_t X = 0; X < DS.nlevels; X++) {
    int64_t Ts = siox_drive_transition_ns(&DS, DS.level[X].speed, P.FullSpeed);
    double D =
        Options.Lead != SIOX_UNKNOWN && Ts > 0 ? double(Options.Lead) : std::ceil(double(Ts) / Tb);
    if (Ts < 0 || !(2 * D > double(L.Trip)))
      continue;
    P.Speed = DS.level[X].speed;
    P.Lead = D < 4e18 ? int64_t(D) : SIOX_NEVER / 2;
  }
  if (P.Lead == SIOX_UNKNOWN || P.Speed < 0)
    P.Why = Reason::PrintedSelectsNone;
  else if (P.Lead >=
           L.Trip) // "select loop index l_x, where iterations of l_x > d_x": there is none
    P.Why = Reason::LeadTooLong;
}

std::vector<RegionPlan> planAsPrinted(ModuleModel &Model, const PlanOptions &Options) {
  std::vector<RegionPlan> Plans(Model.Regions.size());
  std::string T(Options.Disks, '0');
  Reason Unknown = Reason::None;
  for (Site &S : Model.Sites) {
    if (!isDataSite(S))
      continue;
    std::string Mine(Options.Disks, '0');
    if (Reason Why = addBits(S, Options.Disks, Mine); Why == Reason::None) {
      S.Mask = Mine;
      T = unite(T, Mine);
    } else if (Unknown == Reason::None) {
      Unknown = Why;
    }
  }
  for (const Region &R : Model.Regions) {
    RegionPlan &P = Plans[R.Id];
    P.TbNs = Options.TbNs != SIOX_UNKNOWN ? Options.TbNs : R.BodyNs;
    P.GivenLead = true;
    if (R.Refused != Reason::None)
      P.Why = R.Refused;
    else if (R.Kind != SIOX_REGION_LOOP)
      P.Why = Reason::PrintedLoopsOnly;
    else if (Unknown != Reason::None)
      P.Why = Unknown;
    else if (R.Trip == SIOX_UNKNOWN)
      P.Why = Reason::TripUnknown;
    else if (!Options.Drive || P.TbNs == SIOX_UNKNOWN)
      P.Why = Reason::BodyUnknown;
    else if (R.Function->hasOptNone())
      P.Why = Reason::SplitNeedsO1;
    else
      selectSpeed(R, Options, P);
    if (P.Why == Reason::None)
      P.Needed = T;
  }
  return Plans;
}

} // namespace siox
