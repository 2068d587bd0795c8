/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Site masks through the run time's own layout arithmetic (siox_layout_mask and its strided form).
#include "analysis/SiteMask.h"
#include "analysis/Views.h"
#include "model/MpiIo.h"
#include "siox/layout.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;

namespace siox {

std::string unite(const std::string &A, const std::string &B) {
  if (A.empty() || B.empty())
    return A.empty() ? B : A;
  std::string Both = A;
  for (size_t I = 0; I < Both.size() && I < B.size(); I++)
    if (B[I] == '1')
      Both[I] = '1';
  return Both;
}

std::string complement(const std::string &A) {
  std::string Other = A;
  for (char &C : Other)
    C = C == '1' ? '0' : '1';
  return Other;
}

namespace {

/// Iterations of outer levels that are gone through one by one; more are not looked at.
constexpr int64_t MaxEnumerated = 4096;

class Masker {
public:
  Masker(const siox_layout &Layout, int64_t Size) : Layout(Layout), Size(Size) {
    siox_mask_init(&Mask, Layout.ndisks);
  }
  ~Masker() { siox_mask_free(&Mask); }

  /// Disks of the accesses over some levels, innermost first; empty when they cannot be told.
  std::string over(int64_t First, ArrayRef<AccessLevel> Levels) {
    siox_mask_zero(&Mask);
    Left = MaxEnumerated;
    return Mask.words && add(First, Levels) ? text() : "";
  }

  std::string whole() {
    siox_mask_zero(&Mask);
    siox_layout_disks(&Layout, &Mask);
    return text();
  }

private:
  bool add(int64_t First, ArrayRef<AccessLevel> Levels) {
    while (!Levels.empty() && stays(Levels.back()))
      Levels = Levels.drop_back();
    if (Levels.empty())
      return siox_layout_mask(&Layout, First, Size, &Mask) >= 0;
    const AccessLevel &L = Levels.back();
    int64_t Places = placesOf(L);
    if (L.Stride == SIOX_UNKNOWN || Places == SIOX_UNKNOWN || Places < 0)
      return false;
    ArrayRef<AccessLevel> Inner = Levels.drop_back();
    if (all_of(Inner, stays))
      return siox_layout_mask_strided(&Layout, First, L.Stride, Places, Size, &Mask) >= 0;
    if (Places > Left)
      return false;
    Left -= Places;
    for (int64_t I = 0; I < Places; I++) {
      int64_t Offset;
      if (__builtin_mul_overflow(I, L.Stride, &Offset) ||
          __builtin_add_overflow(Offset, First, &Offset) || !add(Offset, Inner))
        return false;
    }
    return true;
  }

  /// How many places a stride apart a level goes through.
  static int64_t placesOf(const AccessLevel &L) {
    return L.Class == SIOX_OFFSET_AFFINE     ? L.Trip
           : L.Class == SIOX_OFFSET_PERIODIC ? L.Period
                                             : SIOX_UNKNOWN;
  }

  static bool stays(const AccessLevel &L) {
    return L.Class == SIOX_OFFSET_CONST || L.Class == SIOX_OFFSET_INVARIANT ||
           (L.Class == SIOX_OFFSET_AFFINE && (L.Stride == 0 || L.Trip == 1));
  }

  std::string text() const {
    std::string Text(Mask.ndisks, '0');
    for (uint32_t Disk = 0; Disk < Mask.ndisks; Disk++)
      if (siox_mask_test(&Mask, Disk))
        Text[Disk] = '1';
    return Text;
  }

  const siox_layout &Layout;
  int64_t Size;
  siox_mask Mask = {};
  int64_t Left = 0;
};

} // namespace

SiteMask maskOf(const Site &S, unsigned Disks) {
  SiteMask M;
  auto Fail = [&M](Reason Why) {
    M.Why = Why;
    return M;
  };
  if (S.Info->By == Layer::Library)
    return Fail(Reason::InLibrary);
  if (!S.Layout)
    return Fail(Reason::LayoutUnknown);
  if (!Disks)
    return Fail(Reason::DisksUnknown);
  siox_layout Layout = {};
  if (siox_layout_parse(&Layout, Disks, S.Layout->Text.c_str()) < 0)
    return Fail(Reason::LayoutInvalid);
  Masker Masks(Layout, S.Size);
  M.Bound = Masks.whole();
  // A request this long has a piece of every stripe position wherever it begins (paper Fig. 3, step
  // 1).
  bool Large =
      S.Size != SIOX_UNKNOWN && S.Size > 0 && uint64_t(S.Size) > (Layout.factor - 1) * Layout.unit;
  if (S.Size == SIOX_UNKNOWN) {
    M.Why = Reason::SizeUnknown;
  } else if (Large) {
    M.Burst = M.Bound;
  } else if (S.First == SIOX_UNKNOWN) {
    M.Why = Reason::OffsetUnknown;
  } else {
    auto Over = [&](size_t Count) {
      if (S.View)
        return maskThrough(*S.View, S.Size, ArrayRef(S.View->Levels).take_front(Count), Layout);
      return Masks.over(S.First, ArrayRef(S.Levels).take_front(Count));
    };
    std::string All = Over(S.Levels.size());
    std::string One = Over(S.BurstLevels);
    if (!All.empty())
      M.Bound = All;
    // Where the disks move on from burst to burst no constant is right for every one of them.
    if (One.empty() || One != All)
      M.Why = Reason::OffsetUnknown;
    else
      M.Burst = One;
  }
  siox_layout_free(&Layout);
  return M;
}

} // namespace siox
