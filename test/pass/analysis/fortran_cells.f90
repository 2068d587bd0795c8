! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Every rank owns several cells of a cube, diagonally placed, and writes them line by line: where a cell lies stands in tables
! that were filled when the run began. Over lines and planes the offset is affine; over the cells it is what the tables say,
! and the same at every time step, a record further.
! REQUIRES: flang
! RUN: %fll0 | %siox-opt - --disks 6 --print-access | %filecheck
module cells
  integer, parameter :: points = 64, most = 8
  integer :: ncells, low(3, most), extent(3, most)
end module

subroutine write_steps(fh, u, steps)
  use cells
  implicit none
  include 'mpif.h'
  integer :: fh, steps, step, c, j, k, ierr
  double precision :: u(5, points, points, points, most)
  integer(kind=MPI_OFFSET_KIND) :: at
  do step = 0, steps - 1
    do c = 1, ncells
      do k = 0, extent(3, c) - 1
        do j = 0, extent(2, c) - 1
          at = 40_8 * (low(1, c) + points * ((low(2, c) + j) + points * ((low(3, c) + k) + int(points, 8) * step)))
          ! A line is points * 40 bytes from the next, a plane points times that, a record points planes.
          ! CHECK: write_steps MPI_File_write_at {{.*}}L0 affine(stride=2560) L1 affine(stride=163840) L2 run-time L3 affine(stride=10485760){{$}}
          call MPI_File_write_at(fh, at, u(1, 1, j + 1, k + 1, c), 5 * extent(1, c), MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
        end do
      end do
    end do
  end do
end subroutine
