/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The table of a module. Every data access and every region is counted once.
#include "report/Summary.h"
#include "model/MpiIo.h"
#include "report/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace siox {
namespace {

enum Known { Constant, Affine, Periodic, Invariant, RunTime, Unknown, Classes };

/// What is least known over the loops around an access.
Known classOf(const Site &S) {
  Known Least = S.First != SIOX_UNKNOWN ? Constant : Invariant;
  if (S.Levels.empty())
    return S.First == SIOX_UNKNOWN && !S.Why.empty() ? Unknown : Least;
  bool Moves = false, Returns = false, Repeats = false;
  for (const AccessLevel &L : S.Levels) {
    if (L.Class == SIOX_OFFSET_UNKNOWN)
      return Unknown;
    Moves |= L.Class == SIOX_OFFSET_AFFINE;
    Returns |= L.Class == SIOX_OFFSET_PERIODIC;
    Repeats |= L.Class == SIOX_OFFSET_RUNTIME;
  }
  return Repeats ? RunTime : Returns ? Periodic : Moves ? Affine : Least;
}

struct Row {
  unsigned Planned = 0, RunTime = 0, NoHint = 0, NotMarked = 0;
  unsigned sum() const { return Planned + RunTime + NoHint + NotMarked; }
};

void printLine(raw_ostream &Out, StringRef Name, ArrayRef<std::string> Cells) {
  Out << "  " << left_justify(Name, 22);
  for (const std::string &Cell : Cells)
    Out << right_justify(Cell, 12);
  Out << '\n';
}

void printRow(raw_ostream &Out, StringRef Name, const Row &R) {
  printLine(Out, Name,
            {utostr(R.sum()), utostr(R.Planned), utostr(R.RunTime), utostr(R.NoHint),
             utostr(R.NotMarked)});
}

/// What the source is called: flang calls every module the same.
StringRef moduleName(const ModuleModel &Model) {
  StringRef Name = Model.Sites.front().Call->getModule()->getSourceFileName();
  return Name == "FIRModule" ? StringRef(Model.Sites.front().File) : Name;
}

} // namespace

void printSummary(const ModuleModel &Model, ArrayRef<RegionPlan> Plans, raw_ostream &Out) {
  unsigned Sites[Classes] = {}, Data = 0;
  for (const Site &S : Model.Sites)
    if (S.Info->isData()) {
      Data++;
      Sites[classOf(S)]++;
    }
  Row Loops, Calls, Nests, Outside;
  std::map<Reason, unsigned> Reasons; // in the order of reasons.def
  for (const Region &R : Model.Regions) {
    if (R.Kind == SIOX_REGION_STEPS)
      continue;
    const RegionPlan &P = Plans[R.Id];
    Row &Kind = R.Kind == SIOX_REGION_LOOP      ? Loops
                : R.Kind == SIOX_REGION_CALL    ? Calls
                : R.Kind == SIOX_REGION_OUTSIDE ? Outside
                                                : Nests;
    (R.Refused != Reason::None ? Kind.NotMarked
     : isMissed(R, P)          ? Kind.NoHint
     : P.Why == Reason::None   ? Kind.Planned
                               : Kind.RunTime)++;
    if (Reason Why = R.Refused != Reason::None ? R.Refused : P.Why; Why != Reason::None)
      Reasons[Why]++;
  }
  auto Count = [&](Layer By) {
    return count_if(Model.Sites, [&](const Site &S) { return S.Info->By == By; });
  };
  Out << "siox: " << moduleName(Model) << ": " << Count(Layer::MpiIo) << " calls of MPI-IO, ";
  if (auto Above = Count(Layer::Library))
    Out << Above << " of libraries above it, ";
  Out << Data << " move data\n";
  printLine(Out, "offsets", {"constant", "affine", "periodic", "invariant", "run time", "unknown"});
  printLine(Out, "accesses",
            {utostr(Sites[Constant]), utostr(Sites[Affine]), utostr(Sites[Periodic]),
             utostr(Sites[Invariant]), utostr(Sites[RunTime]), utostr(Sites[Unknown])});
  printLine(Out, "regions", {"all", "planned", "run time", "no hint", "not marked"});
  printRow(Out, "loops", Loops);
  printRow(Out, "calls", Calls);
  printRow(Out, "nests with accesses", Nests);
  if (Outside.sum())
    printRow(Out, "unseen callers", Outside);
  for (auto [Why, Count] : Reasons)
    Out << "  " << left_justify(reasonName(Why), 22) << right_justify(utostr(Count), 12) << "  "
        << reasonText(Why) << '\n';
}

} // namespace siox
