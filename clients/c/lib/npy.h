// One numpy array: its header, its numbers, its strings.
#ifndef TENDRIL_CLIENT_LIB_NPY_H
#define TENDRIL_CLIENT_LIB_NPY_H

#include "tendril_client.h"

enum { CLIENT_NPY_TYPE = 16 };

/// Fills rank, shape, count, data, size and `type` from the content of an .npy file. False unless it is one in C order whose
/// elements are all there. (Elements of unknown types are kept as bytes.)
bool client_npy_read(const unsigned char *content, uint64_t size, tendril_array *array, char type[CLIENT_NPY_TYPE]);
/// The numbers as doubles: where they lie, or in *converted, which the caller frees. NULL when there are none.
const double *client_npy_doubles(const tendril_array *array, double **converted);
bool client_npy_string(const tendril_array *array, size_t i, char *out, size_t size);

#endif
