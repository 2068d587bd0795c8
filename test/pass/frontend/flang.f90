! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The plug-in in flang: every call of MPI-IO is marked at every level, and the object names the run time's entry points.
! REQUIRES: flang
! RUN: %flang -O0 -fpass-plugin=%plugin -S -emit-llvm -o %t.0.ll %s
! RUN: test `grep -c 'call void @siox_at' %t.0.ll` = 3
! RUN: %flang -O2 -fpass-plugin=%plugin -S -emit-llvm -o %t.2.ll %s
! RUN: test `grep -c 'call void @siox_at' %t.2.ll` = 3
! RUN: %flang -O2 -fpass-plugin=%plugin -c -o %t.o %s
! RUN: nm %t.o | grep 'U siox_at'
program p
  implicit none
  include 'mpif.h'
  integer :: fh, ierr, b(16)
  call MPI_Init(ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  call MPI_File_read(fh, b, 16, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program
