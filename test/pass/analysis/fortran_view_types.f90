! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! File types made of constants in Fortran, by every constructor: as view_types.c, where the places are reckoned. Arrays are
! variables that are filled once, before.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
program p
  implicit none
  include 'mpif.h'
  integer, parameter :: A = MPI_ADDRESS_KIND
  integer :: fh, ierr, t, u, sizes(2), sub(2), start(2), one_two(2), one_four(2), types(2), spread(2), block(2)
  integer(A) :: apart(2), places(2)
  double precision :: b(4)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  sizes(1) = 4
  sizes(2) = 4
  sub(1) = 2
  sub(2) = 2
  start(1) = 1
  start(2) = 1
  one_two(1) = 1
  one_two(2) = 2
  one_four(1) = 1
  one_four(2) = 4
  types(1) = MPI_DOUBLE_PRECISION
  types(2) = MPI_INTEGER
  spread(1) = MPI_DISTRIBUTE_NONE
  spread(2) = MPI_DISTRIBUTE_CYCLIC
  block(1) = MPI_DISTRIBUTE_DFLT_DARG
  block(2) = 1
  apart(1) = 0
  apart(2) = 100
  places(1) = 0
  places(2) = 24
  call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=220 size=8 view=48/80
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_hvector(2, 2, 64_A, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=268 size=8 view=32/80
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_indexed(2, one_two, one_four, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=228 size=8 view=24/40
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_hindexed(2, one_two, apart, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=448 size=8 view=24/116
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_indexed_block(2, 2, one_four, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=196 size=8 view=32/40
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_hindexed_block(2, 2, apart, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=340 size=8 view=32/116
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  ! In order of columns what rows are in C.
  call MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=404 size=8 view=32/128
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  ! Columns 1 and 3.
  call MPI_Type_create_darray(2, 1, 2, sizes, spread, block, one_two, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=268 size=8 view=64/128
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_resized(MPI_DOUBLE_PRECISION, 0_A, 24_A, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=316 size=8 view=8/24
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_create_struct(2, one_two, places, types, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=252 size=8 view=16/32
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_vector(2, 1, 2, MPI_DOUBLE_PRECISION, u, ierr)
  call MPI_Type_dup(u, t, ierr)
  call MPI_File_set_view(fh, 100_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, t, 'native', MPI_INFO_NULL, ierr)
  ! CHECK: :[[#@LINE+1]] {{.*}}first=212 size=8 view=16/24
  call MPI_File_read_at(fh, 9_MPI_OFFSET_KIND, b, 1, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
end program
