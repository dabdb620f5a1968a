// NPZ archives (api/c/npz.h) as the server reads and writes them: memory from an arena, the growing buffer as a sink,
// and errors that point at the member.
#ifndef TENDRIL_CODEC_WIRE_ARCHIVE_H
#define TENDRIL_CODEC_WIRE_ARCHIVE_H

#include "api/c/npz.h"
#include "base/arena.h"
#include "codec/json/number.h"
#include "tendril/status.h"

npz_memory codec_npz_memory(arena *a);
/// TD_INVALID_ARGUMENT, TD_NO_MEMORY, TD_LIMIT or TD_INTERNAL, with pointer "/member" when one is to blame.
td_status codec_npz_fail(td_error *err, const npz_trouble *trouble);

/// npz_open and npz_read with that memory and that error.
TD_NODISCARD td_status codec_npz_open(const void *bytes, size_t size, arena *a, npz_archive *archive, td_error *err);
TD_NODISCARD td_status codec_npz_read(const npz_archive *archive, const npz_member *member, arena *a, npz_array *array,
                                      td_error *err);
/// The numbers of member `name`, where they lie or as a copy in `a`. TD_INVALID_ARGUMENT for strings and truth values;
/// every number must be finite.
TD_NODISCARD td_status codec_npz_doubles(const npz_array *array, const char *name, arena *a, const double **values,
                                         td_error *err);
/// String number `i` in the arena; NULL when it is not valid text.
const char *codec_npz_string(const npz_array *array, size_t i, arena *a);

/// A writer that appends to a buffer; NULL when there is no memory.
npz_writer *codec_npz_writer(codec_buffer *buffer);
/// npz_writer_close with that error.
TD_NODISCARD td_status codec_npz_close(npz_writer *w, uint64_t *size, td_error *err);

#endif
