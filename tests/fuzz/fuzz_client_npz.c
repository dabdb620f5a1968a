// Any bytes as an archive from a server, and, behind the checksums that stop most of them, as one array: numbers and strings
// are read.
#include "lib/npy.h"
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

static void read_array(const uint8_t *data, size_t size) {
  char type[CLIENT_NPY_TYPE];
  double *converted = NULL;
  tendril_array array = {.type = type};
  if (client_npy_read(data, size, &array, type)) read_elements(&array, client_npy_doubles(&array, &converted));
  free(converted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tendril_error err = {0};
  read_array(data, size);
  tendril_arrays *a = tendril_arrays_read(data, size, &err);
  assert(a || (err.status != TENDRIL_OK && *err.detail));
  for (int i = 0; a && i < tendril_arrays_count(a); ++i) {
    const tendril_array *array = tendril_arrays_find(a, tendril_arrays_at(a, i)->name);
    read_elements(array, array->values);
  }
  tendril_arrays_close(a);
  return 0;
}
