/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of the error codes, from the one table. */
#include "siox/error.h"

const char *siox_strerror(int code) {
  switch (code) {
  case 0:
    return "success";
#define SIOX_ERROR(name, value, message)                                                           \
  case -(value):                                                                                   \
    return message;
#include "siox/error.def"
#undef SIOX_ERROR
  default:
    return "unknown error";
  }
}
