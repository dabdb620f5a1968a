// Reading .npz: a zip (stored or deflated) of numpy arrays. The file is checked before it is believed: bounds, checksums,
// element types, and that shapes and sizes agree.
#ifndef TENDRIL_CLIENT_NPZ_H
#define TENDRIL_CLIENT_NPZ_H

#include <stddef.h>

enum { NPZ_RANK = 8, NPZ_NAME = 160 };

typedef struct npz_array {
  char name[NPZ_NAME]; ///< "q", without ".npy"
  char type[8];        ///< "<f8", "|u1", …
  int rank;
  size_t shape[NPZ_RANK];
  size_t count;              ///< product of the shape
  const unsigned char *data; ///< C order, `bytes` long
  size_t bytes;
  unsigned char *inflated; ///< owns data when it was deflated
} npz_array;

typedef struct npz npz;

/// NULL after filling `why` when the file is not a readable npz.
npz *npz_open(const char *path, char *why, size_t size);
void npz_close(npz *file);
/// A member by name, NULL when there is none.
const npz_array *npz_find(const npz *file, const char *name);
int npz_count(const npz *file);
const npz_array *npz_at(const npz *file, int i);
/// All elements as doubles, NULL when the array is not numeric. The caller frees it.
double *npz_doubles(const npz_array *array);

#endif
