/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptors that libsiox holds in the program's process: high numbers, close-on-exec, out of
 * reach of a program that closes or reuses whatever it finds. */
#include "client/client.h"
#include "client/real.h"
#include <sys/resource.h>
#include <sys/syscall.h>

static int *const owned[] = {&siox__client.socket, &siox__client.wake, &siox__client.dial,
                             &siox__client.tally};
#define NOWNED (sizeof owned / sizeof *owned)
#define LEAST 64 /* descriptors that a program is allowed, for Siox to take four */

int siox__fd_high(int fd) {
  struct rlimit limit;
  long low = 1000;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    low = limit.rlim_cur > 60000 ? 60000 - 32 : (long)limit.rlim_cur - 32;
  /* Who is allowed few descriptors may need them all. */
  int high = low < LEAST - 32 ? -1 : (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, low);
  /* Down here it would take a number that the program counts on, 0 to 2 above all. */
  syscall(SYS_close, fd);
  return high;
}

bool siox__fd_own(int fd) {
  for (size_t i = 0; i < NOWNED; i++)
    if (fd >= 0 && *owned[i] == fd)
      return true;
  return false;
}

int siox__fd_next_own(unsigned from, unsigned last) {
  int next = -1;
  for (size_t i = 0; i < NOWNED; i++)
    if (*owned[i] >= 0 && (unsigned)*owned[i] >= from && (unsigned)*owned[i] <= last &&
        (next < 0 || *owned[i] < next))
      next = *owned[i];
  return next;
}

void siox__fd_yield(int fd) {
  siox__socket_lock();
  for (size_t i = 0; i < NOWNED; i++)
    if (*owned[i] == fd && fd >= 0) {
      int moved = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
      *owned[i] = moved; /* the old one is replaced by the program's dup2 */
      if (moved < 0)
        siox__client_lost("no file descriptor is left for Siox", true);
    }
  siox__socket_unlock();
}

void siox__fd_close(int *fd) {
  if (*fd >= 0)
    syscall(SYS_close, *fd);
  *fd = -1;
}
