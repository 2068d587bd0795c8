/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What is known of the core that a function is compiled for (-mcpu, -march).
#ifndef SIOX_PASS_MACHINE_H
#define SIOX_PASS_MACHINE_H

#include "llvm/ADT/DenseMap.h"
#include <utility>

namespace llvm {
class Function;
} // namespace llvm

namespace siox {

struct Machine {
  double GHz = 3.0;          ///< LLVM knows no clock rates: a nominal one
  double Width = 4.0;        ///< instructions issued a cycle, by LLVM's scheduling model
  unsigned VectorBits = 128; ///< of the registers that the vectoriser prefers; 0: none
};

/// From the functions' attributes target-cpu and target-features, each pair looked up once: LLVM's
/// tables are long.
class Machines {
public:
  Machine of(const llvm::Function &F);

private:
  llvm::DenseMap<std::pair<void *, void *>, Machine> Known; ///< by attributes, which are unique
};

} // namespace siox
#endif
