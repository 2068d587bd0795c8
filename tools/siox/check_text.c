/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The check of hints for people. */
#include "check.h"

static long long integer(const json_t *o, const char *key) {
  return (long long)json_integer_value(json_object_get(o, key));
}
static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}
static const char *string(const json_t *o, const char *key, const char *none) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : none;
}

static void outside(FILE *out, const json_t *e) {
  long long from = integer(e, "offset");
  fprintf(out, "    outside: rank %lld, %s%s, %s %s, bytes %lld to %lld: disk %lld, at %.3f s\n",
          integer(e, "rank"), string(e, "site", "no call known"),
          json_is_true(json_object_get(e, "collective")) ? " (collective)" : "",
          string(e, "op", "?"), string(e, "file", "?"), from, from + integer(e, "bytes") - 1,
          integer(e, "disk"), real(e, "seconds"));
}

static void unused(FILE *out, const json_t *e) {
  fprintf(out, "      not used: disk %lld after %s (%s), %.3f to %.3f s, then %s: %s",
          integer(e, "disk"), string(e, "after", "no call known"), string(e, "file", "?"),
          real(e, "from"), real(e, "to"),
          json_is_true(json_object_get(e, "used_again")) ? "used again" : "the end",
          string(e, "why", "?"));
  if (json_object_get(e, "kept_by_rank"))
    fprintf(out, " by rank %lld", integer(e, "kept_by_rank"));
  fputc('\n', out);
}

/* The items that the check names are the first of so many. */
static void print_list(FILE *out, const json_t *items, long long of, const char *indent,
                       void (*print)(FILE *out, const json_t *item)) {
  size_t i;
  json_t *item;
  json_array_foreach(items, i, item) print(out, item);
  long long more = of - (long long)json_array_size(items);
  if (more > 0)
    fprintf(out, "%sand %lld more\n", indent, more);
}

static void windows(FILE *out, const json_t *check) {
  const json_t *sets = json_object_get(check, "windows"),
               *disks = json_object_get(check, "disk_windows");
  fprintf(out, "    windows: %lld of %lld used (%lld of %lld disk by disk)", integer(sets, "used"),
          integer(sets, "eligible"), integer(disks, "used"), integer(disks, "eligible"));
  if (json_is_number(json_object_get(check, "break_even_seconds")))
    fprintf(out, "; a gap pays from %.3f s", real(check, "break_even_seconds"));
  fputc('\n', out);
  print_list(out, json_object_get(check, "first_unused"),
             integer(disks, "eligible") - integer(disks, "used"), "      ", unused);
}

void siox__check_print(FILE *out, const json_t *check) {
  const char *why = string(check, "why", NULL);
  fprintf(out, "  check of hints: %s%s%s\n",
          json_is_true(json_object_get(check, "passed")) ? "passed" : "FAILED", why ? ": " : "",
          why ? why : "");
  if (!json_object_get(check, "accesses"))
    return;
  fprintf(out, "    requests: %lld, of them outside the prediction %lld",
          integer(check, "accesses"), integer(check, "outside"));
  if (integer(check, "outside_but_predicted_by_another_rank"))
    fprintf(out, " (%lld predicted by another rank)",
            integer(check, "outside_but_predicted_by_another_rank"));
  if (integer(check, "unhinted"))
    fprintf(out, "; %lld of jobs without hints", integer(check, "unhinted"));
  fputc('\n', out);
  print_list(out, json_object_get(check, "first_outside"), integer(check, "outside"), "    ",
             outside);
  fprintf(out, "    disks a burst, summed: %lld predicted, %lld touched",
          integer(check, "predicted"), integer(check, "touched"));
  if (json_is_number(json_object_get(check, "predicted_per_touched")))
    fprintf(out, ": %.3f", real(check, "predicted_per_touched"));
  fprintf(out, "\n    given up without a time and then used: %lld\n", integer(check, "unforetold"));
  windows(out, check);
  fprintf(out,
          "    %lld changes of speed; needed disks below full speed for %.3f s, for one request "
          "%.3f s at most\n",
          integer(check, "transitions"), real(check, "below_full_seconds"),
          real(check, "longest_below_full_seconds"));
}
