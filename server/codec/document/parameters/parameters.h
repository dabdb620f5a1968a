// Parameters: numbers of a document that answers are differentiated by, named by their places.
//
//   "parameters": ["/model/links/0/body/material/young", {"path": "/model/actuators/3/routing/base", "name": "offset"},
//                  {"paths": ["/model/links/0/joint/stiffness", "/model/links/1/joint/stiffness"]},
//                  "/job/inputs/cable/amplitude"]
//
// Places are below /model and, where there is a job, below /job. A place that holds an array (of arrays) stands for all
// numbers in it, in order. Several places that are one parameter hold the same number: what depends on it does so
// through all of them. Two steps, as the document may come later than the request: codec_parameters_read, then codec_parameters_resolve against it.
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARAMETERS_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARAMETERS_H

#include "base/arena.h"
#include "codec/json/field.h"
#include "tendril/model.h"
#include "tendril/parameters.h"

/// Most numbers of one list; /v1/limits reports it.
enum { CODEC_MAX_PARAMETERS = 4096 };
/// Most places of one parameter.
enum { CODEC_MAX_SHARED = 256 };

/// One entry of a list.
typedef struct parameter_place {
  const char *path;        ///< "/model/links/0/body/length"; NULL: left out
  const char *name;        ///< NULL: none was given
  const char *const *also; ///< [also_count] further places of the same number
  size_t also_count;
  bool sought;  ///< it is an unknown, which may begin elsewhere
  bool started; ///< and does: what its places hold need not be the same
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
/// Place i of a list, copied. r->at is that of the entry.
td_status codec_parameters_set(reader *r, parameter_list *list, size_t i, const parameter_place *place);
/// Reader of the member "paths" of an entry: they stand in `also`, all of them, until codec_parameter_place_settle has
/// seen whether there is a "path", too, or neither.
td_status codec_parameter_paths_read(reader *r, const json_t *value, void *out_parameter_place);
td_status codec_parameter_place_settle(reader *r, parameter_place *place);
/// An entry as a request has it, without its name.
json_t *codec_parameter_place_json(const parameter_place *place);

/// A name that an entry may be given: at most TD_MAX_NAME printable bytes; "" is none.
bool codec_parameter_name_valid(const char *name);

/// A further place of a number.
typedef struct parameter_twin {
  size_t number;          ///< of the set
  const char *name;       ///< "/model/links/1/joint/stiffness"
  double value, mirrored; ///< what stands there; as below
} parameter_twin;

/// The numbers that a list stands for.
typedef struct parameter_set {
  td_parameter *number; ///< [count], named by their own places, "/model/links/0/body/com/1"
  size_t *place;        ///< [count] index of the list's entry
  double *mirrored;     ///< [count] of a symmetric matrix: the number across, which moves along; otherwise NaN
  size_t count;         ///< np
  parameter_twin *twin; ///< [twin_count] further places of these
  size_t twin_count;
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
/// An empty set with room. False: not enough memory.
bool codec_parameters_room(parameter_set *set, size_t numbers, size_t twins, arena *a);
/// Appends number i of one set, its further places with it, as that of entry `place`. There is room.
void codec_parameters_append(parameter_set *to, const parameter_set *from, size_t i, size_t place);
/// Puts a value in the places of number i in the document that it is of, model or job; across a symmetric matrix half of
/// the change is here, half there. False: not enough memory.
bool codec_parameters_move(const parameter_set *set, json_t *document, size_t i, double value);
/// The document as it was.
bool codec_parameters_restore(const parameter_set *set, json_t *document, size_t i);
/// What number i is called: what follows the entry's place as "[0][2]" behind its name, without one its place.
void codec_parameter_name(const parameter_list *list, const parameter_set *set, size_t i, char name[TD_POINTER_SIZE]);
/// Place i of all, those of the set's numbers first, then further ones, and the number that it is a place of.
/// @param i  < set->count + set->twin_count
const char *codec_parameter_every(const parameter_set *set, size_t i, size_t *number);
/// The places of number i beside its first, an array of texts; NULL: there is none.
json_t *codec_parameter_also(const parameter_set *set, size_t i);

#endif
