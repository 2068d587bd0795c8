/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The node's watts from its management controller: DCMI's Get Power Reading (DCMI 1.5, 6.6.1) over
 * Linux's IPMI device. The controller takes milliseconds to seconds to answer, so a command is sent
 * in one cycle and its answer taken in a later one; nobody waits.
 *
 * Controllers renew their reading about once a second; so often it is asked for. The last answer
 * holds until the next one, for HOLD_NS at most: watts that old say nothing of now. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/ipmi.h"
#include "monitor/meters.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
static const int64_t ASK_NS = SECOND, HOLD_NS = 3 * SECOND, GIVE_UP_NS = 5 * SECOND,
                     ASK_IN_VAIN_NS = 60 * SECOND; /* one that has no such command */
enum {
  GROUP_EXTENSION = 0x2c,
  GROUP_EXTENSION_ANSWER = 0x2d,
  GET_POWER_READING = 0x02,
  DCMI = 0xdc,
  SYSTEM_POWER_STATISTICS = 0x01,
  ANSWER_LENGTH = 19,
  MEASURING = 0x40, /* bit of the state: power is being measured */
  MOST_ANSWERS = 8, /* taken in one cycle */
};
/* Completion codes, IPMI 2.0 table 5-2. */
enum { CC_INVALID_COMMAND = 0xc1, CC_INVALID_FIELD = 0xcc, CC_NOT_PRIVILEGED = 0xd4 };

enum { CURRENT, LEAST, GREATEST, AVERAGE, PERIOD, NVALUES };
static const struct {
  const char *name, *unit;
} kinds[NVALUES] = {[CURRENT] = {"power", "W"},
                    [LEAST] = {"power_min", "W"},
                    [GREATEST] = {"power_max", "W"},
                    [AVERAGE] = {"power_average", "W"},
                    [PERIOD] = {"power_period", "s"}};

struct ipmi {
  const struct siox__ipmi_calls *calls;
  int fd;
  struct siox__metrics metrics;
  long message; /* the last one sent */
  bool waiting, answered;
  int error; /* of the last answer */
  int64_t sent_ns, answered_ns;
  double values[NVALUES];
};

static int call_open(void *context, const char *path) {
  (void)context;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  return fd < 0 ? siox__input_error(errno) : fd;
}
static int call_send(void *context, int fd, const struct ipmi_req *request) {
  (void)context;
  return ioctl(fd, IPMICTL_SEND_COMMAND, request) < 0 ? siox__input_error(errno) : 0;
}
static int call_receive(void *context, int fd, struct ipmi_recv *answer) {
  (void)context;
  if (ioctl(fd, IPMICTL_RECEIVE_MSG_TRUNC, answer) == 0)
    return 1;
  return errno == EAGAIN || errno == EINTR ? 0
         : errno == EMSGSIZE               ? SIOX_ERANGE
                                           : siox__input_error(errno);
}
static void call_close(void *context, int fd) {
  (void)context;
  close(fd);
}
static const struct siox__ipmi_calls kernel = {call_open, call_send, call_receive, call_close,
                                               NULL};

static int ask(struct ipmi *d, int64_t now_ns) {
  unsigned char data[] = {DCMI, SYSTEM_POWER_STATISTICS, 0, 0};
  struct ipmi_system_interface_addr address = {.addr_type = IPMI_SYSTEM_INTERFACE_ADDR_TYPE,
                                               .channel = IPMI_BMC_CHANNEL};
  const struct ipmi_req request = {.addr = (unsigned char *)&address,
                                   .addr_len = sizeof address,
                                   .msgid = ++d->message,
                                   .msg = {.netfn = GROUP_EXTENSION,
                                           .cmd = GET_POWER_READING,
                                           .data_len = sizeof data,
                                           .data = data}};
  d->sent_ns = now_ns;
  const int e = d->calls->send(d->calls->context, d->fd, &request);
  d->waiting = e == 0;
  return e;
}

static double word(const unsigned char *p) { return p[0] | p[1] << 8; }

/* What an answer's bytes say: 0 and the values, or why they say nothing. */
static int judge(const unsigned char *p, size_t length, double values[NVALUES]) {
  if (length == 0)
    return SIOX_ESYNTAX;
  if (p[0] == CC_INVALID_COMMAND || p[0] == CC_INVALID_FIELD)
    return SIOX_ENOENT; /* it has no DCMI, or no power reading */
  if (p[0] == CC_NOT_PRIVILEGED)
    return SIOX_EPERM;
  if (p[0] != 0)
    return SIOX_EIO;
  if (length < ANSWER_LENGTH || p[1] != DCMI)
    return SIOX_ESYNTAX;
  if (!(p[18] & MEASURING))
    return SIOX_EUNKNOWN;
  values[CURRENT] = word(p + 2);
  values[LEAST] = word(p + 4);
  values[GREATEST] = word(p + 6);
  values[AVERAGE] = word(p + 8);
  values[PERIOD] = (word(p + 14) + 65536 * word(p + 16)) * 1e-3;
  return values[CURRENT] > 0 ? 0 : SIOX_ERANGE; /* what answers takes watts */
}

/* Takes answers until there are none; those to other messages are nobody's. */
static void take(struct ipmi *d, int64_t now_ns) {
  for (int i = 0; i < MOST_ANSWERS; i++) {
    struct ipmi_system_interface_addr address;
    unsigned char data[64];
    struct ipmi_recv answer = {.addr = (unsigned char *)&address,
                               .addr_len = sizeof address,
                               .msg = {.data = data, .data_len = sizeof data}};
    const int got = d->calls->receive(d->calls->context, d->fd, &answer);
    if (got == 0)
      return;
    if (got < 0 && got != SIOX_ERANGE) {
      d->error = got;
      return;
    }
    if (!d->waiting || answer.recv_type != IPMI_RESPONSE_RECV_TYPE || answer.msgid != d->message ||
        answer.msg.netfn != GROUP_EXTENSION_ANSWER || answer.msg.cmd != GET_POWER_READING)
      continue;
    d->waiting = false;
    d->error = got < 0 || answer.msg.data_len > sizeof data
                   ? SIOX_ESYNTAX
                   : judge(data, answer.msg.data_len, d->values);
    d->answered = d->error == 0;
    d->answered_ns = now_ns;
  }
}

static int read_ipmi(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct ipmi *d = state;
  take(d, now_ns);
  if (d->waiting && now_ns - d->sent_ns >= GIVE_UP_NS) {
    d->waiting = d->answered = false;
    d->error = SIOX_EIO;
  }
  const int64_t pause = d->error == SIOX_ENOENT ? ASK_IN_VAIN_NS : ASK_NS;
  if (!d->waiting && (d->message == 0 || now_ns - d->sent_ns >= pause)) {
    const int e = ask(d, now_ns);
    if (e < 0)
      d->error = e;
  }
  int e = d->error;
  if (e == 0 && !d->answered)
    e = SIOX_EUNKNOWN; /* the first answer is still to come */
  if (e == 0 && now_ns - d->answered_ns > HOLD_NS)
    e = SIOX_EIO;
  const bool ordered =
      d->values[LEAST] <= d->values[AVERAGE] && d->values[AVERAGE] <= d->values[GREATEST];
  for (int i = 0; i < NVALUES; i++)
    readings[i] = (struct siox_reading){
        .error = e == 0 && !ordered && i != CURRENT ? SIOX_ERANGE : e, .value = d->values[i]};
  return 0;
}

/* A descriptor of the device, wherever it is. */
static int open_device(const struct siox_provider_env *env, const struct siox__ipmi_calls *calls,
                       char *why, size_t size) {
  static const char *const devices[] = {"/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"};
  int result = SIOX_ENOENT;
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    char path[256];
    if (snprintf(path, sizeof path, "%s%s", env->root, devices[i]) >= (int)sizeof path)
      return SIOX_ERANGE;
    const int fd = calls->open(calls->context, path);
    if (fd >= 0)
      return fd;
    if (i == 0 || fd != SIOX_ENOENT) {
      result = fd;
      snprintf(why, size, "%s: %s%s", path, siox_strerror(fd),
               fd == SIOX_ENOENT ? " (kernel modules ipmi_si and ipmi_devintf make it)" : "");
    }
  }
  return result;
}

static void close_ipmi(void *state) {
  struct ipmi *d = state;
  if (d->fd >= 0)
    d->calls->close(d->calls->context, d->fd);
  siox__metrics_free(&d->metrics);
  free(d);
}

static int add_metrics(struct ipmi *d) {
  for (int i = 0; i < NVALUES; i++) {
    struct siox_metric *m =
        siox__metrics_add(&d->metrics, SIOX_METRIC_GAUGE, kinds[i].name, "", kinds[i].unit);
    if (!m)
      return SIOX_ENOMEM;
    if (i == PERIOD)
      continue;
    m->polarity = SIOX_LESS_IS_BETTER;
    m->bound = siox__meter_most(SIOX_DOMAIN_NODE);
    /* The others are figures over the controller's period, of no domain: a least power of 0 W, from
     * the time when the node was off, is no dead meter. */
    if (i == CURRENT)
      m->domain = SIOX_DOMAIN_NODE;
  }
  return 0;
}

int siox__ipmi_open(const struct siox_provider_env *env, const struct siox__ipmi_calls *calls,
                    void **state, struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  int e = siox__settings_known(env, "ipmi", known, diag);
  if (e < 0)
    return e;
  struct ipmi *d = calloc(1, sizeof *d);
  if (!d)
    return SIOX_ENOMEM;
  d->calls = calls;
  d->fd = open_device(env, calls, diag->text, sizeof diag->text);
  e = d->fd < 0 ? d->fd : add_metrics(d);
  if (e < 0)
    close_ipmi(d);
  else
    *state = d;
  return e;
}

void siox__ipmi_probe(const struct siox_provider_env *env, const struct siox__ipmi_calls *calls,
                      struct siox_probe *probe) {
  *probe = (struct siox_probe){.resolution_s = 1};
  const int fd = open_device(env, calls, probe->why, sizeof probe->why);
  if (fd >= 0) {
    calls->close(calls->context, fd);
    probe->why[0] = 0;
    return;
  }
  probe->error = fd;
  if (fd == SIOX_EPERM)
    snprintf(
        probe->grant, sizeof probe->grant,
        "sudo setfacl -m u:$(id -un):rw /dev/ipmi0  # until reboot; whoever may write to it can "
        "switch the machine off and change its controller's users");
}

static size_t metrics_of_ipmi(void *state, const struct siox_metric **out) {
  struct ipmi *d = state;
  *out = d->metrics.list;
  return d->metrics.n;
}
static int open_ipmi(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  return siox__ipmi_open(env, &kernel, state, diag);
}
static void probe_ipmi(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__ipmi_probe(env, &kernel, probe);
}

const struct siox_provider siox__provider_ipmi = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "ipmi",
    .about = "watts of the node from its management controller (IPMI DCMI: /dev/ipmi0)",
    .priority = 30,
    .probe = probe_ipmi,
    .open = open_ipmi,
    .metrics = metrics_of_ipmi,
    .read = read_ipmi,
    .close = close_ipmi,
};
