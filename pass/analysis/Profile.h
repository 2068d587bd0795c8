/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What `siox run --profile` measured of regions, for the next compilation.
//
//   siox_profile: 1
//   drive: 36Z15                the emulated disks of the run, and how many times faster than life
//   time_scale: 10              they were
//   regions:
//     - {key: 81.., file: "a.c", function: "main", kind: LOOP, line: 60, column: 3,
//        function_line: 12, instances: 8, region_ns: 2616000000, iterations: 100,
//        iteration_ns: 26160000.000}
//
// A row belongs to the region with the same key (file, function, line, column and ordinal). When
// the code before the function has changed the key has too: then to the only region of the same
// kind in the same function of the same file that stands as many lines below its beginning, in the
// same column. Rows of a module's file that belong to none are told in a warning.
#ifndef SIOX_PASS_PROFILE_H
#define SIOX_PASS_PROFILE_H

#include "model/Model.h"
#include "llvm/Support/Error.h"

namespace siox {

struct ProfileRow {
  uint64_t Key = 0;
  std::string File, Function, Kind;
  unsigned Line = 0, Column = 0, FunctionLine = 0;
  uint64_t Instances = 0, Iterations = 0;
  int64_t RegionNs = 0;
  double IterationNs = 0; ///< 0: not known
};

struct Profile {
  unsigned Version = 0;
  std::string Drive;
  double TimeScale = 1;
  std::vector<ProfileRow> Rows;
};

/// The error names file, line and key.
llvm::Expected<Profile> readProfile(llvm::StringRef Path);

/// Sets what was measured of each region; adds a warning where rows fit no region.
void applyProfile(const Profile &P, llvm::StringRef Path, ModuleModel &Model,
                  std::vector<std::string> &Warnings);

} // namespace siox
#endif
