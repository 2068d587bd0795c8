/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files that traces and generated jobs use, by name, and the grid of places they may take. */
#include "common/conf/layouts_schema.h"
#include "common/wire.h"
#include "energy/replay_map.h"
#include "layout_optimise.h"
#include <stdlib.h>
#include <string.h>

enum { FEW = 16, MANY = 65536 };

static bool matches(const struct layout_patterns *p, const char *name) {
  for (uint32_t i = 0; i < p->count; i++)
    if (siox__layouts_match(p->item[i], name))
      return true;
  return false;
}

/* Bytes that the trace moves in each of its files, in the order they are defined. */
static int count_bytes(const char *path, uint64_t *read, uint64_t *written, uint32_t nfiles) {
  struct siox_trace_reader *reader;
  struct siox_trace_event e;
  struct siox__map numbers = {0};
  uint32_t defined = 0;
  int rc = siox_trace_open(&reader, path, NULL);
  if (rc)
    return rc;
  while ((rc = siox_trace_read(reader, &e, NULL)) > 0) {
    if (e.kind == SIOX_TRACE_FILE) {
      uint32_t *at = siox__map_at(&numbers, e.u.file.file, 0, 0);
      if (!at)
        break;
      *at = defined++;
    } else if (e.kind == SIOX_TRACE_IO) {
      uint32_t file = siox__map_get(&numbers, e.u.io.file, 0, 0);
      if (file < nfiles)
        *(e.u.io.op == SIOX_IO_WRITE ? &written[file] : &read[file]) += (uint64_t)e.u.io.bytes;
    }
  }
  siox_trace_reader_close(reader);
  free(numbers.entry);
  return rc > 0 ? SIOX_ENOMEM : rc == SIOX_ETRUNCATED ? 0 : rc;
}

static struct layout_file *file_named(struct layout_files *files, const char *name, bool several) {
  for (uint32_t i = 0; i < files->count; i++)
    if (!strcmp(files->file[i].name, name) && files->file[i].several == several)
      return &files->file[i];
  struct layout_file *more = realloc(files->file, (files->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  files->file = more;
  struct layout_file *f = &more[files->count];
  *f = (struct layout_file){.name = strdup(name), .several = several};
  if (!f->name)
    return NULL;
  files->count++;
  return f;
}

static int add_where(struct layout_files *files, const struct layout_asked *asked,
                     const struct sim_scenario *s, uint32_t job, uint32_t number, uint64_t read,
                     uint64_t written) {
  const struct siox_layout *layout;
  const char *path = siox_sim_file(s->sim, job, number, &layout), *name = path, *together = NULL;
  char made[32];
  snprintf(made, sizeof made, "jobs[%u]", job);
  for (uint32_t i = 0; path && i < asked->together.count && !together; i++)
    if (siox__layouts_match(asked->together.item[i], path))
      name = together = asked->together.item[i];
  struct layout_file *f = file_named(files, path ? name : made, together);
  if (!f)
    return SIOX_ENOMEM;
  struct layout_where *where = realloc(f->where, (f->nwhere + 1) * sizeof *where);
  if (!where)
    return SIOX_ENOMEM;
  f->where = where;
  f->where[f->nwhere] = (struct layout_where){.job = job, .file = number};
  if (siox_layout_copy(&f->where[f->nwhere++].present, layout) < 0 ||
      (!f->present.nodes && siox_layout_copy(&f->present, layout) < 0))
    return SIOX_ENOMEM;
  f->generated = !path;
  f->read += read;
  f->written += written;
  const char *called = path ? path : made;
  f->fixed |=
      matches(&asked->fixed, called) || (asked->files.count && !matches(&asked->files, called));
  return 0;
}

static int add_job(struct layout_files *files, const struct sim_scenario *s,
                   const struct layout_asked *asked, uint32_t job) {
  uint32_t n = siox_sim_nfiles(s->sim, job);
  const char *trace = siox_sim_trace(s->sim, job);
  uint64_t *read = calloc((size_t)n + 1, sizeof *read),
           *written = calloc((size_t)n + 1, sizeof *written);
  int rc = read && written ? 0 : SIOX_ENOMEM;
  if (rc == 0 && trace)
    rc = count_bytes(trace, read, written, n);
  for (uint32_t i = 0; i < n && rc == 0; i++)
    rc = add_where(files, asked, s, job, i, read[i], trace ? written[i] : 1);
  free(read);
  free(written);
  return rc;
}

/* "0-3,8" or "64K,1M": all numbers, or bytes, of a list. NULL: it is wrong. */
static uint64_t *parse_list(const char *text, bool bytes, uint64_t low, uint64_t high,
                            uint32_t *n) {
  uint64_t *list = NULL;
  char *copy = strdup(text), *rest = copy;
  bool good = copy;
  *n = 0;
  for (char *one; good && (one = strsep(&rest, ",")) != NULL;) {
    char *end = one;
    uint64_t first = strtoull(one, &end, 10), last = first;
    good = *one >= '0' && *one <= '9';
    if (good && bytes) {
      const char *suffix = *end ? strchr("KMG", *end) : NULL;
      unsigned shift = suffix ? 10 * (unsigned)(*suffix == 'K' ? 1 : *suffix == 'M' ? 2 : 3) : 0;
      good = first <= high >> shift && !end[suffix != NULL];
      first = last = good ? first << shift : 0;
    } else if (good && *end == '-') {
      good = end[1] >= '0' && end[1] <= '9';
      last = strtoull(end + 1, &end, 10);
      good = good && !*end;
    } else {
      good = good && !*end;
    }
    good = good && first >= low && first <= last && last <= high;
    for (; good && first <= last; first++) {
      uint64_t *more = *n < MANY ? realloc(list, (*n + 1) * sizeof *list) : NULL;
      good = more;
      list = more ? more : list;
      if (more)
        list[(*n)++] = first;
    }
  }
  free(copy);
  if (good && *n)
    return list;
  free(list);
  return NULL;
}

static int as_numbers(const char *what, const char *text, uint64_t low, uint64_t high,
                      uint32_t **out, uint32_t *n, struct siox_diag *diag) {
  uint64_t *wide = parse_list(text, false, low, high, n);
  if (!wide) {
    snprintf(diag->text, sizeof diag->text,
             "--%s %.80s: expected a list such as %llu-%llu, of %llu to %llu", what, text,
             (unsigned long long)low, (unsigned long long)(low + (high > low)),
             (unsigned long long)low, (unsigned long long)high);
    return SIOX_EINVAL;
  }
  *out = malloc(*n * sizeof **out);
  for (uint32_t i = 0; *out && i < *n; i++)
    (*out)[i] = (uint32_t)wide[i];
  free(wide);
  return *out ? 0 : SIOX_ENOMEM;
}

/* All bases of few nodes, of many every so manyth; all factors of few, of many powers of two and
 * all. */
static int make_grid(struct layout_files *files, const struct layout_asked *asked, uint32_t nodes,
                     struct siox_diag *diag) {
  char *text = NULL;
  size_t size;
  struct layout_space *s = &files->space;
  int rc = 0;
  for (int kind = 0; kind < 2 && rc == 0; kind++) {
    const char *given = kind ? asked->factors : asked->bases;
    FILE *out = given ? NULL : open_memstream(&text, &size);
    if (!given && !out)
      return SIOX_ENOMEM;
    if (out) {
      uint32_t step = (nodes + FEW - 1) / FEW;
      for (uint32_t k = kind; k < nodes;
           k = kind && nodes > FEW / 2 ? k * 2 : k + (kind ? 1 : step))
        fprintf(out, "%u,", k);
      fprintf(out, "%u", kind ? nodes : 0);
      if (fclose(out))
        return SIOX_ENOMEM;
    }
    rc = as_numbers(kind ? "factors" : "bases", given ? given : text, (uint64_t)kind,
                    kind ? nodes : nodes - 1, kind ? &files->factor : &files->base,
                    kind ? &s->nfactors : &s->nbases, diag);
    if (!given && !kind && rc == 0 && s->nbases > 1)
      s->nbases--; /* the closing 0 */
    free(text);
    text = NULL;
  }
  if (rc)
    return rc;
  const char *units = asked->units ? asked->units : "64K,256K,1M,4M,16M";
  files->unit = parse_list(units, true, 1, UINT64_C(1) << 40, &s->nunits);
  if (!files->unit)
    snprintf(diag->text, sizeof diag->text,
             "--units %.80s: expected a list of bytes such as 64K,1M, of 1 to 1024G", units);
  return files->unit ? 0 : SIOX_EINVAL;
}

static bool some_file(const struct sim_scenario *s, const char *pattern) {
  for (uint32_t j = 0; j < s->njobs; j++)
    for (uint32_t i = 0, n = siox_sim_nfiles(s->sim, j); i < n; i++) {
      char made[32];
      const char *path = siox_sim_file(s->sim, j, i, NULL);
      snprintf(made, sizeof made, "jobs[%u]", j);
      if (siox__layouts_match(pattern, path ? path : made))
        return true;
    }
  return false;
}

/* A pattern that nothing matches is a slip, not a wish. */
static int check_patterns(const struct sim_scenario *s, const struct layout_asked *asked,
                          struct siox_diag *diag) {
  const struct layout_patterns *const list[] = {&asked->files, &asked->fixed, &asked->together};
  static const char *const name[] = {"files", "fixed", "together"};
  for (int k = 0; k < 3; k++)
    for (uint32_t i = 0; i < list[k]->count; i++)
      if (!some_file(s, list[k]->item[i])) {
        snprintf(diag->text, sizeof diag->text, "--%s %.200s: no file of the jobs matches", name[k],
                 list[k]->item[i]);
        return SIOX_ENOENT;
      }
  return 0;
}

int layout_files_open(struct layout_files *files, const struct sim_scenario *s,
                      const struct layout_asked *asked, struct siox_diag *diag) {
  memset(files, 0, sizeof *files);
  files->ndisks = s->ndisks;
  int rc = check_patterns(s, asked, diag);
  for (uint32_t j = 0; j < s->njobs && rc == 0; j++)
    rc = add_job(files, s, asked, j);
  files->movable = calloc((size_t)files->count + 1, sizeof *files->movable);
  rc = rc ? rc : files->movable ? 0 : SIOX_ENOMEM;
  uint32_t members = 1;
  for (uint32_t i = 0; i < files->count && rc == 0; i++) {
    const struct layout_file *f = &files->file[i];
    if (!f->fixed && f->read + f->written > 0)
      files->movable[files->nmovable++] = i;
    members = f->present.array.members ? f->present.array.members : members;
  }
  if (rc == 0)
    rc = make_grid(files, asked, s->ndisks / members, diag);
  files->space.nfiles = files->nmovable;
  if (rc == 0 &&
      (uint64_t)files->space.nbases * files->space.nfactors * files->space.nunits > 1 << 24) {
    rc = SIOX_ERANGE;
    snprintf(diag->text, sizeof diag->text,
             "more than 16777216 places for each file: state fewer bases, factors or units");
  }
  if (rc == 0 && !files->nmovable) {
    rc = SIOX_EINVAL;
    snprintf(diag->text, sizeof diag->text,
             "there is no file that may be moved and that a job uses");
  }
  return rc;
}

void layout_files_free(struct layout_files *files) {
  for (uint32_t i = 0; i < files->count; i++) {
    struct layout_file *f = &files->file[i];
    for (uint32_t k = 0; k < f->nwhere; k++)
      siox_layout_free(&f->where[k].present);
    siox_layout_free(&f->present);
    free(f->where);
    free(f->name);
  }
  free(files->file);
  free(files->movable);
  free(files->base);
  free(files->factor);
  free(files->unit);
  memset(files, 0, sizeof *files);
}
