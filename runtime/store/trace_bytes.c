/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and texts as bytes, and the checksum of a trace's blocks. */
#include "store/trace_wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CRC-32C (Castagnoli, reflected polynomial 82F63B78, RFC 3720 B.4), four bits a step. */
uint32_t siox__crc32c(uint32_t crc, const void *data, size_t bytes) {
  static const uint32_t nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                      0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                      0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                      0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
  const uint8_t *p = data;
  crc = ~crc;
  for (size_t i = 0; i < bytes; i++) {
    crc ^= p[i];
    crc = crc >> 4 ^ nibble[crc & 15];
    crc = crc >> 4 ^ nibble[crc & 15];
  }
  return ~crc;
}

void siox__out_bytes(struct siox__out *out, const void *data, size_t bytes) {
  if (out->failed)
    return;
  if (bytes > out->room - out->length) {
    size_t room = out->room ? out->room : 256;
    while (room - out->length < bytes)
      room *= 2;
    uint8_t *grown = realloc(out->data, room);
    if (!grown) {
      out->failed = SIOX_ENOMEM;
      return;
    }
    out->data = grown;
    out->room = room;
  }
  if (bytes)
    memcpy(out->data + out->length, data, bytes);
  out->length += bytes;
}

void siox__out_varint(struct siox__out *out, uint64_t value) {
  uint8_t byte[10];
  size_t n = 0;
  for (; value >= 0x80; value >>= 7)
    byte[n++] = (uint8_t)(value | 0x80);
  byte[n++] = (uint8_t)value;
  siox__out_bytes(out, byte, n);
}

void siox__out_fixed64(struct siox__out *out, uint64_t value) {
  uint8_t byte[8];
  for (int i = 0; i < 8; i++)
    byte[i] = (uint8_t)(value >> 8 * i);
  siox__out_bytes(out, byte, sizeof byte);
}

void siox__out_fixed32(struct siox__out *out, uint32_t value) {
  uint8_t byte[4];
  for (int i = 0; i < 4; i++)
    byte[i] = (uint8_t)(value >> 8 * i);
  siox__out_bytes(out, byte, sizeof byte);
}

void siox__out_double(struct siox__out *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  siox__out_fixed64(out, bits);
}

void siox__out_string(struct siox__out *out, const char *text) {
  size_t length = text ? strlen(text) : 0;
  siox__out_varint(out, length);
  siox__out_bytes(out, text, length);
}

void siox__in_fail(struct siox__in *in, const char *why) {
  if (in->failed)
    return;
  in->failed = SIOX_EPROTO;
  in->why = why;
}

uint64_t siox__in_varint(struct siox__in *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; !in->failed; shift += 7) {
    if (in->at >= in->length) {
      siox__in_fail(in, "a number runs past its block");
      break;
    }
    uint8_t byte = in->data[in->at++];
    if (shift == 63 && byte > 1) {
      siox__in_fail(in, "a number is wider than 64 bits");
      break;
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  return 0;
}

uint64_t siox__in_fixed64(struct siox__in *in) {
  if (in->failed || in->length - in->at < 8) {
    siox__in_fail(in, "a number runs past its block");
    return 0;
  }
  uint64_t value = 0;
  for (int i = 0; i < 8; i++)
    value |= (uint64_t)in->data[in->at++] << 8 * i;
  return value;
}

uint32_t siox__in_number(struct siox__in *in, uint32_t max, const char *why) {
  uint64_t value = siox__in_varint(in);
  if (value <= max)
    return (uint32_t)value;
  siox__in_fail(in, why);
  return 0;
}

double siox__in_double(struct siox__in *in) {
  uint64_t bits = siox__in_fixed64(in);
  double value;
  memcpy(&value, &bits, sizeof value);
  if (isfinite(value))
    return value;
  siox__in_fail(in, "a number is not finite");
  return 0;
}

void siox__in_string(struct siox__in *in, char **text) {
  uint64_t length = siox__in_varint(in);
  if (!in->failed && (length > SIOX__TRACE_STRING_MAX || length > in->length - in->at))
    siox__in_fail(in, "a text runs past its block or its limit");
  if (!in->failed && memchr(in->data + in->at, 0, (size_t)length))
    siox__in_fail(in, "a text has a NUL inside");
  if (in->failed)
    length = 0;
  char *copy = malloc((size_t)length + 1);
  if (!copy) {
    in->failed = SIOX_ENOMEM;
    in->why = "out of memory";
    return;
  }
  if (length)
    memcpy(copy, in->data + in->at, (size_t)length);
  copy[length] = 0;
  in->at += (size_t)length;
  free(*text);
  *text = copy;
}
