/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Layouts of files from their info objects and from layouts.yaml. The defaults for what an info
// object leaves out are those of the run time (runtime/client/mpifile.c).
#include "analysis/Layout.h"
#include "analysis/Origin.h"
#include "model/MpiIo.h"
#include "siox/layouts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;

namespace siox {
namespace {

enum Key { Factor, Unit, Base, Nodes, Keys };
const char *const KeyNames[Keys] = {"striping_factor", "striping_unit", "start_iodevice",
                                    "CREATE_SET_DATAFILE_NODES"};

/// One MPI_Info_set of the clone.
struct Setting {
  CallBase *Call;
  CallBase *Info;           ///< the MPI_Info_create it belongs to
  std::optional<Key> Which; ///< none: a key that says nothing about layout
  std::optional<StringRef> Value;
  bool AnyKey; ///< the key is not a constant
};

class Finder {
public:
  Finder(OptimisticClone &Clone, ModuleModel &Model, const siox_layouts &Named, unsigned Disks)
      : Clone(Clone), Model(Model), Named(Named), Disks(Disks), Infos(Clone.analyses(), infoMaker) {
  }
  void run();
  unsigned disks() const { return Disks; }

private:
  void collect();
  void open(CallBase &Call);
  bool valueOf(Key Which, CallBase &Info, CallBase &Open, std::optional<StringRef> &Value);
  std::string fromInfo(CallBase &Open, bool &Known);
  std::optional<StaticLayout> fromName(CallBase &Open);

  OptimisticClone &Clone;
  ModuleModel &Model;
  const siox_layouts &Named;
  unsigned Disks;
  OriginWalker Infos;
  SmallVector<Setting, 8> Settings;
  std::map<unsigned, SmallVector<std::optional<StaticLayout>, 2>> Found; ///< by site, each copy
};

std::optional<StringRef> text(const Value *V) {
  StringRef Text;
  return V && getConstantStringInfo(V, Text) ? std::optional<StringRef>(Text) : std::nullopt;
}

void Finder::collect() {
  for (Function &F : Clone.module())
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->arg_size() != 3 || !isCallOf(*Call, "MPI_Info_set"))
        continue;
      Origins O = Infos.ofValue(Call->getArgOperand(0));
      std::optional<StringRef> Name = text(Call->getArgOperand(1));
      Setting S{Call, nullptr, {}, text(Call->getArgOperand(2)), !Name};
      for (int K = 0; K < Keys && Name; ++K)
        if (*Name == KeyNames[K])
          S.Which = Key(K);
      for (CallBase *Info : O.Makers) {
        S.Info = Info;
        Settings.push_back(S);
      }
    }
}

/// The last setting of a key before an open, none when there is none; false when it cannot be told.
bool Finder::valueOf(Key Which, CallBase &Info, CallBase &Open, std::optional<StringRef> &Value) {
  Function &F = *Open.getFunction();
  DominatorTree &Tree = Clone.analyses().getResult<DominatorTreeAnalysis>(F);
  const CallBase *Last = nullptr;
  for (const Setting &S : Settings) {
    if (S.Info != &Info || !(S.AnyKey || S.Which == Which))
      continue;
    if (S.Call->getFunction() != &F)
      return false;
    if (!Tree.dominates(S.Call, &Open)) {
      if (isPotentiallyReachable(S.Call, &Open, nullptr, &Tree))
        return false; // sometimes set
      continue;
    }
    if (S.AnyKey || !S.Value)
      return false;
    if (!Last || Tree.dominates(Last, S.Call)) {
      Last = S.Call;
      Value = S.Value;
    }
  }
  return true;
}

bool isNumber(StringRef Text, uint64_t &Number) {
  return !Text.empty() && isDigit(Text[0]) && !Text.getAsInteger(10, Number);
}

/// Layout text of an open's info object, empty when it says nothing. Known is false when it may say
/// something that is not a constant.
std::string Finder::fromInfo(CallBase &Open, bool &Known) {
  Known = true;
  Value *Handle = argument(Open, 3);
  Origins O = Infos.ofValue(Handle);
  if (O.Makers.empty() && !O.Unresolved && !O.OpenWorld)
    return ""; // MPI_INFO_NULL
  std::optional<StringRef> Values[Keys];
  Known = O.Makers.size() == 1 && !O.Unresolved && !O.OpenWorld && !O.Indexed;
  for (int K = 0; K < Keys && Known; ++K)
    Known = valueOf(Key(K), *O.Makers.front(), Open, Values[K]);
  if (!Known || none_of(Values, [](const auto &V) { return V.has_value(); }))
    return "";
  uint64_t First = 0, Count = Disks, Bytes = 65536;
  if (Values[Unit] && (!isNumber(*Values[Unit], Bytes) || !Bytes))
    Bytes = 65536;
  if (Values[Nodes]) {
    std::string List;
    for (char C : *Values[Nodes])
      if (C != ' ')
        List += C == ':' ? ',' : C;
    return List + ":" + utostr(Bytes);
  }
  if (Values[Base] && !isNumber(*Values[Base], First))
    First = 0;
  bool HasFactor = Values[Factor] && isNumber(*Values[Factor], Count) && Count;
  if (!HasFactor || (Disks && Count > Disks))
    Count = Disks;
  if (!Count) {
    Known = false; // all disks, however many there are
    return "";
  }
  return utostr(First) + ":" + utostr(Count) + ":" + utostr(Bytes);
}

std::optional<StaticLayout> Finder::fromName(CallBase &Open) {
  std::optional<StringRef> Name = text(argument(Open, 1));
  if (!Name)
    return std::nullopt;
  const siox_layout *L = siox_layouts_find(&Named, Name->str().c_str());
  char Text[4096];
  if (!L || siox_layout_format(L, Text, sizeof Text) >= int(sizeof Text))
    return std::nullopt;
  if (!Disks)
    Disks = L->ndisks;
  return StaticLayout{Text, "layouts.yaml"};
}

void Finder::open(CallBase &Call) {
  bool Known;
  std::optional<StaticLayout> Layout;
  std::string Text = fromInfo(Call, Known);
  SmallVector<unsigned, 2> Sites = Clone.sitesBefore(Call);
  if (!Text.empty() && !Sites.empty()) {
    const Site &S = Model.Sites[Sites.front()];
    Layout = StaticLayout{Text, "MPI_Info at " + S.File + ":" + std::to_string(S.Line)};
  } else if (Known) {
    Layout = fromName(Call);
  }
  for (unsigned Id : Sites)
    Found[Id].push_back(Layout);
}

bool agree(const std::optional<StaticLayout> &A, const std::optional<StaticLayout> &B) {
  return A.has_value() == B.has_value() && (!A || A->Text == B->Text);
}

void Finder::run() {
  collect();
  for (Function &F : Clone.module()) {
    if (Clone.isInlined(F))
      continue; // its callers show what the arguments are
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && fileMaker(*Call) >= 0)
        open(*Call);
  }
  for (auto &Entry : Found) {
    const auto &Copies = Entry.second;
    if (all_of(Copies, [&](const auto &L) { return agree(L, Copies.front()); }))
      Model.Sites[Entry.first].Layout = Copies.front();
  }
  for (Site &S : Model.Sites) {
    if (S.Info->Class == SIOX_CLASS_OPEN || S.Origins.empty() || S.UnresolvedOrigins)
      continue;
    const std::optional<StaticLayout> &First = Model.Sites[S.Origins.front()].Layout;
    if (all_of(S.Origins, [&](unsigned Id) { return agree(Model.Sites[Id].Layout, First); }))
      S.Layout = First;
  }
}

} // namespace

Error findLayouts(OptimisticClone &Clone, ModuleModel &Model, StringRef Path, unsigned &Disks) {
  siox_layouts Named = {};
  siox_diag Problem = {};
  if (!Path.empty())
    if (int Code = siox_layouts_load(&Named, Path.str().c_str(), Disks, &Problem); Code < 0)
      return createStringError(Problem.text[0] ? std::string(Problem.text)
                                               : Path.str() + ": " + siox_strerror(Code));
  Finder F(Clone, Model, Named, Disks);
  F.run();
  Disks = F.disks();
  siox_layouts_free(&Named);
  return Error::success();
}

} // namespace siox
