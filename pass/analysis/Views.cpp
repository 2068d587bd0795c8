/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Places in a view, and the disks under them, by the run time's own code.
#include "analysis/Views.h"

using namespace llvm;

namespace siox {

int64_t StaticView::place(int64_t Data) const {
  siox__view V = {Displacement, Type.get()};
  int64_t Low, High;
  if (Displacement == SIOX_UNKNOWN || Data < 0 || siox__view_span(&V, Data, 1, &Low, &High) < 0)
    return SIOX_UNKNOWN;
  return Low;
}

int64_t StaticView::stride(int64_t Data) const {
  const struct siox__filetype_facts *F = siox__filetype_facts(Type.get());
  int64_t Stride;
  if (Data == SIOX_UNKNOWN || Data % F->size ||
      __builtin_mul_overflow(Data / F->size, F->extent, &Stride))
    return SIOX_UNKNOWN;
  return Stride;
}

namespace {

/// Accesses that are gone through one by one; more are not looked at.
constexpr int64_t MaxEnumerated = 4096;

struct Walk {
  siox__view View;
  int64_t Size;
  const siox_layout &Layout;
  siox_mask &Mask;
  int64_t Left = MaxEnumerated;

  bool add(int64_t First, ArrayRef<AccessLevel> Levels) {
    if (Levels.empty())
      return First >= 0 && Left-- > 0 &&
             siox__view_mask(&View, First, Size, INT64_MAX, &Layout, &Mask) >= 0;
    const AccessLevel &L = Levels.back();
    if (L.Class == SIOX_OFFSET_CONST || L.Class == SIOX_OFFSET_INVARIANT)
      return add(First, Levels.drop_back());
    if (L.Class != SIOX_OFFSET_AFFINE || L.Stride == SIOX_UNKNOWN || L.Trip == SIOX_UNKNOWN)
      return false;
    for (int64_t I = 0; I < L.Trip; I++) {
      int64_t Offset;
      if (__builtin_mul_overflow(I, L.Stride, &Offset) ||
          __builtin_add_overflow(Offset, First, &Offset) || !add(Offset, Levels.drop_back()))
        return false;
    }
    return true;
  }
};

} // namespace

std::string maskThrough(const StaticView &View, int64_t Size, ArrayRef<AccessLevel> Levels,
                        const siox_layout &Layout) {
  siox_mask Mask = {};
  std::string Text;
  if (View.First == SIOX_UNKNOWN || View.Displacement < 0 ||
      siox_mask_init(&Mask, Layout.ndisks) < 0)
    return Text;
  Walk W{{View.Displacement, View.Type.get()}, Size, Layout, Mask};
  if (W.add(View.First, Levels))
    for (uint32_t Disk = 0; Disk < Mask.ndisks; Disk++)
      Text += siox_mask_test(&Mask, Disk) ? '1' : '0';
  siox_mask_free(&Mask);
  return Text;
}

} // namespace siox
