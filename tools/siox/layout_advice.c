/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a search found: a table of before and after, and for each file how to have it lie so. */
#include "layout_optimise.h"
#include "output.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LUSTRE_UNIT = 65536 }; /* stripes there are multiples of this */

static uint32_t place_of(const struct layout_outcome *o, uint32_t file) {
  for (uint32_t i = 0; i < o->files->nmovable; i++)
    if (o->files->movable[i] == file)
      return o->choice[i];
  return 0;
}

static bool movable(const struct layout_outcome *o, uint32_t file) {
  for (uint32_t i = 0; i < o->files->nmovable; i++)
    if (o->files->movable[i] == file)
      return true;
  return false;
}

/* As text; freed by the caller. */
static char *text_of(const struct siox_layout *layout) {
  int n = siox_layout_format(layout, NULL, 0);
  char *text = malloc((size_t)n + 1);
  if (text)
    siox_layout_format(layout, text, (size_t)n + 1);
  return text;
}

struct advice { /* of one file */
  const struct layout_file *file;
  struct siox_layout layout;
  char *now, *then;
  bool moves, exists;
  uint64_t bytes;
};

static void advise(const struct layout_outcome *o, uint32_t file, struct advice *a) {
  struct stat st;
  *a = (struct advice){.file = &o->files->file[file], .moves = place_of(o, file) != 0};
  if (layout_of_place(o->files, a->file, &a->file->present, place_of(o, file), &a->layout) == 0)
    a->then = text_of(&a->layout);
  a->now = text_of(&a->file->present);
  a->exists = !a->file->generated && !a->file->several && stat(a->file->name, &st) == 0 &&
              S_ISREG(st.st_mode);
  a->bytes = a->exists ? (uint64_t)st.st_size : 0;
}

static void advice_free(struct advice *a) {
  siox_layout_free(&a->layout);
  free(a->now);
  free(a->then);
}

static void show_settings(FILE *out, const struct advice *a) {
  const struct siox_layout *l = &a->layout;
  fprintf(out,
          "  C        MPI_Info_set(info, \"striping_factor\", \"%u\");\n"
          "           MPI_Info_set(info, \"striping_unit\", \"%" PRIu64 "\");\n"
          "           MPI_Info_set(info, \"start_iodevice\", \"%u\");\n",
          l->factor, l->unit, l->nodes[0]);
  fputs("  Lustre   ", out);
  if (l->unit % LUSTRE_UNIT) {
    fputs("cannot: its stripes are multiples of 64K\n", out);
    return;
  }
  fprintf(out, "lfs setstripe -c %u -S ", l->factor);
  layout_show_bytes(out, l->unit);
  fprintf(out, " -i %u %s\n", l->nodes[0], a->file->generated ? "FILE" : a->file->name);
}

static void show_file(FILE *out, const struct layout_outcome *o, uint32_t file) {
  struct advice a;
  advise(o, file, &a);
  if (!a.moves) {
    const char *why = movable(o, file)    ? ""
                      : a.file->fixed     ? " (fixed)"
                      : a.file->generated ? ""
                                          : " (never read or written)";
    fprintf(out, "\n%s: stays at %s%s\n", a.file->name, a.now, why);
    advice_free(&a);
    return;
  }
  fprintf(out, "\n%s: from %s to %s\n", a.file->name, a.now, a.then);
  show_settings(out, &a);
  if (a.exists)
    fprintf(out, "  exists   copying it moves %" PRIu64 " bytes%s\n", a.bytes,
            a.file->written ? "; a file that is made anew needs none"
                            : "; it is only read, so nothing else puts it there");
  advice_free(&a);
}

static void show_rows(FILE *out, const struct layout_outcome *o) {
  fprintf(out, "%-7s %-20s %14s %9s %11s %10s %11s %12s\n", "layouts", "scheme", "joules", "saved",
          "added I/O", "I/O time", "run time", "transitions");
  for (uint32_t i = 0; i < o->nrows; i++) {
    const struct layout_row *r = &o->row[i];
    fprintf(out, "%-7s %-20.20s %14.3f %7.2f %% %9.2f %% %8.3f s %9.3f s %12" PRIu64 "\n",
            r->then ? "new" : "present", r->name, r->joules, r->saved * 100, r->added * 100,
            r->io_seconds, r->seconds, r->transitions);
  }
}

static bool any_moves(const struct layout_outcome *o) {
  for (uint32_t i = 0; i < o->files->nmovable; i++)
    if (o->choice[i])
      return true;
  return false;
}

static const char *hints_note(const struct layout_outcome *o) {
  switch (o->hints) {
  case SIOX_SIM_HINTS_DERIVED:
    return "hints are said anew from the traces' accesses, as right or wrong as they were recorded";
  case SIOX_SIM_HINTS_LEFT_OUT:
    return "some trace's hints name no times (record it under siox): without its hints where its "
           "files move";
  default:
    return "no trace has hints to say anew";
  }
}

void layout_advice_text(FILE *out, const struct layout_outcome *o) {
  show_rows(out, o);
  fprintf(out,
          "  against base with the present layouts; joules are estimated from drive profiles\n");
  fprintf(out, "  %s; %" PRIu64 " layouts tried%s", hints_note(o), o->search->evaluations,
          o->search->exhaustive ? ", which are all" : "");
  if (o->search->pruned)
    fprintf(out, ", %" PRIu64 " of them not to the end", o->search->pruned);
  fputc('\n', out);
  if (!o->kept)
    fprintf(out, "  no layout that was tried keeps %g %% added I/O time; these add least\n",
            o->asked->most_added * 100);
  if (!any_moves(o))
    fprintf(out, "  no layout that was tried is better than the present ones\n");
  for (uint32_t i = 0; i < o->files->count; i++)
    show_file(out, o, i);
}

static json_t *file_json(const struct layout_outcome *o, uint32_t file) {
  struct advice a;
  advise(o, file, &a);
  json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:b, s:i, s:I, s:i, s:I, s:I, s:o}", "file",
                        a.file->name, "present", a.now, "layout", a.then, "moves", a.moves, "fixed",
                        a.file->fixed, "striping_factor", (int)a.layout.factor, "striping_unit",
                        (json_int_t)a.layout.unit, "start_iodevice", (int)a.layout.nodes[0],
                        "bytes_read", (json_int_t)a.file->read, "bytes_written",
                        (json_int_t)(a.file->generated ? 0 : a.file->written), "copy_bytes",
                        a.exists && a.moves ? json_integer((json_int_t)a.bytes) : json_null());
  advice_free(&a);
  return j;
}

json_t *layout_advice_json(const struct layout_outcome *o) {
  static const char *const hints[] = {"none", "recorded", "derived", "left out"};
  json_t *rows = json_array(), *files = json_array();
  for (uint32_t i = 0; i < o->nrows; i++) {
    const struct layout_row *r = &o->row[i];
    json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:I}",
                                          "layouts", r->then ? "new" : "present", "scheme", r->name,
                                          "joules", r->joules, "saved", r->saved, "added_io_time",
                                          r->added, "io_seconds", r->io_seconds, "seconds",
                                          r->seconds, "transitions", (json_int_t)r->transitions,
                                          "missed", (json_int_t)r->missed));
  }
  for (uint32_t i = 0; i < o->files->count; i++)
    json_array_append_new(files, file_json(o, i));
  return json_pack("{s:o, s:o, s:b, s:b, s:b, s:f, s:I, s:I, s:s, s:i, s:b}", "rows", rows, "files",
                   files, "moves", any_moves(o), "keeps_max_delay", o->kept, "exhaustive",
                   o->search->exhaustive, "max_delay", o->asked->most_added, "evaluations",
                   (json_int_t)o->search->evaluations, "not_to_the_end",
                   (json_int_t)o->search->pruned, "hints", hints[o->hints], "ndisks",
                   (int)o->files->ndisks, "estimated", 1);
}

static const char command[] = "siox layout optimise";

static int put_layouts(void *outcome, FILE *out) {
  const struct layout_outcome *o = outcome;
  for (uint32_t i = 0; i < o->files->count; i++) {
    struct advice a;
    advise(o, i, &a);
    if (a.file->generated) {
      fprintf(out, "# %s (generated): %s\n", a.file->name, a.then);
    } else {
      fputs("- {file: ", out);
      if (a.file->several) {
        fputc('"', out);
        for (const char *c = a.file->name; *c; c++)
          fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputc('"', out);
      } else {
        layout_show_pattern(out, a.file->name);
      }
      fprintf(out, ", layout: \"%s\", disks: %u}%s%s\n", a.then, o->files->ndisks,
              a.moves ? "  # was " : "", a.moves ? a.now : "");
    }
    advice_free(&a);
  }
  return 0;
}

int layout_advice_layouts(const char *path, struct layout_outcome *o) {
  return siox__output_write(command, path, put_layouts, o);
}

struct romio_file {
  const struct layout_outcome *outcome;
  uint32_t first; /* of the movable files that it is for */
};

static int put_romio(void *context, FILE *out) {
  const struct romio_file *r = context;
  const struct layout_outcome *o = r->outcome;
  struct advice a;
  for (uint32_t k = r->first; k < o->files->nmovable; k++)
    if (o->choice[k] == o->choice[r->first])
      fprintf(out, "# %s\n", o->files->file[o->files->movable[k]].name);
  advise(o, o->files->movable[r->first], &a);
  fprintf(out, "striping_factor %u\nstriping_unit %" PRIu64 "\nstart_iodevice %u\n",
          a.layout.factor, a.layout.unit, a.layout.nodes[0]);
  advice_free(&a);
  return 0;
}

/* One file for each layout that some file moves to. */
int layout_advice_romio(const char *path, const struct layout_outcome *o) {
  uint32_t different = 0, n = 0, nmovable = o->files->nmovable;
  int status = 0;
  for (uint32_t i = 0; i < nmovable; i++) {
    bool first = o->choice[i] != 0;
    for (uint32_t k = 0; k < i; k++)
      first &= o->choice[k] != o->choice[i];
    different += first;
  }
  for (uint32_t i = 0; i < nmovable && different; i++) {
    bool first = o->choice[i] != 0;
    char *name = NULL;
    for (uint32_t k = 0; k < i; k++)
      first &= o->choice[k] != o->choice[i];
    if (!first)
      continue;
    n++;
    if ((different > 1 ? asprintf(&name, "%s.%u", path, n) : asprintf(&name, "%s", path)) < 0)
      return 1;
    status |= siox__output_write(command, name, put_romio, &(struct romio_file){o, i});
    free(name);
  }
  if (!different)
    fprintf(stderr, "siox layout optimise: %s: not written, for no file moves\n", path);
  return status;
}
