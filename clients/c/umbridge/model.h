// A function of vectors, as UM-Bridge has it, that is a job of Tendril: inputs are numbers of its document or of its
// model's, outputs are numbers of its result.
#ifndef TENDRIL_CLIENT_UMBRIDGE_MODEL_H
#define TENDRIL_CLIENT_UMBRIDGE_MODEL_H

#include "tendril_client.h"
#include <jansson.h>
#include <stdbool.h>

enum { UM_VECTORS = 64, UM_MODELS = 64 };

typedef struct um_input {
  const json_t *paths; ///< list of places
  size_t size;         ///< numbers
} um_input;

typedef struct um_output {
  const char *field;
  const json_t *select; ///< as of an objective's term; NULL: all numbers of a row
  bool all;             ///< all rows, else the last one
  size_t rows;          ///< of the result; 0: not known yet
  size_t *place;        ///< [selected] of each within a row
  size_t selected;
  size_t size; ///< selected, times the rows when they are all told
} um_output;

typedef struct um_model {
  json_t *document, *job; ///< the job with its model inside; read only once it is made
  const char *name;
  um_input input[UM_VECTORS];
  um_output output[UM_VECTORS];
  size_t inputs, outputs;
  bool gradient, jacobian; ///< derivatives are there
} um_model;

typedef struct um_error {
  int http;
  char type[32]; ///< "InvalidInput", …
  char message[1500];
} um_error;

/// False after filling *e.
bool um_fail(um_error *e, int http, const char *type, const char *format, ...) __attribute__((format(printf, 4, 5)));

/// Reads a document, fetches the model where the job has its name, runs the job once for the sizes of outputs, and asks
/// for derivatives once to see whether there are any; what is missing is said on stderr. False after a line that says
/// why.
bool um_open(um_model *m, tendril_client *client, const char *path);
void um_close(um_model *m);

/// All of the outputs at `values` [sum of the inputs' sizes], one array after another in out[sum of the outputs' sizes].
bool um_evaluate(const um_model *m, tendril_client *client, const double *values, double *out, um_error *e);
/// out[size of input] = sens^T d output / d input.
/// @param sens  [size of output]
bool um_gradient(const um_model *m, tendril_client *client, const double *values, size_t output, size_t input,
                 const double *sens, double *out, um_error *e);
/// out[size of output] = d output / d input vec.
/// @param vec  [size of input]
bool um_jacobian(const um_model *m, tendril_client *client, const double *values, size_t output, size_t input,
                 const double *vec, double *out, um_error *e);
size_t um_input_size(const um_model *m);
size_t um_output_size(const um_model *m);

#endif
