!mod$ v1 sum:a643292f57719892
!need$ 72d07276529809c8 i iso_fortran_env
module space_mpiio
use,intrinsic::iso_fortran_env,only:event_type
use,intrinsic::iso_fortran_env,only:notify_type
use,intrinsic::iso_fortran_env,only:lock_type
use,intrinsic::iso_fortran_env,only:team_type
use,intrinsic::iso_fortran_env,only:atomic_int_kind
use,intrinsic::iso_fortran_env,only:atomic_logical_kind
use,intrinsic::iso_fortran_env,only:compiler_options
use,intrinsic::iso_fortran_env,only:compiler_version
use,intrinsic::iso_fortran_env,only:selectedint8
use,intrinsic::iso_fortran_env,only:selectedint16
use,intrinsic::iso_fortran_env,only:selectedint32
use,intrinsic::iso_fortran_env,only:selectedint64
use,intrinsic::iso_fortran_env,only:selectedint128
use,intrinsic::iso_fortran_env,only:safeint8
use,intrinsic::iso_fortran_env,only:safeint16
use,intrinsic::iso_fortran_env,only:safeint32
use,intrinsic::iso_fortran_env,only:safeint64
use,intrinsic::iso_fortran_env,only:safeint128
use,intrinsic::iso_fortran_env,only:int8
use,intrinsic::iso_fortran_env,only:int16
use,intrinsic::iso_fortran_env,only:int32
use,intrinsic::iso_fortran_env,only:int64
use,intrinsic::iso_fortran_env,only:int128
use,intrinsic::iso_fortran_env,only:logical8
use,intrinsic::iso_fortran_env,only:logical16
use,intrinsic::iso_fortran_env,only:logical32
use,intrinsic::iso_fortran_env,only:logical64
use,intrinsic::iso_fortran_env,only:selectedreal16
use,intrinsic::iso_fortran_env,only:selectedbfloat16
use,intrinsic::iso_fortran_env,only:selectedreal32
use,intrinsic::iso_fortran_env,only:selectedreal64
use,intrinsic::iso_fortran_env,only:selectedreal80
use,intrinsic::iso_fortran_env,only:selectedreal64x2
use,intrinsic::iso_fortran_env,only:selectedreal128
use,intrinsic::iso_fortran_env,only:safereal16
use,intrinsic::iso_fortran_env,only:safebfloat16
use,intrinsic::iso_fortran_env,only:safereal32
use,intrinsic::iso_fortran_env,only:safereal64
use,intrinsic::iso_fortran_env,only:safereal80
use,intrinsic::iso_fortran_env,only:safereal64x2
use,intrinsic::iso_fortran_env,only:safereal128
use,intrinsic::iso_fortran_env,only:real16
use,intrinsic::iso_fortran_env,only:bfloat16
use,intrinsic::iso_fortran_env,only:real32
use,intrinsic::iso_fortran_env,only:real64
use,intrinsic::iso_fortran_env,only:real80
use,intrinsic::iso_fortran_env,only:real64x2
use,intrinsic::iso_fortran_env,only:real128
use,intrinsic::iso_fortran_env,only:integer_kinds
use,intrinsic::iso_fortran_env,only:real_kinds
use,intrinsic::iso_fortran_env,only:logical_kinds
use,intrinsic::iso_fortran_env,only:character_kinds
use,intrinsic::iso_fortran_env,only:current_team
use,intrinsic::iso_fortran_env,only:initial_team
use,intrinsic::iso_fortran_env,only:parent_team
use,intrinsic::iso_fortran_env,only:character_storage_size
use,intrinsic::iso_fortran_env,only:file_storage_size
use,intrinsic::iso_fortran_env,only:numeric_storage_size
use,intrinsic::iso_fortran_env,only:output_unit
use,intrinsic::iso_fortran_env,only:input_unit
use,intrinsic::iso_fortran_env,only:error_unit
use,intrinsic::iso_fortran_env,only:iostat_end
use,intrinsic::iso_fortran_env,only:iostat_eor
use,intrinsic::iso_fortran_env,only:iostat_inquire_internal_unit
use,intrinsic::iso_fortran_env,only:stat_failed_image
use,intrinsic::iso_fortran_env,only:stat_locked
use,intrinsic::iso_fortran_env,only:stat_locked_other_image
use,intrinsic::iso_fortran_env,only:stat_stopped_image
use,intrinsic::iso_fortran_env,only:stat_unlocked
use,intrinsic::iso_fortran_env,only:stat_unlocked_failed_image
interface mpiio_global_read
procedure::mpiio_global_read_string
procedure::mpiio_global_read_int32
procedure::mpiio_global_read_int64
end interface
interface mpiio_read_with_index
procedure::mpiio_read_with_indx_int32
procedure::mpiio_read_with_indx_real64
procedure::mpiio_read_with_indx_complex128
end interface
interface mpiio_read_block
procedure::mpiio_read_block_int32
procedure::mpiio_read_block_real64
procedure::mpiio_read_block_complex128
end interface
interface mpiio_global_write
procedure::mpiio_global_write_string
procedure::mpiio_global_write_string_tab
procedure::mpiio_global_write_int32
end interface
interface mpiio_write_with_indx
procedure::mpiio_write_with_indx_string
procedure::mpiio_write_with_indx_int32
procedure::mpiio_write_with_indx_int64
procedure::mpiio_write_with_indx_real32
procedure::mpiio_write_with_indx_real64
procedure::mpiio_write_with_indx_complex128
end interface
interface mpiio_write_block
procedure::mpiio_write_block_string
procedure::mpiio_write_block_int32
procedure::mpiio_write_block_int64
procedure::mpiio_write_block_real32
procedure::mpiio_write_block_real64
procedure::mpiio_write_block_complex128
end interface
contains
function mpiio_message(comm,buffer) result(ierr)
integer(4),intent(in)::comm
character(*,1),intent(in)::buffer
integer(4)::ierr
end
function mpiio_open_read(comm,unit,name) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(out)::unit
character(*,1),intent(in)::name
integer(4)::ierr
end
function mpiio_open_write(comm,unit,name) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(out)::unit
character(*,1),intent(in)::name
integer(4)::ierr
end
function mpiio_close(unit) result(ierr)
integer(4),intent(inout)::unit
integer(4)::ierr
end
function mpiio_global_read_string(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
character(*,1),intent(in)::data
integer(4)::ierr
end
function mpiio_global_read_int32(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(4),intent(in)::data
integer(4)::ierr
end
function mpiio_global_read_int64(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data
integer(4)::ierr
end
function mpiio_read_with_indx_int32(comm,unit,offset,data_indx,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),pointer::data(:)
integer(4)::ierr
end
function mpiio_read_with_indx_real64(comm,unit,offset,data_indx,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
real(8),pointer::data(:)
integer(4)::ierr
end
function mpiio_read_with_indx_complex128(comm,unit,offset,data_indx,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
complex(8),pointer::data(:)
integer(4)::ierr
end
function mpiio_read_block_int32(comm,unit,dimglob,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(4),intent(in)::dimglob
integer(8),intent(inout)::offset
integer(4),pointer::data(:)
integer(4)::ierr
end
function mpiio_read_block_real64(comm,unit,dimglob,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(4),intent(in)::dimglob
integer(8),intent(inout)::offset
real(8),pointer::data(:)
integer(4)::ierr
end
function mpiio_read_block_complex128(comm,unit,dimglob,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(4),intent(in)::dimglob
integer(8),intent(inout)::offset
complex(8),pointer::data(:)
integer(4)::ierr
end
function mpiio_global_write_string(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
character(*,1),intent(in)::data
integer(4)::ierr
end
function mpiio_global_write_string_tab(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
character(*,1),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_global_write_int32(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(4),intent(in)::data
integer(4)::ierr
end
function mpiio_global_write_int64(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data
integer(4)::ierr
end
function mpiio_write_with_indx_string(comm,unit,offset,data_indx,stride,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),intent(in)::stride
character(*,1),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_int32(comm,unit,offset,data_indx,stride,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),intent(in)::stride
integer(4),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_int64(comm,unit,offset,data_indx,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(8),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_real32(comm,unit,offset,data_indx,stride,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),intent(in)::stride
real(4),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_real64(comm,unit,offset,data_indx,stride,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),intent(in)::stride
real(8),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_complex128(comm,unit,offset,data_indx,stride,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
integer(4),intent(in)::stride
complex(8),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_with_indx_cptr(comm,unit,offset,data_indx,data_cptr,data_size) result(ierr)
use,intrinsic::iso_c_binding,only:c_ptr
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data_indx(:)
type(c_ptr),intent(in)::data_cptr
integer(8),intent(in)::data_size
integer(4)::ierr
end
function mpiio_write_block_string(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
character(*,1),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_block_int32(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(4),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_block_int64(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
integer(8),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_block_real32(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
real(4),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_block_real64(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
real(8),intent(in)::data(:)
integer(4)::ierr
end
function mpiio_write_block_complex128(comm,unit,offset,data) result(ierr)
integer(4),intent(in)::comm
integer(4),intent(in)::unit
integer(8),intent(inout)::offset
complex(8),intent(in)::data(:)
integer(4)::ierr
end
subroutine to_nativen_int32(comm,val,be_val)
integer(4),intent(in)::comm
integer(4),intent(in)::val
integer(4),intent(inout)::be_val
end
subroutine to_nativen_int32_tab(comm,val,be_val)
integer(4),intent(in)::comm
integer(4),intent(in)::val(:)
integer(4),intent(inout)::be_val(:)
end
function mpiio_part2block_real64(comm,data_indx,stride,data,databloc) result(t0)
integer(4),intent(in)::comm
integer(8),intent(in)::data_indx(:)
integer(4)::stride
real(8),intent(in)::data(:)
real(8),pointer::databloc(:)
real(8)::t0
end
function mpiio_part2block_real64_test(comm,data_indx,stride,data,databloc) result(t0)
integer(4),intent(in)::comm
integer(8),intent(in)::data_indx(:)
integer(4)::stride
real(8),intent(in)::data(:)
real(8),pointer::databloc(:)
real(8)::t0
end
end
