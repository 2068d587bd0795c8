! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Array constructors are copied at run time, so nothing is known of these types; their calls were looked at once more after
! strings had been taken out of the code around them.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer :: fh, ierr, t
  double precision :: b(4)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  call MPI_Type_create_subarray(2, (/ 4, 4 /), (/ 2, 2 /), (/ 1, 1 /), MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}} MPI_File_read_at {{.*}} size=8{{$}}
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_darray(2, 1, 2, (/ 4, 4 /), (/ MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC /), &
                              (/ MPI_DISTRIBUTE_DFLT_DARG, 1 /), (/ 1, 2 /), MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}} MPI_File_read_at {{.*}} size=8{{$}}
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
end program
