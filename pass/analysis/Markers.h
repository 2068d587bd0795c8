/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finding marked loops again after cloning, inlining and loop rotation.
#ifndef SIOX_PASS_MARKERS_H
#define SIOX_PASS_MARKERS_H

namespace llvm {
class CallBase;
class Loop;
class LoopInfo;
} // namespace llvm

namespace siox {

/// The loop that begins after a siox_region_enter: its preheader is the marker's block, or follows
/// it through blocks with one predecessor and no other marker (the guard that rotation makes).
/// Null when there is none any more.
llvm::Loop *loopAfter(const llvm::CallBase &Enter, const llvm::LoopInfo &LI);

} // namespace siox
#endif
