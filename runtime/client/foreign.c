/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In front of every wrapper of an MPI routine. The wrappers are compiled for MPICH's ABI, where a
 * handle is an int; in Open MPI it is a pointer, and a wrapper would cut it in half. A preloaded
 * libsiox does not choose its programs, so each exported name is a stub of a few instructions:
 *
 *      MPI_Xxx:  which library is it?  MPICH's: the wrapper
 *                                      another: the library's own MPI_Xxx, registers and stack as
 *                                               they came
 *                                      not known yet: find out
 *
 * Which one it is, is asked with the first call and not earlier: programs in Python and Julia open
 * their MPI library when they run. On processors that have no stub here the names are the wrappers
 * themselves (mpi.h). */
#include "client/foreign.h"
#include "client/client.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#ifdef SIOX_STUBS

enum kind { UNKNOWN, OURS, FOREIGN };
/* Read by the stubs. */
__attribute__((visibility("hidden"))) _Atomic int siox__mpi_kind;

/* As the stubs lay it out. */
struct slot {
  void *_Atomic target; /* FOREIGN: the library's routine */
  void *wrapper;
  const char *name;
};

#define OPEN_MPI "ompi_mpi_comm_world" /* its MPI_COMM_WORLD */

struct search {
  const char *symbol;
  void *found;
};

/* A library that was opened for itself (RTLD_LOCAL) is seen by name only. */
static int look_into(struct dl_phdr_info *object, size_t size, void *context) {
  struct search *search = context;
  (void)size;
  if (!object->dlpi_name || !*object->dlpi_name)
    return 0;
  void *handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
    return 0;
  Dl_info from, own;
  void *found = dlsym(handle, search->symbol);
  /* dlsym looks into what the library needs, too, but never finds us there: nobody needs us of
   * those that do not come before MPI. Were it so, we would call ourselves. */
  if (found && dladdr(found, &from) && dladdr((void *)&siox__mpi_kind, &own) &&
      from.dli_fbase != own.dli_fbase)
    search->found = found;
  dlclose(handle);
  return search->found != NULL;
}

static void *in_some_library(const char *symbol) {
  struct search search = {symbol, NULL};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

static enum kind find_kind(void) {
  if (dlsym(RTLD_DEFAULT, OPEN_MPI))
    return FOREIGN;
  if (dlsym(RTLD_DEFAULT, "PMPI_Init"))
    return OURS;
  return in_some_library(OPEN_MPI) ? FOREIGN : OURS;
}

/* Where a call is to go; called by the stubs with the caller's registers put aside. */
__attribute__((visibility("hidden"))) void *siox__mpi_target(struct slot *slot);
__attribute__((visibility("hidden"))) void *siox__mpi_target(struct slot *slot) {
  int saved = errno;
  enum kind kind = atomic_load(&siox__mpi_kind);
  if (kind == UNKNOWN) {
    kind = find_kind();
    atomic_store(&siox__mpi_kind, kind);
    if (kind == FOREIGN)
      siox__warn_once("the program uses Open MPI: its accesses to files are seen, its MPI calls "
                      "are not");
  }
  void *target = slot->wrapper;
  if (kind == FOREIGN) {
    void *next = dlsym(RTLD_NEXT, slot->name);
    target = next ? next : in_some_library(slot->name);
    /* A name that the library lacks: the program ends as it would without us, in a jump to it. */
    atomic_store(&slot->target, target);
  }
  errno = saved;
  return target;
}

/* The registers of arguments of the System V ABI; the stack stays at a multiple of 16. */
__asm__(".text\n"
        ".hidden siox__mpi_find\n"
        ".type siox__mpi_find, @function\n"
        "siox__mpi_find:\n"
        "  .cfi_startproc\n"
        "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n"
        "  pushq %rax\n"
        "  .cfi_adjust_cfa_offset 56\n"
        "  subq $128, %rsp\n"
        "  .cfi_adjust_cfa_offset 128\n"
        "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n"
        "  movups %xmm3, 48(%rsp)\n  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"
        "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
        "  movq %r11, %rdi\n"
        "  call siox__mpi_target\n"
        "  movq %rax, %r11\n"
        "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n"
        "  movups 48(%rsp), %xmm3\n  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"
        "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
        "  addq $128, %rsp\n"
        "  .cfi_adjust_cfa_offset -128\n"
        "  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
        "  .cfi_adjust_cfa_offset -56\n"
        "  jmp *%r11\n"
        "  .cfi_endproc\n"
        ".size siox__mpi_find, . - siox__mpi_find\n");

#define STUB(name)                                                                                 \
  __asm__(".text\n"                                                                                \
          ".globl " #name "\n"                                                                     \
          ".type " #name ", @function\n" #name ":\n"                                               \
          "  .cfi_startproc\n"                                                                     \
          "  endbr64\n"                                                                            \
          "  cmpl $1, siox__mpi_kind(%rip)\n"                                                      \
          "  jne 1f\n"                                                                             \
          "  jmp siox__wrap_" #name "\n"                                                           \
          "1:\n"                                                                                   \
          "  leaq 2f(%rip), %r11\n"                                                                \
          "  cmpq $0, (%r11)\n"                                                                    \
          "  je siox__mpi_find\n"                                                                  \
          "  jmp *(%r11)\n"                                                                        \
          "  .cfi_endproc\n"                                                                       \
          ".size " #name ", . - " #name "\n"                                                       \
          ".section .data.rel.local, \"aw\"\n"                                                     \
          ".balign 8\n"                                                                            \
          "2: .quad 0, siox__wrap_" #name ", 3f\n"                                                 \
          ".section .rodata\n"                                                                     \
          "3: .asciz \"" #name "\"\n"                                                              \
          ".text\n");
_Static_assert(OURS == 1 && offsetof(struct slot, wrapper) == 8 &&
                   offsetof(struct slot, name) == 16,
               "what the stubs say");

#define SIOX_WRAPPED STUB
#define SIOX_WRAPPED_F08 STUB
#include "client/wrapped.def"
#undef SIOX_WRAPPED
#undef SIOX_WRAPPED_F08

#endif
