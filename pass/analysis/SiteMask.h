/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Disks of a site from its layout and offsets, as texts of 0 and 1 with disk 0 leftmost.
#ifndef SIOX_PASS_SITEMASK_H
#define SIOX_PASS_SITEMASK_H

#include "model/Model.h"

namespace siox {

struct SiteMask {
  Reason Why = Reason::None; ///< why Burst is not exact
  std::string
      Burst; ///< disks of every burst of this site, exactly; empty: not the same or not known
  std::string Bound; ///< disks it can touch at all; empty: not known
};

SiteMask maskOf(const Site &S, unsigned Disks);

/// Union of two texts of the same width; the other one where one is empty.
std::string unite(const std::string &A, const std::string &B);
std::string complement(const std::string &A);

} // namespace siox
#endif
