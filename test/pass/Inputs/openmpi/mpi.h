/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As much of MPI as tests of datatypes need, with handles and constants as Open MPI 4 has them: addresses of objects of
 * its library, and values of its own. */
#include <stddef.h>
typedef struct ompi_file_t *MPI_File;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_status_public_t MPI_Status;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
extern char ompi_mpi_comm_world, ompi_mpi_info_null, ompi_mpi_byte, ompi_mpi_int, ompi_mpi_double, ompi_mpi_c_double_complex;
#define MPI_COMM_WORLD ((MPI_Comm)(void *)&ompi_mpi_comm_world)
#define MPI_INFO_NULL ((MPI_Info)(void *)&ompi_mpi_info_null)
#define MPI_BYTE ((MPI_Datatype)(void *)&ompi_mpi_byte)
#define MPI_INT ((MPI_Datatype)(void *)&ompi_mpi_int)
#define MPI_DOUBLE ((MPI_Datatype)(void *)&ompi_mpi_double)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)(void *)&ompi_mpi_c_double_complex)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_MODE_RDONLY 2
#define MPI_ORDER_C 0
#define MPI_DISTRIBUTE_CYCLIC 1
#define MPI_DISTRIBUTE_NONE 2
#define MPI_DISTRIBUTE_DFLT_DARG (-1)
int MPI_File_open(MPI_Comm, const char *, int, MPI_Info, MPI_File *);
int MPI_File_close(MPI_File *);
int MPI_File_set_view(MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *, MPI_Info);
int MPI_File_read_at(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);
int MPI_Type_commit(MPI_Datatype *);
int MPI_Type_free(MPI_Datatype *);
int MPI_Type_dup(MPI_Datatype, MPI_Datatype *);
int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *);
int MPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);
int MPI_Type_indexed(int, const int[], const int[], MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_hindexed(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_indexed_block(int, int, const int[], MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_hindexed_block(int, int, const MPI_Aint[], MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_struct(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype *);
int MPI_Type_create_subarray(int, const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_darray(int, int, int, const int[], const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);
