// Where a page of a list ended. The order of submission is the server's, so its numbers tell how much others submit:
// they leave the server encrypted (one block of AES-256 under a key of the folder, which stays over restarts and comes
// along in backups), with zeros that show whether a text is one of ours.
#include "store/parts.h"

#include <nettle/aes.h>
#include <stdio.h>
#include <string.h>

enum { CURSOR_BYTES = (STORE_CURSOR_SIZE - 1) / 2, NUMBER_BYTES = 8 };
_Static_assert(CURSOR_BYTES == AES_BLOCK_SIZE && STORE_KEY_SIZE == AES256_KEY_SIZE, "a cursor is one block");

void store_cursor_write(const store *s, int64_t seq, char text[STORE_CURSOR_SIZE]) {
  struct aes256_ctx key;
  uint8_t block[AES_BLOCK_SIZE] = {0};
  for (int i = 0; i < NUMBER_BYTES; i++) block[i] = (uint8_t)((uint64_t)seq >> (8 * i));
  aes256_set_encrypt_key(&key, s->cursor_key);
  aes256_encrypt(&key, sizeof block, block, block);
  for (size_t i = 0; i < sizeof block; i++) snprintf(text + 2 * i, 3, "%02x", block[i]);
}

static bool read_hex(const char *text, uint8_t block[AES_BLOCK_SIZE]) {
  if (strlen(text) != STORE_CURSOR_SIZE - 1 || strspn(text, "0123456789abcdef") != STORE_CURSOR_SIZE - 1) return false;
  for (size_t i = 0; i < AES_BLOCK_SIZE; i++) {
    unsigned byte = 0;
    if (sscanf(text + 2 * i, "%2x", &byte) != 1) return false;
    block[i] = (uint8_t)byte;
  }
  return true;
}

bool store_cursor_read(const store *s, const char *text, int64_t *seq) {
  struct aes256_ctx key;
  uint8_t block[AES_BLOCK_SIZE], spare = 0;
  uint64_t number = 0;
  if (!read_hex(text, block)) return false;
  aes256_set_decrypt_key(&key, s->cursor_key);
  aes256_decrypt(&key, sizeof block, block, block);
  for (int i = 0; i < NUMBER_BYTES; i++) number |= (uint64_t)block[i] << (8 * i);
  for (int i = NUMBER_BYTES; i < AES_BLOCK_SIZE; i++) spare |= block[i];
  *seq = (int64_t)number;
  return spare == 0 && *seq > 0;
}
