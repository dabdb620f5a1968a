// The readers of one job document, by kind, and what the kinds share. Internal to this folder.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_PARTS_H
#define TENDRIL_CODEC_DOCUMENT_JOB_PARTS_H

#include "codec/document/job/job.h"
#include "codec/json/field.h"

/// A kind of job: its word, how its document is read, and the rules against a model.
typedef struct job_kind_row {
  const char *name;
  td_status (*read)(reader *r, const json_t *doc, job_document *job);
  /// *rows: rows that its result will have. Pointers are relative to the job document. `all` is NULL, or all independent
  /// errors are appended to it; then `err` is one of them.
  td_status (*check)(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                     td_errors *all, td_error *err);
} job_kind_row;
/// Behind a check that answered `status`: it passed, or its error is kept among all that are wanted.
static inline bool check_goes_on(td_errors *all, td_status status, const td_error *err) {
  return status == TD_OK || td_errors_add(all, err);
}
extern const job_kind_row job_dynamics, job_statics, job_linearize;

// design.c: what it has beyond gradients
td_status read_design(reader *r, const json_t *doc, job_document *job);
/// After settle_gradient.
td_status settle_design(reader *r, const json_t *doc, job_document *job);
/// The parameters of a design of several jobs, all of them, in place of those of its first.
td_status read_designs_unknowns(reader *r, const json_t *doc, job_document *job);

// designs.c: designs of several jobs
/// What jobs, terms, constraints and paths say of each other.
td_status check_designs(reader *r, const json_t *doc);
/// The document of a design of job i alone, a new reference, and where what is in it stands in the whole.
td_status begin_part(reader *r, const json_t *doc, size_t i, design_document *d, json_t **part);
/// A pointer into the document of a part becomes one into the whole. Of a design of one job it is that already.
void place_in_designs(const design_document *d, char pointer[TD_POINTER_SIZE]);

// design.c
void blame_constraint(const job_document *job, td_error *err);
td_status check_design_parts(const job_document *job, const td_model *model, td_errors *all, td_error *err);

// fit.c: of experiments all but their jobs, which job.c reads in between
/// Of random starts: a whole number, at least 0.
td_status read_seed(reader *r, const json_t *value, void *out_uint64);
td_status read_fit_unknowns(reader *r, const json_t *value, void *out_fit_document);
td_status read_fit(reader *r, const json_t *doc, job_document *job);
/// What the parts of a fit say of each other, their jobs read.
td_status settle_fit(reader *r, const json_t *doc, job_document *job);
/// The records of an experiment against its model. Pointers "/data/1/field".
/// @param problems  of a list of equilibria, 0: not known
td_status check_fit_records(const fit_experiment *e, const td_model *model, size_t problems, td_errors *all,
                            td_error *err);
/// That its records end with its run; pointers "/of/1/data/0/t". r->at is the fit's.
td_status check_fit_end(reader *r, const fit_experiment *e, size_t i);

// members.c: the keys of every kind
td_status read_job_model(reader *r, const json_t *value, void *out_job_document);
td_status read_job_labels(reader *r, const json_t *value, void *out_json_pointer);
td_status read_job_priority(reader *r, const json_t *value, void *out_int);

#define QUEUE_FIELDS                                                                                                   \
  SKIPPED_FIELD("kind"), FIELD(job_document, labels, "labels", read_job_labels),                                       \
      FIELD(job_document, priority, "priority", read_job_priority)
#define COMMON_FIELDS                                                                                                  \
  QUEUE_FIELDS, {"model", read_job_model, 0, false, NULL}, FIELD(job_document, max_wall_s, "max_wall_s", read_positive)

// dynamics.c
/// Whether a run can be differentiated by the numbers of its `sensitivity`; pointers are relative to its document.
td_status codec_check_derivatives_of_run(const job_document *job, const td_model *model, td_error *err);

// statics.c
/// "keep" or "fail" to a bool.
td_status read_unconverged(reader *r, const json_t *value, void *out_bool);

// gradient.c: all but the job within, which job.c reads and checks in between
td_status read_gradient(reader *r, const json_t *doc, job_document *job);
/// Makes the job within, job->base, the one that is run.
td_status settle_gradient(reader *r, const json_t *doc, job_document *job);
td_status check_gradient_parts(const job_document *job, const td_model *model, td_warnings *warnings, td_errors *all,
                               td_error *err);
/// An error of the job within about a field that the objective has brought stands where it names it.
void blame_term(const job_document *job, td_error *err);

// values.c
td_status read_positive(reader *r, const json_t *value, void *out_double);
td_status read_not_negative(reader *r, const json_t *value, void *out_double);

typedef struct initial_values {
  td_initial kind;
  const double *q, *qd;
  size_t q_count, qd_count;
} initial_values;
/// {q, qd}; `with_qd` false: qd is an unknown key.
td_status read_initial(reader *r, const json_t *value, bool with_qd, initial_values *values);
/// An object of inputs by channel, each read by `read` into a td_input_spec.
td_status read_inputs(reader *r, const json_t *value, field_reader read, const td_input_spec **inputs, size_t *count);

/// The words of output.fields.
td_status read_fields(reader *r, const json_t *value, const char *const **fields, size_t *count);

// sensitivity.c: without `fields` those of q, of linearize those of A and B
td_status read_job_sensitivity(reader *r, const json_t *value, void *out_job_sensitivity);
td_status read_linearize_sensitivity(reader *r, const json_t *value, void *out_job_sensitivity);

// run.c: inputs, initial state and integrator of a td_dynamics_spec
td_status read_run_initial(reader *r, const json_t *value, void *out_td_dynamics_spec);
td_status read_run_inputs(reader *r, const json_t *value, void *out_td_dynamics_spec);
td_status read_integrator(reader *r, const json_t *value, void *out_td_integrator_spec);

// controller.c
td_status read_run_controllers(reader *r, const json_t *value, void *out_td_dynamics_spec);

#endif
