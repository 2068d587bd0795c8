! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A rank asked from MPI does not change in the loop, nor does a count that was broadcast before.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
subroutine f(fh)
  implicit none
  include 'mpif.h'
  integer :: fh, k, n, rank, ierr
  double precision :: b(64)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  n = 64
  do k = 1, 16
    ! CHECK: f MPI_File_write_at_all size=512 L0 affine(stride=512,trip=16){{$}}
    call MPI_File_write_at_all(fh, (rank * 16_MPI_OFFSET_KIND + k - 1) * 512, b, n, MPI_REAL8, MPI_STATUS_IGNORE, ierr)
    call MPI_Bcast(b, n, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  end do
end subroutine
