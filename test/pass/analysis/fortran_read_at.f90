! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Offset, count and datatype stand where the arguments point to.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
subroutine f(fh)
  implicit none
  include 'mpif.h'
  integer :: fh, k, ierr
  integer(kind=MPI_OFFSET_KIND) :: offset
  double precision :: b(64)
  do k = 1, 10
    offset = (k - 1) * 8192_MPI_OFFSET_KIND
    ! CHECK: f MPI_File_read_at first=0 size=512 L0 affine(stride=8192,trip=10){{$}}
    call MPI_File_read_at(fh, offset, b, 64, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  end do
end subroutine
