// Robots for tests, read from JSON files the way the server reads them.
#ifndef TENDRIL_TEST_MODEL_FILE_H
#define TENDRIL_TEST_MODEL_FILE_H

#include "tendril/model.h"
#include <jansson.h>

/// Reads a file (relative paths are under tests/); `member` NULL takes the document, "model" descends into a reference
/// file. A failure prints why and aborts the test. The caller owns the model.
td_model *test_model_from_file(const char *path, const char *member);
/// From JSON text.
td_model *test_model_from_text(const char *json);
/// The status and error of building from text; *model is NULL unless TD_OK.
td_status test_model_try(const char *json, td_model **model, td_error *err);
/// The parsed JSON file (json_decref).
json_t *test_json_from_file(const char *path);
/// A JSON array of numbers, flattened (nested arrays row-major), malloc'ed; *count receives its length.
double *test_numbers(const json_t *array, size_t *count);

#endif
