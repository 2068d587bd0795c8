/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of packets and ring records: every length before the bytes it speaks of, every text for
 * its end. */
#include "daemon/message.h"
#include "siox/error.h"
#include <limits.h>
#include <string.h>

static int bad(const char **why, const char *text) {
  *why = text;
  return SIOX_EPROTO;
}

static int terminated(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

static int check_claim(const unsigned char *body, size_t bytes, int exact,
                       const struct siox_claim_header **head, const struct siox_claim_run **runs,
                       const char **why) {
  if (bytes < sizeof **head)
    return bad(why, "claim: shorter than its header");
  *head = (const struct siox_claim_header *)body;
  *runs = (const struct siox_claim_run *)(*head + 1);
  size_t rest = bytes - sizeof **head;
  if ((*head)->version != SIOX_CLAIM_VERSION)
    return bad(why, "claim: version");
  /* Runs are multiples of 8 bytes, so a ring record holds exactly what its header says, too. */
  if ((*head)->nruns != rest / sizeof **runs || (exact && rest % sizeof **runs))
    return bad(why, "claim: nruns does not match the length");
  return 0;
}

static int check_open(const unsigned char *body, size_t bytes, struct siox__message *out,
                      const char **why) {
  const struct siox_msg_open *open = (const struct siox_msg_open *)body;
  if (bytes < sizeof *open)
    return bad(why, "open: shorter than its fixed part");
  size_t rest = bytes - sizeof *open;
  if (open->path_length > rest || open->layout_length != rest - open->path_length)
    return bad(why, "open: lengths do not match the packet");
  const char *path = (const char *)(open + 1);
  if (!open->path_length || open->path_length >= PATH_MAX || *path != '/')
    return bad(why, "open: path is not absolute");
  if (memchr(path, 0, rest))
    return bad(why, "open: NUL inside a text");
  out->u.open.head = open;
  out->u.open.path = path;
  out->u.open.layout = path + open->path_length;
  return 0;
}

int siox__message_check(const void *packet, size_t bytes, struct siox__message *out,
                        const char **why) {
  *why = "";
  if (bytes < sizeof out->head)
    return bad(why, "shorter than a message head");
  memcpy(&out->head, packet, sizeof out->head);
  if (out->head.magic != SIOX_WIRE_MAGIC)
    return bad(why, "magic");
  if (out->head.version != SIOX_WIRE_VERSION) {
    *why = "version";
    return SIOX_EVERSION;
  }
  if (out->head.length != bytes || bytes > SIOX_WIRE_MAX)
    return bad(why, "length");
  const unsigned char *body = (const unsigned char *)packet + sizeof out->head;
  bytes -= sizeof out->head;
  switch (out->head.type) {
  case SIOX_MSG_HELLO:
    if (bytes != sizeof out->u.hello && bytes != SIOX_HELLO_LEAST)
      return bad(why, "hello: length");
    out->u.hello.delay_budget = -1;
    memcpy(&out->u.hello, body, bytes);
    if (!terminated(out->u.hello.job, sizeof out->u.hello.job) ||
        !terminated(out->u.hello.program, sizeof out->u.hello.program))
      return bad(why, "hello: text without end");
    if (!(out->u.hello.delay_budget <= 1)) /* nor a NaN */
      return bad(why, "hello: delay budget");
    return 0;
  case SIOX_MSG_OPEN:
    return check_open(body, bytes, out, why);
  case SIOX_MSG_IO:
    out->u.io = (const struct siox_msg_io *)body;
    return bytes == sizeof *out->u.io ? 0 : bad(why, "io: length");
  case SIOX_MSG_DRIVE:
    out->u.drive = (const struct siox_msg_drive *)body;
    return bytes == sizeof *out->u.drive ? 0 : bad(why, "drive: length");
  case SIOX_MSG_CLAIM:
    return check_claim(body, bytes, 1, &out->u.claim.head, &out->u.claim.runs, why);
  case SIOX_MSG_TOTALS:
    return bytes == 0 ? 0 : bad(why, "totals: length");
  case SIOX_MSG_BYE:
    return bytes == 0 ? 0 : bad(why, "bye: length");
  case SIOX_MSG_CONTROL:
    out->u.control.text = (const char *)body;
    out->u.control.length = bytes;
    return bytes ? 0 : bad(why, "control: empty");
  default:
    return bad(why, "type");
  }
}

static int check_site(const unsigned char *body, size_t bytes, struct siox__record *out,
                      const char **why) {
  const struct siox_rec_site *site = (const struct siox_rec_site *)body;
  if (bytes < sizeof *site)
    return bad(why, "site: length");
  size_t texts = (size_t)site->file_length + site->function_length + site->call_length;
  if (texts > bytes - sizeof *site)
    return bad(why, "site: texts longer than the record");
  out->u.site.head = site;
  out->u.site.file = (const char *)(site + 1);
  out->u.site.function = out->u.site.file + site->file_length;
  out->u.site.call = out->u.site.function + site->function_length;
  return 0;
}

static int check_opened(const unsigned char *body, size_t bytes, struct siox__record *out,
                        const char **why) {
  const struct siox_rec_opened *opened = (const struct siox_rec_opened *)body;
  if (bytes < sizeof *opened)
    return bad(why, "opened: length");
  if (opened->length > bytes - sizeof *opened || opened->length > SIOX_HINTS_MOST)
    return bad(why, "opened: text longer than the record, or than may be");
  out->u.opened.head = opened;
  out->u.opened.hints = (const char *)(opened + 1);
  return 0;
}

int siox__record_check(const void *record, size_t bytes, struct siox__record *out,
                       const char **why) {
  *why = "";
  if (bytes < sizeof out->head)
    return bad(why, "record: shorter than its head");
  memcpy(&out->head, record, sizeof out->head);
  const unsigned char *body = (const unsigned char *)record + sizeof out->head;
  bytes -= sizeof out->head;
  size_t wanted;
  switch (out->head.type) {
  case SIOX_REC_CLAIM:
    return check_claim(body, bytes, 0, &out->u.claim.head, &out->u.claim.runs, why);
  case SIOX_REC_SITE:
    return check_site(body, bytes, out, why);
  case SIOX_REC_CALL:
    if (bytes != sizeof out->u.call && bytes != SIOX_REC_CALL_LEAST)
      return bad(why, "record: length");
    out->u.call.size = 0;
    memcpy(&out->u.call, body, bytes);
    return 0;
  case SIOX_REC_SYNC:
    out->u.sync = (const struct siox_rec_sync *)body;
    wanted = sizeof *out->u.sync;
    if (bytes == wanted && out->u.sync->kind > SIOX_SYNC_TO_ROOT)
      return bad(why, "sync: kind");
    break;
  case SIOX_REC_MESSAGE:
    out->u.message = (const struct siox_rec_message *)body;
    wanted = sizeof *out->u.message;
    break;
  case SIOX_REC_WAIT:
    out->u.wait = (const struct siox_rec_wait *)body;
    wanted = sizeof *out->u.wait;
    break;
  case SIOX_REC_MISSING:
    out->u.missing = (const struct siox_rec_missing *)body;
    wanted = sizeof *out->u.missing;
    break;
  case SIOX_REC_OPENED:
    return check_opened(body, bytes, out, why);
  case SIOX_REC_ENTER:
    out->u.enter = (const struct siox_rec_enter *)body;
    wanted = sizeof *out->u.enter;
    if (bytes == wanted && (out->u.enter->self >= out->u.enter->size || out->u.enter->offset < -1 ||
                            out->u.enter->bytes < 0))
      return bad(why, "enter: rank or range");
    break;
  case SIOX_REC_POSIX:
    out->u.posix = (const struct siox_rec_posix *)body;
    wanted = sizeof *out->u.posix;
    break;
  default:
    return bad(why, "record: type");
  }
  return bytes == wanted ? 0 : bad(why, "record: length");
}
