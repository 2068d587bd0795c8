/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reading a profile and finding the regions that it tells of.
#include "analysis/Profile.h"
#include "analysis/Regions.h"
#include "common/region_kind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

LLVM_YAML_IS_SEQUENCE_VECTOR(siox::ProfileRow)

static constexpr StringLiteral KindNames[] = {
#define SIOX_REGION_ROW(name, number, what) #name,
#include "siox/regions.def"
#undef SIOX_REGION_ROW
};

/// "kind: expected LOOP, CALL, NEST, STEPS or OUTSIDE"
static std::string kindWanted() {
  ArrayRef<StringLiteral> Names(KindNames);
  return ("kind: expected " + Twine(join(Names.drop_back(), ", ")) + " or " + Names.back()).str();
}

template <> struct yaml::MappingTraits<siox::ProfileRow> {
  static void mapping(IO &In, siox::ProfileRow &R) {
    In.mapRequired("key", R.Key);
    In.mapRequired("file", R.File);
    In.mapRequired("function", R.Function);
    In.mapRequired("kind", R.Kind);
    In.mapRequired("line", R.Line);
    In.mapRequired("column", R.Column);
    In.mapRequired("function_line", R.FunctionLine);
    In.mapRequired("instances", R.Instances);
    In.mapRequired("region_ns", R.RegionNs);
    In.mapOptional("iterations", R.Iterations);
    In.mapOptional("iteration_ns", R.IterationNs);
  }
  static std::string validate(IO &In, siox::ProfileRow &R) {
    if (static_cast<Input &>(In).error()) // there may be no place to tell: setError would crash
      return "";
    if (!is_contained(KindNames, StringRef(R.Kind)))
      return kindWanted();
    if (R.RegionNs < 0)
      return "region_ns: expected a number of at least 0";
    if (!(R.IterationNs >= 0 && R.IterationNs < 9e18))
      return "iteration_ns: expected a number of at least 0";
    return "";
  }
};

template <> struct yaml::MappingTraits<siox::Profile> {
  static void mapping(IO &In, siox::Profile &P) {
    In.mapRequired("siox_profile", P.Version);
    In.mapOptional("drive", P.Drive);
    In.mapOptional("time_scale", P.TimeScale);
    In.mapRequired("regions", P.Rows);
  }
  static std::string validate(IO &In, siox::Profile &P) {
    if (static_cast<Input &>(In).error())
      return "";
    if (P.Version != 1)
      return "siox_profile: this compiler reads version 1";
    if (!(P.TimeScale >= 1 && P.TimeScale <= 1e6))
      return "time_scale: expected a number from 1 to 1000000";
    return "";
  }
};

namespace siox {

/// LLVM's YAML parser calls itself for everything that is nested. Profiles nest three deep.
static bool isTooDeep(StringRef Text) {
  static constexpr size_t Most = 64;
  for (StringRef Line : split(Text, '\n')) {
    StringRef Inner = Line.ltrim(" -?");
    if (Line.size() - Inner.size() > Most || Inner.count("[") + Inner.count("{") > Most)
      return true;
  }
  return false;
}

Expected<Profile> readProfile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(Path, true);
  if (!Text)
    return createStringError(Path + ": " + Text.getError().message());
  if (isTooDeep((*Text)->getBuffer()))
    return createStringError(Path + ":1: not a profile");
  std::string Problem;
  auto Collect = [](const SMDiagnostic &D, void *To) {
    auto &Problem = *static_cast<std::string *>(To);
    if (Problem.empty())
      Problem = (Twine(D.getLineNo()) + ": " + D.getMessage()).str();
  };
  Profile P;
  yaml::Input In((*Text)->getBuffer(), nullptr, Collect, &Problem);
  In >> P;
  if (In.error() || !Problem.empty())
    return createStringError(Path + ":" + (Problem.empty() ? "1: not a profile" : Problem));
  return P;
}

/// The same file, named from another directory or not.
static bool sameFile(StringRef A, StringRef B) {
  StringRef Short = A.size() < B.size() ? A : B, Long = A.size() < B.size() ? B : A;
  while (Short.consume_front("./") || Short.consume_front("../"))
    ;
  return Long.ends_with(Short) &&
         (Long.size() == Short.size() || Long[Long.size() - Short.size() - 1] == '/');
}

static bool samePlace(const ProfileRow &Row, const Region &R) {
  return Row.Kind == siox__region_kind_name(R.Kind) && Row.Column == R.Column &&
         Row.Function == functionName(*R.Function) && sameFile(Row.File, R.File) &&
         Row.FunctionLine && R.FunctionLine &&
         Row.Line - Row.FunctionLine == R.Line - R.FunctionLine;
}

static Region *regionOf(const ProfileRow &Row, ModuleModel &Model) {
  for (Region &R : Model.Regions)
    if (R.Key == Row.Key && Row.Kind == siox__region_kind_name(R.Kind))
      return &R;
  Region *Only = nullptr;
  for (Region &R : Model.Regions)
    if (samePlace(Row, R)) {
      if (Only)
        return nullptr;
      Only = &R;
    }
  return Only;
}

void applyProfile(const Profile &P, StringRef Path, ModuleModel &Model,
                  std::vector<std::string> &Warnings) {
  if (Model.Regions.empty())
    return;
  StringRef Source = Model.Regions.front().Function->getParent()->getSourceFileName();
  unsigned Here = 0, Lost = 0;
  std::string First;
  for (const ProfileRow &Row : P.Rows) {
    if (!Row.Instances)
      continue;
    Region *R = regionOf(Row, Model);
    bool Ours = sameFile(Row.File, Source);
    Here += Ours;
    if (!R) {
      if (Ours && !Lost++)
        First =
            (Twine(Row.File) + ":" + Twine(Row.Line) + " " + Row.Function + " " + Row.Kind).str();
      continue;
    }
    R->Measured = true;
    R->RegionNs = R->RegionNs != SIOX_UNKNOWN ? std::min(R->RegionNs, Row.RegionNs) : Row.RegionNs;
    double Each = R->Call ? double(Row.RegionNs) : Row.IterationNs;
    if (Each > 0 && !R->Sleeps) { // the call itself says how long it takes
      R->ExactNs = Each;
      R->BodyNs = std::max<int64_t>(1, std::llround(Each));
      R->BodyWhole = true;
    }
  }
  if (Lost)
    Warnings.push_back((Twine(Path) + ": of the " + Twine(Here) + " regions measured in " + Source +
                        " " + Twine(Lost) + " are not there as they were (" + First +
                        (Lost > 1 ? ", ...)" : ")") +
                        ": the source has changed since; measure again")
                           .str());
}

} // namespace siox
