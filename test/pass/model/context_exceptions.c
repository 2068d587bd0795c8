/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where a call may throw the site ends on both ways out.
// RUN: %ll0 -fexceptions | %siox-opt - -S -o - | %filecheck
int H5Dwrite(long set, long type, long memory, long file, long list, const void *buffer);
void tidy(int *x);
// CHECK: [[BEFORE:%[0-9]+]] = call ptr @siox_within(ptr @siox.site.0)
// CHECK-NEXT: invoke i32 @H5Dwrite(
// CHECK-NEXT: to label %[[NORMAL:.*]] unwind label %[[THROWN:[^,]*]]
void f(long set) {
  __attribute__((cleanup(tidy))) int guard = 0;
  H5Dwrite(set, 0, 0, 0, 0, &guard);
}
// CHECK: [[NORMAL]]:
// CHECK-NEXT: call ptr @siox_within(ptr [[BEFORE]])
// CHECK: [[THROWN]]:
// CHECK-NEXT: landingpad
// CHECK-NEXT: cleanup
// CHECK-NEXT: call ptr @siox_within(ptr [[BEFORE]])
