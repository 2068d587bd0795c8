/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls through pointers that can lead to MPI-IO.
#ifndef SIOX_PASS_TRANSFORM_PROMOTE_H
#define SIOX_PASS_TRANSFORM_PROMOTE_H

namespace llvm {
class Module;
} // namespace llvm

namespace siox {

/// Makes direct calls of those that a pointer can lead to:
///
///   o->put(fh, i);    becomes    if (o->put == put) put(fh, i); else o->put(fh, i);
///
/// so that everything that follows sees one call of one function. False for a module without
/// MPI-IO, which stays as it is.
bool promoteCalls(llvm::Module &M);

} // namespace siox
#endif
