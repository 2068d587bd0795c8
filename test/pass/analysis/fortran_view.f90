! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A view without holes: displacement and etype by address, the data representation with a length behind the error code.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, ierr, b(16)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  call MPI_File_set_view(fh, 4096_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: MPI_File_read_at origin={{.*}} first=4496 size=64{{$}}
  call MPI_File_read_at(fh, 100_MPI_OFFSET_KIND, b, 16, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
end program
