// row_digest(value, …): the first 64 bits of a SHA-256 over types, lengths and bytes of values, as an SQL function.
// Against what disks do to single bits, not against people.
#include "store/sqlite/database/database.h"

#include <stdatomic.h>
#include <string.h>

static void add(digest *d, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  int64_t number = type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;
  double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
  const void *bytes = type == SQLITE_INTEGER ? (const void *)&number : (const void *)&real;
  size_t size = type == SQLITE_NULL ? 0 : sizeof number;
  if (type == SQLITE_TEXT) bytes = sqlite3_value_text(value), size = (size_t)sqlite3_value_bytes(value);
  if (type == SQLITE_BLOB) bytes = sqlite3_value_blob(value), size = (size_t)sqlite3_value_bytes(value);
  const uint64_t head[] = {(uint64_t)type, size};
  digest_update(d, head, sizeof head);
  if (size > 0) digest_update(d, bytes, size);
}

static void row_digest(sqlite3_context *context, int count, sqlite3_value **values) {
  unsigned char sha256[SHA256_DIGEST_SIZE];
  int64_t first;
  digest d;
  digest_init(&d);
  for (int i = 0; i < count; i++) add(&d, values[i]);
  sha256_digest(&d, sizeof sha256, sha256);
  memcpy(&first, sha256, sizeof first);
  sqlite3_result_int64(context, first);
}

bool sqlite_register_digest(sqlite3 *db) {
  return sqlite3_create_function(db, "row_digest", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                 row_digest, NULL, NULL) == SQLITE_OK;
}
