/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What is known of the core that a function is compiled for (-mcpu, -march).
#ifndef SIOX_PASS_MACHINE_H
#define SIOX_PASS_MACHINE_H

namespace llvm {
class Function;
} // namespace llvm

namespace siox {

struct Machine {
  double GHz = 3.0;          ///< LLVM knows no clock rates: a nominal one
  double Width = 4.0;        ///< instructions issued a cycle, by LLVM's scheduling model
  unsigned VectorBits = 128; ///< of the registers that the vectoriser prefers; 0: none
};

/// From the function's attributes target-cpu and target-features.
Machine machineOf(const llvm::Function &F);

} // namespace siox
#endif
