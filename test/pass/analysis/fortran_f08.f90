! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! mpi_f08: derived types as handles, an error code that may be absent, the buffer as a descriptor. flang does not read the
! modules that gfortran made with MPICH, so what they declare stands here.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
module mpi_f08_part
  use iso_c_binding
  implicit none
  type, bind(C) :: handle
    integer(c_int) :: MPI_VAL
  end type
  interface
    subroutine MPI_File_open_f08(comm, filename, amode, info, fh, ierror)
      import
      type(handle), intent(in) :: comm, info
      character(len=*), intent(in) :: filename
      integer, intent(in) :: amode
      type(handle), intent(out) :: fh
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(handle), intent(in) :: fh, datatype
      integer(c_int64_t), intent(in) :: offset
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      integer :: status(5)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
end module
subroutine f(b)
  use mpi_f08_part
  integer, parameter :: world = 1140850688, null_info = 469762048, double_precision = 1275070495
  double precision :: b(64)
  type(handle) :: fh
  integer :: k, status(5)
  call MPI_File_open_f08(handle(world), 'data', 2, handle(null_info), fh)
  do k = 0, 7
    ! CHECK: MPI_File_read_at origin={{.*}} first=0 size=512 L0 affine(stride=4096,trip=8){{$}}
    call MPI_File_read_at_f08ts(fh, 4096_8 * k, b, 64, handle(double_precision), status)
  end do
end subroutine
