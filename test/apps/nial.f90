! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Phase-field simulation of a Ni-Al alloy in three dimensions with dumps at intervals: long stretches of computing and
! communication, then a burst of a few MB into a new file. The files' bytes do not depend on the number of ranks, which may be
! any up to the number of points. All dumps are read back at the end. Knows nothing of Siox. stdout gets one line that depends
! on the options alone; exit status 1 and a message on stderr if anything is wrong. Model: nial_model.f90.
module nial_options
  use nial_files
  implicit none
  integer :: steps = 20, every = 5, seed = 1
  logical :: wave = .false., tell = .false.
contains
  subroutine usage(to)
    integer, intent(in) :: to
    write (to, '(a)') 'usage: nial [options] PREFIX      dumps go to PREFIX.0001, PREFIX.0002 ...', &
      '  --points N      along each axis, quick if it has small factors (default 20)', &
      '  --steps N       (default 20)', &
      '  --every N       steps between dumps (default 5)', &
      '  --paper         the size in Son & Kandemir: 100 points, 90 dumps of the composition (720 MB), 180 steps', &
      '  --all-fields    dump the order parameters, too', &
      '  --individual    each rank writes by itself', &
      '  --wave          begin with a wave of the composition without order, whose decay has a closed form', &
      '  --seed N        another beginning (default 1)', &
      '  --time          timings on stderr', &
      'Example: mpiexec -n 4 nial --points 40 out'
  end subroutine

  subroutine parse()
    character(1000) :: word, value
    integer :: i
    n = 20
    i = 1
    do while (i <= command_argument_count())
      call get_word(i, word)
      call get_word(i + 1, value)
      select case (word)
      case ('--points')
        n = number('--points', value, 1000)
        i = i + 1
      case ('--steps')
        steps = number('--steps', value, 1000000000)
        i = i + 1
      case ('--every')
        every = number('--every', value, 1000000000)
        i = i + 1
      case ('--seed')
        seed = number('--seed', value, 1000000)
        i = i + 1
      case ('--paper')
        n = 100
        steps = 180
        every = 2
      case ('--all-fields')
        all_fields = .true.
      case ('--individual')
        individual = .true.
      case ('--wave')
        wave = .true.
      case ('--time')
        tell = .true.
      case ('--help')
        if (rank == 0) call usage(6)
        call leave(0)
      case default
        if (word(1:2) == '--') call refuse('there is no option '//trim(word))
        if (prefix /= ' ') call refuse('one prefix of names is needed')
        prefix = word
      end select
      i = i + 1
    end do
    if (prefix == ' ') call refuse('one prefix of names is needed')
    if (n < ranks) call refuse('--points: fewer than ranks')
    if (steps / every > 9999) call refuse('--every: more than 9999 dumps')
    if (steps < every) call refuse('--steps: no dump would be written')
  end subroutine
end module

program nial
  use nial_options
  implicit none
  integer :: i, ierr
  integer(int8) :: sum
  real(real8) :: c_before, c_after, order_before, order_after, now, writing
  call app_begin('nial')
  call parse()
  call make_transform()
  call make_state(seed, wave)
  call means(c_before, order_before)
  allocate (sums(steps / every))
  do i = 1, steps
    call step()
    if (mod(i, every) == 0) then
      now = MPI_Wtime()
      call write_dump(i / every)
      writing = MPI_Wtime() - now
      if (tell) write (0, '(a, i0, a, i0, a, f0.6, a)') 'nial: rank ', rank, ': step ', i, ': write ', writing, ' s'
    end if
  end do
  call means(c_after, order_after)
  if (abs(c_after - c_before) > 1e-12_real8) call fail('composition is not conserved')
  if (order_after /= order_after .or. abs(order_after) > 1.01_real8) call fail('the order parameters have left their range')
  if (tell .and. rank == 0) write (0, '(a, f0.4, a, f0.4)') 'nial: ordered share of the volume ', order_before, &
    ', at the end ', order_after
  sum = read_back(steps / every)
  if (rank == 0) write (*, '(a, i0, a, i0, a, i0, a, z16.16)') 'nial: ', n, ' points along each axis, ', steps, ' steps, ', &
    steps / every, ' dumps, checksum ', sum
  call MPI_Finalize(ierr)
end program
