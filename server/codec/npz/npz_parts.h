// Shared by the files that read NPZ: npz_directory.c (the zip directory), npz_read.c (members in memory), npz_file.c (members
// in a file).
#ifndef TENDRIL_CODEC_NPZ_NPZ_PARTS_H
#define TENDRIL_CODEC_NPZ_NPZ_PARTS_H

#include "codec/npz/npz.h"

enum { NPZ_LOCAL_SIZE = 30 }; ///< bytes of a local header in front of its name

static inline uint16_t get16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t get32(const unsigned char *p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static inline uint64_t get64(const unsigned char *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }

typedef struct npz_directory { ///< where the list of members lies in the archive
  uint64_t at, size, count;
} npz_directory;

/// Finds it in the end of an archive: `size` bytes, of which the first is byte `start` of the archive. The directory itself may
/// lie before them.
td_status npz_directory_find(const unsigned char *bytes, size_t size, uint64_t start, npz_directory *d, td_error *err);
/// Reads it; `bytes` are those at d->at. archive->members and count are filled.
td_status npz_directory_read(const unsigned char *bytes, const npz_directory *d, arena *a, npz_archive *archive,
                             td_error *err);

/// Reads the .npy header of a member of `size` bytes, of which the first `held` are at hand, without its data; *data is where
/// that begins. NULL, or what is wrong with it.
const char *npz_header_read(const unsigned char *bytes, size_t held, uint64_t size, npz_array *array, size_t *data);

/// TD_INVALID_ARGUMENT with a sentence about a member, pointer "/name".
td_status npz_broken_member(td_error *err, const char *name, const char *what);

#endif
