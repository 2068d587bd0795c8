! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A helper subroutine that gets handle, index and length by address.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, k, ierr
  double precision :: b(64)
  ! CHECK: MPI_File_open{{$}}
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
  do k = 0, 19
    call put(k, 64)
  end do
contains
  subroutine put(index, n)
    integer, intent(in) :: index, n
    integer(kind=MPI_OFFSET_KIND) :: offset
    offset = int(index, MPI_OFFSET_KIND) * n * 8
    ! CHECK: MPI_File_write_at origin={{.*}}fortran_helper.f90:11 first=0 size=512 L0 affine(stride=512,trip=20){{$}}
    call MPI_File_write_at(fh, offset, b, n, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
