/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Points shared by ranks, and their results as files; see sim_parts.h. */
#include "sim_parts.h"
#include "common/conf/text.h"
#include "common/hash.h"
#include "output.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int lost(const char *path, const char *what) {
  fprintf(stderr, "siox sim: %s: %s: %s\n", path, what, strerror(errno));
  return 1;
}

static int no_memory(void) {
  fprintf(stderr, "siox sim: %s\n", siox_strerror(SIOX_ENOMEM));
  return 1;
}

/* Rank and size as the launcher gives them. */
static int find_rank(struct sim_parts *p) {
  static const char *const names[][2] = {{"PMI_RANK", "PMI_SIZE"},
                                         {"PMIX_RANK", "PMIX_SIZE"},
                                         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
  p->size = 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
    char what[256];
    long r = 0, n = 0;
    if (!rank || !size)
      continue;
    int k = siox__text_integer(size, 1, INT_MAX, &n, what, sizeof what) ? 1 : 0;
    if (k || siox__text_integer(rank, 0, n - 1, &r, what, sizeof what)) {
      fprintf(stderr, "siox sim: %s: %s\n", names[i][k], what);
      return SIOX__USAGE;
    }
    p->rank = (uint64_t)r;
    p->size = (uint64_t)n;
    return 0;
  }
  return 0;
}

uint64_t sim_mark(uint64_t mark, const void *data, size_t size) {
  const uint64_t pair[2] = {mark, siox__fnv1a(data, size)};
  return siox__fnv1a(pair, sizeof pair);
}

uint64_t sim_mark_file(uint64_t mark, const char *path) {
  char block[65536];
  size_t n;
  struct stat st;
  FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
  while (in && (n = fread(block, 1, sizeof block, in)) > 0)
    mark = sim_mark(mark, block, n);
  if (in)
    fclose(in);
  return mark;
}

static char *result_path(const struct sim_parts *p, uint64_t point) {
  char *path = NULL;
  return asprintf(&path, "%s/%08" PRIu64 ".csv", p->directory, point) < 0 ? NULL : path;
}

/* What a result counts for, and with `text` (its rows, or NULL) a sum over every byte of it. */
static void first_line(const struct sim_parts *p, uint64_t point, const char *text, size_t length,
                       char *line, size_t size) {
  int n = snprintf(line, size, "# point %" PRIu64 " of %" PRIu64 ", %016" PRIx64, point, p->points,
                   p->mark);
  if (text)
    snprintf(line + n, size - (size_t)n, ", %016" PRIx64, siox__fnv1a(text, length));
}

static const char faulty_mark[] = ", with faults";

/* The whole of a file, in *size bytes and a zero, or NULL: it is not there, or no file. */
static char *content(const char *path, size_t *size) {
  enum { MOST = 1 << 30 }; /* bytes */
  struct stat st;
  char *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody waits for a pipe's other end */
  FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
  if (in && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < MOST)
    text = malloc((size_t)st.st_size + 1);
  if (text) {
    *size = fread(text, 1, (size_t)st.st_size, in);
    text[*size] = 0;
  }
  if (in)
    fclose(in);
  else if (fd >= 0)
    close(fd);
  return text;
}

/* Whether it begins as the results do that other programs, sweeps or scenarios left here. */
static bool of_another(const char *text, const char *want) {
  uint64_t point, points, mark;
  int n = 0;
  return sscanf(text, "# point %" SCNu64 " of %" SCNu64 ", %16" SCNx64 "%n", &point, &points, &mark,
                &n) == 3 &&
         n > 0 && (text[n] == ',' || text[n] == '\n') && strncmp(text, want, strlen(want)) != 0;
}

enum state { MISSING, DAMAGED, FAULTY, DONE };

struct result {
  enum state state;
  char *text; /* to be freed */
  const char *rows;
  size_t size; /* of the rows */
};

/* What there is of a point. Damaged: neither as it was written here nor another's. */
static struct result look(const struct sim_parts *p, uint64_t point) {
  char want[160], *path = result_path(p, point);
  struct result r = {.state = MISSING};
  size_t size = 0;
  r.text = path ? content(path, &size) : NULL;
  const char *end = r.text ? memchr(r.text, '\n', size) : NULL;
  first_line(p, point, NULL, 0, want, sizeof want);
  if (r.text)
    r.state = of_another(r.text, want) ? MISSING : DAMAGED;
  if (end && r.state == DAMAGED) {
    r.rows = end + 1;
    r.size = size - (size_t)(r.rows - r.text);
    first_line(p, point, r.rows, r.size, want, sizeof want);
    size_t n = strlen(want), length = (size_t)(end - r.text);
    bool sum = length >= n && memcmp(r.text, want, n) == 0;
    if (sum && length == n)
      r.state = DONE;
    else if (sum && length - n == strlen(faulty_mark) &&
             !memcmp(r.text + n, faulty_mark, length - n))
      r.state = FAULTY;
  }
  free(path);
  return r;
}

static enum state state_of(const struct sim_parts *p, uint64_t point) {
  struct result r = look(p, point);
  free(r.text);
  return r.state;
}

/* Says of a damaged result what becomes of its point. 1 */
static int damaged(const struct sim_parts *p, uint64_t point, const char *what) {
  char *path = result_path(p, point);
  fprintf(stderr, "siox sim: %s: cannot be read: it is not as it was written; %s\n",
          path ? path : p->directory, what);
  free(path);
  return 1;
}

static bool all_there(const struct sim_parts *p, uint64_t *missing, uint64_t *faulty) {
  *missing = *faulty = 0;
  for (uint64_t point = 0; point < p->points; point++) {
    enum state state = state_of(p, point);
    *missing += state == MISSING || state == DAMAGED;
    *faulty += state == FAULTY;
  }
  return *missing == 0;
}

/* Parts of results that a killed rank left: nobody writes one for a minute. */
static void clear_parts(const struct sim_parts *p) {
  DIR *all = opendir(p->directory);
  for (struct dirent *e; all && (e = readdir(all));) {
    struct stat st;
    if (strlen(e->d_name) == 19 && strspn(e->d_name, "0123456789") == 8 &&
        !strncmp(e->d_name + 8, ".csv.", 5) &&
        fstatat(dirfd(all), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
        time(NULL) - st.st_mtime > 60)
      unlinkat(dirfd(all), e->d_name, 0);
  }
  if (all)
    closedir(all);
}

int sim_parts_open(struct sim_parts *p, const char *output, uint64_t points, uint64_t mark,
                   bool make) {
  uint64_t missing, faulty;
  struct stat st;
  mark = sim_mark_file(mark, "/proc/self/exe"); /* another build may play otherwise */
  *p = (struct sim_parts){.output = strdup(output), .points = points, .mark = mark};
  int rc = find_rank(p);
  if (rc)
    return rc;
  if (!p->output || asprintf(&p->directory, "%s.d", output) < 0) {
    p->directory = NULL;
    return no_memory();
  }
  if (stat(p->output, &st) == 0 && !S_ISREG(st.st_mode)) {
    fprintf(stderr, "siox sim: %s: is there and is not a regular file\n", p->output);
    return SIOX__USAGE;
  }
  if (make && mkdir(p->directory, 0777) < 0 && errno != EEXIST)
    return lost(p->directory, "cannot be made");
  clear_parts(p);
  p->joined_before = access(p->output, R_OK) == 0 && all_there(p, &missing, &faulty) && faulty == 0;
  return 0;
}

void sim_parts_close(struct sim_parts *p) {
  free(p->output);
  free(p->directory);
  *p = (struct sim_parts){0};
}

static int work_one(const struct sim_parts *p, uint64_t point, sim_point_fn one, void *context) {
  char head[160], *text = NULL, *path = result_path(p, point);
  size_t size = 0;
  FILE *rows = path ? open_memstream(&text, &size) : NULL;
  if (!rows) {
    free(path);
    return no_memory();
  }
  int status = one(context, point, rows);
  if (fclose(rows))
    status = no_memory();
  if (status == 0 || status == SIM_POINT_FAULTY) {
    struct siox__output out;
    first_line(p, point, text, size, head, sizeof head);
    bool good = siox__output_open(&out, path) == 0;
    if (good) {
      fprintf(out.file, "%s%s\n", head, status ? faulty_mark : "");
      fwrite(text, 1, size, out.file);
      good = siox__output_close(&out, true) == 0;
    }
    if (!good)
      status = lost(path, "cannot be written");
  }
  free(text);
  free(path);
  return status;
}

int sim_parts_work(const struct sim_parts *p, sim_point_fn one, void *context,
                   const struct sim_watch *watch) {
  int status = 0;
  for (uint64_t point = p->rank; point < p->points; point += p->size) {
    enum state state = state_of(p, point);
    if (state == DAMAGED)
      status = damaged(p, point, "the point is done again");
    if (state != DONE) {
      int rc = work_one(p, point, one, context);
      status = rc ? 1 : status;
      if (rc && rc != SIM_POINT_FAULTY)
        return rc;
    }
    if (watch->progress) {
      char name[64];
      snprintf(name, sizeof name, "%" PRIu64 "/%" PRIu64, point + 1, p->points);
      watch->progress(watch->context, name, (double)(point + 1) / (double)p->points);
    }
  }
  return status;
}

static int copy_results(const struct sim_parts *p, bool all, FILE *out) {
  int status = 0;
  for (uint64_t point = 0; point < p->points; point++) {
    struct result r = look(p, point);
    if (r.state >= FAULTY)
      fwrite(r.rows, 1, r.size, out);
    free(r.text);
    if (r.state == DAMAGED)
      status = damaged(p, point, "the point is left out");
    if (r.state < FAULTY && all)
      return r.state == DAMAGED ? 1 : lost(p->directory, "a result is gone again");
  }
  return status;
}

static int write_joined(const struct sim_parts *p, void (*head)(void *, FILE *), void *context) {
  struct siox__output out;
  if (siox__output_open(&out, p->output) < 0)
    return lost(p->output, "cannot be written");
  head(context, out.file);
  int rc = copy_results(p, true, out.file);
  if (siox__output_close(&out, rc == 0) < 0 && rc == 0)
    rc = lost(p->output, "cannot be written");
  return rc;
}

int sim_parts_so_far(const struct sim_parts *p, void (*head)(void *, FILE *), void *context,
                     FILE *out) {
  head(context, out);
  return copy_results(p, false, out);
}

/* Whether OUTPUT is older than some result, or not there. */
static bool is_old(const struct sim_parts *p) {
  struct stat whole, one;
  if (stat(p->output, &whole) < 0)
    return true;
  for (uint64_t point = 0; point < p->points; point++) {
    char *path = result_path(p, point);
    bool newer =
        !path || stat(path, &one) < 0 || one.st_mtim.tv_sec > whole.st_mtim.tv_sec ||
        (one.st_mtim.tv_sec == whole.st_mtim.tv_sec && one.st_mtim.tv_nsec > whole.st_mtim.tv_nsec);
    free(path);
    if (newer)
      return true;
  }
  return false;
}

int sim_parts_join(const struct sim_parts *p, void (*head)(void *context, FILE *out), void *context,
                   bool *joined) {
  uint64_t missing, faulty;
  *joined = false;
  int lock = open(p->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
  if (lock >= 0)
    flock(lock, LOCK_EX); /* one of the ranks that end at once; without locks all write the same */
  if (!all_there(p, &missing, &faulty)) {
    if (p->size == 1) /* others were at work with it before: they may still be */
      fprintf(stderr, "siox sim: %" PRIu64 " of %" PRIu64 " points are not there yet\n", missing,
              p->points);
  } else if (is_old(p)) {
    rc = write_joined(p, head, context);
    *joined = rc == 0;
  } else {
    *joined = p->joined_before && p->rank == 0;
  }
  if (lock >= 0)
    close(lock);
  return rc;
}
