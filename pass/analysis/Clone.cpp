/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Building the optimistic clone: slice, attributes, inlining, first simplification.
#include "analysis/Clone.h"
#include "analysis/Fortran.h"
#include "analysis/Hoist.h"
#include "analysis/Optimism.h"
#include "analysis/Rotate.h"
#include "model/MpiIo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <tuple>
#include <vector>

using namespace llvm;

namespace siox {

/// A helper is copied when it is at most this long and has no loop: index arithmetic is so, kernels
/// are not, and copying those would double the time of compiling them.
static const unsigned HelperInstructions = 100;
static const unsigned HelperDepth = 3;
/// Inlining along call paths ends where a function would grow beyond this many instructions.
static const unsigned InlineBudget = 20000;
/// Instructions by which inlining may make the clone grow, at the least.
static constexpr unsigned GrowthBudget = 10000;

using FunctionSet = SmallSetVector<const Function *, 32>;

static const Function *calleeIn(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? Call->getCalledFunction() : nullptr;
}

/// Functions that hold a site, and all their direct callers.
static FunctionSet functionsThatReach(const ModuleModel &Model) {
  FunctionSet Slice;
  for (const Site &S : Model.Sites)
    Slice.insert(S.Call->getFunction());
  for (unsigned I = 0; I < Slice.size(); ++I)
    for (const User *U : Slice[I]->users())
      if (const auto *Call = dyn_cast<CallBase>(U))
        if (Call->getCalledFunction() == Slice[I])
          Slice.insert(Call->getFunction());
  return Slice;
}

static bool isHelper(const Function &F) {
  if (F.isDeclaration() || F.getInstructionCount() > HelperInstructions)
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> BackEdges;
  FindFunctionBackedges(F, BackEdges);
  return BackEdges.empty();
}

static void addHelpers(FunctionSet &Slice) {
  unsigned First = 0;
  for (unsigned Depth = 0; Depth < HelperDepth; ++Depth) {
    unsigned End = Slice.size();
    for (unsigned I = First; I < End; ++I)
      for (const Instruction &Inst : instructions(*Slice[I]))
        if (const Function *Callee = calleeIn(Inst))
          if (isHelper(*Callee))
            Slice.insert(Callee);
    First = End;
  }
}

/// True when only code of the slice writes or passes on a global: then its initial value means
/// something there.
static bool ownedBySlice(const Value &Address, const FunctionSet &Slice) {
  for (const User *U : Address.users()) {
    if (const auto *I = dyn_cast<Instruction>(U)) {
      if (!Slice.contains(I->getFunction()) && !isa<LoadInst>(I))
        return false;
    } else if (isa<GlobalValue>(U)) {
      return false; // its address is data of another global
    } else if (!ownedBySlice(*U, Slice)) {
      return false;
    }
  }
  return true;
}

static bool isCopied(const GlobalValue &GV, const FunctionSet &Slice) {
  if (const auto *F = dyn_cast<Function>(&GV))
    return Slice.contains(F);
  if (const auto *V = dyn_cast<GlobalVariable>(&GV))
    return !V->hasLocalLinkage() || V->isConstant() || V->getName().starts_with("siox.") ||
           ownedBySlice(*V, Slice);
  return false;
}

/// Code that the slice does not show calls the function too.
static bool hasOutsideCallers(const Function &F, const FunctionSet &Slice) {
  for (const User *U : F.users()) {
    const auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledOperand() != &F || !Slice.contains(Call->getFunction()))
      return true;
  }
  return false;
}

/// Functions can tell each other something: by arguments, results or variables of the module.
static bool areRelated(const Module &M) {
  return any_of(M,
                [](const Function &F) {
                  return !F.isDeclaration() && F.hasLocalLinkage() && !F.use_empty();
                }) ||
         any_of(M.globals(), [](const GlobalVariable &V) {
           return V.hasLocalLinkage() && !V.isConstant() && !V.getName().starts_with("siox.");
         });
}

/// MPI_STATUS_IGNORE and the like are addresses of nothing, such as 1: taken for addresses of
/// anything, they would seem to change every variable.
static void dropPlaceholders(CallBase &Call) {
  const Function *Callee = calledRoutine(Call);
  if (!Callee || !isMpiName(Callee->getName()))
    return;
  for (Use &Argument : Call.args())
    if (auto *E = dyn_cast<ConstantExpr>(Argument); E && E->getOpcode() == Instruction::IntToPtr)
      Argument.set(ConstantPointerNull::get(cast<PointerType>(E->getType())));
}

/// Remarks below the threshold of hotness reach neither the user nor a record of optimisations.
NoRemarks::NoRemarks(LLVMContext &C) : Context(C) {
  if (!C.isDiagnosticsHotnessThresholdSetFromPSI())
    Before = C.getDiagnosticsHotnessThreshold();
  C.setDiagnosticsHotnessThreshold(UINT64_MAX);
}

NoRemarks::~NoRemarks() { Context.setDiagnosticsHotnessThreshold(Before); }

OptimisticClone::OptimisticClone(Module &M, const ModuleModel &Model) : Quiet(M.getContext()) {
  FunctionSet Slice = functionsThatReach(Model);
  addHelpers(Slice);
  ValueToValueMapTy Map;
  // The clone's places in the source are dropped right away. Nodes that stand for themselves save
  // copying them and every place that names them.
  for (const Function &F : M)
    if (DISubprogram *Subprogram = F.getSubprogram())
      Map.MD()[Subprogram].reset(Subprogram);
  for (DICompileUnit *Unit : M.debug_compile_units())
    Map.MD()[Unit].reset(Unit);
  Clone = CloneModule(M, Map, [&](const GlobalValue *GV) { return isCopied(*GV, Slice); });
  StripDebugInfo(*Clone);
  for (const Function *F : Slice)
    if (hasOutsideCallers(*F, Slice))
      cast<Function>(Map[F])->setLinkage(GlobalValue::ExternalLinkage);
  for (const Site &S : Model.Sites)
    if (S.Descriptor)
      SiteIds[Map[S.Descriptor]] = S.Id;
  for (const Region &R : Model.Regions)
    if (R.Descriptor)
      RegionIds[Map[R.Descriptor]] = R.Id;

  PB.registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &FPM, auto) {
    if (Name == "siox-hoist")
      FPM.addPass(HoistPass());
    else if (Name == "siox-rotate")
      FPM.addPass(RotatePass());
    else
      return false;
    return true;
  });
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  prepare();
}

OptimisticClone::~OptimisticClone() {
  MAM.clear();
  CGAM.clear();
  FAM.clear();
  LAM.clear();
}

void OptimisticClone::prepare() {
  TargetLibraryInfoImpl Impl{Triple(Clone->getTargetTriple())};
  TargetLibraryInfo Library(Impl);
  for (Function &F : *Clone) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        Call->removeFnAttr(Attribute::NoInline);
        dropPlaceholders(*Call);
      }
  }
  bool Fortran = usesFortran(*Clone);
  if (Fortran) {
    simplify("function(instsimplify)"); // strings come as pairs of address and length
    writeFortranInC(*Clone);
  }
  for (Function &F : *Clone)
    if (F.isDeclaration())
      assumeOptimistically(F, Library);
  markInlining();
  simplify("inferattrs,function(sroa)");
  inlineMarked();
  for (Function &F : *Clone)
    if (F.isDeclaration())
      assumeOptimistically(F, Library); // over what inferattrs knows of the C library
  // That instcombine needs another round is no reason to end the compiler, which its own runs
  // check.
  StringRef Across = areRelated(*Clone) ? "ipsccp<no-func-spec>," : "";
  simplify((Across +
            "globalopt,cgscc(function-attrs),require<globals-aa>,"
            "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
            "loop-simplify,lcssa,siox-rotate,loop-mssa(licm),siox-hoist,gvn<no-pre;no-load-pre>,"
            "simplifycfg)")
               .str());
  if (!Fortran)
    return;
  readFortranStrings(*Clone);
  for (Function &F : *Clone)
    FAM.invalidate(F, PreservedAnalyses::none()); // calls are gone that analyses remember
}

/// Size of a function with everything inlined that markInlining chose, 0 while it is being computed
/// (recursion).
static unsigned expandedSize(Function &F, DenseMap<Function *, unsigned> &Sizes,
                             DenseSet<Function *> &Recursive) {
  auto [Entry, New] = Sizes.try_emplace(&F, 0);
  if (!New) {
    if (Entry->second == 0)
      Recursive.insert(&F);
    return Entry->second;
  }
  unsigned Size = F.getInstructionCount();
  for (Instruction &I : instructions(F))
    if (auto *Callee = const_cast<Function *>(calleeIn(I)))
      if (!Callee->isDeclaration()) {
        unsigned Inner = expandedSize(*Callee, Sizes, Recursive);
        Size += Inner <= InlineBudget ? Inner : 0;
      }
  return Sizes[&F] = std::max(1u, Size);
}

void OptimisticClone::markInlining() {
  DenseMap<Function *, unsigned> Sizes;
  DenseSet<Function *> Recursive;
  for (Function &F : *Clone)
    if (!F.isDeclaration())
      expandedSize(F, Sizes, Recursive);
  // By how much inlining a function everywhere makes the clone grow, and the function.
  std::vector<std::tuple<uint64_t, size_t, Function *>> Candidates; // in module order where equal
  uint64_t Total = 0;
  for (Function &F : *Clone) {
    if (F.isDeclaration())
      continue;
    Total += F.getInstructionCount();
    unsigned Size = Sizes[&F];
    if (Size <= InlineBudget && !Recursive.contains(&F) && !F.isVarArg() && !F.use_empty())
      Candidates.push_back({uint64_t(Size) * F.getNumUses(), Candidates.size(), &F});
  }
  // Many calls of many helpers multiply: the cheapest first, and no more than what still compiles
  // in about the time that the module itself takes. Nor may a function that calls thousands of them
  // become so long that passes which are quadratic in its loops take minutes.
  llvm::sort(Candidates);
  uint64_t Left = std::max<uint64_t>(GrowthBudget, Total);
  DenseMap<const Function *, unsigned> Grown; // of functions, by what was inlined into them
  for (auto &[Growth, Place, F] : Candidates) {
    if (Growth > Left)
      break;
    SmallMapVector<const Function *, unsigned, 4> Callers;
    for (const User *U : F->users())
      if (const auto *Call = dyn_cast<CallBase>(U))
        Callers[Call->getFunction()] += Sizes[F];
    if (any_of(Callers,
               [&](const auto &C) { return uint64_t(C.second) + Grown[C.first] > InlineBudget; }))
      continue;
    for (const auto &[Caller, Size] : Callers)
      Grown[Caller] += Size;
    Left -= Growth;
    F->addFnAttr(Attribute::AlwaysInline);
    Inlined.insert(F->getName());
  }
}

/// LLVM's own pass computes frequencies of blocks for it, which nobody reads here.
void OptimisticClone::inlineMarked() {
  MAM.invalidate(*Clone, PreservedAnalyses::none());
  for (Function &F : make_early_inc_range(*Clone)) {
    if (!F.hasFnAttribute(Attribute::AlwaysInline) || !isInlineViable(F).isSuccess())
      continue;
    SmallVector<CallBase *, 8> Calls;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == &F)
        Calls.push_back(Call);
    for (CallBase *Call : Calls) {
      InlineFunctionInfo Info;
      InlineFunction(*Call, Info, /*MergeAttributes=*/true, /*CalleeAAR=*/nullptr,
                     /*InsertLifetime=*/false);
    }
    F.removeDeadConstantUsers();
    if (F.hasLocalLinkage() && F.use_empty())
      F.eraseFromParent();
  }
}

void OptimisticClone::simplify(StringRef Pipeline) {
  ModulePassManager MPM;
  cantFail(PB.parsePassPipeline(MPM, Pipeline));
  MPM.run(*Clone, MAM);
}

void OptimisticClone::named(const Value *V, const Ids &Index, DenseSet<const Value *> &Seen,
                            SmallVectorImpl<unsigned> &Out) {
  V = V->stripPointerCasts();
  if (!Seen.insert(V).second)
    return;
  if (auto Found = Index.find(V); Found != Index.end()) {
    if (!is_contained(Out, Found->second))
      Out.push_back(Found->second);
  } else if (const auto *Phi = dyn_cast<PHINode>(V)) {
    for (const Value *Incoming : Phi->incoming_values())
      named(Incoming, Index, Seen, Out);
  } else if (const auto *Select = dyn_cast<SelectInst>(V)) {
    named(Select->getTrueValue(), Index, Seen, Out);
    named(Select->getFalseValue(), Index, Seen, Out);
  }
}

SmallVector<unsigned, 2> OptimisticClone::sitesNamed(const Value *Descriptor) const {
  SmallVector<unsigned, 2> Out;
  DenseSet<const Value *> Seen;
  named(Descriptor, SiteIds, Seen, Out);
  return Out;
}

SmallVector<unsigned, 2> OptimisticClone::regionsNamed(const Value *Descriptor) const {
  SmallVector<unsigned, 2> Out;
  DenseSet<const Value *> Seen;
  named(Descriptor, RegionIds, Seen, Out);
  return Out;
}

/// The last siox_at in a block before an instruction, or before its end.
static const CallBase *lastMarker(const BasicBlock &Block, const Instruction *Before) {
  auto It = Before ? Before->getIterator() : Block.end();
  while (It != Block.begin()) {
    --It;
    if (const Function *Callee = calleeIn(*It); Callee && Callee->getName() == "siox_at")
      return cast<CallBase>(&*It);
  }
  return nullptr;
}

SmallVector<unsigned, 2> OptimisticClone::sitesBefore(const Instruction &I) const {
  SmallVector<unsigned, 2> Out;
  SmallVector<const BasicBlock *, 4> Work;
  DenseSet<const BasicBlock *> Seen;
  DenseSet<const Value *> SeenValues;
  auto Look = [&](const BasicBlock &Block, const Instruction *Before) {
    if (const CallBase *Marker = lastMarker(Block, Before))
      named(Marker->getArgOperand(0), SiteIds, SeenValues, Out);
    else
      for (const BasicBlock *Pred : predecessors(&Block))
        if (Seen.insert(Pred).second)
          Work.push_back(Pred);
  };
  Look(*I.getParent(), &I);
  while (!Work.empty())
    Look(*Work.pop_back_val(), nullptr);
  return Out;
}

} // namespace siox
