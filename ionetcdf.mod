!mod$ v1 sum:2156a64d0625a4b8
module ionetcdf
contains
subroutine netcdfwrite(filename,iodata,n1,n2,n3,cartcomm)
character(*,1)::filename
integer(4)::n1
integer(4)::n2
integer(4)::n3
real(8)::iodata(0_8:int(n1+1_4,kind=8),0_8:int(n2+1_4,kind=8),0_8:int(n3+1_4,kind=8))
integer(4)::cartcomm
end
end
