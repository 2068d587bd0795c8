/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Splitting of marked loops: how many iterations come first, and the hints.
#include "transform/Split.h"
#include "analysis/Externals.h"
#include "analysis/Markers.h"
#include "model/Abi.h"
#include "model/Sites.h"
#include "report/Remarks.h"
#include "transform/Guard.h"
#include "transform/LoopCopy.h"
#include "transform/Printed.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace siox {

/// Kind of the metadata on a marker: {mask or null, full speed, lead or SIOX_UNKNOWN, Tb or
/// SIOX_UNKNOWN, printed}.
static const char Kind[] = "siox.split";

/// Loop attribute that says whose wish it is not to unroll.
static const char Wait[] = "siox.wait", NoUnroll[] = "llvm.loop.unroll.disable";

/// Keeps unrolling and peeling away from a loop until it is split.
static void holdUnrolling(Loop &L) {
  LLVMContext &C = L.getHeader()->getContext();
  if (findOptionMDForLoop(&L, NoUnroll))
    return;
  MDNode *Attributes[] = {MDNode::get(C, MDString::get(C, NoUnroll)),
                          MDNode::get(C, MDString::get(C, Wait))};
  L.setLoopID(makePostTransformationMetadata(C, L.getLoopID(), {}, Attributes));
}

static void releaseUnrolling(Loop &L) {
  if (findOptionMDForLoop(&L, Wait))
    L.setLoopID(makePostTransformationMetadata(L.getHeader()->getContext(), L.getLoopID(),
                                               {NoUnroll, Wait}, {}));
}

void prepareSplit(Module &M, Loop &L, Region &R, const RegionPlan &P, bool Printed) {
  holdUnrolling(L);
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  IRBuilder<> B(R.Enter->getNextNode());
  B.SetCurrentDebugLocation(R.Enter->getDebugLoc());
  Constant *Needed = ConstantPointerNull::get(PointerType::getUnqual(C));
  if (P.isStatic()) {
    Constant *Released = Printed ? nullptr : privateMask(M, P.Phase);
    Needed = P.Needed == P.Phase ? Released : privateMask(M, P.Needed);
    if (Released)
      B.CreateCall(abiFunction(M, "siox_set_speed"),
                   {Released, B.getInt32(P.Speed), B.getInt32(0)});
    // Until the loop is split only metadata knows the mask, which keeps nothing alive.
    appendToCompilerUsed(M, {cast<GlobalValue>(Needed)});
  }
  auto Int = [](Type *T, int64_t V) {
    return ConstantAsMetadata::get(ConstantInt::get(T, V, true));
  };
  R.Enter->setMetadata(
      Kind, MDNode::get(C, {ConstantAsMetadata::get(Needed), Int(I32, P.FullSpeed),
                            Int(I64, P.isStatic() && P.GivenLead ? P.Lead : SIOX_UNKNOWN),
                            Int(I64, P.TbNs), Int(I32, Printed)}));
}

namespace {

struct Order {
  CallBase *Enter;
  Constant *Mask; ///< null pointer: run time
  int64_t FullSpeed, Lead, TbNs, Printed;
};

std::optional<Order> orderOf(Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  MDNode *Node = Call ? Call->getMetadata(Kind) : nullptr;
  if (!Node || Node->getNumOperands() != 5)
    return std::nullopt;
  Order O{Call, mdconst::dyn_extract_or_null<Constant>(Node->getOperand(0)), 0, 0, 0, 0};
  int64_t *Fields[] = {&O.FullSpeed, &O.Lead, &O.TbNs, &O.Printed};
  for (unsigned F = 0; F != 4; F++) {
    auto *V = mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(F + 1));
    if (!V)
      return std::nullopt;
    *Fields[F] = V->getSExtValue();
  }
  if (O.Mask && O.Mask->isNullValue())
    O.Mask = nullptr;
  return O;
}

class Splitter {
public:
  Splitter(Function &F, FunctionAnalysisManager &FAM)
      : F(F), M(*F.getParent()), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)),
        ORE(FAM.getResult<OptimizationRemarkEmitterAnalysis>(F)) {}

  void run(ArrayRef<Order> Orders) {
    std::vector<std::pair<Loop *, const Order *>> Work;
    for (const Order &O : Orders) {
      O.Enter->setMetadata(Kind, nullptr);
      if (Loop *L = loopAfter(*O.Enter, LI)) {
        releaseUnrolling(*L);
        Work.push_back({L, &O});
      } else {
        missed(ORE, Reason::SplitNoLoop, O.Enter);
        hintBefore(O);
        dropRelease(*O.Enter);
      }
    }
    // Inner loops first: a loop that has been split already is copied whole with the loop around
    // it.
    llvm::sort(Work, [](const auto &A, const auto &B) {
      return A.first->getLoopDepth() > B.first->getLoopDepth();
    });
    for (auto &[L, O] : Work)
      if (Reason Why = split(*L, *O); Why != Reason::None)
        guard(*L, *O, Why);
    SmallSetVector<Value *, 4> Printed; // an unrolled loop around leaves several copies
    for (const Order &O : Orders)
      if (O.Printed)
        Printed.insert(O.Enter->getArgOperand(0));
    for (Value *Descriptor : Printed)
      removeMarkers(F, Descriptor);
  }

private:
  /// Without a place for the F = 1 hint the disks must not be released either.
  static void dropRelease(CallBase &Enter) {
    auto *Call = dyn_cast_or_null<CallInst>(Enter.getNextNode());
    const Function *Callee = Call ? directCallee(*Call) : nullptr;
    if (Callee && Callee->getName() == "siox_set_speed")
      Call->eraseFromParent();
  }

  /// Printed: what was released after accesses has to come back without a split, too.
  void hintBefore(const Order &O) {
    if (!O.Printed)
      return;
    IRBuilder<> B(O.Enter);
    B.CreateCall(abiFunction(M, "siox_set_speed"),
                 {O.Mask, B.getInt32(O.FullSpeed), B.getInt32(1)});
  }

  void guard(Loop &L, const Order &O, Reason Why) {
    missed(ORE, Why, O.Enter);
    hintBefore(O);
    dropRelease(*O.Enter);
    if (O.Printed || !bearsTicks(L))
      return;
    SmallVector<AllocaInst *, 2> Variables = insertTicks(L, *O.Enter, DT, LI);
    PromoteMemToReg(Variables, DT, &AC);
    SE.forgetLoop(&L);
  }

  /// Why the loop could not be split; None: it was.
  Reason split(Loop &L, const Order &O) {
    simplifyLoop(&L, &DT, &LI, &SE, &AC, nullptr, false);
    formLCSSARecursively(L, DT, &LI, &SE);
    if (!canStandTwice(L))
      return Reason::SplitNoCopy;
    BasicBlock *Before = L.getLoopPreheader();
    const bool Empty = &Before->front() == Before->getTerminator();
    Instruction *Last = Empty ? nullptr : Before->getTerminator()->getPrevNode();
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(O.Enter->getDebugLoc());
    Value *Trip = nullptr, *First = nullptr, *Lead = nullptr;
    // Iterations of the latch's test, known exactly: the first loop needs no other test.
    const bool Sure = (Trip = expandCount(L, *L.getLoopLatch(), B));
    if (Sure) {
      // At least one iteration is left for the second loop, whose test ends it.
      Value *Taken = Trip;
      Trip = B.CreateAdd(Taken, B.getInt64(1));
      Lead = leadOf(O, Trip, B);
      Value *Rest = B.CreateBinaryIntrinsic(Intrinsic::umax, Lead, B.getInt64(1));
      First = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Taken, B.CreateSub(Rest, B.getInt64(1)));
    } else if ((Trip = predictedTrip(L, O, B))) {
      Lead = leadOf(O, Trip, B);
      First = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Trip, Lead);
    } else {
      return Reason::SplitTripUnknown;
    }
    locate(*Before, Last, O);
    B.SetInsertPoint(splitLoop(L, First, Sure, DT, LI, SE, AC));
    B.SetCurrentDebugLocation(O.Enter->getDebugLoc());
    if (O.Mask)
      B.CreateCall(abiFunction(M, "siox_set_speed"),
                   {O.Mask, B.getInt32(O.FullSpeed), B.getInt32(1)});
    else
      B.CreateCall(abiFunction(M, "siox_region_hint"),
                   {O.Enter->getArgOperand(0), B.getInt32(1), Lead});
    passed(ORE, "LoopSplit", O.Enter,
           "split before its last iterations, with the hint between the two loops");
    return Reason::None;
  }

  /// How often a test is passed before it ends the loop, as an i64 before the loop.
  Value *expandCount(Loop &L, BasicBlock &Test, IRBuilder<> &B) {
    const SCEV *Taken = L.isLoopExiting(&Test) ? SE.getExitCount(&L, &Test) : nullptr;
    if (!Taken || isa<SCEVCouldNotCompute>(Taken) || SE.getTypeSizeInBits(Taken->getType()) > 64)
      return nullptr;
    const SCEV *Count = SE.getTruncateOrZeroExtend(Taken, B.getInt64Ty());
    SCEVExpander Expander(SE, F.getDataLayout(), "siox.trip");
    if (!Expander.isSafeToExpandAt(Count, &*B.GetInsertPoint()))
      return nullptr;
    Value *V = Expander.expandCodeFor(Count, B.getInt64Ty(), &*B.GetInsertPoint());
    Expander.clear();
    return isa<Constant>(V) ? V : B.CreateFreeze(V);
  }

  /// A count that need not be right: of another test that every iteration passes, else what
  /// PipelineStart found.
  Value *predictedTrip(Loop &L, const Order &O, IRBuilder<> &B) {
    SmallVector<BasicBlock *, 4> Tests;
    L.getExitingBlocks(Tests);
    for (BasicBlock *Test : Tests)
      if (DT.dominates(Test, L.getLoopLatch()))
        if (Value *Count = expandCount(L, *Test, B))
          return Count;
    Value *Trip = O.Enter->getArgOperand(1);
    if (auto *Constant = dyn_cast<ConstantInt>(Trip);
        Constant && Constant->getSExtValue() == SIOX_UNKNOWN)
      return nullptr;
    return B.CreateBinaryIntrinsic(Intrinsic::smax, Trip, B.getInt64(0));
  }

  /// What was put before the loop belongs to the marker's place.
  static void locate(BasicBlock &Before, Instruction *Last, const Order &O) {
    BasicBlock::iterator I = Last ? std::next(Last->getIterator()) : Before.begin();
    for (; I != Before.end(); ++I)
      if (!I->getDebugLoc() && !isa<PHINode>(I))
        I->setDebugLoc(O.Enter->getDebugLoc());
  }

  Value *leadOf(const Order &O, Value *Iterations, IRBuilder<> &B) {
    if (O.Lead != SIOX_UNKNOWN)
      return B.CreateBinaryIntrinsic(Intrinsic::umin, B.getInt64(O.Lead), Iterations);
    return B.CreateCall(abiFunction(M, "siox_split_lead"),
                        {O.Enter->getArgOperand(0), Iterations, B.getInt64(O.TbNs)});
  }

  Function &F;
  Module &M;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  OptimizationRemarkEmitter &ORE;
};

} // namespace

bool awaitsSplit(const Function &F) {
  return any_of(instructions(F),
                [](const Instruction &I) { return I.getMetadata(Kind) != nullptr; });
}

PreservedAnalyses SplitPass::run(Function &F, FunctionAnalysisManager &FAM) {
  std::vector<Order> Orders;
  if (!isInstrumented(*F.getParent()))
    return PreservedAnalyses::all();
  for (Instruction &I : instructions(F))
    if (std::optional<Order> O = orderOf(I))
      Orders.push_back(*O);
  if (Orders.empty())
    return PreservedAnalyses::all();
  Splitter(F, FAM).run(Orders);
  return PreservedAnalyses::none();
}

} // namespace siox
