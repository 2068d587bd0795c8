/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Plans of all regions of a module.
#include "analysis/Plan.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "analysis/SiteMask.h"
#include "llvm/ADT/Twine.h"

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
    if (P.Why == Reason::None && P.Phase.find('0') != std::string::npos)
      P.Unused = complement(P.Phase);
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
    P.Why = R.Refused != Reason::None                        ? R.Refused
            : R.Near.Next.empty() && R.Near.Succ.empty() && !R.OpenEnd ? Reason::NoNext
            : R.OpenEnd                                      ? Reason::OpenEnd
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
    else if (P.Speed < 0)
      P.Why = Reason::GapTooShort;
    else if (P.Lead == SIOX_UNKNOWN)
      P.Why = Reason::BodyUnknown;
    else if (P.Lead > R.Trip / 2)
      P.Why = Reason::LeadTooLong;
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

  /// Level and lead from the time of the gap (paper equation 1).
  void estimate(const Region &R, RegionPlan &P) const {
    P.TbNs = Options.TbNs != SIOX_UNKNOWN ? Options.TbNs : R.BodyNs;
    P.Lead = Options.Lead;
    P.GivenLead = Options.Lead != SIOX_UNKNOWN || Options.TbNs != SIOX_UNKNOWN;
    int64_t Gap;
    if (P.TbNs != SIOX_UNKNOWN && P.TbNs > 0 && R.Trip != SIOX_UNKNOWN)
      P.GapNs = __builtin_mul_overflow(P.TbNs, R.Trip, &Gap) ? SIOX_NEVER : Gap;
    if (!Options.Drive) {
      P.Speed = SIOX_SPEED_LOWEST;
      return;
    }
    const siox_drive &D = *Options.Drive;
    uint32_t Full = D.nlevels - 1;
    uint32_t Level = P.GapNs != SIOX_UNKNOWN ? siox_drive_best_level(&D, P.GapNs)
                                             : siox_drive_level(&D, SIOX_SPEED_LOWEST);
    P.FullSpeed = D.level[Full].speed;
    if (Level == Full)
      return;
    P.Speed = D.level[Level].speed;
    int64_t Ts = siox_drive_transition_ns(&D, D.level[Level].speed, D.level[Full].speed);
    if (P.Lead == SIOX_UNKNOWN && P.TbNs != SIOX_UNKNOWN && P.TbNs > 0 && Ts >= 0)
      P.Lead = Ts / P.TbNs + (Ts % P.TbNs != 0);
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
