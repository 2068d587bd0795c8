! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Buffers of characters have a hidden length, others not: whichever flang meets first is how the routine is declared, and
! calls of the other sort are calls of it as well.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, b(64), ierr
  integer(kind=MPI_OFFSET_KIND) :: offset
  character(len=16) :: text
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
  ! CHECK: fortran_buffers.f90:[[#@LINE+1]] {{.*}}MPI_File_write origin={{.*}}fortran_buffers.f90:[[#@LINE-1]] first=0 size=16{{$}}
  call MPI_File_write(fh, text, 16, MPI_CHARACTER, MPI_STATUS_IGNORE, ierr)
  ! CHECK: fortran_buffers.f90:[[#@LINE+1]] {{.*}}MPI_File_write origin={{.*}}fortran_buffers.f90:[[#@LINE-3]] first=16 size=256{{$}}
  call MPI_File_write(fh, b, 64, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  offset = 1024
  ! CHECK: fortran_buffers.f90:[[#@LINE+1]] {{.*}}MPI_File_read_at origin={{.*}}fortran_buffers.f90:[[#@LINE-6]] first=1024 size=256{{$}}
  call MPI_File_read_at(fh, offset, b, 64, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  ! CHECK: fortran_buffers.f90:[[#@LINE+1]] {{.*}}MPI_File_read_at origin={{.*}}fortran_buffers.f90:[[#@LINE-8]] first=1024 size=16{{$}}
  call MPI_File_read_at(fh, offset, text, 16, MPI_CHARACTER, MPI_STATUS_IGNORE, ierr)
end program
