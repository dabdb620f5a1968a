// Parameters: numbers of a document that answers are differentiated by, named by their places.
//
//   "parameters": ["/model/links/0/body/material/young", {"path": "/model/actuators/3/routing/base", "name": "offset"},
//                  "/job/inputs/cable/amplitude"]
//
// Places are below /model and, where there is a job, below /job. A place that holds an array (of arrays) stands for all numbers in it, in order. Two steps, as the document may come
// later than the request: codec_parameters_read, then codec_parameters_resolve against it.
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARAMETERS_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARAMETERS_H

#include "base/arena.h"
#include "codec/json/field.h"
#include "tendril/model.h"
#include "tendril/parameters.h"

/// Most numbers of one list; /v1/limits reports it.
enum { CODEC_MAX_PARAMETERS = 4096 };

/// One entry of a list.
typedef struct parameter_place {
  const char *path; ///< "/model/links/0/body/length"; NULL: left out
  const char *name; ///< NULL: none was given
} parameter_place;

typedef struct parameter_list {
  parameter_place *place; ///< [count]
  size_t count;
  bool of_job; ///< there is a job, whose numbers may be parameters, too
} parameter_list;

/// Reads the array of a request into r->memory. r->at is its place. Places are in the model.
td_status codec_parameters_read(reader *r, const json_t *value, void *out_parameter_list);
/// The same with places in a job, too.
td_status codec_parameters_read_of_job(reader *r, const json_t *value, void *out_parameter_list);
/// An empty list with room for `count` places, to be filled by codec_parameters_set. of_job stays as it was.
td_status codec_parameters_begin(reader *r, size_t count, parameter_list *list);
/// Place i of a list. r->at is that of the entry.
td_status codec_parameters_set(reader *r, parameter_list *list, size_t i, const char *path, const char *name);

/// A name that an entry may be given: at most TD_MAX_NAME printable bytes; "" is none.
bool codec_parameter_name_valid(const char *name);

/// The numbers that a list stands for.
typedef struct parameter_set {
  td_parameter *number; ///< [count], named by their own places, "/model/links/0/body/com/1"
  size_t *place;        ///< [count] index of the list's entry
  double *mirrored;     ///< [count] of a symmetric matrix: the number across, which moves along; otherwise NaN
  size_t count;         ///< np
} parameter_set;

/// Finds the numbers in the documents and judges them by parameters/table.h.
/// @param model  document of the model
/// @param job    of a list that is of_job: its document, as codec_job_read took it; otherwise not read
/// @param a      memory of the set
/// @return TD_INVALID_ARGUMENT with pointers "/parameters/1", TD_LIMIT beyond CODEC_MAX_PARAMETERS, TD_NO_MEMORY
TD_NODISCARD td_status codec_parameters_resolve(const parameter_list *list, const json_t *model, const json_t *job,
                                                arena *a, parameter_set *set, td_error *err);
/// Whether number i is one of the job, whose place in it codec_job_number finds by its name.
bool codec_parameter_is_of_job(const parameter_set *set, size_t i);
/// The numbers of the model among them: a set of its own, that td_parameters_create takes, and which of all they are.
/// @param which  out [of_model->count]
/// False: not enough memory.
bool codec_parameters_of_model(const parameter_set *set, arena *a, parameter_set *of_model, size_t **which);
/// Puts a value in the place of number i in the document that it is of, model or job; across a symmetric matrix half of
/// the change is here, half there. False: not enough memory.
bool codec_parameters_move(const parameter_set *set, json_t *document, size_t i, double value);
/// The document as it was.
bool codec_parameters_restore(const parameter_set *set, json_t *document, size_t i);
/// What number i is called: what follows the entry's place as "[0][2]" behind its name, without one its place.
void codec_parameter_name(const parameter_list *list, const parameter_set *set, size_t i, char name[TD_POINTER_SIZE]);

#endif
