! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Keys and values of an info object have no terminator, blanks at their end and their lengths behind the error code.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, info, ierr
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'striping_factor', '4', ierr)
  call MPI_Info_set(info, 'striping_unit  ', '32768 ', ierr)
  call MPI_Info_set(info, 'start_iodevice', '1', ierr)
  ! CHECK: MPI_File_open layout=1:4:32768{{$}}
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, info, fh, ierr)
end program
