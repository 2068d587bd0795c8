/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The replay's small containers: a hash map with keys of three numbers, and growing arrays. */
#include "energy/replay_map.h"
#include "siox/error.h"
#include <stdlib.h>
#include <string.h>

static uint32_t place(uint64_t a, uint64_t b, uint64_t c, uint32_t room) {
  uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ h >> 32 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ h >> 29 ^ c) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(h >> 32) & (room - 1);
}

static struct siox__map_entry *find(const struct siox__map *m, uint64_t a, uint64_t b, uint64_t c) {
  uint32_t i = place(a, b, c, m->room);
  while (m->entry[i].used && (m->entry[i].a != a || m->entry[i].b != b || m->entry[i].c != c))
    i = (i + 1) & (m->room - 1);
  return &m->entry[i];
}

uint32_t siox__map_get(const struct siox__map *m, uint64_t a, uint64_t b, uint64_t c) {
  if (!m->room)
    return SIOX__NONE;
  const struct siox__map_entry *e = find(m, a, b, c);
  return e->used ? e->value : SIOX__NONE;
}

static int grow(struct siox__map *m) {
  struct siox__map bigger = {.room = m->room ? m->room * 2 : 64, .count = m->count};
  bigger.entry = calloc(bigger.room, sizeof *bigger.entry);
  if (!bigger.entry)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < m->room; i++)
    if (m->entry[i].used)
      *find(&bigger, m->entry[i].a, m->entry[i].b, m->entry[i].c) = m->entry[i];
  free(m->entry);
  *m = bigger;
  return 0;
}

uint32_t *siox__map_at(struct siox__map *m, uint64_t a, uint64_t b, uint64_t c) {
  if (m->count >= m->room / 2 && (m->room >= UINT32_MAX / 2 || grow(m) < 0))
    return NULL;
  struct siox__map_entry *e = find(m, a, b, c);
  if (!e->used) {
    *e = (struct siox__map_entry){a, b, c, SIOX__NONE, 1};
    m->count++;
  }
  return &e->value;
}

/* What was put further because the place was taken moves up. */
void siox__map_drop(struct siox__map *m, uint64_t a, uint64_t b, uint64_t c) {
  struct siox__map_entry *e = m->room ? find(m, a, b, c) : NULL;
  if (!e || !e->used)
    return;
  uint32_t hole = (uint32_t)(e - m->entry), i = hole;
  m->count--;
  for (;;) {
    i = (i + 1) & (m->room - 1);
    if (!m->entry[i].used)
      break;
    uint32_t home = place(m->entry[i].a, m->entry[i].b, m->entry[i].c, m->room);
    if (((i - home) & (m->room - 1)) >= ((i - hole) & (m->room - 1))) {
      m->entry[hole] = m->entry[i];
      hole = i;
    }
  }
  m->entry[hole].used = 0;
}

int siox__room(void *array, uint32_t count, uint32_t *room, size_t size) {
  void **p = array;
  if (count < *room)
    return 0;
  uint32_t more = *room ? *room * 2 : 8;
  void *grown = more > *room ? realloc(*p, (size_t)more * size) : NULL;
  if (!grown)
    return SIOX_ENOMEM;
  memset((char *)grown + (size_t)*room * size, 0, (size_t)(more - *room) * size);
  *p = grown;
  *room = more;
  return 0;
}
