/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a file lies, as an entry of layouts.yaml, as a map of its bytes, and as JSON. */
#include "cli/text.h"
#include "layout.h"
#include <inttypes.h>
#include <string.h>

enum { TEXT_MAX = 1 << 19 }; /* 65536 disks, listed */

static const char *layout_text(const struct siox_layout *layout) {
  static char text[TEXT_MAX];
  siox_layout_format(layout, text, sizeof text);
  return text;
}

void layout_show_bytes(FILE *out, uint64_t bytes) {
  static const char suffix[] = "\0KMG";
  int k = 0;
  for (; k < 3 && bytes && bytes % 1024 == 0; k++)
    bytes /= 1024;
  fprintf(out, "%" PRIu64 "%.1s", bytes, &suffix[k]);
}

void layout_show_pattern(FILE *out, const char *path) {
  fputc('"', out);
  for (; *path; path++) {
    if (strchr("*?[\\", *path))
      siox__yaml_character(out, '\\'); /* of the pattern */
    siox__yaml_character(out, (unsigned char)*path);
  }
  fputc('"', out);
}

static void show_range(FILE *out, const struct siox_placement_part *p) {
  fputc('[', out);
  layout_show_bytes(out, p->start);
  fputs(", ", out);
  if (p->end == UINT64_MAX)
    fputs("end", out);
  else
    layout_show_bytes(out, p->end);
  fputc(')', out);
}

void layout_show_entry(FILE *out, const struct layout_found *f) {
  const struct siox_placement_part *most = siox_placement_main(&f->placement, f->size);
  fprintf(out, "- {file: ");
  layout_show_pattern(out, f->path);
  fprintf(out, ", layout: \"%s\", disks: %u}  # %s", layout_text(&most->layout),
          most->layout.ndisks, f->source);
  if (f->placement.count > 1 || most->start > 0 || most->end != UINT64_MAX) {
    fputs(", bytes ", out);
    show_range(out, most);
  }
  fputc('\n', out);
  for (uint32_t i = 0; i < f->placement.count; i++)
    if (&f->placement.part[i] != most) {
      fprintf(out, "#   besides: \"%s\" for bytes ", layout_text(&f->placement.part[i].layout));
      show_range(out, &f->placement.part[i]);
      fputc('\n', out);
    }
}

/* Bytes of the part's stripes k, k + factor, ... that a file of that size has. Stripes are counted
 * from the file's beginning, as the layout does. */
static uint64_t bytes_on(const struct siox_placement_part *p, uint32_t k, uint64_t size) {
  const struct siox_layout *l = &p->layout;
  uint64_t end = p->end < size ? p->end : size, bytes = 0;
  const uint64_t edge[2] = {p->start < end ? p->start : end, end};
  for (int i = 0; i < 2; i++) { /* up to the end, less up to the start */
    uint64_t period = (uint64_t)l->unit * l->factor;
    bool long_period = l->unit > UINT64_MAX / l->factor;
    uint64_t whole = long_period ? 0 : edge[i] / period,
             rest = long_period ? edge[i] : edge[i] % period;
    uint64_t from = l->unit > UINT64_MAX / (k ? k : 1) ? UINT64_MAX : l->unit * k;
    uint64_t part = rest > from ? (rest - from < l->unit ? rest - from : l->unit) : 0;
    uint64_t up_to = whole * l->unit + part;
    bytes = i ? up_to - bytes : up_to;
  }
  return bytes;
}

void layout_show_map(FILE *out, const struct layout_found *f) {
  fprintf(out, "%s: %" PRIu64 " bytes, %s\n", f->path, f->size, f->source);
  for (uint32_t i = 0; i < f->placement.count; i++) {
    const struct siox_placement_part *p = &f->placement.part[i];
    const struct siox_layout *l = &p->layout;
    fputs("  bytes ", out);
    show_range(out, p);
    fprintf(out, " in stripes of ");
    layout_show_bytes(out, l->unit);
    fprintf(out, " on %u of %u disks\n  %8s %20s  stripes\n", l->factor, l->ndisks, "disk",
            "bytes");
    for (uint32_t k = 0; k < l->factor; k++)
      fprintf(out, "  %8u %20" PRIu64 "  %u, %" PRIu64 ", %" PRIu64 ", ...\n", l->nodes[k],
              bytes_on(p, k, f->size), k, (uint64_t)k + l->factor, (uint64_t)k + 2u * l->factor);
  }
}

json_t *layout_show_json(const struct layout_found *f) {
  json_t *parts = json_array();
  for (uint32_t i = 0; i < f->placement.count; i++) {
    const struct siox_placement_part *p = &f->placement.part[i];
    json_t *disks = json_array();
    for (uint32_t k = 0; k < p->layout.factor; k++)
      json_array_append_new(disks, json_pack("{s:i, s:I}", "disk", (int)p->layout.nodes[k], "bytes",
                                             (json_int_t)bytes_on(p, k, f->size)));
    json_array_append_new(
        parts,
        json_pack("{s:I, s:o, s:s, s:i, s:I, s:i, s:o}", "start", (json_int_t)p->start, "end",
                  p->end == UINT64_MAX ? json_null() : json_integer((json_int_t)p->end), "layout",
                  layout_text(&p->layout), "ndisks", (int)p->layout.ndisks, "unit",
                  (json_int_t)p->layout.unit, "factor", (int)p->layout.factor, "disks", disks));
  }
  return json_pack("{s:s, s:I, s:s, s:o}", "file", f->path, "bytes", (json_int_t)f->size, "source",
                   f->source, "parts", parts);
}
