! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! An array assignment at -O0 leaves instcombine with more to do than one round over the clone: no reason to end.
! REQUIRES: flang
! RUN: env SIOX_PRINT_ACCESS=1 %flang -O0 -fpass-plugin=%plugin -c -o %t.o %s | %filecheck
! CHECK: MPI_File_write_at {{.*}}size=4096 L0 affine(stride=8192,trip=10)
program p
  implicit none
  include 'mpif.h'
  integer :: ierr, fh, rank, i, buf(1024), st(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: off
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
  buf = rank
  do i = 0, 9
    off = (i * 2 + rank) * 4096
    call MPI_File_write_at(fh, off, buf, 1024, MPI_INTEGER, st, ierr)
  end do
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program
