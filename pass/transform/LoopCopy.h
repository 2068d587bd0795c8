/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One loop as two that run the same iterations in the same order.
//
//   do { body } while (test);     becomes     done = 0;
//                                             if (first != 0)
//                                               do { body } while (++done != first);
//                                             // between
//                                             do { body } while (test);
//
// The iterations of the first loop are counted, so neither the step nor the direction, the width or
// the wrapping of the loop's own index plays a part. Every other way out of the loop is kept in
// both.
#ifndef SIOX_PASS_LOOPCOPY_H
#define SIOX_PASS_LOOPCOPY_H

namespace llvm {
class AssumptionCache;
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace siox {

/// Whether a loop in simplified form can stand twice: no code in it forbids copies, and it has an
/// end.
bool canStandTwice(const llvm::Loop &L);

/// Splits a loop for which canStandTwice() holds, in simplified and LCSSA form, so that First (an
/// i64 known before the loop, 0 allowed) iterations run in the first loop and the others in the
/// second. Returns the end of the block between the two, which is passed exactly once unless the
/// first loop is left in another way.
/// Sure: the loop's latch ends it, and never sooner than after First + 1 iterations, so that the
/// first loop needs no test of its own. Otherwise First may be wrong: the first loop keeps the
/// test, and may be left by it.
llvm::Instruction *splitLoop(llvm::Loop &L, llvm::Value *First, bool Sure, llvm::DominatorTree &DT,
                             llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
                             llvm::AssumptionCache &AC);

} // namespace siox
#endif
