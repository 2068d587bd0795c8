! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fourier transforms of a cube of n points along each axis whose layers along z (in space) or y (among wave numbers) are
! shared out to the ranks. Lines of any length, fast where n has small factors.
module nial_fft
  use fortran_app
  implicit none
  integer :: n
  integer, allocatable :: low(:), extent(:)      ! of each rank: its first layer, from 0, and its layers
  complex(real8), allocatable, private :: root(:) ! exp(-2 pi i k / n)
contains
  subroutine make_transform()
    integer :: r
    real(real8), parameter :: turn = 6.283185307179586476925286766559_real8
    allocate (low(0:ranks - 1), extent(0:ranks - 1), root(0:n - 1))
    do r = 0, ranks - 1
      low(r) = r * (n / ranks) + min(r, mod(n, ranks))
      extent(r) = n / ranks
      if (r < mod(n, ranks)) extent(r) = extent(r) + 1
    end do
    do r = 0, n - 1
      root(r) = cmplx(cos(turn * r / n), -sin(turn * r / n), real8)
    end do
  end subroutine

  ! out(k) = sum over j of x(j * stride) root(j * k * n / m), for a part of m points of the line. The sum is split by the least
  ! factor p of m: p transforms of every p-th point, put together (decimation in time; Cooley and Tukey 1965).
  recursive subroutine part_of_line(x, first, stride, m, out)
    complex(real8), intent(in) :: x(0:)
    integer, intent(in) :: first, stride, m
    complex(real8), intent(out) :: out(0:m - 1)
    complex(real8) :: part(0:m - 1), sum
    integer :: p, q, s, k, turn
    if (m == 1) then
      out(0) = x(first)
      return
    end if
    p = 2
    do while (mod(m, p) /= 0)
      p = p + 1
    end do
    q = m / p
    do s = 0, p - 1
      call part_of_line(x, first + s * stride, stride * p, q, part(s * q:s * q + q - 1))
    end do
    turn = n / m
    do k = 0, m - 1
      sum = part(mod(k, q))
      do s = 1, p - 1
        sum = sum + root(int(mod(int(s, int8) * k * turn, int(n, int8)))) * part(s * q + mod(k, q))
      end do
      out(k) = sum
    end do
  end subroutine

  subroutine line(x, back)
    complex(real8), intent(inout) :: x(0:n - 1)
    logical, intent(in) :: back
    complex(real8) :: out(0:n - 1)
    if (back) x = conjg(x)
    call part_of_line(x, 0, 1, n, out)
    x = out
    if (back) x = conjg(x) / n
  end subroutine

  subroutine plane(f, back)
    complex(real8), intent(inout) :: f(n, n)
    logical, intent(in) :: back
    complex(real8) :: x(n)
    integer :: i
    do i = 1, n
      call line(f(:, i), back)
    end do
    do i = 1, n
      x = f(i, :)
      call line(x, back)
      f(i, :) = x
    end do
  end subroutine

  ! f(x, y, own z) -> g(z, x, own y)
  subroutine forward(f, g)
    complex(real8), intent(inout) :: f(n, n, extent(rank))
    complex(real8), intent(out) :: g(n, n, extent(rank))
    integer :: i, j, k
    do k = 1, extent(rank)
      call plane(f(:, :, k), .false.)
    end do
    call turn_over(f, g, .false.)
    do j = 1, extent(rank)
      do i = 1, n
        call line(g(:, i, j), .false.)
      end do
    end do
  end subroutine

  ! g(z, x, own y) -> f(x, y, own z); g is lost.
  subroutine backward(g, f)
    complex(real8), intent(inout) :: g(n, n, extent(rank))
    complex(real8), intent(out) :: f(n, n, extent(rank))
    integer :: i, j, k
    do j = 1, extent(rank)
      do i = 1, n
        call line(g(:, i, j), .true.)
      end do
    end do
    call turn_over(f, g, .true.)
    do k = 1, extent(rank)
      call plane(f(:, :, k), .true.)
    end do
  end subroutine

  ! What other ranks need of f for their g, or with `back` of g for their f.
  subroutine turn_over(f, g, back)
    include 'mpif.h'
    complex(real8), intent(inout) :: f(n, n, extent(rank)), g(n, n, extent(rank))
    logical, intent(in) :: back
    complex(real8), allocatable :: of_f(:), of_g(:)
    integer :: count(0:ranks - 1), begin(0:ranks - 1), r, i, j, k, at, ierr
    allocate (of_f(n * n * extent(rank)), of_g(n * n * extent(rank)), stat=ierr)
    if (ierr /= 0) call fail('out of memory')
    count = n * extent * extent(rank)
    begin(0) = 0
    do r = 1, ranks - 1
      begin(r) = begin(r - 1) + count(r - 1)
    end do
    if (back) then
      call copy_g()
      call MPI_Alltoallv(of_g, count, begin, MPI_DOUBLE_COMPLEX, of_f, count, begin, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD, ierr)
      call copy_f()
    else
      call copy_f()
      call MPI_Alltoallv(of_f, count, begin, MPI_DOUBLE_COMPLEX, of_g, count, begin, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD, ierr)
      call copy_g()
    end if
    deallocate (of_f, of_g)
  contains
    subroutine copy_f() ! rank r has these y
      do r = 0, ranks - 1
        at = begin(r)
        do k = 1, extent(rank)
          do j = low(r) + 1, low(r) + extent(r)
            do i = 1, n
              at = at + 1
              if (back) f(i, j, k) = of_f(at)
              if (.not. back) of_f(at) = f(i, j, k)
            end do
          end do
        end do
      end do
    end subroutine

    subroutine copy_g() ! rank r has these z
      do r = 0, ranks - 1
        at = begin(r)
        do k = low(r) + 1, low(r) + extent(r)
          do j = 1, extent(rank)
            do i = 1, n
              at = at + 1
              if (back) of_g(at) = g(k, i, j)
              if (.not. back) g(k, i, j) = of_g(at)
            end do
          end do
        end do
      end do
    end subroutine
  end subroutine
end module
