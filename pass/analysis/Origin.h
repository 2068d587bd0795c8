/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where an opaque MPI handle comes from: the calls in the clone that may have made it.
#ifndef SIOX_PASS_ANALYSIS_ORIGIN_H
#define SIOX_PASS_ANALYSIS_ORIGIN_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <optional>

namespace siox {

/// What a walk found. A handle is wholly known when neither Unresolved nor OpenWorld is set.
struct Origins {
  llvm::SmallSetVector<llvm::CallBase *, 4> Makers; ///< MPI_File_open or MPI_Info_create calls
  bool Unresolved = false; ///< something inside the module was not understood
  bool OpenWorld = false;  ///< code outside the module may supply handles too
  bool Indexed =
      false; ///< went through storage whose place varies: one maker may stand for several handles
};

/// Position of the argument by which a call gives out a new handle, -1 when it makes none.
using MakerFn = int (*)(const llvm::CallBase &);
int fileMaker(const llvm::CallBase &Call); ///< MPI_File_open
int infoMaker(const llvm::CallBase &Call); ///< MPI_Info_create
int typeMaker(const llvm::CallBase &Call); ///< datatypes.def

/// Remembers what it found about the memory of functions: these must not change while it lives.
class OriginWalker {
public:
  OriginWalker(llvm::FunctionAnalysisManager &FAM, MakerFn Maker) : FAM(FAM), Maker(Maker) {}

  /// Makers of a handle passed by value.
  Origins ofValue(llvm::Value *Handle);
  /// Makers of the handle that lies at an address when a call starts.
  Origins ofMemory(llvm::Value *Address, llvm::CallBase &Before);

private:
  void value(llvm::Value *V);
  void callers(llvm::Argument &A, llvm::function_ref<void(llvm::CallBase &, llvm::Value *)> Visit);
  void setWidth(unsigned Bytes);
  Origins finish();
  void memory(llvm::Value *Address, llvm::MemoryAccess *From, llvm::Function &F);
  llvm::MemoryAccess *clobber(llvm::MemoryAccess *From, llvm::Value *Address,
                              llvm::MemorySSA &States, llvm::BatchAAResults &Alias);
  llvm::MemoryAccess *straight(llvm::MemoryAccess *From, llvm::Value *Address,
                               llvm::MemorySSA &States, llvm::BatchAAResults &Alias);
  llvm::MemoryAccess *beyond(llvm::MemoryPhi &Phi, llvm::Value *Address, llvm::MemorySSA &States,
                             llvm::BatchAAResults &Alias);
  bool definition(llvm::Value *Address, llvm::MemoryDef &Def, llvm::Function &F);
  void onEntry(llvm::Value *Address, llvm::Function &F);
  void writers(llvm::Value &Address);

  llvm::FunctionAnalysisManager &FAM;
  MakerFn Maker;
  Origins Found;
  llvm::LocationSize Width = llvm::LocationSize::precise(8); ///< of a handle in memory
  /// By memory state and address: the nearest state at or before it that may have written there.
  llvm::DenseMap<std::pair<const llvm::MemoryAccess *, const llvm::Value *>, llvm::MemoryAccess *>
      Clobbers;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<llvm::BatchAAResults>> Aliases;
  /// A state that may have written at an address, and all that a search that began there found.
  /// Files that are written a thousand times would else be sought through all those writes.
  using Start = std::pair<const llvm::MemoryAccess *, const llvm::Value *>;
  llvm::DenseMap<Start, Origins> Known;
  bool OneStart = false; ///< the search is for what lies in one place
  std::optional<Start> Began;
  llvm::DenseSet<std::pair<const void *, const void *>> Seen;
};

} // namespace siox
#endif
