/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* DCMI power readings, with the test as the management controller. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include "monitor/ipmi.h"
#include <stdio.h>

/* The controller: what it was asked, and the answer that it has ready. */
static struct bmc {
  int opening, sending, receiving;
  bool open;
  int asked;
  struct ipmi_req request;
  struct ipmi_system_interface_addr address;
  unsigned char command[16];
  int ready; /* times that the answer is given */
  struct ipmi_recv answer;
  unsigned char data[128];
  char path[256];
} bmc;

static int bmc_open(void *context, const char *path) {
  struct bmc *b = context;
  snprintf(b->path, sizeof b->path, "%s", path);
  if (b->opening < 0)
    return b->opening;
  b->open = true;
  return 7;
}
static int bmc_send(void *context, int fd, const struct ipmi_req *request) {
  struct bmc *b = context;
  assert_int_equal(fd, 7);
  assert_true(b->open);
  b->asked++;
  b->request = *request;
  assert_true(request->msg.data_len <= sizeof b->command);
  memcpy(b->command, request->msg.data, request->msg.data_len);
  memcpy(&b->address, request->addr, sizeof b->address);
  return b->sending;
}
static int bmc_receive(void *context, int fd, struct ipmi_recv *answer) {
  struct bmc *b = context;
  assert_int_equal(fd, 7);
  if (b->ready == 0)
    return b->receiving;
  b->ready--;
  answer->recv_type = b->answer.recv_type;
  answer->msgid = b->answer.msgid;
  answer->msg.netfn = b->answer.msg.netfn;
  answer->msg.cmd = b->answer.msg.cmd;
  const bool cut = b->answer.msg.data_len > answer->msg.data_len;
  if (!cut)
    answer->msg.data_len = b->answer.msg.data_len;
  memcpy(answer->msg.data, b->data, answer->msg.data_len);
  return cut ? SIOX_ERANGE : 1;
}
static void bmc_close(void *context, int fd) {
  struct bmc *b = context;
  assert_int_equal(fd, 7);
  assert_true(b->open);
  b->open = false;
}
static const struct siox__ipmi_calls calls = {bmc_open, bmc_send, bmc_receive, bmc_close, &bmc};
static int open_with_calls(const struct siox_provider_env *env, void **state,
                           struct siox_diag *diag) {
  return siox__ipmi_open(env, &calls, state, diag);
}
static struct siox_provider ipmi;

/* Gets an answer to the last question ready: the layout of DCMI 1.5, table 6-16. */
static void answer(int current, int least, int greatest, int average) {
  const unsigned char data[19] = {
      0, /* completion code */
      0xdc,
      (unsigned char)current,
      (unsigned char)(current >> 8),
      (unsigned char)least,
      (unsigned char)(least >> 8),
      (unsigned char)greatest,
      (unsigned char)(greatest >> 8),
      (unsigned char)average,
      (unsigned char)(average >> 8),
      1, /* time stamp */
      2,
      3,
      4,
      0xe8, /* 1000 ms */
      3,
      0,
      0,
      0x40, /* power is measured */
  };
  memcpy(bmc.data, data, sizeof data);
  bmc.answer = (struct ipmi_recv){.recv_type = IPMI_RESPONSE_RECV_TYPE,
                                  .msgid = bmc.request.msgid,
                                  .msg = {.netfn = 0x2d, .cmd = 2, .data_len = sizeof data}};
  bmc.ready = 1;
}
static const struct siox_series *power(struct meter_test *t) {
  return meter_series(t, "power", "");
}
static int error_of(struct meter_test *t) { return power(t)->last.error; }
/* A node that was asked and has not answered yet. */
static void start(struct meter_test *t) {
  bmc = (struct bmc){0};
  ipmi = siox__provider_ipmi;
  ipmi.open = open_with_calls;
  meter_new(t);
  meter_collect(t, &ipmi);
  meter_cycle(t, 0);
}
static void finish(struct meter_test *t) {
  meter_free(t);
  assert_false(bmc.open);
}

static void the_question_is_dcmis_get_power_reading_to_the_controller(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  assert_int_equal(bmc.request.msg.netfn, 0x2c);
  assert_int_equal(bmc.request.msg.cmd, 0x02);
  assert_int_equal(bmc.request.msg.data_len, 4);
  assert_memory_equal(bmc.command, "\xdc\x01\x00\x00", 4);
  assert_int_equal(bmc.address.addr_type, IPMI_SYSTEM_INTERFACE_ADDR_TYPE);
  assert_int_equal(bmc.address.channel, IPMI_BMC_CHANNEL);
  finish(&t);
}

static void the_answer_is_taken_in_a_later_cycle(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  assert_int_equal(error_of(&t), SIOX_EUNKNOWN);
  answer(350, 200, 500, 320);
  meter_cycle(&t, 100);
  assert_near(power(&t)->last.value, 350, 0);
  assert_near(meter_series(&t, "power_min", "")->last.value, 200, 0);
  assert_near(meter_series(&t, "power_max", "")->last.value, 500, 0);
  assert_near(meter_series(&t, "power_average", "")->last.value, 320, 0);
  assert_near(meter_series(&t, "power_period", "")->last.value, 1, 1e-12);
  finish(&t);
}

/* A node that was off has a least power of 0 W: only what flows now is a meter. */
static void figures_over_the_period_are_no_meters(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  assert_int_equal(error_of(&t), SIOX_EUNKNOWN);
  answer(350, 0, 500, 320);
  meter_cycle(&t, 100);
  assert_near(meter_series(&t, "power_min", "")->last.value, 0, 0);
  assert_int_equal(meter_series(&t, "power_min", "")->metric.domain, SIOX_DOMAIN_NONE);
  assert_int_equal(power(&t)->metric.domain, SIOX_DOMAIN_NODE);
  finish(&t);
}

static void each_joule_counts_once_until_the_next_answer(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  double sum = 0;
  for (int i = 1; i <= 9; i++)
    sum += siox_cycle_joules(meter_cycle(&t, 100 * i), NULL);
  assert_near(sum, 350 * 0.9, 1e-9);
  assert_int_equal(bmc.asked, 1); /* once a second */
  meter_cycle(&t, 1000);
  assert_int_equal(bmc.asked, 2);
  answer(100, 100, 500, 320);
  assert_near(siox_cycle_joules(meter_cycle(&t, 1100), NULL), 10, 1e-9);
  finish(&t);
}

static void without_an_answer_the_last_one_does_not_hold_for_long(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  meter_cycle(&t, 100);
  meter_cycle(&t, 1000); /* asks */
  meter_cycle(&t, 3000);
  assert_int_equal(error_of(&t), 0);
  meter_cycle(&t, 3200);
  assert_int_equal(error_of(&t), SIOX_EIO);
  assert_int_equal(bmc.asked, 2); /* and is not pressed */
  meter_cycle(&t, 6000);          /* given up: asked anew */
  assert_int_equal(bmc.asked, 3);
  answer(300, 200, 500, 320);
  meter_cycle(&t, 6100);
  assert_near(power(&t)->last.value, 300, 0);
  finish(&t);
}

static void an_answer_to_another_message_is_left(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.answer.msgid++;
  meter_cycle(&t, 100);
  assert_int_equal(error_of(&t), SIOX_EUNKNOWN);
  answer(350, 200, 500, 320);
  bmc.answer.msg.cmd = 3;
  meter_cycle(&t, 200);
  answer(350, 200, 500, 320);
  bmc.answer.msg.netfn = 0x2c;
  meter_cycle(&t, 300);
  answer(350, 200, 500, 320);
  bmc.answer.recv_type = IPMI_ASYNC_EVENT_RECV_TYPE;
  meter_cycle(&t, 400);
  assert_int_equal(error_of(&t), SIOX_EUNKNOWN);
  answer(350, 200, 500, 320);
  meter_cycle(&t, 500);
  assert_near(power(&t)->last.value, 350, 0);
  finish(&t);
}

static void a_late_answer_to_a_question_given_up_is_left(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  const long first = bmc.request.msgid;
  meter_cycle(&t, 5000);
  assert_int_equal(bmc.asked, 2);
  answer(999, 200, 500, 320);
  bmc.answer.msgid = first;
  meter_cycle(&t, 5100);
  assert_true(error_of(&t) < 0);
  finish(&t);
}

static void a_controller_that_floods_does_not_hold_the_cycle(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.answer.msgid++;
  bmc.ready = 1000000;
  meter_cycle(&t, 100);
  assert_true(bmc.ready > 999000);
  finish(&t);
}

static void completion_codes_are_told_apart(void **unused) {
  (void)unused;
  static const struct {
    int code, error;
  } cases[] = {{0xc1, SIOX_ENOENT}, {0xcc, SIOX_ENOENT}, {0xd4, SIOX_EPERM},
               {0xc3, SIOX_EIO},    {0xff, SIOX_EIO},    {0x80, SIOX_EIO}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct meter_test t;
    start(&t);
    answer(350, 200, 500, 320);
    bmc.data[0] = (unsigned char)cases[i].code;
    bmc.answer.msg.data_len = i % 2 ? 1 : 19;
    meter_cycle(&t, 100);
    assert_int_equal(error_of(&t), cases[i].error);
    finish(&t);
  }
}

static void a_controller_without_the_command_is_asked_once_a_minute(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.data[0] = 0xc1;
  for (int i = 1; i < 600; i++)
    meter_cycle(&t, 100 * i);
  assert_int_equal(bmc.asked, 1);
  meter_cycle(&t, 60000);
  assert_int_equal(bmc.asked, 2);
  finish(&t);
}

static void a_short_answer_is_lost(void **unused) {
  (void)unused;
  for (unsigned short length = 0; length < 19; length++) {
    struct meter_test t;
    start(&t);
    answer(350, 200, 500, 320);
    bmc.answer.msg.data_len = length;
    meter_cycle(&t, 100);
    assert_int_equal(error_of(&t), SIOX_ESYNTAX);
    finish(&t);
  }
}

static void an_answer_that_does_not_fit_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.answer.msg.data_len = 128;
  meter_cycle(&t, 100);
  assert_int_equal(error_of(&t), SIOX_ESYNTAX);
  finish(&t);
}

static void an_answer_of_another_group_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.data[1] = 0xdd;
  meter_cycle(&t, 100);
  assert_int_equal(error_of(&t), SIOX_ESYNTAX);
  finish(&t);
}

static void a_controller_that_does_not_measure_has_no_watts(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  bmc.data[18] = 0;
  meter_cycle(&t, 100);
  assert_int_equal(error_of(&t), SIOX_EUNKNOWN);
  assert_int_equal(power(&t)->last.state, SIOX_SAMPLE_LOST);
  finish(&t);
}

static void no_watts_and_more_than_a_node_can_take_are_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(0, 0, 500, 320);
  meter_cycle(&t, 100);
  assert_int_equal(power(&t)->last.state, SIOX_SAMPLE_LOST);
  meter_cycle(&t, 1000);
  answer(54000, 200, 500, 320); /* scaphandre#441 */
  meter_cycle(&t, 1100);
  assert_int_equal(power(&t)->last.state, SIOX_SAMPLE_LOST);
  finish(&t);
}

static void statistics_that_contradict_each_other_are_lost_and_the_reading_is_not(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 600, 500, 320);
  meter_cycle(&t, 100);
  assert_int_equal(error_of(&t), 0);
  assert_int_equal(meter_series(&t, "power_min", "")->last.state, SIOX_SAMPLE_LOST);
  finish(&t);
}

static void a_device_that_goes_away_is_lost_and_comes_back(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  answer(350, 200, 500, 320);
  meter_cycle(&t, 100);
  bmc.receiving = bmc.sending = SIOX_ENOENT;
  meter_cycle(&t, 1000);
  assert_int_equal(error_of(&t), SIOX_ENOENT);
  bmc.receiving = bmc.sending = 0;
  meter_cycle(&t, 61000);
  answer(340, 200, 500, 320);
  meter_cycle(&t, 61100);
  assert_near(power(&t)->last.value, 340, 0);
  finish(&t);
}

static void a_machine_without_the_device_says_what_makes_it(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  siox__provider_ipmi.probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "/dev/ipmi0"));
  assert_non_null(strstr(probe.why, "ipmi_devintf"));
  assert_near(probe.resolution_s, 1, 0);
  assert_int_equal(meter_refused(&t, &siox__provider_ipmi), SIOX_ENOENT);
  meter_free(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  bmc = (struct bmc){.opening = SIOX_EPERM};
  siox__ipmi_probe(&t.env, &calls, &probe);
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_non_null(strstr(probe.grant, "setfacl"));
  assert_true(strlen(probe.grant) < sizeof probe.grant - 1);
  meter_free(&t);
}

static void a_file_in_place_of_the_device_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  tree_put(&t.tree, "/dev/ipmi0", "350\n");
  meter_collect(&t, &siox__provider_ipmi);
  meter_cycle(&t, 0);
  meter_cycle(&t, 100);
  assert_int_equal(power(&t)->last.error, SIOX_EIO);
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_question_is_dcmis_get_power_reading_to_the_controller),
      cmocka_unit_test(the_answer_is_taken_in_a_later_cycle),
      cmocka_unit_test(figures_over_the_period_are_no_meters),
      cmocka_unit_test(each_joule_counts_once_until_the_next_answer),
      cmocka_unit_test(without_an_answer_the_last_one_does_not_hold_for_long),
      cmocka_unit_test(an_answer_to_another_message_is_left),
      cmocka_unit_test(a_late_answer_to_a_question_given_up_is_left),
      cmocka_unit_test(a_controller_that_floods_does_not_hold_the_cycle),
      cmocka_unit_test(completion_codes_are_told_apart),
      cmocka_unit_test(a_controller_without_the_command_is_asked_once_a_minute),
      cmocka_unit_test(a_short_answer_is_lost),
      cmocka_unit_test(an_answer_that_does_not_fit_is_lost),
      cmocka_unit_test(an_answer_of_another_group_is_lost),
      cmocka_unit_test(a_controller_that_does_not_measure_has_no_watts),
      cmocka_unit_test(no_watts_and_more_than_a_node_can_take_are_lost),
      cmocka_unit_test(statistics_that_contradict_each_other_are_lost_and_the_reading_is_not),
      cmocka_unit_test(a_device_that_goes_away_is_lost_and_comes_back),
      cmocka_unit_test(a_machine_without_the_device_says_what_makes_it),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
      cmocka_unit_test(a_file_in_place_of_the_device_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
