/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See stdio.h. */
#include "common/stdio.h"
#include "siox/error.h"
#include <fcntl.h>
#include <unistd.h>

int siox__stdio_fill(void) {
  int fd;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
  if (fd < 0)
    return SIOX_EIO;
  close(fd);
  return 0;
}
