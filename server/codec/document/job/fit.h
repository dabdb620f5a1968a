// Fits: parameters of a model from measurements of one or several experiments.
//
//   {"kind": "fit", "model": …, "of": [{"job": {dynamics or statics}, "data": [{"field", "select", "t", "value",
//   "sigma"}]}, …], "parameters": [{"path", "of", "name", "value", "lower", "upper", "scale", "prior"}, …],
//   "starts": 1}
//
// The document of the model may come later than that of the job: reading and codec_job_check judge all but the places
// of parameters, codec_fit_resolve those.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_FIT_H
#define TENDRIL_CODEC_DOCUMENT_JOB_FIT_H

#include "codec/document/parameters/parameters.h"
#include "tendril/fit.h"

enum { FIT_MAX_EXPERIMENTS = 1000, FIT_MAX_DATA = 256, FIT_MAX_SAMPLES = 1 << 20 };

struct job_document; ///< codec/document/job/job.h

/// One record of an experiment: `width` numbers of a field, at `rows` times.
typedef struct fit_data {
  const char *field;
  const int *select;   ///< [select_count][select_rank] indices into a sample of the field; NULL: all its numbers
  size_t select_count; ///< width then
  size_t select_rank;
  const double *t; ///< [t_count] rising; statics: NULL, row i is that of problem i
  size_t t_count;
  const double *value; ///< [rows][width]; NaN: missing
  size_t rows, width;
  size_t given;        ///< numbers that are not missing
  const double *sigma; ///< [sigma_count], 1 or width; NULL: not given
  size_t sigma_count;
} fit_data;

typedef struct fit_experiment {
  const json_t *json; ///< of the job, borrowed
  struct job_document *job;
  fit_data *data; ///< [data_count]
  size_t data_count;
} fit_experiment;

/// What is said of an entry of `parameters` beside its place; all numbers of an array share it.
typedef struct fit_entry {
  double value;        ///< where the search begins; NaN: the document's
  double lower, upper; ///< NaN: those of the number itself
  bool log;
  double prior, prior_sigma; ///< prior_sigma 0: none
  int *of;                   ///< [of_count] experiments (jobs of a design) whose number it is; NULL: all of them
  size_t of_count;
} fit_entry;

typedef struct fit_document {
  fit_experiment *of; ///< [count]
  size_t count;
  parameter_list list;
  fit_entry *entry; ///< [list.count]
  td_fit_options options;
  const char *each; ///< what entries may name some of, "experiment" or (of designs) "job"; NULL: there is one job alone
  bool has_sigma;   ///< every record has it; otherwise none
  size_t samples;   ///< numbers that were measured, missing ones too
} fit_document;

/// The unknowns of a fit: the numbers that its places stand for in the document of its model and in the jobs of its
/// experiments, and what is known of each. A place in the job of every experiment is one number; names of those of some
/// say of which, "/job/initial/q/0 of 1".
/// @param job       of designs, whose places may be in it: its document; of fits, whose experiments have jobs, NULL
/// @param a         memory of set, unknowns and their names
/// @param unknowns  out [set->count]
/// @return pointers "/parameters/1/lower"
TD_NODISCARD td_status codec_fit_resolve(const fit_document *fit, const json_t *model, const json_t *job, arena *a,
                                         parameter_set *set, td_unknown **unknowns, td_error *err);

/// All independent errors of a fit that codec_fit_resolve refuses, appended: of each of the first CODEC_MOST_JUDGED
/// entries of `parameters` the first one.
enum { CODEC_MOST_JUDGED = 64 };
void codec_fit_errors(const fit_document *fit, const json_t *model, const json_t *job, td_errors *all);

/// Pointers of the engine's warnings count numbers ("/parameters/5"), those of the document the entries that hold them.
void codec_unknowns_place(const parameter_set *set, td_warning *w);

/// Whether an entry of a fit's parameters, one of its job's, is of that experiment.
bool codec_fit_reaches(const fit_document *fit, size_t entry, size_t experiment);

/// Where the numbers of a record stand in a row of its field.
/// @param member  of the field
/// @param at      [width] out: offsets within the member
/// @return TD_INVALID_ARGUMENT with a pointer relative to the record: "/select/2"
TD_NODISCARD td_status codec_fit_select(const fit_data *data, const td_member *member, size_t *at, td_error *err);

/// The shape of a field of an experiment: of dynamics as in runs; of statics q, u and lambda, too.
TD_NODISCARD td_status codec_fit_member(const fit_experiment *e, const td_model *model, const char *field,
                                        td_member *member, td_error *err);

#endif
