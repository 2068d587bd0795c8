; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A loop around one Fortran call of the MPICH datatype MPI_DOUBLE_PRECISION.
declare void @NAME(ptr, ptr, ptr, ptr, ptr, ptr, ptr)
@double_precision = internal constant i32 1275070495
define void @f(ptr %fh, ptr %b) {
  %offset = alloca i64
  %count = alloca i64
  %status = alloca [5 x i32]
  %ierr = alloca i32
  store i32 64, ptr %count
  br label %loop
loop:
  %k = phi i64 [0, %0], [%next, %loop]
  %bytes = mul i64 %k, 4096
  store i64 %bytes, ptr %offset
  call void @NAME(ptr %fh, ptr %offset, ptr %b, ptr %count, ptr @double_precision, ptr %status, ptr %ierr)
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, 10
  br i1 %more, label %loop, label %out
out:
  ret void
}
