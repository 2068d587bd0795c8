!mod$ v1 sum:4f84ff71cf4b45c8
module root
integer(4)::ntotal(1_8:3_8)
integer(4)::npart(1_8:3_8)
integer(4)::nfld
character(2_4,1),parameter::id="Sc"
integer(4)::nhy
real(8)::time
real(8),allocatable::vpart(:,:,:,:)
real(8),allocatable::xc(:)
real(8),allocatable::xe(:)
real(8),allocatable::yc(:)
real(8),allocatable::ye(:)
real(8),allocatable::zc(:)
real(8),allocatable::ze(:)
end
