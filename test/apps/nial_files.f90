! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A file for each dump: the composition, or all fields one behind the other, in the order of the cube's points. Each rank's
! part of a field is a piece of the file, written by all ranks together or by each for itself.
module nial_files
  use nial_model
  implicit none
  include 'mpif.h'
  character(1000) :: prefix = ' '
  logical :: all_fields = .false., individual = .false.
  integer(int8), allocatable :: sums(:) ! of each dump, this rank's part as it was written
contains
  function name_of(dump)
    integer, intent(in) :: dump
    character(1024) :: name_of
    write (name_of, '(2a, i4.4)') trim(prefix), '.', dump
  end function

  integer function written_fields()
    written_fields = merge(fields, 1, all_fields)
  end function

  integer(kind=MPI_OFFSET_KIND) function begin_of(s)
    integer, intent(in) :: s
    begin_of = 8_int8 * n * n * (low(rank) + int(n, int8) * (s - 1))
  end function

  subroutine write_dump(dump)
    integer, intent(in) :: dump
    integer :: file, s, ierr
    integer(kind=MPI_OFFSET_KIND) :: size
    size = 8_int8 * n * n * int(n, int8) * written_fields()
    call MPI_File_open(MPI_COMM_WORLD, trim(name_of(dump)), MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierr)
    call must(ierr, trim(name_of(dump))//' cannot be opened')
    call MPI_File_set_size(file, size, ierr)
    call must(ierr, trim(name_of(dump))//' cannot be made so long')
    do s = 1, written_fields()
      if (individual) then
        call MPI_File_write_at(file, begin_of(s), state(1, 1, 1, s), n * n * extent(rank), MPI_DOUBLE_PRECISION, &
                               MPI_STATUS_IGNORE, ierr)
      else
        call MPI_File_write_at_all(file, begin_of(s), state(1, 1, 1, s), n * n * extent(rank), MPI_DOUBLE_PRECISION, &
                                   MPI_STATUS_IGNORE, ierr)
      end if
      call must(ierr, trim(name_of(dump))//' cannot be written')
    end do
    call MPI_File_close(file, ierr)
    call must(ierr, trim(name_of(dump))//' cannot be closed')
    sums(dump) = checksum()
  end subroutine

  ! All bits of this rank's part, each value turned by where it is.
  integer(int8) function checksum()
    integer :: i, j, k, s
    integer(int8) :: at
    checksum = 0
    do s = 1, written_fields()
      do k = 1, extent(rank)
        do j = 1, n
          do i = 1, n
            at = i + n * (j + n * (low(rank) + k + int(n, int8) * s))
            checksum = ieor(checksum, ishftc(transfer(state(i, j, k, s), 0_int8), int(mod(at, 63_int8))))
          end do
        end do
      end do
    end do
  end function

  ! Every dump is read again; the checksum of all of them. What was read last is in the state.
  integer(int8) function read_back(dumps)
    integer, intent(in) :: dumps
    integer :: dump, file, s, ierr
    integer(int8) :: mine
    integer(kind=MPI_OFFSET_KIND) :: size
    mine = 0
    do dump = 1, dumps
      call MPI_File_open(MPI_COMM_WORLD, trim(name_of(dump)), MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
      call must(ierr, trim(name_of(dump))//' cannot be opened')
      call MPI_File_get_size(file, size, ierr)
      if (size /= 8_int8 * n * n * int(n, int8) * written_fields()) &
        call fail(trim(name_of(dump))//' has another length than was written')
      state = 0
      do s = 1, written_fields()
        call MPI_File_read_at_all(file, begin_of(s), state(1, 1, 1, s), n * n * extent(rank), MPI_DOUBLE_PRECISION, &
                                  MPI_STATUS_IGNORE, ierr)
        call must(ierr, trim(name_of(dump))//' cannot be read')
      end do
      call MPI_File_close(file, ierr)
      if (checksum() /= sums(dump)) call fail(trim(name_of(dump))//' is read as something that was not written')
      mine = ieor(mine, ishftc(sums(dump), mod(dump, 64)))
    end do
    call MPI_Reduce(mine, read_back, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD, ierr)
  end function
end module
