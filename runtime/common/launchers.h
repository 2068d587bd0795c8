/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of what starts MPI programs (launchers.def). */
#ifndef SIOX_COMMON_LAUNCHERS_H
#define SIOX_COMMON_LAUNCHERS_H

enum siox__launcher { SIOX__NO_LAUNCHER, SIOX__LAUNCHES_ON_A_NODE, SIOX__LAUNCHES_ITS_ARGUMENTS };
/* Of a process' or a file's name, without directories: mpiexec, and so mpiexec.hydra. */
enum siox__launcher siox__launcher(const char *name);

#endif
