// Any bytes as an archive: every member read, and the whole as an evaluate request. (CRCs are checked only after a
// member was unpacked, so that the fuzzer reaches what lies behind them through npz_peek.)
#include "codec/evaluate/evaluate.h"
#include "codec/wire/archive.h"
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_member(const npz_archive *archive, const npz_member *member, arena *memory) {
  npz_array array;
  const double *values;
  td_error err = {0};
  npz_trouble trouble = {.what = ""};
  if (!npz_peek(archive, member, codec_npz_memory(memory), &array, &trouble)) {
    assert(trouble.what[0] && codec_npz_fail(&err, &trouble) != TD_OK);
    return;
  }
  if (array.type < NPZ_BOOL) (void)!codec_npz_doubles(&array, member->name, memory, &values, &err);
  for (size_t i = 0; array.type >= NPZ_UNICODE && i < array.count && i < 64; i++) codec_npz_string(&array, i, memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena *memory = arena_create_limited(1 << 26);
  npz_archive archive;
  td_error err = {0};
  if (codec_npz_open(data, size, memory, &archive, &err) == TD_OK)
    for (size_t i = 0; i < archive.count; i++) read_member(&archive, &archive.members[i], memory);
  arena_destroy(memory);
  codec_evaluate request;
  (void)!codec_evaluate_parse_npz(data, size, size & 1, &request, &err);
  codec_evaluate_fini(&request);
  return 0;
}
