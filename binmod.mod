!mod$ v1 sum:6846dcddb50504d7
module binmod
integer(4),private::sag1d
integer(4),private::sag2d
integer(4),private::sag3d
integer(4),private::sad3d
integer(4),private::commg1d
integer(4),private::commg2d
integer(4),private::commg3d
contains
subroutine bindmp()
end
end
