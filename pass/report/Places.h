/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Places in the source that the front end kept for the pass alone.
#ifndef SIOX_PASS_PLACES_H
#define SIOX_PASS_PLACES_H

namespace llvm {
class Module;
} // namespace llvm

namespace siox {

/// Takes them out once the pass has named its sites and regions, where nobody else asked for them:
/// they never get into the object, but every later pass carries them along, and the code generator
/// looks for variables of functions that have them. True when something was taken out.
bool dropPlaces(llvm::Module &M);

/// The same for those of instructions, which are most of them; names of functions stay.
void dropPlacesOfInstructions(llvm::Module &M);

} // namespace siox
#endif
