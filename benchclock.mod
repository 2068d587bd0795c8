!mod$ v1 sum:ddc1dba2d950a742
module benchclock
logical(4),private,save::firstcall
real(8),private,save::ticktime
integer(4),parameter::int32kind=4_4
intrinsic::selected_int_kind
integer(4),parameter::int64kind=8_4
integer(4),parameter::intkind=8_4
integer(8)::count
integer(8)::rate
contains
function benchtime()
real(8)::benchtime
end
function benchtick()
real(8)::benchtick
end
end
