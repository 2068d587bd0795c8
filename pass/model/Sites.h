/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The MPI-IO calls of a module and their descriptors in section "siox_sites".
#ifndef SIOX_PASS_MODEL_SITES_H
#define SIOX_PASS_MODEL_SITES_H

#include "model/Model.h"

namespace siox {

/// Fills Model.Sites with every MPI-IO call of the module, and every call of a library above or
/// beside it that may do I/O (Context.h); changes nothing in it.
void findSites(llvm::Module &M, ModuleModel &Model);
/// Gives every site its descriptor and the marker siox_at(descriptor) right before the call, or
/// siox_within around it.
void markSites(llvm::Module &M, ModuleModel &Model);
/// Writes what is known of the sites by now into their descriptors.
void finishSites(llvm::Module &M, const ModuleModel &Model);

/// Module flag that says "Siox has been here".
bool isInstrumented(const llvm::Module &M);
void setInstrumented(llvm::Module &M);
/// Leaves the module to the pass that the linker runs; a link without that fails for want of a
/// symbol that says so.
void leaveToLinker(llvm::Module &M);
/// True when it was left to it, and is no more.
bool takeFromCompiler(llvm::Module &M);

} // namespace siox
#endif
