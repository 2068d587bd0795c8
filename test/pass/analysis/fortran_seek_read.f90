! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The individual file pointer: seek takes offset and origin by address.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, k, ierr
  real :: r(100)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  do k = 0, 15
    call MPI_File_seek(fh, k * 1024_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
    ! CHECK: MPI_File_read origin={{.*}} first=0 size=400 L0 affine(stride=1024,trip=16){{$}}
    call MPI_File_read(fh, r, 100, MPI_REAL, MPI_STATUS_IGNORE, ierr)
  end do
end program
