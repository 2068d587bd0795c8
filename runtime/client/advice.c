/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints of opens: told, and advised. ROMIO wants the same value of most of its hints on all ranks,
 * and waits for those that have none. So a hint is set only if all ranks of the communicator say in
 * a reduction that they would set the very same ones; who sets SIOX_KNOWLEDGE_APPLY for some ranks
 * only, or mixes programs with and without libsiox under it, has a reduction that never ends. */
#include "client/advice.h"
#include "common/hash.h"
#include "siox/knowledge.h"
#include <stdlib.h>
#include <string.h>

static bool applies(void) {
  static _Atomic int known; /* 0: not looked yet */
  int now = atomic_load_explicit(&known, memory_order_relaxed);
  if (now == 0) {
    const char *text = getenv("SIOX_KNOWLEDGE_APPLY");
    now = text && strcmp(text, "1") == 0 ? 2 : 1;
    atomic_store_explicit(&known, now, memory_order_relaxed);
  }
  return now == 2;
}

/* Of "ACCESS RANKS key=value ...\n" lines the one for this open: what writes in any way takes what
 * was learned of writing rather than nothing. */
static bool find(const char *advice, int amode, int ranks, struct siox_settings *settings) {
  const char *const wanted[2] = {amode & MPI_MODE_RDONLY   ? "read"
                                 : amode & MPI_MODE_WRONLY ? "write"
                                                           : "both",
                                 amode & MPI_MODE_RDWR ? "write" : NULL};
  for (int w = 0; w < 2 && wanted[w]; w++)
    for (const char *line = advice; *line;) {
      char text[SIOX_HINTS_MOST];
      const size_t length = strcspn(line, "\n"), word = strcspn(line, " \n");
      char *end;
      if (word < length && length < sizeof text && strlen(wanted[w]) == word &&
          memcmp(line, wanted[w], word) == 0) {
        memcpy(text, line, length);
        text[length] = 0;
        if (strtol(text + word, &end, 10) == ranks && siox_settings_parse(settings, end) == 0)
          return true;
      }
      line += length + (line[length] == '\n');
    }
  return false;
}

/* What the program asked for itself stays. */
static void leave_own(MPI_Info info, struct siox_settings *settings) {
  char value[8];
  for (int k = 0; k < SIOX_NADVICE && info != MPI_INFO_NULL; k++) {
    int there = 0;
    if (PMPI_Info_get(info, siox_advice_key((enum siox_advice_key)k), sizeof value - 1, value,
                      &there) == MPI_SUCCESS &&
        there)
      settings->value[k][0] = 0;
  }
}

static bool all_agree(MPI_Comm comm, const char *text) {
  const uint64_t hash = siox__fnv1a(text, strlen(text));
  uint64_t least[2],
      own[2] = {hash, ~hash}; /* the least of these is the complement of the greatest */
  return PMPI_Allreduce(own, least, 2, MPI_UINT64_T, MPI_MIN, comm) == MPI_SUCCESS &&
         least[0] == ~least[1] && *text;
}

static void apply(struct siox__advice *a, const struct siox_settings *settings) {
  MPI_Info info = MPI_INFO_NULL;
  if ((a->info == MPI_INFO_NULL ? PMPI_Info_create(&info) : PMPI_Info_dup(a->info, &info)) !=
      MPI_SUCCESS)
    return;
  for (int k = 0; k < SIOX_NADVICE; k++)
    if (*settings->value[k])
      PMPI_Info_set(info, siox_advice_key((enum siox_advice_key)k), settings->value[k]);
  a->info = info;
  a->made = true;
  a->flags |= SIOX_OPENED_APPLIED;
}

void siox__advise(struct siox__advice *a, MPI_Comm comm, int amode, MPI_Info info) {
  const char *advice = siox__welcomed() ? siox__client.welcome.advice : "";
  struct siox_settings settings = {0};
  int ranks = 0, saved = errno;
  char text[SIOX_HINTS_MOST] = "";
  *a = (struct siox__advice){.info = info};
  if ((!*advice && !applies()) || comm == MPI_COMM_NULL)
    return;
  if (PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS && find(advice, amode, ranks, &settings)) {
    leave_own(info, &settings);
    if (siox_settings_format(&settings, text, sizeof text) >= (int)sizeof text)
      *text = 0;
    a->flags = *text ? SIOX_OPENED_ADVISED : 0;
  }
  if (applies() && all_agree(comm, text))
    apply(a, &settings);
  errno = saved;
}

void siox__advice_opened(const struct siox__advice *a, const struct siox__call *c, int amode) {
  struct siox_settings settings = {0};
  struct siox_rec_opened opened = {.file = c->file && c->file->file ? c->file->file->id : 0,
                                   .ranks = (uint32_t)c->size,
                                   .amode = (uint32_t)amode,
                                   .flags = a->flags};
  char text[SIOX_HINTS_MOST];
  MPI_Info info = MPI_INFO_NULL;
  if (!c->uid || c->self != 0 || PMPI_File_get_info(c->handle, &info) != MPI_SUCCESS)
    return;
  for (int k = 0; k < SIOX_NADVICE; k++) {
    int there = 0;
    char *value = settings.value[k];
    if (PMPI_Info_get(info, siox_advice_key((enum siox_advice_key)k), sizeof settings.value[k] - 1,
                      value, &there) != MPI_SUCCESS ||
        !there)
      *value = 0;
    value[sizeof settings.value[k] - 1] = 0;
  }
  PMPI_Info_free(&info);
  const int length = siox_settings_format(&settings, text, sizeof text);
  if (length >= (int)sizeof text)
    return;
  opened.length = (uint32_t)length;
  siox__self.depth = 1;
  siox__record(SIOX_REC_OPENED, &opened, sizeof opened, text, (size_t)length);
  siox__self.depth = 0;
}

void siox__advice_done(struct siox__advice *a) {
  if (a->made)
    PMPI_Info_free(&a->info);
}
