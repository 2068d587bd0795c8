! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The variable of a DO loop, which the loop writes as an iteration begins, and which nobody it is handed to may change.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - -S -o - | %filecheck
program checkpoints
  implicit none
  include 'mpif.h'
  integer :: f, step, every, ierr
  integer(kind=MPI_OFFSET_KIND) :: at
  double precision :: u(100)
  call MPI_Init(ierr)
  call MPI_Bcast(every, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'u', MPI_MODE_RDWR, MPI_INFO_NULL, f, ierr)
  do step = 1, 1000
    call work(step, u)
    at = 800_8 * step
    if (mod(step, every) == 0) call MPI_File_write_at(f, at, u, 100, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  end do
  ! CHECK: call void @siox_steps_when(ptr @siox.when, i64 1, i64 %
end program
