// NPZ archives: a zip of .npy members, as numpy.load(allow_pickle=False) reads and numpy.savez writes them.
//
// Reading: stored or deflated members, every length checked against the archive and a declared limit before memory is
// taken. Writing: stored members, streamed: a member's size follows from its shape, its CRC is patched at its end, zip64
// where sizes need it.
#ifndef TENDRIL_CODEC_NPZ_NPZ_H
#define TENDRIL_CODEC_NPZ_NPZ_H

#include "base/arena.h"
#include "codec/json/number.h"
#include "tendril/status.h"
#include <stdint.h>

enum { NPZ_MAX_RANK = 8, NPZ_MAX_MEMBERS = 4096, NPZ_MAX_NAME = 255 };

typedef enum npz_type { NPZ_F8, NPZ_F4, NPZ_I4, NPZ_I8, NPZ_U1, NPZ_I1, NPZ_BOOL, NPZ_UNICODE, NPZ_BYTES } npz_type;

// ---------------------------------------------------------------------------------------------------------- reading

typedef struct npz_member {
  char name[NPZ_MAX_NAME + 1]; ///< without ".npy"
  uint64_t header_offset;      ///< of the local header in the archive
  uint64_t packed, unpacked;   ///< bytes
  uint32_t crc;
  uint16_t method; ///< 0 stored, 8 deflate
} npz_member;

typedef struct npz_archive {
  const unsigned char *bytes; ///< borrowed
  size_t size;
  npz_member *members; ///< in the arena
  size_t count;
} npz_archive;

typedef struct npz_array {
  npz_type type;
  size_t item; ///< bytes of one element
  int rank;
  size_t dim[NPZ_MAX_RANK];
  size_t count;              ///< elements
  bool fortran;              ///< column-major data
  const unsigned char *data; ///< [count * item], in the archive (stored) or in the arena (deflated); any alignment
} npz_array;

/// Reads the directory of an archive held in memory (an mmap is fine).
TD_NODISCARD td_status npz_open(const void *bytes, size_t size, arena *a, npz_archive *archive, td_error *err);
/// NULL when there is no such member.
const npz_member *npz_find(const npz_archive *archive, const char *name);
/// Unpacks one member. Errors carry the pointer "/name".
TD_NODISCARD td_status npz_read(const npz_archive *archive, const npz_member *member, arena *a, npz_array *array,
                                td_error *err);
/// Like npz_read, but leaves data and CRC of a stored member untouched: for large files that are trusted.
TD_NODISCARD td_status npz_peek(const npz_archive *archive, const npz_member *member, arena *a, npz_array *array,
                                td_error *err);
/// The same for an archive in a file, of which only the directory is read. `err` must not be NULL. Such an archive's members
/// are located, not read.
TD_NODISCARD td_status npz_file_open(int fd, arena *a, npz_archive *archive, td_error *err);
/// Type and shape of a stored member, and the byte of the file where its numbers begin; array->data is NULL.
TD_NODISCARD td_status npz_file_locate(int fd, const npz_archive *archive, const npz_member *member, npz_array *array,
                                       uint64_t *data, td_error *err);
/// True when the bytes of a stored member have its checksum.
bool npz_file_check(int fd, const npz_archive *archive, const npz_member *member);
/// Reads exactly `size` bytes at `at`. False when the file is shorter or the disk fails.
bool npz_file_read(int fd, uint64_t at, void *bytes, size_t size);
/// The numbers as doubles in C order. Points into the archive where it already is that and aligned, else a copy in `a`.
/// TD_INVALID_ARGUMENT for strings and bools; every value must be finite.
TD_NODISCARD td_status npz_doubles(const npz_array *array, const char *name, arena *a, const double **values,
                                   td_error *err);
/// String number `i` of a unicode or bytes array as UTF-8 in the arena; NULL when it is not valid text.
const char *npz_string(const npz_array *array, size_t i, arena *a);

// ---------------------------------------------------------------------------------------------------------- writing

typedef struct npz_writer npz_writer;

/// Writes into a buffer (appended to), or to a seekable file descriptor from its start. NULL when memory is short.
npz_writer *npz_writer_to_buffer(codec_buffer *buffer);
npz_writer *npz_writer_to_fd(int fd);
/// Starts a member; its data must follow through npz_write_data in C order. dim[rank].
void npz_write_begin(npz_writer *w, const char *name, npz_type type, size_t item, int rank, const size_t *dim);
void npz_write_data(npz_writer *w, const void *bytes, size_t size);
void npz_write_end(npz_writer *w);
/// A whole member of doubles.
void npz_write_doubles(npz_writer *w, const char *name, const double *values, int rank, const size_t *dim);
/// A member of shape [rows] + dim whose row i starts at values + i * stride: picks one column block out of records.
void npz_write_rows(npz_writer *w, const char *name, const double *values, size_t rows, size_t stride, int rank,
                    const size_t *dim);
/// A uint8 member [size] (documents).
void npz_write_bytes(npz_writer *w, const char *name, const void *bytes, size_t size);
/// A unicode member [count] of UTF-8 strings ("" allowed).
void npz_write_strings(npz_writer *w, const char *name, const char *const *strings, size_t count);
/// Writes the directory and frees the writer. TD_OK only when every byte since the start was written; 0 < *size then.
TD_NODISCARD td_status npz_writer_close(npz_writer *w, uint64_t *size, td_error *err);
/// Frees a writer whose archive is given up.
void npz_writer_abandon(npz_writer *w);

#endif
