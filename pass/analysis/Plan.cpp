/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Plans of all regions of a module.
#include "analysis/Plan.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "analysis/SiteMask.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace siox {

namespace {

class Planner {
public:
  Planner(ModuleModel &Model, const PlanOptions &Options, std::vector<std::string> &Warnings)
      : Model(Model), Options(Options), Masks(Model.Sites.size()), Plans(Model.Regions.size()) {
    for (Site &S : Model.Sites) {
      if (!isDataSite(S))
        continue;
      Masks[S.Id] = maskOf(S, Options.Disks);
      S.Mask = Masks[S.Id].Burst;
      if (Masks[S.Id].Why == Reason::LayoutInvalid)
        Warnings.push_back((Twine(S.File) + ":" + Twine(S.Line) + ": striping " + S.Layout->Text +
                            " (" + S.Layout->Source + ") does not fit " + Twine(Options.Disks) +
                            " disks")
                               .str());
    }
  }

  std::vector<RegionPlan> run() {
    for (const Region &R : Model.Regions)
      if (R.Kind == SIOX_REGION_NEST)
        planNest(R);
    for (const Region &R : Model.Regions)
      if (isGap(R))
        planGap(R);
    return std::move(Plans);
  }

private:
  /// Union of an upper bound over sites; empty when one is not known.
  std::string bound(const std::vector<unsigned> &Sites) const {
    std::string All;
    for (unsigned Id : Sites) {
      if (Masks[Id].Bound.empty())
        return "";
      All = unite(All, Masks[Id].Bound);
    }
    return All;
  }

  void planNest(const Region &R) {
    RegionPlan &P = Plans[R.Id];
    P.Phase = bound(R.Near.Next);
    if (R.Refused != Reason::None)
      P.Why = R.Refused;
    else if (R.OpenEnd)
      P.Why = Reason::OpenEnd;
    else if (P.Phase.empty())
      P.Why = firstReason(R.Near.Next);
    if (R.Measured && R.RegionNs != SIOX_UNKNOWN && Options.TbNs == SIOX_UNKNOWN)
      P.GapNs = R.RegionNs;
    if (P.Why == Reason::None && P.Phase.find('0') != std::string::npos) {
      P.Unused = complement(P.Phase);
      // A nest that was measured to be over sooner than lower speeds pay is no reason for any.
      if (Options.Drive && P.GapNs != SIOX_UNKNOWN &&
          P.GapNs < siox_drive_break_even(Options.Drive))
        P.Unused.clear();
    }
  }

  Reason firstReason(const std::vector<unsigned> &Sites) const {
    for (unsigned Id : Sites)
      if (Masks[Id].Why != Reason::None)
        return Masks[Id].Why;
    return Reason::None;
  }

  void planGap(const Region &R) {
    RegionPlan &P = Plans[R.Id];
    estimate(R, P);
    P.Why = R.Refused != Reason::None                                  ? R.Refused
            : R.Near.Next.empty() && R.Near.Succ.empty() && !R.OpenEnd ? Reason::NoNext
            : R.OpenEnd                                                ? Reason::OpenEnd
                                                                       : firstReason(R.Near.Next);
    if (P.Why != Reason::None)
      return;
    for (unsigned Id : R.Near.Next)
      P.Needed = unite(P.Needed, Masks[Id].Burst);
    P.Phase = phaseOf(R, P.Needed);
    if (R.Kind == SIOX_REGION_CALL)
      P.Why = Reason::OpaqueCall;
    else if (R.Trip == SIOX_UNKNOWN)
      P.Why = Reason::TripUnknown;
    else if (P.Late)
      P.Why = Reason::LeadTooLong;
    else if (P.Speed < 0) // only a lower bound may be the reason, where not all was counted
      P.Why =
          Options.TbNs == SIOX_UNKNOWN && !R.BodyWhole ? Reason::BodyUnknown : Reason::GapTooShort;
    else if (P.Lead == SIOX_UNKNOWN)
      P.Why = Reason::BodyUnknown;
  }

  /// Disks to release: those of the phase, so that what other parts of it used goes down as well.
  std::string phaseOf(const Region &R, const std::string &Needed) const {
    std::string Phase;
    for (unsigned Id : R.Nests) {
      if (Plans[Id].Phase.empty() || Model.Regions[Id].OpenEnd)
        return Needed;
      Phase = unite(Phase, Plans[Id].Phase);
    }
    return Phase.empty() ? Needed : Phase;
  }

  /// Iterations that a change from a level to full speed takes (paper equation 1).
  int64_t leadFrom(const siox_drive &D, uint32_t Level, double Tb) const {
    if (Options.Lead != SIOX_UNKNOWN)
      return Options.Lead;
    int64_t Ts = siox_drive_transition_ns(&D, D.level[Level].speed, D.level[D.nlevels - 1].speed);
    double Iterations = Ts >= 0 ? std::ceil(double(Ts) / Tb) : 9e18;
    return Iterations < 4e18 ? int64_t(Iterations) : SIOX_NEVER / 2;
  }

  /// The level that saves most of those from which the disks are back in time.
  void chooseLevel(const siox_drive &D, double Tb, int64_t Trip, RegionPlan &P) const {
    double Most = 0;
    for (uint32_t Level = D.nlevels - 1; Level-- > 0;) {
      double Saving = siox_drive_gap_saving(&D, Level, P.GapNs);
      if (!(Saving > 0) || P.GapNs < siox_drive_min_gap(&D, Level))
        continue;
      int64_t Lead = leadFrom(D, Level, Tb);
      if (Lead > Trip / 2) {
        P.Late = true;
      } else if (Saving > Most) {
        Most = Saving;
        P.Speed = D.level[Level].speed;
        P.Lead = Lead;
      }
    }
    P.Late &= P.Speed < 0;
  }

  /// Level and lead from the time of the gap.
  void estimate(const Region &R, RegionPlan &P) const {
    const bool Given = Options.TbNs != SIOX_UNKNOWN;
    double Tb = Given ? double(Options.TbNs) : R.ExactNs;
    bool Loop = R.Kind == SIOX_REGION_LOOP;
    P.TbNs = Given ? Options.TbNs : R.BodyNs;
    P.GivenLead = Options.Lead != SIOX_UNKNOWN || Given;
    if (!Given && R.Measured && R.RegionNs != SIOX_UNKNOWN)
      P.GapNs = R.RegionNs;
    else if (Loop && Tb > 0 && R.Trip != SIOX_UNKNOWN)
      P.GapNs = Tb * double(R.Trip) < 9e18 ? std::max<int64_t>(1, std::llround(Tb * double(R.Trip)))
                                           : SIOX_NEVER;
    if (!Options.Drive) {
      P.Speed = SIOX_SPEED_LOWEST;
      P.Lead = Options.Lead;
      return;
    }
    const siox_drive &D = *Options.Drive;
    P.FullSpeed = D.level[D.nlevels - 1].speed;
    if (P.GapNs == SIOX_UNKNOWN) {
      uint32_t Level = siox_drive_level(&D, SIOX_SPEED_LOWEST);
      if (Level + 1 == D.nlevels)
        return;
      P.Speed = D.level[Level].speed;
      P.Lead = Tb > 0 || Options.Lead != SIOX_UNKNOWN ? leadFrom(D, Level, Tb) : SIOX_UNKNOWN;
    } else if (Loop && Tb > 0 && R.Trip != SIOX_UNKNOWN) {
      chooseLevel(D, Tb, R.Trip, P);
    } else {
      uint32_t Level = siox_drive_best_level(&D, P.GapNs);
      P.Speed = Level + 1 < D.nlevels ? D.level[Level].speed : -1;
      P.Lead = Options.Lead;
    }
  }

  ModuleModel &Model;
  const PlanOptions &Options;
  std::vector<SiteMask> Masks;
  std::vector<RegionPlan> Plans;
};

} // namespace

std::vector<RegionPlan> planRegions(ModuleModel &Model, const PlanOptions &Options,
                                    std::vector<std::string> &Warnings) {
  return Planner(Model, Options, Warnings).run();
}

} // namespace siox
