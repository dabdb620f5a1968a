// Reading zip archives held in memory: bounds, sizes and checksums are verified before a member is believed.
#ifndef TENDRIL_CLIENT_LIB_ZIP_H
#define TENDRIL_CLIENT_LIB_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLIENT_ZIP_MEMBERS = 4096, CLIENT_ZIP_NAME = 256 };

typedef struct client_zip_entry { // one row of the central directory
  char name[CLIENT_ZIP_NAME];     ///< cut where it does not fit
  unsigned method;                ///< 0 stored, 8 deflated
  uint32_t crc;
  uint64_t packed, unpacked, offset;
} client_zip_entry;

/// Where the directory stands, and how many rows it has. False when the bytes are no archive.
bool client_zip_directory(const unsigned char *bytes, size_t size, uint64_t *at, uint64_t *entries);
/// Reads the row at *at and moves *at behind it. False when the directory is damaged.
bool client_zip_entry_read(const unsigned char *bytes, size_t size, uint64_t *at, client_zip_entry *entry);
/// Points *content at the member's `unpacked` bytes: into the archive, or into *inflated, which the caller frees.
/// Returns NULL, or what is wrong: "cannot be unpacked".
const char *client_zip_unpack(const unsigned char *bytes, size_t size, const client_zip_entry *entry,
                              const unsigned char **content, unsigned char **inflated);

/// A little-endian number of `bytes` bytes.
uint64_t client_load(const unsigned char *at, int bytes);

#endif
