/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of MPI from Fortran, written in the clone as C would write them: no analysis after that
// needs to know the language.
#ifndef SIOX_PASS_ANALYSIS_FORTRAN_H
#define SIOX_PASS_ANALYSIS_FORTRAN_H

namespace llvm {
class Module;
} // namespace llvm

namespace siox {

/// True where a module calls MPI by a Fortran name.
bool usesFortran(const llvm::Module &M);
/// Replaces Fortran calls of MPI by calls of "MPI_Xxx.fortran" (model/MpiIo.h). Only for the clone.
void writeFortranInC(llvm::Module &Clone);
/// Once inlining has brought the constants to them: character arguments become C strings.
void readFortranStrings(llvm::Module &Clone);

} // namespace siox
#endif
