// A result as something to write in another format: its arrays with their units, and the names of what stands along
// their last axis.
#ifndef TENDRIL_CLIENT_EXPORT_RESULT_H
#define TENDRIL_CLIENT_EXPORT_RESULT_H

#include "tendril_client.h"
#include <jansson.h>
#include <stdbool.h>

typedef struct export_field {
  const tendril_array *array; ///< array->values are there
  char family[64];            ///< "q", "poses" of poses:arm@1; what the table does not know: its name
  char link[160];             ///< "arm@1" of poses:arm@1, "" where there is none
  bool rows;                  ///< its first axis counts the rows of the result
  bool headed;                ///< names stand in heads of columns (CSV)
  const char *unit;           ///< of all its numbers; "" where units differ, or nobody knows
  const char *about;          ///< one sentence
  size_t columns;             ///< length of the last axis; 1 of an array with one axis
  const char *const *names;   ///< [columns] or NULL
  const char *const *units;   ///< [columns] or NULL
} export_field;

typedef struct export_result {
  tendril_arrays *file;
  json_t *summary;     ///< NULL: the file has none
  const json_t *model; ///< the model document, NULL when unknown
  size_t rows;         ///< samples of a run, problems of a list of equilibria; 0: the result has none
  const double *t;     ///< [rows] s; NULL: rows are no times
  export_field *fields;
  int count;
} export_result;

/// Takes `file` over. Arrays that hold no numbers are left out, which is said on stderr.
void export_open(export_result *r, tendril_arrays *file);
void export_close(export_result *r);

/// "poses:arm[3].r12" as the server's CSV calls number `index` of a row in out[size]; false for the last row of a
/// pose, which is 0 0 0 1.
bool export_column_name(const export_field *f, size_t index, char *out, size_t size);
/// The summary as JSON text of ASCII characters; the caller frees it. "{}" where there is none.
char *export_summary(const export_result *r);
/// The shortest decimal digits that read back as the same double; nan, inf and -inf for the others.
void export_number(double x, char out[32]);

/// Writers: whole file to a path that can be written and read back. False after a line that says why.
bool export_csv(const export_result *r, const char *path);
bool export_hdf5(const export_result *r, const char *path);
bool export_mat(const export_result *r, const char *path);
bool export_mcap(const export_result *r, const char *path);

#endif
