! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Dumps of u, one behind the other in one file, each in the order of the cube's points with the five values of a point together:
! by all ranks at once through a view (full), or line by line of each cell (simple).
module btio_files
  use btio_grid
  implicit none
  include 'mpif.h'
  integer :: file, file_type, memory_type, dumps = 0
  logical :: full
  integer(int8) :: record ! bytes of a dump
  integer(int8), allocatable :: sums(:) ! of each dump, as it was written
contains
  subroutine open_file(name, info, most)
    character(*), intent(in) :: name
    integer, intent(in) :: info, most
    integer :: ierr
    integer(kind=MPI_OFFSET_KIND) :: nothing
    nothing = 0
    record = 8_int8 * values * int(points, int8)**3
    allocate (sums(most))
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, info, file, ierr)
    call must(ierr, name//' cannot be opened')
    call MPI_File_set_size(file, nothing, ierr)
    call must(ierr, name//' cannot be cut')
    if (full) then
      call make_types()
      call MPI_File_set_view(file, nothing, MPI_DOUBLE_PRECISION, file_type, 'native', MPI_INFO_NULL, ierr)
      call must(ierr, 'no view of '//name)
    end if
  end subroutine

  ! This rank's cells in the cube, and in u without the layers around them. Cells of greater z come later in both.
  subroutine make_types()
    integer :: c, ierr, length(q), in_file(q), in_memory(q)
    integer(kind=MPI_ADDRESS_KIND) :: shift(q)
    length = 1
    shift = 0
    do c = 1, q
      in_file(c) = part(4, (/ values, points, points, points /), (/ values, extent(:, c) /), (/ 0, low(:, c) /))
      in_memory(c) = part(5, (/ values, room + 2, q /), (/ values, extent(:, c), 1 /), (/ 0, 1, 1, 1, c - 1 /))
    end do
    call MPI_Type_create_struct(q, length, shift, in_file, file_type, ierr)
    call MPI_Type_commit(file_type, ierr)
    call MPI_Type_create_struct(q, length, shift, in_memory, memory_type, ierr)
    call MPI_Type_commit(memory_type, ierr)
    do c = 1, q
      call MPI_Type_free(in_file(c), ierr)
      call MPI_Type_free(in_memory(c), ierr)
    end do
  end subroutine

  integer function part(axes, whole, extents, from)
    integer, intent(in) :: axes, whole(axes), extents(axes), from(axes)
    integer :: ierr
    call MPI_Type_create_subarray(axes, whole, extents, from, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part, ierr)
  end function

  ! Of a dump: where this rank's part begins for MPI, in units of the view.
  integer(kind=MPI_OFFSET_KIND) function begin_of(dump)
    integer, intent(in) :: dump
    begin_of = int(dump - 1, int8) * values
    begin_of = begin_of * sum(product(int(extent, int8), 1))
  end function

  integer(kind=MPI_OFFSET_KIND) function line_of(dump, c, j, k)
    integer, intent(in) :: dump, c, j, k
    line_of = record * (dump - 1) &
      + 8_int8 * values * (low(1, c) + points * (low(2, c) + j - 1 + points * int(low(3, c) + k - 1, int8)))
  end function

  subroutine write_dump()
    integer :: c, j, k, ierr
    dumps = dumps + 1
    if (full) then
      call MPI_File_write_at_all(file, begin_of(dumps), u, 1, memory_type, MPI_STATUS_IGNORE, ierr)
      call must(ierr, 'a dump cannot be written')
    else
      do c = 1, q
        do k = 1, extent(3, c)
          do j = 1, extent(2, c)
            call MPI_File_write_at(file, line_of(dumps, c, j, k), u(1, 1, j, k, c), values * extent(1, c), &
                                   MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
            call must(ierr, 'a line cannot be written')
          end do
        end do
      end do
    end if
    sums(dumps) = checksum()
  end subroutine

  subroutine read_dump(dump)
    integer, intent(in) :: dump
    integer :: c, j, k, ierr
    if (full) then
      call MPI_File_read_at_all(file, begin_of(dump), u, 1, memory_type, MPI_STATUS_IGNORE, ierr)
      call must(ierr, 'a dump cannot be read')
    else
      do c = 1, q
        do k = 1, extent(3, c)
          do j = 1, extent(2, c)
            call MPI_File_read_at(file, line_of(dump, c, j, k), u(1, 1, j, k, c), values * extent(1, c), &
                                  MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
            call must(ierr, 'a line cannot be read')
          end do
        end do
      end do
    end if
  end subroutine

  ! All bits of this rank's part, each value turned by where it is.
  integer(int8) function checksum()
    integer :: c, i, j, k, m
    integer(int8) :: at
    checksum = 0
    do c = 1, q
      do k = 1, extent(3, c)
        do j = 1, extent(2, c)
          do i = 1, extent(1, c)
            at = low(1, c) + i + points * (low(2, c) + j + points * int(low(3, c) + k, int8))
            do m = 1, values
              checksum = ieor(checksum, ishftc(transfer(u(m, i, j, k, c), 0_int8), int(mod(values * at + m, 64_int8))))
            end do
          end do
        end do
      end do
    end do
  end function

  ! Everything is read again; the checksum of the whole file. What was read last is in u.
  integer(int8) function read_back()
    integer :: dump, ierr
    integer(int8) :: mine
    integer(kind=MPI_OFFSET_KIND) :: bytes
    call MPI_File_sync(file, ierr)
    call must(ierr, 'the file cannot be synchronised')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_sync(file, ierr)
    call must(ierr, 'the file cannot be synchronised')
    call MPI_File_get_size(file, bytes, ierr)
    if (bytes /= record * dumps) call fail('the file has another length than was written')
    mine = 0
    do dump = 1, dumps
      u = 0
      call read_dump(dump)
      if (checksum() /= sums(dump)) call fail('a dump is read that is not what was written')
      mine = ieor(mine, ishftc(sums(dump), mod(dump, 64)))
    end do
    call MPI_Reduce(mine, read_back, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD, ierr)
  end function

  subroutine close_file()
    integer :: ierr
    if (full) then
      call MPI_Type_free(file_type, ierr)
      call MPI_Type_free(memory_type, ierr)
    end if
    call MPI_File_close(file, ierr)
    call must(ierr, 'the file cannot be closed')
  end subroutine
end module
