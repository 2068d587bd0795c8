/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: every file lies on BeeGFS, in chunks of 512 KiB on the targets 101, 201 and 103. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

/* As BeeGFS's header has them: unsigned pattern, unsigned chunk size, uint16_t number of targets;
 * uint16_t index, target, node, char name[256]. */
enum { INFO_SIZE = 12, TARGET_SIZE = 262 };

int statfs(const char *path, struct statfs *out) {
  (void)path;
  memset(out, 0, sizeof *out);
  out->f_type = 0x19830326;
  return 0;
}

int ioctl(int fd, unsigned long request, ...) {
  static const uint16_t target[] = {101, 201, 103};
  const uint32_t info[] = {1, 524288};
  const uint16_t count = 3;
  uint16_t index;
  va_list list;
  (void)fd;
  va_start(list, request);
  unsigned char *argument = va_arg(list, unsigned char *);
  va_end(list);
  if (request == _IOC(_IOC_READ, 'f', 25, INFO_SIZE)) {
    memcpy(argument, info, sizeof info);
    memcpy(argument + sizeof info, &count, sizeof count);
    return 0;
  }
  memcpy(&index, argument, sizeof index);
  if (request == _IOC(_IOC_READ, 'f', 26, TARGET_SIZE) && index < count) {
    memcpy(argument + 2, &target[index], 2);
    return 0;
  }
  errno = ENOTTY;
  return -1;
}
