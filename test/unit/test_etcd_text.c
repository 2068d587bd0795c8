/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* etcd's JSON: requests and answers by hand. Base64 is that of RFC 4648, section 10. */
#include "daemon/etcd_text.h"
#include "siox/error.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static void base64_is_that_of_the_rfc(void **unused) {
  (void)unused;
  static const char *const text[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                     "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (size_t n = 0; n < 7; n++) {
    char out[16], back[16];
    siox__base64_put("foobar", n, out);
    assert_string_equal(out, text[n]);
    assert_int_equal(siox__base64_get(out, strlen(out), back, sizeof back), (int)n);
    assert_memory_equal(back, "foobar", n);
  }
  char out[8];
  siox__base64_put("\xfb\xff\xbf", 3, out);
  assert_string_equal(out, "+/+/");
}

static void what_is_no_base64_is_refused(void **unused) {
  (void)unused;
  static const char *const bad[] = {"Z",    "Zg",   "Zg=",  "====", "Z===",  "Zg==Zg==",
                                    "Zh==", "Zm9=", "Z-8=", " Zg=", "Zg=\n", "=Zm8"};
  char out[16];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(siox__base64_get(bad[i], strlen(bad[i]), out, sizeof out), SIOX_ESYNTAX);
  assert_int_equal(siox__base64_get("Zm\0v", 4, out, sizeof out), SIOX_ESYNTAX);
  assert_int_equal(siox__base64_get("Zm9v", 4, out, 2), SIOX_ERANGE);
}

static void check(char *got, const char *expected) {
  assert_string_equal(got, expected);
  free(got);
}

static void requests_are_what_the_gateway_reads(void **unused) {
  (void)unused;
  check(siox__etcd_put("foo", "bar", 3, 7),
        "{\"key\":\"Zm9v\",\"value\":\"YmFy\",\"lease\":\"7\"}");
  check(siox__etcd_delete("foo"), "{\"key\":\"Zm9v\"}");
  check(siox__etcd_range("foo", "foo\0", 4, 256, INT64_MAX),
        "{\"key\":\"Zm9vAA==\",\"range_end\":\"Zm9w\",\"limit\":\"256\","
        "\"revision\":\"9223372036854775807\"}");
  check(siox__etcd_watch("foo", 12), "{\"create_request\":{\"key\":\"Zm9v\",\"range_end\":\"Zm9w\","
                                     "\"start_revision\":\"12\"}}");
  check(siox__etcd_grant(10), "{\"TTL\":\"10\"}");
  check(siox__etcd_lease(2324035688692596741), "{\"ID\":\"2324035688692596741\"}");
}

static struct siox__etcd_answer a;
static struct siox__etcd_item item;

static int hear(const char *text) {
  siox__etcd_answer_end(&a);
  return siox__etcd_read(&a, text, strlen(text));
}

#define HEADER                                                                                     \
  "\"header\":{\"cluster_id\":\"32\",\"member_id\":\"33\",\"revision\":\"17\",\"raft_term\":"      \
  "\"2\"}"

static void leases_have_numbers_and_times(void **unused) {
  (void)unused;
  assert_int_equal(hear("{" HEADER ",\"ID\":\"2324035688692596741\",\"TTL\":\"5\"}"), 0);
  assert_true(a.id == 2324035688692596741 && a.ttl == 5 && a.revision == 17);
  assert_int_equal(hear("{\"result\":{" HEADER ",\"ID\":\"123\"}}"), 0); /* it is gone */
  assert_true(a.id == 123 && a.ttl == 0);
}

static void a_list_has_keys_and_a_watch_has_events(void **unused) {
  (void)unused;
  assert_int_equal(
      hear("{" HEADER ",\"kvs\":[{\"key\":\"Zm9v\",\"create_revision\":\"2\","
           "\"mod_revision\":\"3\",\"version\":\"2\",\"value\":\"YmFy\"},"
           "{\"key\":\"YQ==\",\"mod_revision\":\"4\"}],\"more\":true,\"count\":\"9\"}"),
      0);
  assert_true(a.n == 2 && a.more && !a.events);
  assert_int_equal(siox__etcd_item(&a, 0, &item), 0);
  assert_string_equal(item.key, "foo");
  assert_string_equal(item.value, "bar");
  assert_true(item.revision == 3 && !item.deleted);
  assert_int_equal(siox__etcd_item(&a, 1, &item), 0);
  assert_string_equal(item.key, "a");
  assert_int_equal(item.length, 0);

  assert_int_equal(hear("{\"result\":{" HEADER ",\"created\":true}}"), 0);
  assert_true(a.created && a.n == 0);
  assert_int_equal(hear("{\"result\":{" HEADER
                        ",\"events\":[{\"kv\":{\"key\":\"Zm9v\",\"mod_revision\":\"4\","
                        "\"value\":\"YmFy\"}},{\"type\":\"DELETE\",\"kv\":{\"key\":\"Zm9v\","
                        "\"mod_revision\":\"5\"}}]}}"),
                   0);
  assert_true(a.n == 2 && a.events);
  assert_int_equal(siox__etcd_item(&a, 0, &item), 0);
  assert_false(item.deleted);
  assert_int_equal(siox__etcd_item(&a, 1, &item), 0);
  assert_true(item.deleted && item.revision == 5);
  assert_int_equal(siox__etcd_item(&a, 2, &item), SIOX_ESYNTAX);
}

static void errors_are_told_apart(void **unused) {
  (void)unused;
  assert_int_equal(hear("{\"error\":\"etcdserver: requested lease not found\",\"message\":"
                        "\"etcdserver: requested lease not found\",\"code\":5}"),
                   0);
  assert_true(a.no_lease && !a.compacted);
  assert_string_equal(a.error, "etcdserver: requested lease not found");
  assert_int_equal(hear("{\"error\":{\"message\":\"a\\nb\\u00e9\",\"http_code\":503}}"), 0);
  assert_string_equal(a.error, "a?b??");
  assert_int_equal(hear("{\"error\":\"etcdserver: mvcc: required revision has been compacted\"}"),
                   0);
  assert_true(a.compacted);
  assert_int_equal(hear("{\"error\":7}"), 0);
  assert_string_equal(a.error, "an error without words");
  assert_int_equal(hear("{\"result\":{" HEADER ",\"canceled\":true,\"compact_revision\":\"3\"}}"),
                   0);
  assert_true(a.canceled && a.compacted);
  assert_int_equal(hear("{\"result\":{" HEADER ",\"canceled\":true}}"), 0);
  assert_true(a.canceled && !a.compacted);
}

static void what_is_no_answer_is_refused(void **unused) {
  (void)unused;
  static const char *const bad[] = {
      "",
      "no",
      "[]",
      "3",
      "{}",
      "{\"header\":[]}",
      "{\"header\":{\"revision\":\"\"}}",
      "{\"header\":{\"revision\":\"-1\"}}",
      "{\"header\":{\"revision\":\"1x\"}}",
      "{\"header\":{\"revision\":1.5}}",
      "{\"header\":{\"revision\":\"9223372036854775808\"}}",
      "{\"header\":{\"revision\":\"1\"},\"header\":{\"revision\":\"1\"}}",
      "{" HEADER ",\"ID\":[]}",
      "{" HEADER ",\"kvs\":{}}",
      "{\"result\":[]}",
      "{" HEADER "} {" HEADER "}",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(hear(bad[i]), SIOX_ESYNTAX);
  assert_int_equal(hear("{\"header\":{\"revision\":\"9223372036854775807\"}}"), 0);
  assert_true(a.revision == INT64_MAX);
}

static void what_is_no_key_is_refused_one_by_one(void **unused) {
  (void)unused;
  assert_int_equal(hear("{" HEADER ",\"kvs\":[3,{},{\"key\":3},{\"key\":\"Zm9\"},"
                        "{\"key\":\"Zm9v\",\"value\":\"?\"},{\"key\":\"Zm9v\",\"mod_revision\":[]},"
                        "{\"key\":\"Zm9v\"}]}"),
                   0);
  assert_int_equal(a.n, 7);
  for (size_t i = 0; i < 6; i++)
    if (i != 1) /* a key without bytes is one */
      assert_int_equal(siox__etcd_item(&a, i, &item), SIOX_ESYNTAX);
  assert_int_equal(siox__etcd_item(&a, 6, &item), 0);
}

/* {"kvs":[{"key": of KEY bytes, "value": of VALUE bytes}]} of 'x' */
static void hear_long(size_t key, size_t value) {
  char *plain = malloc(key + value), *k = malloc(SIOX__BASE64_LENGTH(key) + 1),
       *v = malloc(SIOX__BASE64_LENGTH(value) + 1);
  const size_t size = SIOX__BASE64_LENGTH(key) + SIOX__BASE64_LENGTH(value) + 200;
  char *text = malloc(size);
  assert_true(plain && k && v && text);
  memset(plain, 'x', key + value);
  siox__base64_put(plain, key, k);
  siox__base64_put(plain, value, v);
  snprintf(text, size, "{" HEADER ",\"kvs\":[{\"key\":\"%s\",\"value\":\"%s\"}]}", k, v);
  assert_int_equal(hear(text), 0);
  free(plain);
  free(k);
  free(v);
  free(text);
}

static void what_is_too_long_is_refused_and_the_key_is_known(void **unused) {
  (void)unused;
  hear_long(SIOX__ETCD_KEY, SIOX__ETCD_VALUE);
  assert_int_equal(siox__etcd_item(&a, 0, &item), 0);
  assert_int_equal(item.length, SIOX__ETCD_VALUE);
  hear_long(3, SIOX__ETCD_VALUE + 1);
  assert_int_equal(siox__etcd_item(&a, 0, &item), SIOX_ERANGE);
  assert_string_equal(item.key, "xxx");
  assert_false(item.key_is_longer);
  hear_long(SIOX__ETCD_KEY + 1, 3);
  assert_int_equal(siox__etcd_item(&a, 0, &item), SIOX_ERANGE);
  assert_int_equal(item.key_length, SIOX__ETCD_KEY);
  assert_true(item.key_is_longer);
  siox__etcd_answer_end(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base64_is_that_of_the_rfc),
      cmocka_unit_test(what_is_no_base64_is_refused),
      cmocka_unit_test(requests_are_what_the_gateway_reads),
      cmocka_unit_test(leases_have_numbers_and_times),
      cmocka_unit_test(a_list_has_keys_and_a_watch_has_events),
      cmocka_unit_test(errors_are_told_apart),
      cmocka_unit_test(what_is_no_answer_is_refused),
      cmocka_unit_test(what_is_no_key_is_refused_one_by_one),
      cmocka_unit_test(what_is_too_long_is_refused_and_the_key_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
