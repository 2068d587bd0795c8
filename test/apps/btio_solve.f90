! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Five coupled quantities that are carried and spread: u_t + A u_x + B u_y + C u_z = d (u_xx + u_yy + u_zz) + f in the unit cube,
! given on its faces. A step is implicit, factored by axes (alternating directions): for each axis a system with 5 x 5 blocks
! on three diagonals for every line of points, eliminated from cell to cell and back. f is made so that `solution` is where u
! goes, also of what is left when derivatives are differences, so u - solution tells how far it is.
module btio_solve
  use btio_grid
  implicit none
  real(real8), parameter :: spread = 0.05_real8
  real(real8) :: carry(values, values, 3), h, dt
  real(real8), allocatable :: force(:, :, :, :, :), change(:, :, :, :, :)
  real(real8), allocatable :: upper(:, :, :, :, :, :) ! of the elimination: (value, value, x, y, z, cell)
contains
  pure function solution(x, y, z) result(s)
    real(real8), intent(in) :: x, y, z
    real(real8) :: s(values)
    integer :: m
    do m = 1, values
      s(m) = 1 + 0.1_real8 * m + x * (0.3_real8 * m - x * y) + y * y * (0.2_real8 + z * z / m) + cos(m * x + 2 * y - z) / 4
    end do
  end function

  pure function start(x, y, z) result(s)
    real(real8), intent(in) :: x, y, z
    real(real8) :: s(values)
    s = solution(x, y, z) + 64 * x * (1 - x) * y * (1 - y) * z * (1 - z) ! the same on the faces
  end function

  logical function on_face(c, i, j, k)
    integer, intent(in) :: c, i, j, k
    integer :: at(3)
    at = low(:, c) + (/ i, j, k /) - 1
    on_face = any(at == 0 .or. at == points - 1)
  end function

  subroutine make_problem()
    integer :: m, n, axis, ierr
    h = 1.0_real8 / (points - 1)
    dt = 0.4_real8 * h
    do axis = 1, 3
      do m = 1, values
        do n = 1, values
          carry(m, n, axis) = merge(0.4_real8, 0.1_real8 / (abs(m - n) + axis), m == n)
        end do
      end do
    end do
    allocate (force(values, room(1), room(2), room(3), q), change(values, room(1), room(2), room(3), q), &
              upper(values, values, room(1), room(2), room(3), q), stat=ierr)
    if (ierr /= 0) call fail('out of memory')
    force = 0
    call fill(.true.)
    call exchange()
    call differences()
    force = -change
    call fill(.false.)
  end subroutine

  subroutine fill(with_solution)
    logical, intent(in) :: with_solution
    integer :: c, i, j, k
    real(real8) :: x, y, z
    do c = 1, q
      do k = 1, extent(3, c)
        z = h * (low(3, c) + k - 1)
        do j = 1, extent(2, c)
          y = h * (low(2, c) + j - 1)
          do i = 1, extent(1, c)
            x = h * (low(1, c) + i - 1)
            if (with_solution) then
              u(:, i, j, k, c) = solution(x, y, z)
            else
              u(:, i, j, k, c) = start(x, y, z)
            end if
          end do
        end do
      end do
    end do
  end subroutine

  ! change: what the equation says of u_t in every point; 0 on the faces.
  subroutine differences()
    integer :: c, i, j, k
    real(real8) :: r(values)
    change = 0
    do c = 1, q
      do k = 1, extent(3, c)
        do j = 1, extent(2, c)
          do i = 1, extent(1, c)
            if (on_face(c, i, j, k)) cycle
            r = force(:, i, j, k, c)
            r = r + along(1, u(:, i - 1, j, k, c), u(:, i, j, k, c), u(:, i + 1, j, k, c))
            r = r + along(2, u(:, i, j - 1, k, c), u(:, i, j, k, c), u(:, i, j + 1, k, c))
            r = r + along(3, u(:, i, j, k - 1, c), u(:, i, j, k, c), u(:, i, j, k + 1, c))
            change(:, i, j, k, c) = r
          end do
        end do
      end do
    end do
  end subroutine

  pure function along(axis, before, here, behind) result(r)
    integer, intent(in) :: axis
    real(real8), intent(in) :: before(values), here(values), behind(values)
    real(real8) :: r(values), slope(values)
    integer :: n
    slope = (behind - before) / (2 * h)
    r = spread * (before - 2 * here + behind) / h**2
    do n = 1, values
      r = r - carry(:, n, axis) * slope(n)
    end do
  end function

  ! The change is found `work` times, all but the last for nothing but the time that it takes.
  subroutine step(work)
    integer, intent(in) :: work
    integer :: axis, c, again
    do again = 1, work
      call exchange()
      call differences()
      change = dt * change
      do axis = 1, 3
        call sweep(axis)
      end do
    end do
    do c = 1, q
      u(:, 1:extent(1, c), 1:extent(2, c), 1:extent(3, c), c) = u(:, 1:extent(1, c), 1:extent(2, c), 1:extent(3, c), c) &
        + change(:, 1:extent(1, c), 1:extent(2, c), 1:extent(3, c), c)
    end do
  end subroutine

  ! (1 - dt * d/dt along the axis) change' = change, for all lines along it.
  subroutine sweep(axis)
    integer, intent(in) :: axis
    ! Of a cell's last layer: what the next cell needs.
    real(real8), allocatable :: edge(:, :, :), edge_upper(:, :, :, :), new(:, :, :), new_upper(:, :, :, :)
    real(real8) :: lower(values, values), over(values, values), middle(values, values)
    integer :: at, c, m, a, b
    lower = -dt / (2 * h) * carry(:, :, axis)
    over = -lower
    middle = 0
    do m = 1, values
      lower(m, m) = lower(m, m) - dt * spread / h**2
      over(m, m) = over(m, m) - dt * spread / h**2
      middle(m, m) = 1 + 2 * dt * spread / h**2
    end do
    allocate (edge(values, 0, 0), edge_upper(values, values, 0, 0))
    do at = 0, q - 1
      c = cell_at(axis, at)
      a = extent(mod(axis, 3) + 1, c)
      b = extent(mod(axis + 1, 3) + 1, c)
      allocate (new(values, a, b), new_upper(values, values, a, b))
      if (at > 0) then ! what this cell needs of the one before it, which is another rank's
        call swap(edge, size(edge), next(axis), new, size(new), previous(axis), 10 + axis)
        call swap(edge_upper, size(edge_upper), next(axis), new_upper, size(new_upper), previous(axis), 20 + axis)
      end if
      call move_alloc(new, edge)
      call move_alloc(new_upper, edge_upper)
      call eliminate(axis, c, lower, middle, over, edge, edge_upper)
    end do
    do at = q - 1, 0, -1
      c = cell_at(axis, at)
      allocate (new(values, extent(mod(axis, 3) + 1, c), extent(mod(axis + 1, 3) + 1, c)))
      new = 0
      if (at < q - 1) call swap(edge, size(edge), previous(axis), new, size(new), next(axis), 30 + axis)
      call move_alloc(new, edge)
      call put_back(axis, c, edge)
    end do
  end subroutine

  ! Of a line's point n, with a and b along the two other axes in turn: its place in the cell.
  pure function point(axis, n, a, b) result(p)
    integer, intent(in) :: axis, n, a, b
    integer :: p(3)
    p(axis) = n
    p(mod(axis, 3) + 1) = a
    p(mod(axis + 1, 3) + 1) = b
  end function

  subroutine eliminate(axis, c, lower, middle, over, edge, edge_upper)
    integer, intent(in) :: axis, c
    real(real8), intent(in) :: lower(values, values), middle(values, values), over(values, values)
    real(real8), intent(inout) :: edge(:, :, :), edge_upper(:, :, :, :)
    real(real8) :: left(values, values), right(values, values + 1)
    integer :: n, a, b, p(3), at
    do b = 1, size(edge, 3)
      do a = 1, size(edge, 2)
        do n = 1, extent(axis, c)
          p = point(axis, n, a, b)
          at = low(axis, c) + n - 1
          if (at == 0 .or. at == points - 1) then ! nothing changes on a face
            edge(:, a, b) = 0
            edge_upper(:, :, a, b) = 0
          else
            left = middle - matmul(lower, edge_upper(:, :, a, b))
            right(:, 1:values) = over
            right(:, values + 1) = change(:, p(1), p(2), p(3), c) - matmul(lower, edge(:, a, b))
            call solve(left, right)
            edge_upper(:, :, a, b) = right(:, 1:values)
            edge(:, a, b) = right(:, values + 1)
          end if
          upper(:, :, p(1), p(2), p(3), c) = edge_upper(:, :, a, b)
          change(:, p(1), p(2), p(3), c) = edge(:, a, b)
        end do
      end do
    end do
  end subroutine

  subroutine put_back(axis, c, edge)
    integer, intent(in) :: axis, c
    real(real8), intent(inout) :: edge(:, :, :)
    integer :: n, a, b, p(3)
    do b = 1, size(edge, 3)
      do a = 1, size(edge, 2)
        do n = extent(axis, c), 1, -1
          p = point(axis, n, a, b)
          edge(:, a, b) = change(:, p(1), p(2), p(3), c) - matmul(upper(:, :, p(1), p(2), p(3), c), edge(:, a, b))
          change(:, p(1), p(2), p(3), c) = edge(:, a, b)
        end do
      end do
    end do
  end subroutine

  ! right := left^-1 right. Without exchanging rows: the diagonal is the greatest of its row by far.
  pure subroutine solve(left, right)
    real(real8), intent(inout) :: left(values, values), right(values, values + 1)
    integer :: i, j
    real(real8) :: f
    do i = 1, values
      f = 1 / left(i, i)
      left(i, i:) = f * left(i, i:)
      right(i, :) = f * right(i, :)
      do j = 1, values
        if (j == i) cycle
        f = left(j, i)
        left(j, i:) = left(j, i:) - f * left(i, i:)
        right(j, :) = right(j, :) - f * right(i, :)
      end do
    end do
  end subroutine

  ! The root of the mean square of u - solution.
  real(real8) function distance()
    include 'mpif.h'
    real(real8) :: mine, all
    integer :: c, i, j, k, ierr
    mine = 0
    do c = 1, q
      do k = 1, extent(3, c)
        do j = 1, extent(2, c)
          do i = 1, extent(1, c)
            mine = mine + sum((u(:, i, j, k, c) - solution(h * (low(1, c) + i - 1), h * (low(2, c) + j - 1), &
                                                           h * (low(3, c) + k - 1)))**2)
          end do
        end do
      end do
    end do
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    distance = sqrt(all / (values * real(points, real8)**3))
  end function
end module
