! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Steps of computing, each followed by a record of a cube that the ranks, q * q of them, own in q cells each, one in every
! layer of planes and all at different places (diagonal multi-partition). Where the cells lie is put into tables when the run
! begins; they are written line by line. Knows nothing of Siox. cells FILE STEPS WORK      WORK: sines a step and rank
module cells
  implicit none
  integer, parameter :: points = 32, most = 4
  integer :: ncells, low(3, most), extent(3, most)
contains
  subroutine place(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: c, column, line, width
    ncells = nint(sqrt(real(ranks)))
    width = points / ncells
    do c = 1, ncells
      column = mod(rank + c - 1, ncells)
      line = mod(rank / ncells + c - 1, ncells)
      low(:, c) = width * (/ column, line, c - 1 /)
      extent(:, c) = width
    end do
  end subroutine

  subroutine write_steps(fh, u, steps, work)
    include 'mpif.h'
    integer, intent(in) :: fh, steps, work
    double precision, intent(inout) :: u(5, points, points, points, most)
    integer :: step, c, i, j, k, n, ierr
    integer(kind=MPI_OFFSET_KIND) :: at
    double precision :: s
    do step = 0, steps - 1
      s = step
      do n = 1, work
        s = sin(s + n)
      end do
      do c = 1, ncells
        do k = 1, extent(3, c)
          do j = 1, extent(2, c)
            do i = 1, extent(1, c)
              u(:, i, j, k, c) = step + 1d-6 * (low(1, c) + i + points * (low(2, c) + j - 1 + points * (low(3, c) + k - 1)))
            end do
          end do
        end do
      end do
      if (s > 2) u(1, 1, 1, 1, 1) = s ! never
      do c = 1, ncells
        do k = 0, extent(3, c) - 1
          do j = 0, extent(2, c) - 1
            at = 40_8 * (low(1, c) + points * ((low(2, c) + j) + points * ((low(3, c) + k) + int(points, 8) * step)))
            call MPI_File_write_at(fh, at, u(1, 1, j + 1, k + 1, c), 5 * extent(1, c), MPI_DOUBLE_PRECISION, &
                                   MPI_STATUS_IGNORE, ierr)
          end do
        end do
      end do
    end do
  end subroutine
end module

program main
  use cells
  implicit none
  include 'mpif.h'
  character(len=256) :: name, text
  integer :: ierr, rank, ranks, fh, steps, work
  double precision, allocatable :: u(:, :, :, :, :)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, name)
  call get_command_argument(2, text)
  read (text, *) steps
  call get_command_argument(3, text)
  read (text, *) work
  call place(rank, ranks)
  allocate (u(5, points, points, points, most))
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
  call write_steps(fh, u, steps, work)
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program
