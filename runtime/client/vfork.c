/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A child of vfork runs in its parent's memory until it calls exec: what it does must not be
 * counted as its parent's. Asking for the process's number at each call would cost more than
 * counting it, so the thread remembers that it has called vfork, and asks only then. vfork returns
 * twice, and may only be jumped to: no C function can stand around it. Elsewhere each call asks. */
#include "client/client.h"
#include "client/real.h"

#if defined(__x86_64__) && defined(__ELF__)
void *siox__vfork_soon(void) __attribute__((used));
/* The libc routine to go on to. */
void *siox__vfork_soon(void) {
  (void)siox__real();
  siox__self.vforked = true;
  return siox__real_vfork;
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        ".cfi_startproc\n"
        "  subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "  call siox__vfork_soon\n"
        "  addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "  jmp *%rax\n"
        ".cfi_endproc\n"
        ".size vfork, .-vfork\n");
#endif
