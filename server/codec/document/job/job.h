// The job document (JSON) to what a worker runs.
//
// Here: JSON types, unknown and missing keys, words, lengths. The rules against a model (channels, fields, tendon
// signs, lengths of q) are the engine's (td_dynamics_check, td_statics_count, td_linearize_count).
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_JOB_H
#define TENDRIL_CODEC_DOCUMENT_JOB_JOB_H

#include "base/arena.h"
#include "codec/document/job/design.h"
#include "codec/document/job/fit.h"
#include "codec/document/job/gradient.h"
#include "codec/document/parameters/parameters.h"
#include "codec/document/sound.h"
#include "codec/document/sweep.h"
#include "tendril/linearize.h"
#include "tendril/statics.h"
#include <jansson.h>
#include <stdint.h>

typedef enum job_kind {
  JOB_DYNAMICS,
  JOB_STATICS,
  JOB_LINEARIZE,
  JOB_FIT,
  JOB_GRADIENT,
  JOB_DESIGN,
  JOB_SWEEP,
  JOB_KIND_COUNT
} job_kind;

enum { JOB_MAX_LABELS = 32, JOB_MIN_PRIORITY = -100, JOB_MAX_PRIORITY = 100 };

/// What a job's results are differentiated by, and the fields of which: arrays "sensitivity:FIELD" [rows, …, np].
typedef struct job_sensitivity {
  bool given;
  const char *at; ///< its pointer in the document, "/sensitivity"; of a gradient, whose parameters they are, ""
  parameter_list parameters;
  const char *const *fields; ///< "q", of linearize "A" and "B", where the document names none
  size_t field_count;
} job_sensitivity;

typedef struct job_document {
  job_kind kind;
  const json_t *model; ///< inline document, borrowed; NULL when by name
  /// its place, "/model"; of a sweep "/base/model", of a gradient "/of/model", of a fit maybe "/of/0/job/model"
  const char *model_at;
  const char *model_name;      ///< NULL when inline (or absent and optional)
  int64_t model_revision;      ///< "name@3": 3; 0: the newest
  td_dynamics_spec dynamics;   ///< kind dynamics
  td_statics_spec statics;     ///< kind statics
  td_linearize_spec linearize; ///< kind linearize
  fit_document fit;            ///< kind fit
  gradient_document gradient;  ///< kinds gradient and design
  design_document design;      ///< kind design, which is a gradient beside
  sweep_document sweep;        ///< kind sweep
  struct job_document *base;   ///< kinds gradient, design and sweep, in the arena: the job within
  const json_t *labels;        ///< object of strings, borrowed, or NULL
  int priority;                ///< JOB_MIN_PRIORITY … JOB_MAX_PRIORITY, default 0
  double max_wall_s;           ///< 0: no bound
  bool keep_unconverged;       ///< statics: problems without a solution are a warning, not the end of the job
  job_sensitivity sensitivity; ///< of all kinds but sweeps
} job_document;

/// "dynamics", "statics", "linearize", "fit", "gradient", "design", "sweep".
const char *job_kind_name(job_kind kind);
/// JOB_KIND_COUNT when unknown.
job_kind job_kind_find(const char *name);

/// Reads a job whose `model` is required. The result borrows from `doc` and `a`.
TD_NODISCARD td_status codec_job_read(const json_t *doc, const char *prefix, arena *a, job_document *job,
                                      td_error *err);
/// All independent errors of a job that codec_job_read refuses, and of a model within it, appended. What can only be said
/// against its model is not among them. Cost: of reading it.
void codec_job_errors(json_t *doc, td_errors *all);
/// As codec_sound, of a job that codec_job_read refuses.
json_t *codec_job_sound(const json_t *doc, const td_errors *known);
/// codec_job_read where `model` may be missing: the worker is handed its model beside the job.
TD_NODISCARD td_status codec_job_read_local(const json_t *doc, const char *prefix, arena *a, job_document *job,
                                            td_error *err);

/// The engine's check of a job against its model, pointers under `prefix`. Of a sweep: its base.
/// @param rows  out, may be NULL: what the job adds to a sweep: problems of statics, points of linearize, at
///              most as many iterations of a fit, 1 for dynamics
/// @param warnings  appended to: what is odd in model and job; may be NULL
TD_NODISCARD td_status codec_job_check(const job_document *job, const td_model *model, const char *prefix, size_t *rows,
                                       td_warnings *warnings, td_error *err);

/// All independent errors of a job that codec_job_check refuses, or codec_job_numbers or codec_fit_resolve, appended.
/// @param document        that `job` was read from
/// @param model_document  NULL: places in it are not judged
/// Cost: of these checks, each of the first CODEC_MOST_JUDGED parameters by itself.
void codec_job_errors_against(const job_document *job, const json_t *document, const td_model *model,
                              const json_t *model_document, td_errors *all);

/// Where the number that was read from `place` ("/job/inputs/cable/value/3") stands in the job's spec; NULL: nowhere. Of
/// all places that codec_parameters_resolve allows there is one.
const double *codec_job_number(const job_document *job, const char *place);

/// The job that is differentiated, if one is: that within a gradient or a sweep, else the job itself.
/// @param of  out: its document
const job_document *codec_job_differentiated(const job_document *job, const json_t *doc, const json_t **of);

/// The objective of a gradient, ready for its samples.
/// @param members  [capacity] out: of a row of samples (of equilibria as td_sensitivity_members lays them out)
/// @param t        out: [samples] their times; the caller's to free, also after an error
enum { CODEC_GRADIENT_FIELDS = 512 };
TD_NODISCARD td_status codec_gradient_objective(const job_document *job, const td_model *model, td_member *members,
                                                int capacity, double **t, size_t *samples, td_objective **objective,
                                                td_error *err);

/// A number of a sample, at this offset in its row. Return false: there is no memory.
typedef bool (*design_number)(void *context, size_t sample, size_t at);
/// Constraint i of a design where it looks at all samples at once (its term's kind): an objective whose history is what
/// it bounds.
/// @param times    out, the caller's to free when the objective is destroyed, also after an error
/// @param measure  out, td_objective_destroy; NULL: it is only checked
TD_NODISCARD td_status codec_design_measure(const job_document *job, const td_model *model, size_t i, double **times,
                                            td_objective **measure, td_error *err);
/// The numbers that constraint i of a design bounds, in rows as of codec_gradient_objective.
/// @param number  called for each; NULL: it is only checked
TD_NODISCARD td_status codec_design_constraint(const job_document *job, const td_model *model, size_t i,
                                               design_number number, void *context, td_error *err);

/// The terms of part i of a design's objective that are sums, as a gradient of it has them; a new reference, NULL: not enough memory.
json_t *codec_design_terms(const job_document *job, const json_t *document, size_t i);

/// The numbers of `sensitivity` in a job's document and that of its model; none without it. Pointers:
/// "/sensitivity/parameters/1".
TD_NODISCARD td_status codec_job_numbers(const job_document *job, const json_t *document, const json_t *model, arena *a,
                                         parameter_set *set, td_error *err);

/// The fields of `sensitivity` as members of a row, without their derivatives' axis.
/// @param members   [capacity] out; may be NULL
/// @param row_size  out: numbers of all of them; may be NULL
/// @return their count; -1 with `err`: TD_INVALID_ARGUMENT, or TD_LIMIT where np derivatives of each are too many
int codec_job_sensitivity_members(const job_document *job, const td_model *model, size_t np, td_member *members,
                                  size_t capacity, size_t *row_size, td_error *err);

/// Splits "name" or "name@3". `name` holds at least 64 bytes. False when it is neither.
bool codec_model_reference(const char *text, char name[64], int64_t *revision);
/// [A-Za-z0-9][A-Za-z0-9_.-]{0,62}
bool codec_name_valid(const char *name);

#endif
