! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A file name with blanks at its end is found in layouts.yaml.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --layouts %S/Inputs/layouts.yaml --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, ierr
  ! CHECK: MPI_File_open layout=2:3:64K{{$}}
  call MPI_File_open(MPI_COMM_WORLD, 'out/a.dat  ', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
end program
