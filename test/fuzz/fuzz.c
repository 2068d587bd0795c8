/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seeds, and inputs as files. */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *directory;
static volatile uint8_t sink;

const char *fuzz_seed_path(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

void fuzz_seed(const char *name, const void *data, size_t size) {
  FILE *f = fopen(fuzz_seed_path(name), "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
    perror(fuzz_seed_path(name));
    exit(1);
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  for (int i = 1; i < *argc; i++)
    if (strncmp((*argv)[i], "--seeds=", 8) == 0) {
      directory = (*argv)[i] + 8;
      fuzz_seeds();
      exit(0);
    }
  return 0;
}

const char *fuzz_file(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) {
    fd = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
    abort();
  return path;
}

void fuzz_touch(const void *data, size_t size) {
  const uint8_t *byte = data;
  uint8_t sum = 0;
  for (size_t i = 0; i < size; i++)
    sum ^= byte[i];
  sink = sum;
}

void fuzz_touch_text(const char *text) {
  if (text)
    fuzz_touch(text, strlen(text) + 1);
}
