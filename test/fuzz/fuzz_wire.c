/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a peer of the daemon may send: a packet, a ring record, or a ring full of anything. What is
 * found good goes to a bank as the daemon's sessions hand it on. First byte of an input: which. */
#include "daemon/message.h"
#include "fuzz.h"
#include "siox/bank.h"
#include "siox/knowledge.h"
#include "siox/layout.h"
#include <stdlib.h>
#include <string.h>

enum { PACKET, RECORD, RING, KINDS };
enum { NDISKS = 8, RING_BYTES = 4096 };

static struct siox_drive drive = {
    .nlevels = 2,
    .level = {{5000, true, 2, 3, 20e6, 6e6}, {15000, true, 8, 11, 60e6, 2e6}},
    .ramp = true,
    .ramp_ns_per_speed = 1e5,
    .base_w = 1,
    .span_w = 7,
    .rule = SIOX_RULE_B,
    .time_scale = 1};

static struct siox_bank *make_bank(uint32_t *client) {
  const struct siox_drive *drives[NDISKS];
  for (int d = 0; d < NDISKS; d++)
    drives[d] = &drive;
  struct siox_bank_options o = {.ndisks = NDISKS, .drive = drives, .policy = "siox"};
  struct siox_bank *bank;
  uint32_t job;
  FUZZ_CHECK(siox_bank_create(&bank, &o) == 0);
  FUZZ_CHECK(siox_bank_job(bank, "job", &job) == 0);
  FUZZ_CHECK(siox_bank_join(bank, 0, job, client) == 0);
  return bank;
}

static void claim(struct siox_bank *bank, uint32_t client, const struct siox_claim_header *head,
                  const struct siox_claim_run *runs) {
  fuzz_touch(runs, head->nruns * sizeof *runs);
  int64_t now = siox_bank_now(bank);
  int rc = siox_bank_claim(bank, now, client, head, runs);
  FUZZ_CHECK(rc <= 0);
  int64_t next = siox_bank_advance(bank, now);
  if (next != SIOX_NEVER)
    siox_bank_advance(bank, next);
}

static void access_file(struct siox_bank *bank, uint32_t client, const struct siox_msg_io *io) {
  struct siox_layout layout;
  struct siox_service service;
  if (io->offset < 0 || io->bytes < 0)
    return;
  FUZZ_CHECK(siox_layout_triplet(&layout, NDISKS, 0, NDISKS, 65536) == 0);
  struct siox_request r = {.arrival = siox_bank_now(bank),
                           .client = client,
                           .file = io->file,
                           .layout = &layout,
                           .offset = io->offset,
                           .bytes = io->bytes};
  FUZZ_CHECK(siox_bank_access(bank, &r, &service) <= 0);
  siox_layout_free(&layout);
}

static void take_packet(const void *data, size_t size) {
  struct siox__message m;
  const char *why;
  uint32_t client;
  int rc = siox__message_check(data, size, &m, &why);
  FUZZ_CHECK(rc <= 0 && why && (rc == 0 || *why));
  if (rc < 0)
    return;
  struct siox_bank *bank = make_bank(&client);
  switch (m.head.type) {
  case SIOX_MSG_HELLO:
    fuzz_touch_text(m.u.hello.job);
    fuzz_touch_text(m.u.hello.program);
    break;
  case SIOX_MSG_OPEN: {
    fuzz_touch(m.u.open.path, m.u.open.head->path_length);
    char *text = strndup(m.u.open.layout, m.u.open.head->layout_length);
    struct siox_layout layout;
    if (text && siox_layout_parse(&layout, NDISKS, text) == 0) {
      siox_bank_open(bank, 0, client, &layout);
      siox_layout_free(&layout);
    }
    free(text);
    break;
  }
  case SIOX_MSG_IO:
    access_file(bank, client, m.u.io);
    break;
  case SIOX_MSG_CLAIM:
    claim(bank, client, m.u.claim.head, m.u.claim.runs);
    break;
  case SIOX_MSG_CONTROL:
    fuzz_touch(m.u.control.text, m.u.control.length);
    break;
  default:
    break;
  }
  siox_bank_destroy(bank);
}

static void take_record(const void *data, size_t size) {
  struct siox__record r;
  const char *why;
  int rc = siox__record_check(data, size, &r, &why);
  FUZZ_CHECK(rc <= 0 && why && (rc == 0 || *why));
  if (rc < 0)
    return;
  if (r.head.type == SIOX_REC_SITE) {
    fuzz_touch(r.u.site.file, r.u.site.head->file_length);
    fuzz_touch(r.u.site.function, r.u.site.head->function_length);
    fuzz_touch(r.u.site.call, r.u.site.head->call_length);
  } else if (r.head.type == SIOX_REC_OPENED) {
    struct siox_settings settings;
    char *hints = strndup(r.u.opened.hints, r.u.opened.head->length);
    if (hints)
      FUZZ_CHECK(siox_settings_parse(&settings, hints) <= 0);
    free(hints);
  } else if (r.head.type == SIOX_REC_CLAIM) {
    uint32_t client;
    struct siox_bank *bank = make_bank(&client);
    claim(bank, client, r.u.claim.head, r.u.claim.runs);
    siox_bank_destroy(bank);
  } else {
    fuzz_touch((const char *)data + sizeof r.head, size - sizeof r.head);
  }
}

/* head and tail from the input, too. */
static void take_ring(const uint8_t *data, size_t size) {
  uint64_t ends[2] = {0, 0};
  struct siox_ring *ring = aligned_alloc(64, siox__ring_size(RING_BYTES));
  uint64_t *record = malloc(RING_BYTES);
  if (!ring || !record)
    abort();
  memset((void *)ring, 0, siox__ring_size(RING_BYTES));
  siox__ring_init(ring);
  memcpy(ends, data, size < sizeof ends ? size : sizeof ends);
  size_t rest = size < sizeof ends ? 0 : size - sizeof ends;
  if (rest)
    memcpy(ring + 1, data + sizeof ends, rest < RING_BYTES ? rest : RING_BYTES);
  atomic_store(&ring->head, ends[0]);
  atomic_store(&ring->tail, ends[1]);
  int got, turns = 0;
  while ((got = siox__ring_get(ring, RING_BYTES, record, RING_BYTES)) > 0) {
    uint64_t *exact = malloc((size_t)got);
    if (!exact)
      abort();
    memcpy(exact, record, (size_t)got);
    take_record(exact, (size_t)got);
    free(exact);
    FUZZ_CHECK(++turns <= RING_BYTES / 16);
  }
  free(record);
  free(ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  uint8_t kind = data[0] % KINDS;
  data++;
  size--;
  if (kind == RING) {
    take_ring(data, size);
    return 0;
  }
  uint64_t *exact = malloc(size + 1); /* aligned, and nothing behind it */
  if (!exact)
    abort();
  memcpy(exact, data, size);
  (kind == PACKET ? take_packet : take_record)(exact, size);
  free(exact);
  return 0;
}

/* A packet or record of this type around a body. */
static void seed(const char *name, uint8_t kind, uint16_t type, const void *body, size_t bytes) {
  uint8_t data[1024];
  size_t head = kind == PACKET ? sizeof(struct siox_msg_head) : sizeof(struct siox_rec_head);
  struct siox_msg_head packet = {.magic = SIOX_WIRE_MAGIC,
                                 .version = SIOX_WIRE_VERSION,
                                 .type = type,
                                 .length = (uint32_t)(head + bytes)};
  struct siox_rec_head record = {.bytes = (uint32_t)(head + bytes), .type = type, .time = 5};
  data[0] = kind;
  memcpy(data + 1, kind == PACKET ? (void *)&packet : (void *)&record, head);
  if (bytes)
    memcpy(data + 1 + head, body, bytes);
  fuzz_seed(name, data, 1 + head + bytes);
}

static void seed_ring(void) {
  struct siox_ring *ring = aligned_alloc(64, siox__ring_size(RING_BYTES));
  if (!ring)
    abort();
  memset((void *)ring, 0, siox__ring_size(RING_BYTES));
  siox__ring_init(ring);
  struct siox_rec_wait wait = {1, 2, 3, 0};
  struct siox_rec_head head = {.type = SIOX_REC_WAIT};
  for (int i = 0, wake; i < 3; i++)
    FUZZ_CHECK(siox__ring_put(ring, RING_BYTES, &head, &wait, sizeof wait, NULL, 0, SIOX_PUT_URGENT,
                              &wake) == 0);
  uint8_t data[256] = {RING};
  uint64_t ends[2] = {atomic_load(&ring->head), 0};
  memcpy(data + 1, ends, sizeof ends);
  memcpy(data + 1 + sizeof ends, ring + 1, ends[0]);
  fuzz_seed("ring", data, 1 + sizeof ends + ends[0]);
  free(ring);
}

void fuzz_seeds(void) {
  struct siox_msg_hello hello = {
      .rank = 1, .size = 2, .pid = 3, .job = "job", .program = "program"};
  struct {
    struct siox_msg_open head;
    char text[16];
  } open = {{.dev = 1, .ino = 2, .size = 100, .path_length = 9, .layout_length = 7},
            "/scratch/0:8:64K"};
  struct siox_msg_io io = {.arrival = 1, .file = 1, .offset = 70000, .bytes = 100000};
  struct {
    struct siox_claim_header head;
    struct siox_claim_run run[2];
  } claim = {{SIOX_CLAIM_VERSION, 0, 2, 1, 5, 7},
             {{0, 3, 0, 0, 1000000000, SIOX_NEVER}, {5, 3, SIOX_SPEED_FULL, 1, 0, SIOX_NEVER}}};
  struct {
    struct siox_rec_site head;
    char text[24];
  } site = {{7, 1, 2, 3, 4, 12, 0}, "a.cmainMPI_File_read"};
  struct siox_rec_call call = {.start = 1, .end = 2, .site = 7, .size = 2, .self = 1};
  struct siox_rec_sync sync = {.enter = 1, .leave = 2, .uid = 3, .size = 2};
  struct siox_rec_message message = {.start = 1, .end = 2};
  struct siox_rec_missing missing = {.what = 1, .count = 2};
  struct siox_rec_posix posix = {.start = 1, .file = 9, .offset = 64, .bytes = 3, .call = 12};
  struct siox_rec_enter enter = {.uid = 1, .seq = 2, .file = 1, .bytes = 3, .size = 2, .self = 1};
  struct {
    struct siox_rec_opened head;
    char text[16];
  } opened = {.head = {.ranks = 2, .length = 10}, .text = "cb_nodes=4"};
  struct siox_msg_drive which = {.disk = 1};
  seed("hello", PACKET, SIOX_MSG_HELLO, &hello, sizeof hello);
  seed("open", PACKET, SIOX_MSG_OPEN, &open, sizeof open.head + 16);
  seed("io", PACKET, SIOX_MSG_IO, &io, sizeof io);
  seed("claim", PACKET, SIOX_MSG_CLAIM, &claim, sizeof claim);
  seed("control", PACKET, SIOX_MSG_CONTROL, "{\"ask\":\"status\"}", 16);
  seed("drive", PACKET, SIOX_MSG_DRIVE, &which, sizeof which);
  seed("bye", PACKET, SIOX_MSG_BYE, NULL, 0);
  seed("totals", PACKET, SIOX_MSG_TOTALS, NULL, 0);
  seed("record-claim", RECORD, SIOX_REC_CLAIM, &claim, sizeof claim);
  seed("record-site", RECORD, SIOX_REC_SITE, &site, sizeof site);
  seed("record-call", RECORD, SIOX_REC_CALL, &call, sizeof call);
  seed("record-call-alone", RECORD, SIOX_REC_CALL, &call, SIOX_REC_CALL_LEAST);
  seed("record-sync", RECORD, SIOX_REC_SYNC, &sync, sizeof sync);
  seed("record-message", RECORD, SIOX_REC_MESSAGE, &message, sizeof message);
  seed("record-enter", RECORD, SIOX_REC_ENTER, &enter, sizeof enter);
  seed("record-posix", RECORD, SIOX_REC_POSIX, &posix, sizeof posix);
  seed("record-opened", RECORD, SIOX_REC_OPENED, &opened, sizeof opened);
  seed("record-missing", RECORD, SIOX_REC_MISSING, &missing, sizeof missing);
  seed_ring();
}
