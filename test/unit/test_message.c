/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of packets and ring records: whatever arrives, nothing beyond its bytes is read (asan) and
 * what is not exactly a message of wire.h is refused with the field's name. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "daemon/message.h"
#include "siox/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A packet in memory of exactly its size, so that a read beyond it is caught. */
static void *packet(uint16_t type, const void *body, size_t bytes) {
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = type,
                               .length = (uint32_t)(sizeof head + bytes)};
  unsigned char *p = malloc(sizeof head + bytes);
  memcpy(p, &head, sizeof head);
  if (bytes)
    memcpy(p + sizeof head, body, bytes);
  return p;
}

static int check(uint16_t type, const void *body, size_t bytes, struct siox__message *out,
                 const char **why) {
  void *p = packet(type, body, bytes);
  int r = siox__message_check(p, sizeof(struct siox_msg_head) + bytes, out, why);
  free(p); /* out's pointers are not used by the callers of this one */
  return r;
}

static void refused(uint16_t type, const void *body, size_t bytes, const char *field) {
  struct siox__message m;
  const char *why;
  assert_int_equal(check(type, body, bytes, &m, &why), SIOX_EPROTO);
  assert_string_equal(why, field);
}

static void whole_messages_are_taken(void **state) {
  (void)state;
  struct siox__message m;
  const char *why;
  struct siox_msg_hello hello = {.job = "j", .program = "p", .delay_budget = 0.25};
  assert_int_equal(check(SIOX_MSG_HELLO, &hello, sizeof hello, &m, &why), 0);
  assert_true(m.u.hello.delay_budget == 0.25);
  struct siox_msg_io io = {.bytes = 1};
  assert_int_equal(check(SIOX_MSG_IO, &io, sizeof io, &m, &why), 0);
  assert_int_equal(check(SIOX_MSG_BYE, NULL, 0, &m, &why), 0);
  assert_int_equal(check(SIOX_MSG_TOTALS, NULL, 0, &m, &why), 0);
  assert_int_equal(check(SIOX_MSG_CONTROL, "{}", 2, &m, &why), 0);
  struct {
    struct siox_claim_header head;
    struct siox_claim_run run[3];
  } claim = {.head = {.version = SIOX_CLAIM_VERSION, .nruns = 3}};
  assert_int_equal(check(SIOX_MSG_CLAIM, &claim, sizeof claim, &m, &why), 0);
}

static void open_gives_its_two_texts(void **state) {
  (void)state;
  unsigned char body[sizeof(struct siox_msg_open) + 9];
  struct siox_msg_open open = {.path_length = 4, .layout_length = 5};
  memcpy(body, &open, sizeof open);
  memcpy(body + sizeof open, "/a/b1:2:3", 9);
  void *p = packet(SIOX_MSG_OPEN, body, sizeof body);
  struct siox__message m;
  const char *why;
  assert_int_equal(siox__message_check(p, sizeof(struct siox_msg_head) + sizeof body, &m, &why), 0);
  assert_memory_equal(m.u.open.path, "/a/b", 4);
  assert_memory_equal(m.u.open.layout, "1:2:3", 5);
  free(p);
}

static void every_shorter_packet_is_refused(void **state) {
  (void)state;
  static const struct {
    uint16_t type;
    size_t bytes;
  } fixed[] = {{SIOX_MSG_HELLO, sizeof(struct siox_msg_hello)},
               {SIOX_MSG_IO, sizeof(struct siox_msg_io)},
               {SIOX_MSG_OPEN, sizeof(struct siox_msg_open)},
               {SIOX_MSG_CLAIM, sizeof(struct siox_claim_header)}};
  static const unsigned char zeros[sizeof(struct siox_msg_hello)];
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    for (size_t bytes = 0; bytes < fixed[i].bytes; bytes++) {
      struct siox__message m;
      const char *why;
      if (fixed[i].type == SIOX_MSG_HELLO && bytes == SIOX_HELLO_LEAST)
        continue;
      assert_int_equal(check(fixed[i].type, zeros, bytes, &m, &why), SIOX_EPROTO);
    }
}

static void a_hello_of_before_delay_budgets_has_none(void **state) {
  (void)state;
  struct siox_msg_hello hello = {.job = "j", .program = "p", .delay_budget = 0.25};
  struct siox__message m;
  const char *why;
  assert_int_equal(check(SIOX_MSG_HELLO, &hello, SIOX_HELLO_LEAST, &m, &why), 0);
  assert_true(m.u.hello.delay_budget < 0);
  assert_string_equal(m.u.hello.program, "p");
}

static void a_delay_budget_that_is_no_part_is_refused(void **state) {
  (void)state;
  struct siox_msg_hello hello = {.delay_budget = NAN};
  refused(SIOX_MSG_HELLO, &hello, sizeof hello, "hello: delay budget");
  hello.delay_budget = 1.5;
  refused(SIOX_MSG_HELLO, &hello, sizeof hello, "hello: delay budget");
}

static void wrong_head_is_refused_by_field(void **state) {
  (void)state;
  struct siox_msg_head *head = packet(SIOX_MSG_BYE, NULL, 0);
  struct siox__message m;
  const char *why;
  head->magic = 1;
  assert_int_equal(siox__message_check(head, sizeof *head, &m, &why), SIOX_EPROTO);
  assert_string_equal(why, "magic");
  head->magic = SIOX_WIRE_MAGIC;
  head->version = SIOX_WIRE_VERSION + 1;
  assert_int_equal(siox__message_check(head, sizeof *head, &m, &why), SIOX_EVERSION);
  head->version = SIOX_WIRE_VERSION;
  head->length = UINT32_MAX;
  assert_int_equal(siox__message_check(head, sizeof *head, &m, &why), SIOX_EPROTO);
  assert_string_equal(why, "length");
  head->length = sizeof *head;
  head->type = SIOX_MSG_DONE; /* a reply is nothing to be asked */
  assert_int_equal(siox__message_check(head, sizeof *head, &m, &why), SIOX_EPROTO);
  assert_string_equal(why, "type");
  free(head);
}

static void absurd_lengths_inside_are_refused(void **state) {
  (void)state;
  struct siox_msg_open open = {.path_length = UINT32_MAX, .layout_length = 1};
  refused(SIOX_MSG_OPEN, &open, sizeof open, "open: lengths do not match the packet");
  open = (struct siox_msg_open){.path_length = 0, .layout_length = UINT32_MAX};
  refused(SIOX_MSG_OPEN, &open, sizeof open, "open: lengths do not match the packet");
  struct siox_claim_header claim = {.version = SIOX_CLAIM_VERSION, .nruns = UINT32_MAX};
  refused(SIOX_MSG_CLAIM, &claim, sizeof claim, "claim: nruns does not match the length");
}

static void texts_without_end_are_refused(void **state) {
  (void)state;
  struct siox_msg_hello hello = {0};
  memset(hello.job, 'x', sizeof hello.job);
  refused(SIOX_MSG_HELLO, &hello, sizeof hello, "hello: text without end");
}

static int record(uint16_t type, const void *body, size_t bytes, struct siox__record *out,
                  const char **why) {
  struct siox_rec_head head = {.bytes = (uint32_t)(sizeof head + bytes), .type = type};
  unsigned char *p = malloc(sizeof head + bytes);
  memcpy(p, &head, sizeof head);
  if (bytes)
    memcpy(p + sizeof head, body, bytes);
  int r = siox__record_check(p, sizeof head + bytes, out, why);
  free(p);
  return r;
}

static void records_must_have_their_size(void **state) {
  (void)state;
  static const struct {
    uint16_t type;
    size_t bytes;
  } fixed[] = {{SIOX_REC_SYNC, sizeof(struct siox_rec_sync)},
               {SIOX_REC_MESSAGE, sizeof(struct siox_rec_message)},
               {SIOX_REC_WAIT, sizeof(struct siox_rec_wait)},
               {SIOX_REC_POSIX, sizeof(struct siox_rec_posix)},
               {SIOX_REC_MISSING, sizeof(struct siox_rec_missing)}};
  static const unsigned char zeros[256];
  struct siox__record r;
  const char *why;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    for (size_t bytes = 0; bytes <= 128; bytes += 8)
      assert_int_equal(record(fixed[i].type, zeros, bytes, &r, &why),
                       bytes == fixed[i].bytes ? 0 : SIOX_EPROTO);
  assert_int_equal(record(SIOX_REC_PAD, zeros, 8, &r, &why), SIOX_EPROTO);
  assert_int_equal(record(99, zeros, 8, &r, &why), SIOX_EPROTO);
}

static void a_call_may_end_before_what_a_collective_has(void **state) {
  (void)state;
  const struct siox_rec_call call = {.end = 1, .call = 2, .result = 3, .size = 4, .self = 3};
  struct siox__record r;
  const char *why;
  for (size_t bytes = 0; bytes <= sizeof call; bytes += 8)
    assert_int_equal(record(SIOX_REC_CALL, &call, bytes, &r, &why),
                     bytes == sizeof call || bytes == SIOX_REC_CALL_LEAST ? 0 : SIOX_EPROTO);
  assert_int_equal(record(SIOX_REC_CALL, &call, SIOX_REC_CALL_LEAST, &r, &why), 0);
  assert_int_equal(r.u.call.result, 3);
  assert_int_equal(r.u.call.size, 0);
  assert_int_equal(record(SIOX_REC_CALL, &call, sizeof call, &r, &why), 0);
  assert_int_equal(r.u.call.size, 4);
  assert_int_equal(r.u.call.self, 3);
}

static void site_texts_must_fit_the_record(void **state) {
  (void)state;
  struct {
    struct siox_rec_site head;
    char text[8];
  } site = {.head = {.file_length = 3, .function_length = 3, .call_length = 2}};
  struct siox__record r;
  const char *why;
  assert_int_equal(record(SIOX_REC_SITE, &site, sizeof site, &r, &why), 0);
  site.head.call_length = UINT16_MAX;
  assert_int_equal(record(SIOX_REC_SITE, &site, sizeof site, &r, &why), SIOX_EPROTO);
}

static void hints_of_an_open_must_fit_the_record(void **state) {
  (void)state;
  struct {
    struct siox_rec_opened head;
    char text[8 + SIOX_HINTS_MOST];
  } opened = {.head = {.ranks = 2, .length = 8}};
  struct siox__record r;
  const char *why;
  const size_t least = sizeof opened.head + 8;
  assert_int_equal(record(SIOX_REC_OPENED, &opened, least, &r, &why), 0);
  opened.head.length = 9;
  assert_int_equal(record(SIOX_REC_OPENED, &opened, least, &r, &why), SIOX_EPROTO);
  opened.head.length = UINT32_MAX;
  assert_int_equal(record(SIOX_REC_OPENED, &opened, least, &r, &why), SIOX_EPROTO);
  opened.head.length = SIOX_HINTS_MOST + 1;
  assert_int_equal(record(SIOX_REC_OPENED, &opened, sizeof opened, &r, &why), SIOX_EPROTO);
  assert_int_equal(record(SIOX_REC_OPENED, &opened, sizeof opened.head - 8, &r, &why), SIOX_EPROTO);
}

static void random_bodies_never_read_beyond_the_packet(void **state) {
  (void)state;
  srand(3);
  unsigned char body[300];
  for (int i = 0; i < 100000; i++) {
    size_t bytes = (size_t)rand() % sizeof body;
    for (size_t k = 0; k < bytes; k++)
      body[k] = rand() % 4 ? 0 : (unsigned char)rand();
    struct siox__message m;
    struct siox__record r;
    const char *why;
    check((uint16_t)(rand() % 13), body, bytes, &m, &why);
    record((uint16_t)(rand() % 9), body, bytes, &r, &why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_messages_are_taken),
      cmocka_unit_test(open_gives_its_two_texts),
      cmocka_unit_test(every_shorter_packet_is_refused),
      cmocka_unit_test(a_hello_of_before_delay_budgets_has_none),
      cmocka_unit_test(a_delay_budget_that_is_no_part_is_refused),
      cmocka_unit_test(wrong_head_is_refused_by_field),
      cmocka_unit_test(absurd_lengths_inside_are_refused),
      cmocka_unit_test(texts_without_end_are_refused),
      cmocka_unit_test(records_must_have_their_size),
      cmocka_unit_test(a_call_may_end_before_what_a_collective_has),
      cmocka_unit_test(site_texts_must_fit_the_record),
      cmocka_unit_test(hints_of_an_open_must_fit_the_record),
      cmocka_unit_test(random_bodies_never_read_beyond_the_packet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
