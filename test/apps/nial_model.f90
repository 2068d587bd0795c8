! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Ordered precipitates (gamma', Ni3Al) that grow and coarsen in the disordered alloy (gamma): composition c and four order
! parameters, one for each way in which the order can lie on the lattice. After Kim, Kim and Suzuki's model (KKS, 1999): a
! point is a mixture of both phases at equal chemical potential. With parabolas of one curvature for their free energies that
! has a closed form:
!   f = a/2 (c - c_gamma - h (c_order - c_gamma))^2 + w g,   h = sum of e^3 (10 - 15 e + 6 e^2) over the order parameters e,
!   g = sum of e^2 (1 - e)^2 + 5 times the sum of e_i^2 e_j^2 over pairs.
! Steps are semi-implicit in Fourier space (Chen and Shen 1998): gradients at the end of a step, the rest at its beginning.
! Lengths are in points, times and energies without units; elastic energy is left out.
module nial_model
  use nial_fft
  implicit none
  integer, parameter :: orders = 4, fields = orders + 1 ! field 1 is c
  real(real8), parameter :: c_gamma = 0.160_real8, c_order = 0.230_real8, jump = c_order - c_gamma
  real(real8), parameter :: curvature = 40, barrier = 0.15_real8, gradient = 0.4_real8, diffusivity = 0.02_real8, mobility = 1
  real(real8), parameter :: dt = 0.1_real8
  real(real8), allocatable :: state(:, :, :, :)       ! (x, y, own z, field)
  complex(real8), allocatable :: waves(:, :, :, :)    ! (z, x, own y, field): its transform
  complex(real8), allocatable, private :: drive(:, :, :), turned(:, :, :)
contains
  ! A number from 0 to 1 that looks random, of a point and a seed.
  pure real(real8) function drawn(seed, at)
    integer, intent(in) :: seed
    integer(int8), intent(in) :: at
    integer(int8) :: x
    integer :: i
    x = ieor(int(seed, int8) * 2654435_int8 + 88172645_int8, at * 40503_int8)
    do i = 1, 4 ! xorshift (Marsaglia 2003)
      x = ieor(x, ishft(x, 13))
      x = ieor(x, ishft(x, -7))
      x = ieor(x, ishft(x, 17))
    end do
    drawn = real(ishft(x, -11), real8) / 2.0_real8**53
  end function

  ! wave: c alone, a single wave; else a supersaturated alloy with noise, and a nucleus in each of its `nuclei` boxes.
  subroutine make_state(seed, wave)
    integer, intent(in) :: seed
    logical, intent(in) :: wave
    real(real8), parameter :: turn = 6.283185307179586476925286766559_real8
    integer :: i, j, k, z, s, ierr
    integer(int8) :: at
    allocate (state(n, n, extent(rank), fields), waves(n, n, extent(rank), fields), drive(n, n, extent(rank)), &
              turned(n, n, extent(rank)), stat=ierr)
    if (ierr /= 0) call fail('out of memory')
    do k = 1, extent(rank)
      z = low(rank) + k - 1
      do j = 1, n
        do i = 1, n
          at = i + n * (j - 1 + int(n, int8) * z)
          if (wave) then
            state(i, j, k, :) = 0
            state(i, j, k, 1) = c_gamma + 0.01_real8 * cos(turn * ((i - 1) + 2 * (j - 1) + z) / n)
          else
            state(i, j, k, 1) = 0.195_real8 + 0.01_real8 * (drawn(seed, at) - 0.5_real8)
            do s = 1, orders
              state(i, j, k, 1 + s) = nucleus(seed, s, i - 1, j - 1, z)
            end do
          end if
        end do
      end do
    end do
    do s = 1, fields
      drive = state(:, :, :, s)
      call forward(drive, waves(:, :, :, s))
    end do
  end subroutine

  ! Boxes of 20 points have a nucleus each, of one of the orders, somewhere in the middle.
  pure real(real8) function nucleus(seed, s, x, y, z)
    integer, intent(in) :: seed, s, x, y, z
    integer, parameter :: box = 20
    integer :: at(3), b(3), axis
    integer(int8) :: number
    real(real8) :: d
    at = (/ x, y, z /)
    b = at / box
    number = b(1) + 1000 * (b(2) + 1000 * int(b(3), int8))
    nucleus = 0
    if (1 + int(orders * drawn(seed + 1, number)) /= s) return
    d = 0
    do axis = 1, 3
      d = d + (at(axis) - box * (b(axis) + 0.4_real8 + 0.2_real8 * drawn(seed + 1 + axis, number)))**2
    end do
    nucleus = 0.5_real8 * (1 - tanh((sqrt(d) - 4) / 1.5_real8))
  end function

  pure real(real8) function mixed(e)
    real(real8), intent(in) :: e(orders)
    mixed = sum(e**3 * (10 - 15 * e + 6 * e**2))
  end function

  subroutine step()
    integer :: i, j, k, s
    real(real8) :: e(orders), off, squares, k2
    do s = 1, fields ! what drives field s, from the state at the beginning
      do k = 1, extent(rank)
        do j = 1, n
          do i = 1, n
            e = state(i, j, k, 2:)
            if (s == 1) then
              drive(i, j, k) = jump * mixed(e)
            else
              off = state(i, j, k, 1) - c_gamma - jump * mixed(e)
              squares = sum(e**2) - e(s - 1)**2
              drive(i, j, k) = barrier * (2 * e(s - 1) * (1 - e(s - 1)) * (1 - 2 * e(s - 1)) + 10 * e(s - 1) * squares) &
                - curvature * jump * off * 30 * e(s - 1)**2 * (1 - e(s - 1))**2
            end if
          end do
        end do
      end do
      call forward(drive, turned)
      do j = 1, extent(rank)
        do i = 1, n
          do k = 1, n
            k2 = wave_number(i - 1)**2 + wave_number(low(rank) + j - 1)**2 + wave_number(k - 1)**2
            if (s == 1) then
              waves(k, i, j, 1) = (waves(k, i, j, 1) + dt * diffusivity * curvature * k2 * turned(k, i, j)) &
                / (1 + dt * diffusivity * curvature * k2)
            else
              waves(k, i, j, s) = (waves(k, i, j, s) - dt * mobility * turned(k, i, j)) / (1 + dt * mobility * gradient * k2)
            end if
          end do
        end do
      end do
    end do
    do s = 1, fields
      turned = waves(:, :, :, s)
      call backward(turned, drive)
      state(:, :, :, s) = real(drive, real8)
    end do
  end subroutine

  pure real(real8) function wave_number(i)
    integer, intent(in) :: i
    real(real8), parameter :: turn = 6.283185307179586476925286766559_real8
    wave_number = turn * merge(i, i - n, 2 * i <= n) / n
  end function

  ! The mean of c, which no step changes, and the volume's share that is ordered.
  subroutine means(of_c, of_order)
    include 'mpif.h'
    real(real8), intent(out) :: of_c, of_order
    real(real8) :: mine(2), all(2)
    integer :: i, j, k, ierr
    mine = 0
    do k = 1, extent(rank)
      do j = 1, n
        do i = 1, n
          mine = mine + (/ state(i, j, k, 1), mixed(state(i, j, k, 2:)) /)
        end do
      end do
    end do
    call MPI_Allreduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    of_c = all(1) / real(n, real8)**3
    of_order = all(2) / real(n, real8)**3
  end subroutine
end module
