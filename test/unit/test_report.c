/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports as text: of a process, and of ranks together. */
#include "client/report.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[8192];

static const char *written(struct siox__text *t) {
  *t->at = 0;
  return text;
}
static struct siox__text empty(void) { return (struct siox__text){text, text + sizeof text - 1}; }

static void numbers_are_written_as_printf_would(void **unused) {
  (void)unused;
  static const int64_t micros[] = {0, 1, -1, 999999, 1000000, -12345678, INT64_MAX, INT64_MIN + 1};
  static const uint64_t numbers[] = {0, 9, 10, 12345, UINT64_MAX};
  char expected[64];
  for (size_t i = 0; i < sizeof micros / sizeof *micros; i++) {
    struct siox__text t = empty();
    siox__put_micros(&t, micros[i], 24);
    const int64_t whole = micros[i] / 1000000, rest = llabs(micros[i] % 1000000);
    char digits[40];
    snprintf(digits, sizeof digits, "%s%lld.%06lld", micros[i] < 0 && whole == 0 ? "-" : "",
             (long long)whole, (long long)rest);
    snprintf(expected, sizeof expected, "%24s", digits);
    assert_string_equal(written(&t), expected);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct siox__text t = empty();
    siox__put_number(&t, numbers[i], 10);
    snprintf(expected, sizeof expected, "%10llu", (unsigned long long)numbers[i]);
    assert_string_equal(written(&t), expected);
  }
}

static void what_does_not_fit_is_cut(void **unused) {
  (void)unused;
  static struct siox__figures f = {.how = "exit", .rank = -1, .nrows = 12, .counted = true};
  for (uint32_t i = 0; i < f.nrows; i++)
    f.row[i] = (struct siox__report_row){
        .row = (uint16_t)i, .calls = UINT64_MAX / 16, .bytes = UINT64_MAX / 16};
  struct siox__text all = empty();
  siox__report_text(&all, "program", &f);
  const size_t length = (size_t)(all.at - text);
  char *whole = strndup(text, length);
  for (size_t size = 0; size <= length; size += 7) {
    memset(text, '#', sizeof text);
    struct siox__text t = {text, text + size};
    siox__report_text(&t, "program", &f);
    assert_true(t.at == text + size && memcmp(text, whole, size) == 0 && text[size] == '#');
  }
  free(whole);
}

static void what_a_daemon_says_cannot_hurt(void **unused) {
  (void)unused;
  struct siox__text t = empty();
  struct siox_msg_totals said = {
      .flags = SIOX_TOTALS_MONITORED, .notes = 4000000000u, .findings = 3};
  memset(said.note, '\n', sizeof said.note);
  siox__put_findings(&t, NULL, &said);
  siox__put_joules(&t, NULL, SIOX_TOTALS_DISKS | SIOX_TOTALS_PROCESSORS, 1e308,
                   (double)__builtin_nanf(""), "\033[2J", "job");
  assert_null(strchr(written(&t), '\033'));
  int lines = 0;
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  assert_int_equal(lines, 1 + SIOX_TOTALS_NOTES + 1);
}

static void programs_names_are_printable(void **unused) {
  (void)unused;
  struct siox__text t = empty();
  siox__put_name(&t, "a\nb\033c\177d\303\244", 80);
  assert_string_equal(written(&t), "a?b?c?d\303\244");
}

static char *shares_of(int n) {
  char *shares = calloc((size_t)n, SIOX__SHARE_BYTES);
  static struct siox__figures f;
  for (int r = 0; r < n; r++) {
    f = (struct siox__figures){
        .cpu_ns = 1000000000LL * (r + 1), .runtime_ns = 5000000000LL, .unasked = "no", .nrows = 2};
    f.row[0] = (struct siox__report_row){
        .row = 0, .calls = 3, .bytes = 100, .total_ns = 1000000LL * (r + 1)};
    f.row[1] = (struct siox__report_row){
        .row = SIOX_NCALLS, .calls = 7, .bytes = 1000u * (unsigned)(r + 1)};
    siox__share_make((struct siox__share *)(shares + r * SIOX__SHARE_BYTES), &f, r, r == 0);
  }
  return shares;
}

static const char *joint(const char *shares, int n) {
  static const struct siox__figures own = {.unasked = "there is no sioxd"};
  struct siox__text t = empty();
  siox__joint_text(&t, "program", &own, shares, n);
  return written(&t);
}

static void ranks_have_minimum_average_and_maximum(void **unused) {
  (void)unused;
  char *shares = shares_of(4);
  const char *said = joint(shares, 4);
  assert_non_null(strstr(said, "4 of 4 ranks on 1 node\n"));
  assert_non_null(strstr(said, "        1.000000        2.500000        4.000000  rank 3\n"));
  assert_non_null(strstr(said, "            1000            2500            4000  rank 3\n"));
  assert_non_null(strstr(said, "slowest in I/O: rank 3 "));
  assert_null(strstr(said, "no word"));
  free(shares);
}

static void shares_in_part_of_others_or_of_another_version_do_not_count(void **unused) {
  (void)unused;
  char *shares = shares_of(6);
  struct siox__share *s[6];
  for (int r = 0; r < 6; r++)
    s[r] = (struct siox__share *)(shares + r * SIOX__SHARE_BYTES);
  memset(s[1], 0, SIOX__SHARE_BYTES);    /* has not come */
  s[2]->cpu_ns++;                        /* in part */
  s[3]->version++;                       /* another libsiox's */
  memcpy(s[4], s[5], SIOX__SHARE_BYTES); /* another rank's */
  const char *said = joint(shares, 6);
  assert_non_null(strstr(said, "2 of 6 ranks"));
  assert_non_null(strstr(said, "no word from rank 1, 2, 3 (another libsiox), 4: "));
  assert_non_null(strstr(said, "        1.000000        3.500000        6.000000  rank 5\n"));
  free(shares);
}

static void nobodys_word_is_a_report_too(void **unused) {
  (void)unused;
  char *shares = calloc(100, SIOX__SHARE_BYTES);
  const char *said = joint(shares, 100);
  assert_non_null(strstr(said, "0 of 100 ranks"));
  assert_non_null(strstr(said, "10, 11 and 88 more: "));
  free(shares);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_written_as_printf_would),
      cmocka_unit_test(what_does_not_fit_is_cut),
      cmocka_unit_test(what_a_daemon_says_cannot_hurt),
      cmocka_unit_test(programs_names_are_printable),
      cmocka_unit_test(ranks_have_minimum_average_and_maximum),
      cmocka_unit_test(shares_in_part_of_others_or_of_another_version_do_not_count),
      cmocka_unit_test(nobodys_word_is_a_report_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
