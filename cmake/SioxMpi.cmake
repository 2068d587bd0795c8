# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MPICH through pkg-config: target siox_mpi carries its include path and library. The compiler wrapper is
# not used, so that one compiler (clang-19) builds everything.
find_package(PkgConfig REQUIRED)
pkg_check_modules(MPICH REQUIRED IMPORTED_TARGET mpich)
find_program(SIOX_MPIEXEC NAMES mpiexec.mpich mpiexec.hydra mpiexec REQUIRED)
find_program(SIOX_MPICC NAMES mpicc.mpich mpicc REQUIRED)
add_library(siox_mpi INTERFACE)
target_link_libraries(siox_mpi INTERFACE PkgConfig::MPICH)
