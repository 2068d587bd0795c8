! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Every MPI-IO routine that MPI 3.1 has in Fortran and that libsiox records, once each and in this order, by mpif.h, module
! mpi (USE_MPI) or mpi_f08 (USE_F08). Every call stands at the beginning of a line of its own: test/e2e/fortran.py reads
! from here what has to be recorded. Argument: a file name. Prints what it read back.
#ifdef USE_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program every_call
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
  include 'mpif.h'
#endif
  character(len=200) :: path
  character(len=MPI_MAX_DATAREP_STRING) :: representation
  integer :: ierr, rank, nranks, amode, place, requests_left
  integer, parameter :: n = 16
  integer(kind=MPI_OFFSET_KIND) :: at, where_, bytes
  integer(kind=MPI_ADDRESS_KIND) :: extent
  logical :: flag
  integer, asynchronous :: b(n), r(n), total
  HANDLE(MPI_Comm) :: comm, half
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Info) :: info
  HANDLE(MPI_File) :: fh
  HANDLE(MPI_Datatype) :: etype, filetype
  HANDLE(MPI_Request) :: request, requests(2)
#ifdef USE_F08
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Comm_size(comm, nranks, ierr)
  call MPI_Comm_split(comm, mod(rank, 2), rank, half, ierr)
  call get_command_argument(1, path)
  total = 0
  b = rank + 1
  at = rank * n * 4
  call exchange()
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'striping_factor', '2', ierr)
  call MPI_Info_set(info, 'striping_unit', '65536', ierr)

  call MPI_File_open(comm, path, ior(MPI_MODE_RDWR, MPI_MODE_CREATE), info, fh, ierr)
  call MPI_File_set_size(fh, 0_MPI_OFFSET_KIND, ierr)
  call MPI_File_preallocate(fh, 8192_MPI_OFFSET_KIND, ierr)
  call MPI_File_set_atomicity(fh, .true., ierr)
  call MPI_File_get_atomicity(fh, flag, ierr)
  if (.not. flag) print *, 'atomicity is not set'
  call MPI_File_set_atomicity(fh, .false., ierr)
  call MPI_File_set_info(fh, info, ierr)

  call MPI_File_write_at(fh, at, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_write_at_all(fh, at, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_iwrite_at(fh, at, b, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_File_iwrite_at_all(fh, at, b, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_File_write_at_all_begin(fh, at, b, n, MPI_INTEGER, ierr)
  call MPI_File_write_at_all_end(fh, b, status, ierr)
  call MPI_File_sync(fh, ierr)
  call MPI_Barrier(comm, ierr)
  call MPI_File_read_at(fh, at, r, n, MPI_INTEGER, status, ierr)
  total = total + sum(r)
  call MPI_File_read_at_all(fh, at, r, n, MPI_INTEGER, status, ierr)
  total = total + sum(r)
  call MPI_File_iread_at(fh, at, r, n, MPI_INTEGER, requests(1), ierr)
  call MPI_File_iread_at_all(fh, at, b, n, MPI_INTEGER, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  total = total + sum(r)
  call MPI_File_read_at_all_begin(fh, at, r, n, MPI_INTEGER, ierr)
  call MPI_File_read_at_all_end(fh, r, status, ierr)
  total = total + sum(r)

  call MPI_File_set_view(fh, at, MPI_INTEGER, MPI_INTEGER, 'native  ', MPI_INFO_NULL, ierr)
  call MPI_File_get_view(fh, where_, etype, filetype, representation, ierr)
  if (where_ /= at .or. representation /= 'native' .or. etype /= MPI_INTEGER) print *, 'the view is another'
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_write(fh, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_get_position(fh, where_, ierr)
  call MPI_File_get_byte_offset(fh, where_, bytes, ierr)
  if (where_ /= n .or. bytes /= at + n * 4) print *, 'the file pointer is elsewhere'
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_read(fh, r, n, MPI_INTEGER, status, ierr)
  total = total + sum(r)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_write_all(fh, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_read_all(fh, r, n, MPI_INTEGER, status, ierr)
  total = total + sum(r)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_iwrite(fh, b, n, MPI_INTEGER, request, ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_iread(fh, r, n, MPI_INTEGER, requests(1), ierr)
  call MPI_Waitany(1, requests, place, MPI_STATUS_IGNORE, ierr)
  print '(a,i0)', 'ended at ', place ! 1 by the standard; MPICH 4.0 counts from 0 in mpi_f08
  total = total + sum(r)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_iwrite_all(fh, b, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_iread_all(fh, r, n, MPI_INTEGER, requests(1), ierr)
  call some(requests)
  total = total + sum(r)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_write_all_begin(fh, b, n, MPI_INTEGER, ierr)
  call MPI_File_write_all_end(fh, b, status, ierr)
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_read_all_begin(fh, r, n, MPI_INTEGER, ierr)
  call MPI_File_read_all_end(fh, r, status, ierr)
  total = total + sum(r)

  call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
  call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_write_ordered(fh, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_get_position_shared(fh, where_, ierr)
  if (where_ /= nranks * n) print *, 'the shared pointer is elsewhere', where_
  call MPI_Barrier(comm, ierr) ! or others use the shared pointer in between
  call MPI_File_write_ordered_begin(fh, b, n, MPI_INTEGER, ierr)
  call MPI_File_write_ordered_end(fh, b, status, ierr)
  call MPI_Barrier(comm, ierr) ! or others use the shared pointer in between
  call MPI_File_write_shared(fh, b, n, MPI_INTEGER, status, ierr)
  call MPI_File_iwrite_shared(fh, b, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Barrier(comm, ierr)
  call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  call MPI_File_read_ordered(fh, r, n, MPI_INTEGER, status, ierr)
  total = total + sum(r)
  call MPI_Barrier(comm, ierr)
  call MPI_File_read_ordered_begin(fh, r, n, MPI_INTEGER, ierr)
  call MPI_File_read_ordered_end(fh, r, status, ierr)
  call MPI_Barrier(comm, ierr) ! or others use the shared pointer in between
  total = total + sum(r)
  call MPI_File_read_shared(fh, r, n, MPI_INTEGER, status, ierr)
  call MPI_File_iread_shared(fh, r, n, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)

  call MPI_File_get_size(fh, bytes, ierr)
  call MPI_File_get_group(fh, group, ierr)
  call MPI_Group_free(group, ierr)
  call MPI_File_get_amode(fh, amode, ierr)
  if (amode /= ior(MPI_MODE_RDWR, MPI_MODE_CREATE)) print *, 'another access mode', amode
  call MPI_Info_free(info, ierr)
  call MPI_File_get_info(fh, info, ierr)
  call MPI_Info_free(info, ierr)
  call MPI_File_get_type_extent(fh, MPI_INTEGER, extent, ierr)
  if (extent /= 4) print *, 'another extent', extent
  call MPI_File_close(fh, ierr)
  call MPI_Barrier(comm, ierr)
  if (rank == 0) then
    call MPI_File_delete(trim(path)//'  ', MPI_INFO_NULL, ierr)
    if (ierr /= MPI_SUCCESS) print *, 'not deleted'
  end if
  call MPI_Comm_free(half, ierr)
  call MPI_Comm_free(comm, ierr)
  ! By absent error codes mpi_f08 differs from the others.
#ifdef USE_F08
  call MPI_Finalize()
#else
  call MPI_Finalize(ierr)
#endif
  print '(a,i0,a,i0)', 'rank ', rank, ': ', total
contains
  ! Eight messages from the other rank, each received by its tag and ended by another routine.
  subroutine exchange()
    integer :: from(8), tag, indices(1), ended
    HANDLE(MPI_Request) :: one(1)
#ifdef USE_F08
    type(MPI_Status) :: statuses(1)
#else
    integer :: statuses(MPI_STATUS_SIZE, 1)
#endif
    do tag = 1, 8
      call MPI_Irecv(from(tag), 1, MPI_INTEGER, mod(rank + 1, nranks), tag, comm, one(1), ierr)
      call MPI_Send(tag * 10 + rank, 1, MPI_INTEGER, mod(rank + nranks - 1, nranks), tag, comm, ierr)
      flag = tag <= 4
      if (tag == 1) call MPI_Wait(one(1), MPI_STATUS_IGNORE, ierr)
      if (tag == 2) call MPI_Waitall(1, one, statuses, ierr)
      if (tag == 3) call MPI_Waitany(1, one, place, status, ierr)
      if (tag == 4) call MPI_Waitsome(1, one, ended, indices, MPI_STATUSES_IGNORE, ierr)
      do while (.not. flag)
        if (tag == 5) call MPI_Test(one(1), flag, status, ierr)
        if (tag == 6) call MPI_Testall(1, one, flag, MPI_STATUSES_IGNORE, ierr)
        if (tag == 7) call MPI_Testany(1, one, place, flag, MPI_STATUS_IGNORE, ierr)
        if (tag == 8) call MPI_Testsome(1, one, ended, indices, statuses, ierr)
        if (tag == 8) flag = ended == 1
      end do
    end do
    print '(a,i0,a,8i4)', 'rank ', rank, ' received', from
  end subroutine
  subroutine some(requests)
    HANDLE(MPI_Request) :: requests(:)
    integer :: indices(1)
    call MPI_Waitsome(1, requests, requests_left, indices, MPI_STATUSES_IGNORE, ierr)
    if (requests_left /= 1) print *, 'not the one request ended', requests_left
  end subroutine
end program
