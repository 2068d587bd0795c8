/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the user is told about regions.
#include "report/Remarks.h"
#include "analysis/Regions.h"
#include "common/region_kind.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace siox {

static const char Pass[] = "siox";

static std::string textOf(Reason Why) {
  return std::string(reasonText(Why)) + " (" + reasonHelp(Why) + ") [" + reasonName(Why) + "]";
}

void missed(OptimizationRemarkEmitter &ORE, Reason Why, const CallBase *Where) {
  ORE.emit([&] { return OptimizationRemarkMissed(Pass, reasonName(Why), Where) << textOf(Why); });
}

void passed(OptimizationRemarkEmitter &ORE, StringRef Name, const CallBase *Where,
            const Twine &Text) {
  ORE.emit([&] { return OptimizationRemark(Pass, Name, Where) << Text.str(); });
}

bool isMissed(const Region &R, const RegionPlan &P) {
  return R.Refused != Reason::None || P.Why == Reason::GapTooShort ||
         P.Why == Reason::LeadTooLong || P.Why == Reason::NoNext ||
         P.Why == Reason::PrintedSelectsNone || P.Why == Reason::PrintedLoopsOnly ||
         P.Why == Reason::SplitNeedsO1;
}

static void printPlace(raw_ostream &Out, const std::string &File, unsigned Line) {
  Out << File << ':' << Line;
}

static void printSites(raw_ostream &Out, const ModuleModel &Model,
                       const std::vector<unsigned> &Ids) {
  const char *Separator = " ";
  for (unsigned Id : Ids) {
    Out << Separator;
    printPlace(Out, Model.Sites[Id].File, Model.Sites[Id].Line);
    Separator = ",";
  }
  if (Ids.empty())
    Out << " none";
}

static void printSpeed(raw_ostream &Out, int32_t Speed) {
  if (Speed == SIOX_SPEED_LOWEST)
    Out << "lowest";
  else if (Speed == SIOX_SPEED_FULL)
    Out << "full";
  else
    Out << Speed;
}

static void printDecision(raw_ostream &Out, const ModuleModel &Model, const Region &R,
                          const RegionPlan &P) {
  if (R.Refused != Reason::None) {
    Out << "not marked: " << reasonText(R.Refused);
  } else if (R.Kind == SIOX_REGION_NEST && P.Why != Reason::PrintedLoopsOnly) {
    if (!P.Phase.empty())
      Out << "uses " << P.Phase;
    if (!P.Unused.empty())
      Out << ", " << P.Unused << " lowest at entry";
    if (P.Why != Reason::None)
      Out << (P.Phase.empty() ? "" : "; ") << "run time: masks from handles (" << reasonText(P.Why)
          << ')';
  } else if (P.isStatic()) {
    Out << "release " << (P.Phase.empty() ? P.Needed : P.Phase) << ' ';
    printSpeed(Out, P.Speed);
    Out << " F=0 " << (P.Phase.empty() ? "after each access" : "at entry") << "; hint " << P.Needed
        << ' ';
    printSpeed(Out, P.FullSpeed);
    Out << " F=1 at iteration " << R.Trip - P.Lead << " (d=" << P.Lead << ')';
  } else if (isMissed(R, P)) {
    Out << "no hint: " << reasonText(P.Why);
  } else {
    Out << "run time: masks " << (P.Needed.empty() ? "from handles" : P.Needed)
        << ", lead from siox_lead (" << reasonText(P.Why) << ')';
  }
  Out << (R.Kind == SIOX_REGION_NEST ? "; inside:" : "; next:");
  printSites(Out, Model, R.Near.Next);
}

void printPlan(const ModuleModel &Model, ArrayRef<RegionPlan> Plans, raw_ostream &Out) {
  for (const Region &R : Model.Regions) {
    if (R.Kind == SIOX_REGION_STEPS)
      continue;
    const RegionPlan &P = Plans[R.Id];
    printPlace(Out, R.File, R.Line);
    Out << ' ' << functionName(*R.Function) << ' ' << siox__region_kind_name(R.Kind);
    if (R.Kind == SIOX_REGION_LOOP) {
      Out << " trip=";
      R.Trip == SIOX_UNKNOWN ? Out << '?' : Out << R.Trip;
      Out << " gap=";
      P.GapNs == SIOX_UNKNOWN ? Out << '?' : Out << P.GapNs << "ns";
      if (R.Measured)
        Out << " measured";
    }
    Out << ' ';
    printDecision(Out, Model, R, P);
    if (!R.Near.Succ.empty()) {
      Out << "; then:";
      const char *Separator = " ";
      for (unsigned Id : R.Near.Succ) {
        Out << Separator;
        printPlace(Out, Model.Regions[Id].File, Model.Regions[Id].Line);
        Separator = ",";
      }
    }
    if (R.OpenEnd)
      Out << (R.OpenLater ? "; open end after the loop" : "; open end");
    Out << '\n';
  }
}

/// Nobody reads remarks in most compilations, and their texts are long.
static bool isAnyWanted(LLVMContext &C) {
  const DiagnosticHandler *Handler = C.getDiagHandlerPtr();
  return C.getLLVMRemarkStreamer() || !Handler || Handler->isPassedOptRemarkEnabled(Pass) ||
         Handler->isMissedOptRemarkEnabled(Pass);
}

void reportRegions(const ModuleModel &Model, ArrayRef<RegionPlan> Plans, bool Split) {
  if (Model.Regions.empty() || !isAnyWanted(Model.Regions.front().Function->getContext()))
    return;
  for (const Region &R : Model.Regions) {
    if (R.Kind == SIOX_REGION_STEPS)
      continue; // counts for others; nothing is decided about it
    const RegionPlan &P = Plans[R.Id];
    OptimizationRemarkEmitter ORE(R.Function);
    DiagnosticLocation Where;
    if (R.Enter)
      Where = DiagnosticLocation(R.Enter->getDebugLoc());
    else if (R.Call)
      Where = DiagnosticLocation(R.Call->getDebugLoc());
    else if (DISubprogram *S = R.Function->getSubprogram(); S && R.Refused == Reason::None)
      Where = DiagnosticLocation(DebugLoc(DILocation::get(S->getContext(), R.Line, R.Column, S)));
    const BasicBlock *Block = blockOf(R);
    if (R.Kind == SIOX_REGION_LOOP && R.Enter && Split) {
      if (!R.Function->hasOptNone())
        continue;
      missed(ORE, Reason::SplitNeedsO1, R.Enter);
      continue;
    }
    std::string Text;
    raw_string_ostream Out(Text);
    Out << siox__region_kind_name(R.Kind) << ": ";
    printDecision(Out, Model, R, P);
    if (isMissed(R, P)) {
      Reason Why = R.Refused != Reason::None ? R.Refused : P.Why;
      Out << " (" << reasonHelp(Why) << ") [" << reasonName(Why) << ']';
      ORE.emit(
          [&] { return OptimizationRemarkMissed(Pass, reasonName(Why), Where, Block) << Text; });
    } else {
      StringRef Name = P.Why == Reason::None ? "RegionPlanned" : "RegionAtRunTime";
      if (P.Why != Reason::None)
        Out << " [" << reasonName(P.Why) << ']';
      ORE.emit([&] { return OptimizationRemark(Pass, Name, Where, Block) << Text; });
    }
  }
}

namespace {
/// A warning that compilers show by default.
class Warning : public DiagnosticInfo {
public:
  explicit Warning(const std::string &Text) : DiagnosticInfo(kind(), DS_Warning), Text(Text) {}
  void print(DiagnosticPrinter &Printer) const override { Printer << "siox: " << Text; }

private:
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
  const std::string &Text;
};
} // namespace

void warn(Module &M, ArrayRef<std::string> Warnings) {
  for (const std::string &Text : Warnings)
    M.getContext().diagnose(Warning(Text));
}

} // namespace siox
