// NPZ archives: a zip of .npy members, as numpy.load(allow_pickle=False) reads and numpy.savez writes them.
//
// Reading: stored or deflated members, every length checked against the archive before memory is taken. Writing: stored
// members, streamed: a member's size follows from its shape, its CRC is patched at its end, zip64 where sizes need it.
// Server and C client read and write with this: it knows neither of them. Memory comes from whoever calls, and what is
// wrong is told in words.
#ifndef TENDRIL_API_NPZ_H
#define TENDRIL_API_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPZ_NODISCARD __attribute__((warn_unused_result))

enum { NPZ_MAX_RANK = 8, NPZ_MAX_MEMBERS = 4096, NPZ_MAX_NAME = 255, NPZ_TYPE_SIZE = 24 };

/// Numbers first, then truth values, then strings; NPZ_OTHER is what is not read.
typedef enum npz_type {
  NPZ_F8,
  NPZ_F4,
  NPZ_I4,
  NPZ_I8,
  NPZ_U1,
  NPZ_I1,
  NPZ_BOOL,
  NPZ_UNICODE,
  NPZ_BYTES,
  NPZ_OTHER
} npz_type;

typedef enum npz_fault {
  NPZ_BAD_ARCHIVE, ///< the archive as a whole
  NPZ_BAD_MEMBER,
  NPZ_UNKNOWN_TYPE, ///< a member whose elements are of a type that is not read
  NPZ_NO_MEMORY,
  NPZ_TOO_LARGE, ///< more, or longer names, than an archive may have
  NPZ_UNWRITTEN  ///< a disk that is full or fails, or a member that was not written whole
} npz_fault;

typedef struct npz_trouble {
  npz_fault fault;
  char member[NPZ_MAX_NAME + 1]; ///< the one to blame, "" for the archive
  char what[160];                ///< the end of a sentence about it: "is cut off"
} npz_trouble;

/// Where what is read finds room: `size` zeroed bytes aligned for any type, which live as long as the archive; NULL:
/// none.
typedef struct npz_memory {
  void *(*take)(void *context, size_t size);
  void *context;
} npz_memory;

/// The type that numpy writes as `descr` ("<f8", "<U12") and the bytes of one element; NPZ_OTHER and 0 for any other.
npz_type npz_type_read(const char *descr, size_t *item);
/// The other way round.
const char *npz_type_write(npz_type type, size_t item, char descr[NPZ_TYPE_SIZE]);

// ---------------------------------------------------------------------------------------------------------- reading
// Functions that return a bool return false after filling *trouble, which must not be NULL.

typedef struct npz_member {
  char name[NPZ_MAX_NAME + 1]; ///< without ".npy"
  uint64_t header_offset;      ///< of the local header in the archive
  uint64_t packed, unpacked;   ///< bytes
  uint32_t crc;
  uint16_t method; ///< 0 stored, 8 deflate
} npz_member;

typedef struct npz_archive {
  const unsigned char *bytes; ///< borrowed; NULL: it is in a file
  size_t size;
  npz_member *members; ///< [count]
  size_t count;
} npz_archive;

typedef struct npz_array {
  npz_type type;
  char descr[NPZ_TYPE_SIZE]; ///< as numpy writes it
  size_t item;               ///< bytes of one element
  int rank;
  size_t dim[NPZ_MAX_RANK];
  size_t count;              ///< elements
  bool fortran;              ///< column-major data
  const unsigned char *data; ///< [size], in the archive (stored) or in memory that was taken (deflated); any alignment
  size_t size;               ///< bytes: count * item
} npz_array;

/// Reads the directory of an archive held in memory (an mmap is fine).
NPZ_NODISCARD bool npz_open(const void *bytes, size_t size, npz_memory memory, npz_archive *archive,
                            npz_trouble *trouble);
/// NULL when there is no such member.
const npz_member *npz_find(const npz_archive *archive, const char *name);
/// Unpacks one member. After NPZ_UNKNOWN_TYPE the array is there nonetheless, for whoever passes bytes on.
NPZ_NODISCARD bool npz_read(const npz_archive *archive, const npz_member *member, npz_memory memory, npz_array *array,
                            npz_trouble *trouble);
/// Like npz_read, but leaves data and CRC of a stored member untouched: for large files that are trusted.
NPZ_NODISCARD bool npz_peek(const npz_archive *archive, const npz_member *member, npz_memory memory, npz_array *array,
                            npz_trouble *trouble);

typedef struct npz_file {
  int fd;
  bool (*bring)(void *context, uint64_t at, size_t size); ///< called before bytes are read that may not be there yet;
                                                          ///< false: they cannot come. NULL: all are there
  void *context;
} npz_file;

/// The directory of an archive in a file. Such an archive's members are located, not read.
NPZ_NODISCARD bool npz_file_open(const npz_file *file, npz_memory memory, npz_archive *archive, npz_trouble *trouble);
/// Type and shape of a stored member, and the byte of the file where its numbers begin; array->data is NULL.
NPZ_NODISCARD bool npz_file_locate(const npz_file *file, const npz_archive *archive, const npz_member *member,
                                   npz_array *array, uint64_t *data, npz_trouble *trouble);
/// True when the bytes of a stored member have its checksum.
bool npz_file_check(const npz_file *file, const npz_archive *archive, const npz_member *member);
/// Reads exactly `size` bytes at `at`. False when the file is shorter or the disk fails.
bool npz_file_read(const npz_file *file, uint64_t at, void *bytes, size_t size);

/// The elements as doubles in C order, truth values as 0 and 1: where they lie when they are that and aligned, else a
/// copy. NULL for what holds no numbers, and when there is no memory.
const double *npz_doubles(const npz_array *array, npz_memory memory);
/// String number `i` < count of a unicode or bytes array as UTF-8 in out[size > 0], cut between characters where it
/// does not fit (`item` + 1 bytes always do). A code point that is no character becomes '?', and *strange true; the
/// bytes of a bytes array stay as they are. Returns the length.
size_t npz_string(const npz_array *array, size_t i, char *out, size_t size, bool *strange);

// ---------------------------------------------------------------------------------------------------------- writing

typedef struct npz_writer npz_writer;

/// Where an archive goes. The calls return 0 or an errno; after the first error there is none but `release`.
typedef struct npz_sink {
  void *context;
  int (*append)(void *context, const void *bytes, size_t size);
  int (*patch)(void *context, uint64_t at, const void *bytes, size_t size); ///< bytes that were appended before
  int (*finish)(void *context);                                             ///< NULL: there is nothing to do
  void (*release)(void *context);                                           ///< NULL: the context belongs to the caller
} npz_sink;

/// NULL when there is no memory; the sink is released then.
npz_writer *npz_writer_to(npz_sink sink);
/// Into a seekable file descriptor, from its start.
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
/// Writes the directory and frees the writer. True only when every byte since the start was written; 0 < *size then.
/// `size` may be NULL.
NPZ_NODISCARD bool npz_writer_close(npz_writer *w, uint64_t *size, npz_trouble *trouble);
/// Frees a writer whose archive is given up. NULL is allowed.
void npz_writer_abandon(npz_writer *w);

#endif
