#include "rpc/front/frames.h"

#include <string.h>

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
_Static_assert(sizeof preface - 1 == FRAME_PREFACE_SIZE, "RFC 9113, 3.4");

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void skip(const uint8_t **bytes, size_t *size, size_t count) {
  *bytes += count;
  *size -= count;
}

static uint32_t number_at(const uint8_t *bytes, int count) {
  uint32_t number = 0;
  for (int i = 0; i < count; i++) number = number << 8 | bytes[i];
  return number;
}

bool frames_next(frame_scan *scan, const uint8_t **bytes, size_t *size, frame_head *head, bool *wrong) {
  size_t greeting = least(FRAME_PREFACE_SIZE - scan->preface, *size);
  *wrong = memcmp(preface + scan->preface, *bytes, greeting) != 0;
  if (*wrong) return false;
  scan->preface += greeting;
  skip(bytes, size, greeting);
  size_t payload = least(scan->left, *size);
  scan->left -= payload;
  skip(bytes, size, payload);
  size_t more = least(FRAME_HEAD_SIZE - scan->have, *size);
  memcpy(scan->head + scan->have, *bytes, more);
  scan->have += more;
  skip(bytes, size, more);
  if (scan->have < FRAME_HEAD_SIZE) return false;
  scan->have = 0;
  *head = (frame_head){.length = number_at(scan->head, 3),
                       .stream = number_at(scan->head + 5, 4) & 0x7fffffffu,
                       .type = scan->head[3],
                       .flags = scan->head[4]};
  scan->left = head->length;
  return true;
}

bool frames_between(const frame_scan *scan) { return scan->have == 0 && scan->left == 0; }

static void put(uint8_t *out, uint32_t number) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(number >> (8 * (3 - i)));
}

void frames_goaway(uint32_t last_stream, uint32_t error, uint8_t out[FRAME_GOAWAY_SIZE]) {
  memcpy(out, (const uint8_t[]){0, 0, 8, FRAME_GOAWAY, 0, 0, 0, 0, 0}, FRAME_HEAD_SIZE);
  put(out + FRAME_HEAD_SIZE, last_stream);
  put(out + FRAME_HEAD_SIZE + 4, error);
}
