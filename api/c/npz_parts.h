// Shared by the files that read NPZ: npz_directory.c (the zip directory), npz_header.c (types and shapes), npz_read.c
// (members in memory), npz_file.c (members in a file).
#ifndef TENDRIL_API_NPZ_PARTS_H
#define TENDRIL_API_NPZ_PARTS_H

#include "api/c/npz.h"

enum {
  NPZ_LOCAL_SIZE = 30,  ///< bytes of a local header in front of its name
  NPZ_HEADER_MAX = 1024 ///< bytes of the .npy header of what is written here
};
#define NPZ_ZIP32 0xffffffffu ///< stands where a size or an offset is in the zip64 field

static inline uint16_t get16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t get32(const unsigned char *p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static inline uint64_t get64(const unsigned char *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }

typedef struct npz_directory { ///< where the list of members lies in the archive
  uint64_t at, size, count;
} npz_directory;

/// Finds it in the end of an archive: `size` bytes, of which the first is byte `start` of the archive. The directory
/// itself may lie before them.
bool npz_directory_find(const unsigned char *bytes, size_t size, uint64_t start, npz_directory *d,
                        npz_trouble *trouble);
/// Reads it; `bytes` are those at d->at. archive->members and count are filled.
bool npz_directory_read(const unsigned char *bytes, const npz_directory *d, npz_memory memory, npz_archive *archive,
                        npz_trouble *trouble);

/// Reads the .npy header of a member of `size` bytes, of which the first `held` are at hand, without its data; *data
/// is where that begins. False with `trouble`, which names no member yet.
bool npz_header_read(const unsigned char *bytes, size_t held, uint64_t size, npz_array *array, size_t *data,
                     npz_trouble *trouble);
/// Writes one; returns its length, a multiple of 64.
size_t npz_header_write(char out[NPZ_HEADER_MAX], npz_type type, size_t item, int rank, const size_t *dim);

// Each fills *trouble and returns false.
bool npz_bad_archive(npz_trouble *trouble, const char *what);
bool npz_bad_member(npz_trouble *trouble, const char *member, const char *what);
bool npz_no_memory(npz_trouble *trouble);

#endif
