! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What the Fortran applications of this directory share: numbers of bits, who this rank is, messages, values of options.
module fortran_app
  implicit none
  integer, parameter :: real8 = selected_real_kind(15), int8 = selected_int_kind(18)
  character(8) :: program_name
  integer :: rank, ranks
contains
  subroutine app_begin(name)
    include 'mpif.h'
    character(*), intent(in) :: name
    integer :: ierr
    program_name = name
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  end subroutine

  ! Ends the job with a message and status 1.
  subroutine fail(what)
    include 'mpif.h'
    character(*), intent(in) :: what
    integer :: ierr
    write (0, '(2a, i0, 2a)') trim(program_name), ': rank ', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    stop 1
  end subroutine

  subroutine must(code, what)
    include 'mpif.h'
    integer, intent(in) :: code
    character(*), intent(in) :: what
    character(MPI_MAX_ERROR_STRING) :: reason
    integer :: length, ierr
    if (code == MPI_SUCCESS) return
    call MPI_Error_string(code, reason, length, ierr)
    call fail(what//': '//reason(:length))
  end subroutine

  ! Ends each rank in good order with status 2: all were started with the same wrong words.
  subroutine refuse(what)
    character(*), intent(in) :: what
    if (rank == 0) write (0, '(4a)') trim(program_name), ': ', what, '; try --help'
    call leave(2)
  end subroutine

  subroutine leave(status)
    include 'mpif.h'
    integer, intent(in) :: status
    integer :: ierr
    call MPI_Finalize(ierr)
    call exit(status)
  end subroutine

  ! The i-th word of the command line; refuses one that has no room.
  subroutine get_word(i, word)
    integer, intent(in) :: i
    character(*), intent(out) :: word
    integer :: length
    call get_command_argument(i, word, length)
    if (length > len(word)) call refuse('a word is longer than this program takes')
  end subroutine

  integer function number(option, text, most)
    character(*), intent(in) :: option, text
    integer, intent(in) :: most
    integer :: status
    number = 0
    if (verify(trim(text), '0123456789') == 0 .and. len_trim(text) > 0) read (text, *, iostat=status) number
    if (number < 1 .or. number > most) call refuse(option//': not a number that can be used: '//trim(text))
  end function
end module
