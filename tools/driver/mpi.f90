! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Module mpi for flang: the constants of mpif.h. Procedures have no interfaces, as with mpif.h itself.
module mpi
  implicit none
  include 'mpif.h'
end module
