// Shared by the files that read results: result.c (members, rows), json.c, csv.c.
#ifndef TENDRIL_CODEC_RESULT_PARTS_H
#define TENDRIL_CODEC_RESULT_PARTS_H

#include "codec/result/result.h"

typedef struct result_member {
  const char *name;
  npz_array array;        ///< as stored; data is NULL
  uint64_t data;          ///< where it begins in the file
  size_t rows, row_bytes; ///< of the outermost axis; a scalar is one row
  size_t first, count;    ///< rows wanted: first, first + stride, … count of them
  uint64_t stride;        ///< 1 for members that do not have the axis of rows
  bool wanted, has_rows;  ///< has_rows: its outermost axis is that of the rows
  unsigned char *window;  ///< rows [held, held + held_count)
  size_t held, held_count, window_rows;
} result_member;

struct codec_result {
  npz_file file;
  arena *memory;
  npz_archive archive;
  result_member *members; ///< [count], in the order of the file
  size_t count;
  result_member *summary, *time; ///< NULL: there is none
  size_t rows;                   ///< of the file
  bool broken;                   ///< the file cannot be read any more

  codec_buffer text; ///< of which `given` bytes were handed out
  size_t given;
  void (*refill)(codec_result *r); ///< appends to `text`; nothing at the end
  size_t member, row;              ///< where the text goes on
  size_t written;                  ///< members so far (JSON)
  int phase;
  const char *const *coordinates, *const *channels, *const *energies, *const *parameters; ///< names for CSV
  size_t coordinate_count, channel_count, energy_count, parameter_count;
};

/// Row k of the wanted rows; valid until the next call for this member. NULL when the file cannot be read.
const unsigned char *result_row(codec_result *r, result_member *m, size_t k);
/// True for the members that a form writes: wanted, and not the summary.
bool result_shows(const codec_result *r, const result_member *m);
/// Bytes of the summary at `at`, at most `size`; how many, 0 at the end.
size_t result_summary_bytes(codec_result *r, size_t at, void *bytes, size_t size);

#endif
