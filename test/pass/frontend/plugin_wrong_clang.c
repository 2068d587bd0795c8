/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A compiler of another major version that loads the plug-in ends with one error that names both, not in the loader.
// A program with an LLVMGetVersion of its own before libLLVM stands in for it.
// RUN: %clang -rdynamic %s -o %t.host -Wl,--no-as-needed -L$(llvm-config --libdir) -lLLVM-19 -Wl,-rpath,$(llvm-config --libdir)
// RUN: not %t.host %plugin 2> %t.err
// RUN: grep -c . %t.err | grep -x 1
// RUN: %filecheck < %t.err
// CHECK: error: siox: SioxPass.so needs clang 19; this compiler is of LLVM 21
#include <dlfcn.h>
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch) {
  *major = 21;
  *minor = *patch = 0;
}
int main(int argc, char **argv) { return argc > 1 && dlopen(argv[1], RTLD_LAZY) ? 0 : 2; }
