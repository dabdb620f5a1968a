// Any bytes as an archive from a server: numbers and strings of all its arrays are read. What stands behind the
// checksums that stop most of them is reached by fuzz_npz, which reads with the same code.
#include "tendril_client.h"
#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_elements(const tendril_array *array, const double *values) {
  char text[32];
  double sum = 0;
  for (size_t k = 0; values && k < array->count; ++k) sum += values[k];
  for (size_t k = 0; k < array->count && k < 64; ++k) (void)tendril_array_string(array, k, text, sizeof text);
  assert(sum == sum || sum != sum); // every number was read
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tendril_error err = {0};
  tendril_arrays *a = tendril_arrays_read(data, size, &err);
  assert(a || (err.status != TENDRIL_OK && *err.detail));
  for (int i = 0; a && i < tendril_arrays_count(a); ++i) {
    const tendril_array *array = tendril_arrays_find(a, tendril_arrays_at(a, i)->name);
    read_elements(array, array->values);
  }
  tendril_arrays_close(a);
  return 0;
}
