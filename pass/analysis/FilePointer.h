/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The shadow file pointer: in the clone, every open file gets variables for its position and view,
// so that where an access goes becomes ordinary arithmetic that LLVM's loop analyses understand.
#ifndef SIOX_PASS_ANALYSIS_FILEPOINTER_H
#define SIOX_PASS_ANALYSIS_FILEPOINTER_H

#include "analysis/Clone.h"
#include "analysis/Datatypes.h"
#include <vector>

namespace siox {

/// Marker before each data access of the clone: siox.access(byte offset in the file, bytes, view,
/// byte offset in the view's data, displacement). view: 0, or a place + 1 in what trackFilePointers
/// returns; then the first argument is not the offset in the file but the sum of the last two.
inline constexpr char AccessMarker[] = "siox.access";
/// Functions whose value stands for something unknown start so; the rest of the name says what.
inline constexpr char OpaquePrefix[] = "siox.opaque.";

/// Inserts shadows and markers, then simplifies. Returns the types with holes that views have.
std::vector<FileType> trackFilePointers(OptimisticClone &Clone);

} // namespace siox
#endif
