! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A DO loop tests before its body and counts down: as many iterations as it is told are computed before it.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - -S -o - | %filecheck
! RUN: %fll0 -O2 | %siox-opt - -S -o - | FileCheck %s --check-prefix=SOME
subroutine steps(fh, u, n)
  implicit none
  include 'mpif.h'
  integer :: fh, n, step, i, ierr
  double precision :: u(100)
  integer(kind=MPI_OFFSET_KIND) :: at
  ! CHECK: %[[MIN:.+]] = call i64 @llvm.smin.i64(i64 %[[N:.+]], i64 0)
  ! CHECK-NEXT: %[[COUNT:.+]] = sub i64 %[[N]], %[[MIN]]
  ! CHECK-NEXT: %[[TRIP:.+]] = freeze i64 %[[COUNT]]
  ! CHECK: call i64 @siox_region_enter(ptr @siox.region.{{[0-9]+}}, i64 %[[TRIP]])
  ! CHECK: call i64 @siox_region_enter(ptr @siox.region.{{[0-9]+}}, i64 100)
  ! SOME: call i64 @siox_region_enter(ptr{{.*}} @siox.region.{{[0-9]+}}, i64 %
  do step = 1, n
    do i = 1, 100
      u(i) = u(i) * 2 + step
    end do
    at = 800_8 * (step - 1)
    call MPI_File_write_at(fh, at, u, 100, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  end do
end subroutine
