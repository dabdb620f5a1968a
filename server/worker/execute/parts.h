// Shared by the files that execute jobs: execute.c (documents), report.c, resume.c (checkpoints), a file per kind,
// summary.c.
#ifndef SERVER_WORKER_EXECUTE_PARTS_H
#define SERVER_WORKER_EXECUTE_PARTS_H

#include "api/c/spool.h"
#include "tendril/gradient.h"
#include "tendril/sensitivity.h"
#include "worker/execute/execute.h"

/// The numbers that a job's results are differentiated by, in the arena: all of them; those of the model, and which
/// they are; the models around these; how inputs depend on those of the job.
typedef struct execution_numbers {
  parameter_set set, of_model;
  size_t *which;        ///< [of_model.count]
  td_parameters *model; ///< NULL until they are frozen, and where none is of the model
  /// [places] where those of the job stand in its spec, the first set.count of them those of the numbers, then further
  /// ones of numbers that stand at several; NULL: the number is none of its
  const double **place;
  size_t *owner; ///< [places] the number that each is a place of
  size_t places;
  td_law_numbers *laws;     ///< of a run with controllers; NULL: it has none
  td_input_numbers *inputs; ///< NULL until then, and where none is of an input
  td_input_slope *slope;    ///< [td_input_numbers_most] scratch
} execution_numbers;

/// Room for the places of n->set.count numbers. False: not enough memory.
/// @param of      their names
/// @param column  [n->set.count] which of these they are; NULL: all of them
bool numbers_begin_places(execution_numbers *n, const parameter_set *of, const size_t *column, arena *a);
/// Where they stand in a job.
void numbers_place(execution_numbers *n, const parameter_set *of, const size_t *column, const job_document *job);

/// What a gradient adds up beside the rows of the job within.
typedef struct execution_gradient {
  td_objective *objective;
  double *t;         ///< of the samples, for the objective
  td_member *member; ///< of the rows that it looks at
  size_t np;
  double *sums; ///< [1 + np] its value, then its derivatives
} execution_gradient;

typedef struct execution {
  const execute_request *request;
  const execute_observer *observer;
  json_t *model_json, *job_json;
  arena *memory;
  job_document job;
  const job_document *run;      ///< the job that is executed: of a gradient that within
  const json_t *run_json;       ///< its document
  execution_gradient *gradient; ///< NULL: it is none
  td_model *model;
  execution_numbers numbers;
  td_run_statistics statistics;
  td_warnings warnings; ///< of the checks; at the end all of them
  td_error verdict;     ///< why a job whose result is whole fails nonetheless; status TD_OK: it does not
  json_t *failures;     ///< statics: [{index, code, detail}]
  json_t *snaps;        ///< statics: [{kind, after, distance}], the first of them
  json_t *events;       ///< of a path of equilibria: [{kind, after, value, multiplicity}]; NULL: no path
  json_t *fit;          ///< fit and design: how it ended and its parameters
  bool ended, reached;  ///< the path: came to its end; that is `to`
  npz_writer *writer;
  /// execute_job: jobs whose work are jobs call it by this pointer.
  td_status (*execute)(const execute_request *request, const execute_observer *observer, int fd, uint64_t *size,
                       td_error *err);
  void *work;                   ///< of its kind, in the arena
  bool assembled;               ///< nothing is computed: the archive has the rows that the request brings
  double started_s, reported_s; ///< monotonic clock
  double started_cpu_s;         ///< processor time that the process had used for other jobs
  double run_part;              ///< of the work, that a run itself is: 1, of gradients less
  double fraction;              ///< of the work, the largest that was told
  double t, t_end;              ///< that were told last; at first 0 and how far the job goes
  bool checking;                ///< it is over, and its check has begun
  bool out_of_time;             ///< stopped by max_wall_s, not by a person
  size_t kept_rows, row_bytes;  ///< rows that the observer has; bytes of one
} execution;

// report.c
/// How long the job has been computed, all attempts together.
double execute_spent_s(const execution *r);
/// Tells the observer when it is time, and checks max_wall_s. False: stop. `fraction` is that of the work, t of t_end.
bool execute_report(execution *r, double fraction, double t, double t_end);
/// At the end of a search, whose work nobody knew before: it is all that was done. False: stop.
bool execute_report_end(execution *r, double done);
/// The same of work that brings the job no further.
bool execute_report_alive(execution *r);
/// The status of a job that stopped: TD_LIMIT with a sentence when its time was up, else what the engine said.
td_status execute_stopped(const execution *r, td_status status, double t, td_error *err);
/// TD_LIMIT with a sentence about the temporary files, after which another attempt may succeed.
TD_NODISCARD td_status execute_disk_failed(const execution *r, const char *what, td_error *err);

// resume.c: checkpoints of a worker. `extra` is what the kind of job adds to the rows and the time spent.
/// Hands a checkpoint to the observer when it wants one. False: stop.
bool execute_save(execution *r, spool *rows, const void *extra, size_t extra_size);
/// Notes why the job fails although all its rows are there, and hands them to the observer as its last checkpoint.
void execute_condemn(execution *r, spool *rows, const void *extra, size_t extra_size, const td_error *why);
/// Hands in the rows that no checkpoint has, of a job that is cancelled or whose time is up. Nothing goes on from them.
void execute_leave(execution *r, spool *rows, const void *extra, size_t extra_size);
/// Shows the observer, when it wants them, the rows so far, between two checkpoints. False: stop.
bool execute_show(execution *r, spool *rows);
/// Fills `rows` (empty) from the request's checkpoint. *extra stays NULL when there is none that this build can use.
TD_NODISCARD td_status execute_restore(execution *r, spool *rows, const void **extra, size_t *extra_size,
                                       td_error *err);

// numbers.c: what results are differentiated by.
/// Freezes the models around those of r->numbers.set, and finds the job's among `inputs`.
/// @return TD_CANCELLED; TD_LIMIT where they take more than LIMIT_NEIGHBOUR_BYTES; pointers "/sensitivity/parameters/1"
TD_NODISCARD td_status execute_freeze_numbers(execution *r, const td_input_spec *inputs, size_t input_count,
                                              td_error *err);
void execute_forget_numbers(execution *r);
/// What the engine differentiates the run of a dynamics job by, when its numbers are frozen.
TD_NODISCARD td_status execute_variables(execution *r, const td_dynamics_spec *run, td_variables *by, td_error *err);

// The same of jobs that are none of an execution, those of a fit's experiments: n->set, which, model and place are there.
/// How laws (of `run`, NULL: there are none) or inputs depend on the numbers; both are forgotten by numbers_forget.
TD_NODISCARD td_status numbers_find(execution_numbers *n, const td_model *model, const td_dynamics_spec *run,
                                    const td_input_spec *inputs, size_t input_count, arena *a, td_error *err);
void numbers_forget(execution_numbers *n);
/// After numbers_find.
TD_NODISCARD td_status numbers_variables(const execution_numbers *n, const td_model *model, const td_dynamics_spec *run,
                                         arena *a, td_variables *by, td_error *err);
/// Derivatives of the inputs of a problem of statics: du [channels][np].
void numbers_of_problem(const execution_numbers *n, size_t problem, size_t channels, double *du);

/// The members "sensitivity:FIELD" of a job's archive.
typedef struct sensitivity_plan {
  td_member *member; ///< [count] the fields themselves, in the arena
  int count;
  size_t np, row; ///< np: 0, there are none; row: numbers of all fields, of which each has np derivatives
} sensitivity_plan;
TD_NODISCARD td_status execute_plan_sensitivity(execution *r, sensitivity_plan *plan, td_error *err);
/// Writes them from columns `first` on of the rows. False when reading back fails.
bool execute_write_sensitivity(execution *r, spool *rows, const sensitivity_plan *plan, size_t first);

// gradient.c: what a gradient has beside the job within.
TD_NODISCARD td_status execute_plan_gradient(execution *r, td_error *err);
void execute_forget_gradient(execution *r);
/// Takes what a checkpoint had added up from the bytes [size] that it holds besides the rows; returns how many bytes
/// that is, 0 of jobs of other kinds.
size_t execute_take_sums(execution *r, const void *extra, size_t size);
/// A run, forward by `run` and back.
TD_NODISCARD td_status execute_run_backward(execution *r, spool *rows, const td_run_hooks *run, const void *resume,
                                            size_t resume_size, td_error *err);
/// Adds what an equilibrium is worth, and its derivatives, by one transposed solution. row [size]: what the objective
/// looks at. Errors as of td_sensitivity_rows_pull.
TD_NODISCARD td_status execute_add_equilibrium(execution *r, td_sensitivity_rows *rows, size_t index,
                                               const td_equilibrium *at, const double *row, size_t size, td_error *err);
/// The members `value` and `gradient`, where they are known.
bool execute_write_gradient(execution *r);

/// A kind of job: what is done, in this order.
typedef struct execute_kind {
  td_status (*begin)(execution *r, td_error *err);   ///< makes r->work, empty
  td_status (*restore)(execution *r, td_error *err); ///< takes the request's checkpoint over; NULL: there are none
  td_status (*compute)(execution *r, td_error *err); ///< the rows that are missing; left out where none are
  td_status (*finish)(execution *r, td_error *err);  ///< what is to be said of all rows, and the members of the archive
  void (*end)(execution *r);                         ///< in any case
} execute_kind;

extern const execute_kind execute_dynamics, execute_statics, execute_linearize, execute_fit, execute_design;
/// The JSON text of `summary`; NULL when there is not enough memory.
char *execute_summary(const execution *r);

#endif
