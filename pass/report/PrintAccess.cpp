/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One line for each MPI-IO call: where, what, from which open, and how its offset moves.
#include "report/PrintAccess.h"
#include "analysis/Views.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace siox {

static void printLevel(const AccessLevel &L, raw_ostream &OS) {
  static const char *const Names[] = {"unknown", "const",    "invariant",
                                      "affine",  "periodic", "run-time"};
  OS << Names[L.Class];
  std::string Inside;
  if (L.Class == SIOX_OFFSET_AFFINE || L.Class == SIOX_OFFSET_PERIODIC)
    Inside = "stride=" + (L.Stride == SIOX_UNKNOWN ? "?" : std::to_string(L.Stride));
  if (L.Class == SIOX_OFFSET_PERIODIC)
    Inside += ",period=" + (L.Period == SIOX_UNKNOWN ? "?" : std::to_string(L.Period));
  if (L.Trip != SIOX_UNKNOWN)
    Inside += (Inside.empty() ? "trip=" : ",trip=") + std::to_string(L.Trip);
  if (!Inside.empty())
    OS << '(' << Inside << ')';
}

void printAccess(const ModuleModel &Model, raw_ostream &OS) {
  for (const Site &S : Model.Sites) {
    OS << S.File << ':' << S.Line << ' ' << S.Function << ' ' << S.Callee;
    const char *Separator = " origin=";
    for (unsigned Id : S.Origins) {
      OS << Separator << Model.Sites[Id].File << ':' << Model.Sites[Id].Line;
      Separator = ",";
    }
    if (!S.Origins.empty() && !S.WholeOrigins)
      OS << ",?";
    if (S.First != SIOX_UNKNOWN)
      OS << " first=" << S.First;
    if (S.Size != SIOX_UNKNOWN)
      OS << " size=" << S.Size;
    if (S.View) {
      const struct siox__filetype_facts *F = siox__filetype_facts(S.View->Type.get());
      OS << " view=" << F->size << '/' << F->extent;
    }
    for (size_t I = 0; I < S.Levels.size(); ++I) {
      OS << " L" << I << ' ';
      printLevel(S.Levels[I], OS);
    }
    if (S.Layout)
      OS << " layout=" << S.Layout->Text;
    if (!S.Mask.empty())
      OS << " mask=" << S.Mask;
    if (!S.Why.empty())
      OS << " why=\"" << S.Why << '"';
    OS << '\n';
  }
}

} // namespace siox
