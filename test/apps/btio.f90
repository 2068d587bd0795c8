! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Steps of an implicit solver, and a dump of its five quantities in every point at intervals, by the rules of NPB's BTIO: the
! classes' sizes and steps, a dump every five steps into one file, cells of a diagonal multi-partition, all dumps read back at the
! end. Class A has 40 dumps of 10.49 MB. The solver is our own (btio_solve.f90) and has BT's shape: 5 x 5 blocks, three sweeps a
! step. The file's bytes do not depend on the number of ranks, which must be a square. Knows nothing of Siox. stdout gets one
! line that depends on class and steps alone; exit status 1 and a message on stderr if anything is wrong.
module btio_options
  use btio_grid
  implicit none
  character(1), parameter :: class_names(6) = (/ 'S', 'W', 'A', 'B', 'C', 'D' /)
  integer, parameter :: class_points(6) = (/ 12, 24, 64, 102, 162, 408 /)
  integer, parameter :: class_steps(6) = (/ 60, 200, 200, 200, 200, 250 /)
  character(1) :: class_name = 'S'
  character(1024) :: name = ' '
  integer :: steps = 0, every = 5, work = 1
  logical :: simple = .false., tell = .false.
contains
  subroutine usage(to)
    integer, intent(in) :: to
    write (to, '(a)') 'usage: btio [options] FILE       the number of ranks must be a square', &
      '  --class S|W|A|B|C|D   12, 24, 64, 102, 162 or 408 points along each axis (default S)', &
      '  --mode full|simple    all ranks write together through a view, or each line of a cell by itself (default full)', &
      '  --steps N             instead of the class'' 60, 200, 200, 200, 200 or 250', &
      '  --every N             steps between dumps (default 5)', &
      '  --work N              find what a step changes so many times (default 1): longer pauses, the same dumps', &
      '  --time                timings on stderr', &
      'Example: mpiexec -n 4 btio --class W u.dat'
  end subroutine

  subroutine parse()
    character(1024) :: word, value
    integer :: i
    i = 1
    do while (i <= command_argument_count())
      call get_word(i, word)
      call get_word(i + 1, value)
      select case (word)
      case ('--class')
        if (len_trim(value) /= 1 .or. all(class_names /= value(1:1))) call refuse('--class: there is no class '//trim(value))
        class_name = value(1:1)
        i = i + 1
      case ('--mode')
        if (value /= 'full' .and. value /= 'simple') call refuse('--mode: full or simple, not '//trim(value))
        simple = value == 'simple'
        i = i + 1
      case ('--steps')
        steps = number('--steps', value, 1000000000)
        i = i + 1
      case ('--every')
        every = number('--every', value, 1000000000)
        i = i + 1
      case ('--work')
        work = number('--work', value, 1000000)
        i = i + 1
      case ('--time')
        tell = .true.
      case ('--help')
        if (rank == 0) call usage(6)
        call leave(0)
      case default
        if (word(1:2) == '--') call refuse('there is no option '//trim(word))
        if (name /= ' ') call refuse('one file name is needed')
        name = word
      end select
      i = i + 1
    end do
    if (name == ' ') call refuse('one file name is needed')
    do i = 1, size(class_names)
      if (class_names(i) /= class_name) cycle
      points = class_points(i)
      if (steps == 0) steps = class_steps(i)
    end do
    q = 1
    do while (q * q < ranks)
      q = q + 1
    end do
    if (q * q /= ranks .or. points / q < 2) call refuse('the number of ranks must be a square, with two points for each cell')
    if (steps < every) call refuse('--steps: no dump would be written')
  end subroutine
end module

program btio
  use btio_options
  use btio_solve
  use btio_files
  implicit none
  integer :: i, ierr
  integer(int8) :: sum
  real(real8) :: before, after, now, writing
  call app_begin('btio')
  call parse()
  full = .not. simple
  call make_grid()
  call make_problem()
  before = distance()
  call open_file(trim(name), MPI_INFO_NULL, steps / every)
  do i = 1, steps
    call step(work)
    if (mod(i, every) == 0) then
      now = MPI_Wtime()
      call write_dump()
      writing = MPI_Wtime() - now
      if (tell) write (0, '(a, i0, a, i0, a, f0.6, a)') 'btio: rank ', rank, ': step ', i, ': write ', writing, ' s'
    end if
  end do
  sum = read_back()
  after = distance()
  if (after >= before) call fail('the last dump is no nearer to the solution than the beginning')
  if (tell .and. rank == 0) write (0, '(a, es9.2, a, es9.2)') 'btio: distance from the solution ', before, ', at the end ', after
  call close_file()
  if (rank == 0) write (*, '(3a, i0, a, i0, a, i0, a, z16.16)') 'btio: class ', class_name, ', ', steps, ' steps, ', dumps, &
    ' dumps, ', record * dumps, ' bytes, checksum ', sum
  call MPI_Finalize(ierr)
end program
