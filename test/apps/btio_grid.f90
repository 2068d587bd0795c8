! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Who has which part of the cube, and the layers of points that neighbours give each other. q * q ranks own q cells each: one in
! every layer along each of the axes, so that each rank has a cell to work on whenever a sweep passes (diagonal
! multi-partition, as in NPB's BT). Cell c of rank r lies at ((r mod q) + c - 1, r / q + c - 1, c - 1), modulo q.
module btio_grid
  use fortran_app
  implicit none
  integer, parameter :: values = 5 ! a point
  integer :: points, q                   ! of an axis: points, cells
  integer :: room(3)                     ! the most points that a cell has along each axis
  integer, allocatable :: place(:, :)    ! (axis, cell): which of the q it is
  integer, allocatable :: low(:, :)      ! (axis, cell): its first point, from 0
  integer, allocatable :: extent(:, :)   ! (axis, cell): its points
  integer :: next(3), previous(3)        ! along each axis: the rank of all cells' neighbours
  real(real8), allocatable :: u(:, :, :, :, :) ! (value, x, y, z, cell), with a layer around each cell: 0 and extent + 1
contains
  ! To one rank and from another, which all ranks do at once.
  subroutine swap(sent, n, to, got, m, from, tag)
    include 'mpif.h'
    integer, intent(in) :: n, to, m, from, tag
    real(real8), intent(in) :: sent(n)
    real(real8), intent(inout) :: got(m)
    integer :: ierr, status(MPI_STATUS_SIZE)
    call MPI_Sendrecv(sent, n, MPI_DOUBLE_PRECISION, to, tag, got, m, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, &
                      status, ierr)
  end subroutine

  integer function rank_at(x, y)
    integer, intent(in) :: x, y
    rank_at = modulo(x, q) + q * modulo(y, q)
  end function

  subroutine make_grid()
    integer :: c, axis, x, y, ierr
    x = mod(rank, q)
    y = rank / q
    allocate (place(3, q), low(3, q), extent(3, q))
    do c = 1, q
      place(:, c) = (/ mod(x + c - 1, q), mod(y + c - 1, q), c - 1 /)
      do axis = 1, 3
        low(axis, c) = place(axis, c) * (points / q) + min(place(axis, c), mod(points, q))
        extent(axis, c) = points / q
        if (place(axis, c) < mod(points, q)) extent(axis, c) = extent(axis, c) + 1
      end do
    end do
    ! The cell behind (x, y, z) along z has c + 1, so its owner is one less in x and y.
    next = (/ rank_at(x + 1, y), rank_at(x, y + 1), rank_at(x - 1, y - 1) /)
    previous = (/ rank_at(x - 1, y), rank_at(x, y - 1), rank_at(x + 1, y + 1) /)
    room = maxval(extent, 2)
    allocate (u(values, 0:room(1) + 1, 0:room(2) + 1, 0:room(3) + 1, q), stat=ierr)
    if (ierr /= 0) call fail('out of memory')
    u = 0
  end subroutine

  ! The cell that has this place along the axis; each rank has one.
  integer function cell_at(axis, where)
    integer, intent(in) :: axis, where
    do cell_at = 1, q
      if (place(axis, cell_at) == where) return
    end do
    cell_at = 0
  end function

  ! Of cell c, the layer `at` along the axis, into or out of a buffer; returns the values moved.
  integer function layer(axis, c, at, buffer, from, out)
    integer, intent(in) :: axis, c, at, from
    real(real8), intent(inout) :: buffer(:)
    logical, intent(in) :: out
    integer :: first(3), last(3), i, j, k, n
    first = 1
    last = extent(:, c)
    first(axis) = at
    last(axis) = at
    n = from
    do k = first(3), last(3)
      do j = first(2), last(2)
        do i = first(1), last(1)
          if (out) then
            buffer(n + 1:n + values) = u(:, i, j, k, c)
          else
            u(:, i, j, k, c) = buffer(n + 1:n + values)
          end if
          n = n + values
        end do
      end do
    end do
    layer = n - from
  end function

  ! Fills the layers around the cells. At the cube's faces nothing is behind, and the layers there keep what they have.
  subroutine exchange()
    real(real8), allocatable :: sent(:), got(:)
    integer :: axis, way, c, of, n, m, to, from
    logical :: edge
    m = values * q * maxval(room) ** 2
    allocate (sent(m), got(m))
    do axis = 1, 3
      do way = 1, 2 ! to the next ones, then to the previous ones
        to = merge(next(axis), previous(axis), way == 1)
        from = merge(previous(axis), next(axis), way == 1)
        n = 0
        do of = 0, q - 1 ! in the order of places, which both sides know
          c = cell_at(axis, of)
          edge = of == merge(q - 1, 0, way == 1)
          if (.not. edge) n = n + layer(axis, c, merge(extent(axis, c), 1, way == 1), sent, n, .true.)
        end do
        call swap(sent, n, to, got, m, from, axis)
        n = 0
        do of = 0, q - 1
          c = cell_at(axis, of)
          edge = of == merge(0, q - 1, way == 1)
          if (.not. edge) n = n + layer(axis, c, merge(0, extent(axis, c) + 1, way == 1), got, n, .false.)
        end do
      end do
    end do
    deallocate (sent, got)
  end subroutine
end module
