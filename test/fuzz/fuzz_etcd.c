/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What etcd says, and what others have put there: answers, keys, reports of nodes, and the table of
 * nodes. What is taken for a report comes back from its text. */
#include "common/word.h"
#include "daemon/etcd_text.h"
#include "daemon/nodes_table.h"
#include "daemon/nodes_text.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

void fuzz_seeds(void) {
#define HEADER "\"header\":{\"revision\":\"7\"}"
#define VALUE                                                                                      \
  "eyJvd25lciI6IjAxMjM0NTY3ODlhYmNkZWYiLCJudW1iZXIiOjEsInN0YXRlIjoiR09PRCIsInZlcmRpY3QiOiJub3RoaW" \
  "5nIn0="
  static const char *const seed[] = {
      "{" HEADER ",\"ID\":\"77\",\"TTL\":\"5\"}",
      "{" HEADER ",\"kvs\":[{\"key\":\"c2lveC9h\",\"mod_revision\":\"3\",\"value\":\"" VALUE
      "\"}],\"more\":true}",
      "{\"result\":{" HEADER ",\"events\":[{\"kv\":{\"key\":\"c2lveC9h\",\"value\":\"" VALUE
      "\"}},{\"type\":\"DELETE\",\"kv\":{\"key\":\"c2lveC9h\"}}]}}",
      "{\"result\":{" HEADER ",\"canceled\":true,\"compact_revision\":\"3\"}}",
      "{\"error\":\"etcdserver: requested lease not found\",\"code\":5}",
      "{\"owner\":\"0123456789abcdef\",\"number\":1,\"state\":\"GOOD\",\"verdict\":\"nothing\"}"};
  for (size_t i = 0; i < sizeof seed / sizeof *seed; i++) {
    const char name[] = {(char)('0' + i), 0};
    fuzz_seed(name, seed[i], strlen(seed[i]));
  }
}

static void report_of(const char *text, size_t length, struct siox_node_report *report,
                      char owner[17]) {
  char again[SIOX__NODE_VALUE], who[17];
  struct siox_node_report second = *report;
  if (siox__node_value_get(text, length, report, owner) < 0)
    return;
  const int n = siox__node_value_put(report, owner, again, sizeof again);
  FUZZ_CHECK(n > 0 && n < (int)sizeof again);
  FUZZ_CHECK(siox__node_value_get(again, (size_t)n, &second, who) == 0);
  FUZZ_CHECK(second.number == report->number && second.state == report->state &&
             second.verdict == report->verdict && !strcmp(who, owner));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct siox__etcd_item item;
  struct siox__etcd_answer a;
  struct siox__nodes_table t = {.most = 3};
  struct siox__node_news news[4];
  struct siox_node_report report = {.number = 0};
  char owner[17] = "";
  report_of((const char *)data, size, &report, owner);
  if (siox__etcd_read(&a, (const char *)data, size) == 0) {
    fuzz_touch_text(a.error);
    for (size_t i = 0; i < a.n; i++) {
      if (siox__etcd_item(&a, i, &item) < 0)
        continue;
      FUZZ_CHECK(item.key_length <= SIOX__ETCD_KEY && item.length <= SIOX__ETCD_VALUE);
      fuzz_touch(item.key, item.key_length + 1);
      fuzz_touch(item.value, item.deleted ? 0 : item.length + 1);
      if (!siox__is_word(item.key, item.key_length))
        continue;
      report = (struct siox_node_report){.number = 0};
      memcpy(report.name, item.key, item.key_length);
      memcpy(owner, "0000000000000000", sizeof owner);
      if (item.deleted)
        siox__nodes_table_drop(&t, report.name);
      else {
        report_of(item.value, item.length, &report, owner);
        (void)siox__nodes_table_put(&t, &report, owner);
      }
      FUZZ_CHECK(t.live <= t.most && t.n <= 2 * t.most);
    }
    while (siox__nodes_table_news(&t, news, 2) > 0)
      ;
    FUZZ_CHECK(t.n == t.live);
  }
  siox__nodes_table_free(&t);
  siox__etcd_answer_end(&a);
  return 0;
}
