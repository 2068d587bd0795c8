/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Accesses through views with holes. Offsets along the data of a view are followed like those in a
// file; the view's type, where it is made of constants, says where they lie.
#ifndef SIOX_PASS_ANALYSIS_VIEWS_H
#define SIOX_PASS_ANALYSIS_VIEWS_H

#include "analysis/Datatypes.h"
#include "model/Model.h"
#include "siox/layout.h"

namespace siox {

/// A site's accesses through one view.
struct StaticView {
  FileType Type;
  int64_t Displacement = SIOX_UNKNOWN;
  int64_t First = SIOX_UNKNOWN; ///< in the data of the view, as the levels
  llvm::SmallVector<AccessLevel, 4> Levels;

  /// Offset in the file of a place in the data.
  int64_t place(int64_t Data) const;
  /// What a stride in the data is in the file; unknown where it differs from place to place.
  int64_t stride(int64_t Data) const;
};

/// Disks of accesses of Size bytes over some levels, innermost first, from the first byte of each
/// to its last: holes are sieved or filled in as MPI-IO likes. Empty: they cannot be told.
std::string maskThrough(const StaticView &View, int64_t Size, llvm::ArrayRef<AccessLevel> Levels,
                        const siox_layout &Layout);

} // namespace siox
#endif
