// Numbers of a job's document by the places where they stand: "/job/inputs/cable1", "/model/links/0/body/length".
#ifndef TENDRIL_CLIENT_PLACE_OF_NUMBERS_H
#define TENDRIL_CLIENT_PLACE_OF_NUMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// How many numbers stand at a place of a job (whose `model` is a document): 1 of a number, all of an array of numbers
/// or of rows of them; 0 when there are none.
size_t place_count(const json_t *job, const char *path);
/// The numbers of a place, in order, in out[place_count].
void place_read(const json_t *job, const char *path, double *out);
/// Puts place_count numbers there.
void place_write(json_t *job, const char *path, const double *values);

#endif
