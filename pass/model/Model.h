/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the pass knows of a module: its MPI-IO sites and its regions. Filled in steps
// (docs/pass.md):
//
//   findSites      (model/)      every MPI-IO call of the real module, from mpiio.def; each
//                                gets a descriptor and a key
//   findRegions    (analysis/)   I/O-free loop nests and calls between accesses, nests with I/O;
//                                the region graph
//   mark           (transform/)  siox_at before each site, siox_region_enter before each region:
//                                opaque markers that survive cloning, inlining and merging
//   analyzeAccess  (analysis/)   on an optimistic clone of the slice: offsets per loop level,
//                                sizes, handle origins, trip counts of marked loops
//   findLayouts    (analysis/)   striping known at compile time
//   estimateBodies (analysis/)   least time of a loop body
//   applyProfile   (analysis/)   what a run took instead
//   planRegions    (analysis/)   masks, levels and leads, or a reason why not
//   transform      (transform/)  guarded ticks or split loops, descriptors' final contents
//   report         (report/)     one Passed or Missed remark a region; --print-access, --print-plan
#ifndef SIOX_PASS_MODEL_H
#define SIOX_PASS_MODEL_H

#include "report/Reason.h"
#include "siox/site.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class GlobalVariable;
class Module;
class Value;
class Type;
} // namespace llvm

namespace siox {

/// Row of mpiio.def.
struct CallInfo;
/// analysis/Views.h.
struct StaticView;

/// Offset behaviour at one loop level, innermost first; same meaning as struct siox_access_level.
struct AccessLevel {
  siox_offset_class Class = SIOX_OFFSET_UNKNOWN;
  int64_t Stride = SIOX_UNKNOWN;
  int64_t Trip = SIOX_UNKNOWN;
  int64_t Period = SIOX_UNKNOWN; ///< PERIODIC: how many places a stride apart
};

/// A striping known at compile time: triplet or nodes, from MPI_Info_set constants or layouts.yaml.
/// Empty: run time.
struct StaticLayout {
  std::string Text;   ///< "base:factor:unit" as siox_layout_parse reads it
  std::string Source; ///< "MPI_Info at FILE:LINE" or "layouts.yaml:LINE"
};

struct Site {
  unsigned Id = 0;
  llvm::CallBase *Call = nullptr; ///< in the real module
  const CallInfo *Info = nullptr;
  llvm::GlobalVariable *Descriptor = nullptr; ///< struct siox_site in section siox_sites
  uint64_t Key = 0;
  std::string File, Function, Callee;
  unsigned Line = 0, Column = 0, Ordinal = 0;
  // from analyzeAccess
  int64_t First = SIOX_UNKNOWN; ///< constant byte offset
  int64_t Size = SIOX_UNKNOWN;  ///< constant byte count
  std::vector<AccessLevel> Levels;
  std::shared_ptr<const StaticView> View; ///< with holes, through which all its accesses go
  std::vector<unsigned> Origins;          ///< ids of MPI_File_open sites
  bool WholeOrigins = false; ///< no other open can have made the handle, in this module or another
  bool UnresolvedOrigins = false; ///< this module may hold others that were not found
  std::optional<StaticLayout>
      Layout;       ///< open sites: of the file opened; others: agreed by all origins
  std::string Mask; ///< "011100": disks, where layout and offsets are constants; empty: run time
  std::string Why;  ///< reason when something stayed unknown
  /// From findRegions: loops around the call, from the inside, without a region between two
  /// accesses.
  unsigned BurstLevels = 0;
};

/// Where a value is found: Base, then for each step the pointer that lies so many bytes behind the
/// value so far; Offset is added to the last.
struct ValuePlace {
  llvm::Value *Base = nullptr; ///< an alloca, argument or constant
  llvm::SmallVector<int64_t, 2> Steps;
  int64_t Offset = 0;

  bool operator==(const ValuePlace &Other) const {
    return Base == Other.Base && Steps == Other.Steps && Offset == Other.Offset;
  }
};

/// What follows a region. The first so many are reached without leaving the STEPS loop around it.
struct RegionLists {
  std::vector<unsigned> Next; ///< site ids
  std::vector<unsigned> Succ; ///< region ids
  unsigned NextInside = 0, SuccInside = 0;
};

struct Region {
  unsigned Id = 0;
  siox_region_kind Kind = SIOX_REGION_LOOP;
  llvm::Function *Function = nullptr;         ///< in the real module
  llvm::BasicBlock *Header = nullptr;         ///< LOOP, NEST, STEPS: header in the real module
  llvm::CallBase *Call = nullptr;             ///< CALL
  llvm::GlobalVariable *Descriptor = nullptr; ///< struct siox_region in section siox_regions
  uint64_t Key = 0;
  std::string File;
  unsigned Line = 0, Column = 0, Ordinal = 0;
  unsigned FunctionLine = 0;     ///< where Function begins, 0: not known
  RegionLists Near;              ///< NEST: Next are the sites inside
  RegionLists Far;               ///< where regions of called functions are passed through: Inner
  std::vector<unsigned> Inner;   ///< none: Far says the same as Near and is empty
  std::vector<unsigned> Nests;   ///< NEST regions that this one can run in
  std::optional<unsigned> Steps; ///< LOOP, CALL: the STEPS region around it
  /// A site of Far (or Near) gets its handle from one of these places, known in Function before the
  /// region.
  struct HandleSource {
    unsigned Site;
    ValuePlace Place;
    bool Inside; ///< without leaving the STEPS loop around the region, if there is one
  };
  std::vector<HandleSource> Handles;
  /// STEPS: what is reached only in iterations with (first value + Step * iteration + Offset) %
  /// Modulus == Rest.
  struct Condition {
    llvm::Value *Index, *Modulus; ///< values, or the variables that hold them
    llvm::Type *IndexType, *ModulusType;
    int64_t Offset, Step, Rest;
    int32_t IndexBits, SumBits, DivisionBits; ///< as in siox_steps_when
    bool ModulusSigned;
    bool Changed = false;   ///< the index advances before the condition, not after it
    bool Elsewhere = false; ///< other ways than this one lead there too
    std::vector<unsigned> Sites, Gaps;
    /// Iterations that fulfil none of the loop's conditions do no I/O: certainly, or unless code
    /// does that is not seen.
    enum { No, Yes, UnlessUnseen } Only;
    std::vector<unsigned> Past; ///< gaps of the loop after which only a later iteration leads there
    std::vector<unsigned> Ahead; ///< gaps that every iteration passes through before it leads there
  };
  std::vector<Condition> Conditions;
  /// The function does not return before its next region: Next holds all sites up to that, Succ
  /// that and the regions in functions called before it.
  bool Closed = false;
  /// CALL: the first region of Function with the same callee and arguments, this one if there is
  /// none before; shared when there are others.
  unsigned Alike = 0;
  bool SharesAlike = false;
  /// CALL: it sleeps for at least its first argument times BodyNs, and Trip is that argument.
  bool Sleeps = false;
  /// Something unknown can follow (external caller, unknown callee); NEST: can happen inside.
  bool OpenEnd = false;
  bool OpenLater = false;          ///< not before the STEPS loop around the region is over
  Reason Refused = Reason::None;   ///< why it could not be marked
  llvm::CallBase *Enter = nullptr; ///< siox_region_enter, once marked
  // from analyzeAccess / cost model
  int64_t Trip = SIOX_UNKNOWN;   ///< constant trip count
  int64_t BodyNs = SIOX_UNKNOWN; ///< least time of one iteration of the outermost loop; CALL: of it
  double ExactNs = 0;            ///< the same before it was rounded up to 1
  bool BodyWhole = false;        ///< nothing in it can take longer that was not counted
  // from a profile: BodyNs is measured, and so is
  bool Measured = false;
  int64_t RegionNs = SIOX_UNKNOWN; ///< least time from entering to leaving
};

struct ModuleModel {
  std::vector<Site> Sites;     ///< index == Id
  std::vector<Region> Regions; ///< index == Id
  /// Functions that reach data accesses and that other modules can call, where there is an OUTSIDE
  /// region.
  std::vector<llvm::Function *> Entrances;
};

} // namespace siox
#endif
