// The client of a Tendril server in C: models, evaluation, jobs, results.
//
// Link with -ltendril_client (pkg-config tendril_client). Needs libcurl, jansson, zlib; prints nothing, never exits,
// installs no signal handler.
//
// Threads. A client belongs to one thread at a time; any number of clients may be used at once, one per thread.
// Arrays belong to one thread at a time, too. Nothing else is shared.
//
// Errors. A call that can fail returns a tendril_status and fills its last argument (which may be NULL): what
// happened in one sentence, and for a refusal the server's code, the place in what was sent (JSON pointer) and the
// request id of its log. Output arguments are meaningful after TENDRIL_OK only.
//
// Broken connections. What may be said twice is said again when the connection breaks, or when the server answers 503
// or 429, for at most `patience_s`: reads, puts, cancels, evaluations, and submissions and retries, which carry
// an idempotency key. A server that this client has never reached is not waited for, so that a wrong address shows at
// once.
//
// Callbacks are called from the thread of the call and may use the same client, but must not start a second watch on
// it.
#ifndef TENDRIL_CLIENT_H
#define TENDRIL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TENDRIL_NAME_SIZE = 64, TENDRIL_ID_SIZE = 64, TENDRIL_TIME_SIZE = 40, TENDRIL_RANK = 8 };

typedef enum tendril_status {
  TENDRIL_OK,
  TENDRIL_REFUSED,     ///< the server answered with an error: http, code, detail, pointer, request_id say which
  TENDRIL_UNREACHABLE, ///< no answer, or the connection broke and did not come back in time
  TENDRIL_INVALID,     ///< an argument of the call is wrong, nothing was sent
  TENDRIL_BAD_REPLY,   ///< an answer that no Tendril server gives, or damaged bytes
  TENDRIL_FILE,        ///< a file of this machine cannot be read or written
  TENDRIL_STOPPED,     ///< a callback asked for it
  TENDRIL_TIMEOUT,     ///< tendril_job_wait: the job had not ended
  TENDRIL_NO_MEMORY,
  TENDRIL_CLOSED ///< the pipe that an answer was written to has no reader any more
} tendril_status;

/// One of several errors of what was sent.
typedef struct tendril_mistake {
  char pointer[512]; ///< JSON pointer into what was sent
  char detail[640];  ///< one sentence with the offending value
} tendril_mistake;

enum { TENDRIL_MISTAKES = 8 }; ///< a server tells no more at once

typedef struct tendril_error {
  tendril_status status;
  int http;      ///< HTTP status, 0 without an answer
  char code[32]; ///< "invalid_argument", "not_found", …; "" when the server did not speak ("tls": that may be why)
  char detail[1024];                ///< one sentence with the offending value
  char pointer[512];                ///< JSON pointer into what was sent, "" for the whole
  char request_id[TENDRIL_ID_SIZE]; ///< the one in the server's log
  int mistake_count;                ///< of several at once, `detail` and `pointer` the first; 0: these alone
  tendril_mistake mistake[TENDRIL_MISTAKES];
} tendril_error;

/// The name of a status: "refused".
const char *tendril_status_name(tendril_status status);

// ------------------------------------------------------------------------------------------------------------- client

typedef struct tendril_client tendril_client;

typedef struct tendril_options { ///< all zero: the defaults
  const char *url;               ///< NULL: TENDRIL_URL, else http://127.0.0.1:8080; "host:port" will do
  const char *token;             ///< bearer token; NULL: TENDRIL_TOKEN, else none
  const char *ca_file;           ///< certificates (PEM) to trust; NULL: TENDRIL_CA_FILE, else those of the system
  double connect_timeout_s;      ///< 0: 10
  double timeout_s;              ///< longest silence of the server within a request, 0: 60
  double evaluate_timeout_s;     ///< the same while it evaluates, 0: as long as it takes
  double patience_s;             ///< how long a server that went away is waited for, 0: 30; negative: not at all
  bool (*stop)(void *context);   ///< asked several times a second; true ends the call with TENDRIL_STOPPED. May be NULL
  void *context;                 ///< for `stop`
} tendril_options;

/// Makes a client; nothing is sent yet. `options` may be NULL, its strings are copied.
/// @return NULL after filling *err: TENDRIL_INVALID (address or token), TENDRIL_NO_MEMORY
tendril_client *tendril_open(const tendril_options *options, tendril_error *err);
/// Closes the connection and frees the client; NULL does nothing.
void tendril_close(tendril_client *client);
/// The address in use: "http://127.0.0.1:8080".
const char *tendril_url(const tendril_client *client);

typedef struct tendril_text { ///< a part of a reply, not terminated
  const char *at;             ///< NULL when there is none
  size_t size;
} tendril_text;

/// The body of the last answer (JSON as the server wrote it), terminated by 0; valid until the client's next request.
tendril_text tendril_reply(const tendril_client *client);
/// GET on an address of the server that has no call of its own, such as "/v1/limits"; the answer is tendril_reply.
tendril_status tendril_get(tendril_client *client, const char *path, tendril_error *err);

// ------------------------------------------------------------------------------------------------------------- models

/// What is odd about a model or a job though nothing failed.
typedef struct tendril_warning {
  char code[32];     ///< a word for programs: "energy_error", "unstable", …
  char detail[640];  ///< a sentence with the odd value and what to do
  char pointer[512]; ///< JSON pointer into the document; of a job, its model is at /model
} tendril_warning;

enum { TENDRIL_WARNINGS = 17 }; ///< a server tells no more of one thing

typedef struct tendril_model {
  char name[TENDRIL_NAME_SIZE];
  char owner[TENDRIL_NAME_SIZE]; ///< "": nobody, it is shared by all
  int revision;
  char sha256[65];
  char created_at[TENDRIL_TIME_SIZE];
  int ndof;     ///< coordinates; 0 in lists
  int channels; ///< entries of u; 0 in lists
  int warning_count;
  tendril_warning warning[TENDRIL_WARNINGS]; ///< [warning_count], none in lists
} tendril_model;

/// Whose models the functions below mean from now on, for those who see others': an owner, "none" (shared by all), or
/// NULL, as at first: one's own, else the shared one (of a list: all that one sees).
tendril_status tendril_model_owner(tendril_client *client, const char *owner, tendril_error *err);
/// Stores a tendril.model/1 document under `name`: a new model, or a new revision unless its bytes are the same.
/// @param document  [size] JSON text
tendril_status tendril_model_put(tendril_client *client, const char *name, const char *document, size_t size,
                                 tendril_model *model, tendril_error *err);
/// A model document from a URDF, MJCF or USD, or from robots attached to one another; stores nothing.
/// tendril_reply_member(client, "document") is the document, "remarks" what was left out: [{detail, places: [{line,
/// what}]}].
/// @param request  [size] JSON text: {"urdf", "mjcf" or "usd": "…"} or {"model": {…}}, "attach", … (api/import.md)
/// @param model    may be NULL
tendril_status tendril_model_import(tendril_client *client, const char *request, size_t size, tendril_model *model,
                                    tendril_error *err);
/// One model by "name" or "name@revision". tendril_reply_member(client, "document") is the document, byte for byte.
/// @param model  may be NULL
tendril_status tendril_model_get(tendril_client *client, const char *name, tendril_model *model, tendril_error *err);
/// Calls `row` for every model; it returns false to end the list early (TENDRIL_OK all the same).
/// @param json  the row as text
tendril_status tendril_model_list(tendril_client *client,
                                  bool (*row)(void *context, const tendril_model *model, const char *json),
                                  void *context, tendril_error *err);
/// Calls `row` for every revision of a model, in the order of their numbers, with revision, sha256 and created_at
/// filled; it returns false to end the list early.
tendril_status tendril_model_revisions(tendril_client *client, const char *name,
                                       bool (*row)(void *context, const tendril_model *revision, const char *json),
                                       void *context, tendril_error *err);
/// Jobs keep the revision that they were submitted with.
tendril_status tendril_model_delete(tendril_client *client, const char *name, tendril_error *err);
/// A member of the last reply's object as it was written; at = NULL when there is none.
tendril_text tendril_reply_member(const tendril_client *client, const char *key);

// ------------------------------------------------------------------------------------------------------------- arrays

typedef struct tendril_arrays tendril_arrays; ///< an .npz archive

typedef struct tendril_array {
  const char *name; ///< "q", "poses:arm", "dfd_dq"
  const char *type; ///< numpy's: "<f8", "|u1", "<U12"
  int rank;
  size_t shape[TENDRIL_RANK];
  size_t count;         ///< product of the shape
  const double *values; ///< [count] in C order; NULL when it holds no numbers
  const void *data;     ///< the elements as stored
  size_t size;          ///< bytes of data
} tendril_array;

/// Opens an .npz file. Directory, checksums, types and shapes are checked before anything is believed.
/// @return NULL after filling *err
tendril_arrays *tendril_arrays_open(const char *path, tendril_error *err);
/// The same from memory; `bytes` [size] must outlive the arrays.
tendril_arrays *tendril_arrays_read(const void *bytes, size_t size, tendril_error *err);
void tendril_arrays_close(tendril_arrays *arrays);
int tendril_arrays_count(const tendril_arrays *arrays);
/// Array number i in [0, count), in the order of the file. `values` is filled by tendril_arrays_find only.
const tendril_array *tendril_arrays_at(const tendril_arrays *arrays, int i);
/// An array by name, its numbers converted to doubles (pointed at where they lie when they are that); NULL when there
/// is none.
const tendril_array *tendril_arrays_find(tendril_arrays *arrays, const char *name);
/// String number `i` of an array of strings as UTF-8 in out[size], cut where it does not fit. False when it holds no
/// strings.
bool tendril_array_string(const tendril_array *array, size_t i, char *out, size_t size);

// ----------------------------------------------------------------------------------------------------------- evaluate

typedef enum tendril_format { TENDRIL_NPZ, TENDRIL_JSON, TENDRIL_CSV } tendril_format;

typedef struct tendril_states { ///< matrices by rows, one state each; NULL means zeros
  size_t count;                 ///< states
  size_t ndof, channels;        ///< columns of q, qd, qdd; of u
  const double *q;              ///< [count][ndof] rad, m, strain modes; required
  const double *qd;             ///< [count][ndof] their rates
  const double *qdd;            ///< [count][ndof] their accelerations
  const double *u;              ///< [count][channels] actuators, loads (N, N m), springs (m), flow of the fluid (m/s)
  double baumgarte;             ///< s, time constant of loops; 0: the server's default
  /// Places of numbers in the model document to differentiate by, separated by commas, for did_dp … dtendons_dp and
  /// products: "/model/links/0/body/length,/model/gravity"; NULL: none. `parameters` and `parameter_ways` of the reply
  /// are their names, one for each number, and which way each went
  const char *parameters;
  size_t np; ///< columns of jvp_p: numbers of all parameters
  const double *jvp_q, *jvp_qd, *jvp_u,
      *jvp_p;        ///< [count][·] a direction in each: `jvp` of fd along it; all NULL: none
  const double *vjp; ///< [count][ndof] cotangent of fd: `vjp/q`, `vjp/qd`, `vjp/u`, `vjp/p`
  double step_h;     ///< s: how far ahead `x_next` is, [count][2 ndof] with `dx_next_dx` and `dx_next_du`; 0: no step
  const char *step_method; ///< "euler_implicit" (NULL), "newmark", "generalized_alpha", "rk4"
  int step_substeps;       ///< steps of step_h / step_substeps; 0: 1
} tendril_states;

/// Quantities at states, arrays in and arrays out: POST /v1/models/{model}:evaluate in NPZ.
/// @param model  "name" of a stored model, or the text of a model document (it starts with '{')
/// @param want   "fd,dfd_dq": names separated by commas
/// @param reply  out; one array per quantity, [count, …]; rows of states that failed are NaN and `error` holds their
///               reasons. The caller closes it
tendril_status tendril_evaluate(tendril_client *client, const char *model, const char *want,
                                const tendril_states *states, tendril_arrays **reply, tendril_error *err);
/// What is odd in the model, pointers into its document, and in answers, at "/states/3/q": inside_out says that
/// values are those of no robot.
/// @param reply  of tendril_evaluate
/// @param list   out
/// @return how many
int tendril_arrays_warnings(tendril_arrays *reply, tendril_warning list[TENDRIL_WARNINGS]);
/// The same with a JSON request as api/openapi.yaml describes it.
/// @param model    a name, or NULL when the request holds the model
/// @param format   of the answer: TENDRIL_JSON or TENDRIL_NPZ
/// @param path     where to write it, as tendril_result_save does; NULL: it is tendril_reply
tendril_status tendril_evaluate_json(tendril_client *client, const char *model, const char *request, size_t size,
                                     tendril_format format, const char *path, tendril_error *err);

// ------------------------------------------------------------------------------------------------------------- stream

// States one after another, for loops in which a state follows from the answer before: a kept connection of its own,
// the model and the quantities named once, up to TENDRIL_STREAM_STATES states under way. Answers come in the order of
// the states.

typedef struct tendril_stream tendril_stream;
enum { TENDRIL_STREAM_STATES = 64 };

/// Opens a stream for a stored model, "name" or "name@revision"; it keeps the revision it began with.
/// @param want       "fd,dfd_dq": names separated by commas
/// @param baumgarte  s, time constant of loops; 0: the server's default
/// @param opened     out, may be NULL: the model with its numbers of coordinates and channels
/// @return NULL after filling *err. To be closed before its client, and used by the same thread at a time
tendril_stream *tendril_stream_open(tendril_client *client, const char *model, const char *want, double baumgarte,
                                    tendril_model *opened, tendril_error *err);
/// Sends a state without waiting for its answer. TENDRIL_INVALID when TENDRIL_STREAM_STATES are under way.
/// @param q, qd, qdd  [ndof], qd and qdd may be NULL: zeros
/// @param u           [channels] or NULL: zeros
tendril_status tendril_stream_send(tendril_stream *stream, const double *q, const double *qd, const double *qdd,
                                   const double *u, tendril_error *err);
/// Waits for the answer to the oldest state under way. A state without an answer is TENDRIL_REFUSED (err->http is 200
/// when it failed in the engine: "singular", …), and the stream goes on with the next. After TENDRIL_UNREACHABLE and
/// TENDRIL_STOPPED the state is still under way.
tendril_status tendril_stream_receive(tendril_stream *stream, tendril_error *err);
/// One state and its answer: send and receive, when nothing else is under way.
tendril_status tendril_stream_at(tendril_stream *stream, const double *q, const double *qd, const double *qdd,
                                 const double *u, tendril_error *err);
/// A quantity of the answer that was received last, row-major: "dfd_dq", "poses/arm", "energy/kinetic". Valid until
/// the next receive; NULL when there is none.
/// @param count  out, may be NULL: how many numbers
const double *tendril_stream_values(const tendril_stream *stream, const char *quantity, size_t *count);
/// What is odd about the answer that was received last, as tendril_arrays_warnings.
int tendril_stream_warnings(const tendril_stream *stream, tendril_warning list[TENDRIL_WARNINGS]);
/// Closes the connection; NULL does nothing.
void tendril_stream_close(tendril_stream *stream);

// --------------------------------------------------------------------------------------------------------------- jobs

typedef enum tendril_state {
  TENDRIL_QUEUED,
  TENDRIL_RUNNING,
  TENDRIL_SUCCEEDED,
  TENDRIL_FAILED,
  TENDRIL_CANCELLED,
  TENDRIL_UNKNOWN ///< a state that this version does not know
} tendril_state;

/// "running"
const char *tendril_state_name(tendril_state state);
/// True for succeeded, failed and cancelled: such a job never changes again.
bool tendril_state_ended(tendril_state state);

typedef struct tendril_job {
  char id[TENDRIL_ID_SIZE];
  char kind[16]; ///< "dynamics", "statics", "linearize", "fit", "gradient", "design", "sweep"
  tendril_state state;
  int attempt;                   ///< 0 before the first start
  char model[TENDRIL_NAME_SIZE]; ///< of one that came with the job (revision 0) the name in its document, "": none
  int revision;
  int priority;
  double fraction; ///< done, 0 … 1
  double t, t_end; ///< simulated time, s; statics: problems solved, problems
  char phase[16];  ///< "checking": the run is over, a second one measures its errors; else ""
  char created_at[TENDRIL_TIME_SIZE], started_at[TENDRIL_TIME_SIZE], finished_at[TENDRIL_TIME_SIZE]; ///< RFC 3339 or ""
  char retry_of[TENDRIL_ID_SIZE], parent[TENDRIL_ID_SIZE];                                           ///< or ""
  char owner[TENDRIL_NAME_SIZE]; ///< whose it is, "": nobody's
  char node[TENDRIL_NAME_SIZE];  ///< that runs it, or ran its last attempt, "": none has
  char waiting_for[512];         ///< why it does not run: its turn with the jobs before it, a node, a processor; or ""
  char error_code[32], error_detail[1024], error_pointer[512]; ///< why it failed, "" when it did not
  int warning_count;
  tendril_warning warning[TENDRIL_WARNINGS]; ///< [warning_count] of model and job, in the end of the run, too
} tendril_job;

/// Hands in a job document; once this returns TENDRIL_OK the job will not be lost.
/// @param document  [size] JSON text
/// @param key       idempotency key: the same key and document again give the same job. NULL: a new random one, so that
///                  only repetitions inside this call are recognised
tendril_status tendril_job_submit(tendril_client *client, const char *document, size_t size, const char *key,
                                  tendril_job *job, tendril_error *err);
/// What a submission would say, and nothing is queued: its refusal, or the job with its warnings; its id names nothing.
tendril_status tendril_job_check(tendril_client *client, const char *document, size_t size, tendril_job *job,
                                 tendril_error *err);
tendril_status tendril_job_get(tendril_client *client, const char *id, tendril_job *job, tendril_error *err);

typedef struct tendril_job_filter { ///< NULL or 0: any
  const char *state, *kind, *model;
  const char *label;         ///< "key:value"
  const char *since, *until; ///< RFC 3339: created at or after, created before
  const char *parent;        ///< id of the job that made them
  const char *owner;         ///< whose; "none": nobody's
  long limit;                ///< at most so many rows
} tendril_job_filter;

/// Calls `row` for every job that passes the filter (NULL: all), newest first; it returns false to end the list early.
tendril_status tendril_job_list(tendril_client *client, const tendril_job_filter *filter,
                                bool (*row)(void *context, const tendril_job *job, const char *json), void *context,
                                tendril_error *err);
/// A queued job never starts, a running one stops at its next step, one that has ended stays as it is.
tendril_status tendril_job_cancel(tendril_client *client, const char *id, tendril_job *job, tendril_error *err);
/// A new job like one that failed or was cancelled; one, however often the connection breaks meanwhile.
tendril_status tendril_job_retry(tendril_client *client, const char *id, tendril_job *job, tendril_error *err);
/// The same as tendril_job_retry_once with another bound of the new job's wall time, s; 0: that of the old one.
tendril_status tendril_job_retry_within(tendril_client *client, const char *id, double max_wall_s, const char *key,
                                        tendril_job *job, tendril_error *err);
/// The same with an idempotency key of one's own (NULL: a new random one): the same key and job again give the same new
/// job.
tendril_status tendril_job_retry_once(tendril_client *client, const char *id, const char *key, tendril_job *job,
                                      tendril_error *err);
/// Removes a job that has ended, and its result.
tendril_status tendril_job_delete(tendril_client *client, const char *id, tendril_error *err);

typedef enum tendril_event_kind {
  TENDRIL_EVENT_STATE,
  TENDRIL_EVENT_PROGRESS,
  TENDRIL_EVENT_LOG,
  TENDRIL_EVENT_OTHER,        ///< a kind that this version does not know: see json
  TENDRIL_EVENT_DISCONNECTED, ///< said by the client: the stream broke, it is being taken up again
  TENDRIL_EVENT_CONNECTED     ///< said by the client: it goes on after a break
} tendril_event_kind;

typedef struct tendril_event {
  tendril_event_kind kind;
  int64_t seq; ///< rises; gaps where old progress was pruned; 0 for what the client says
  char time[TENDRIL_TIME_SIZE];
  int attempt;
  tendril_state state;                                         ///< STATE
  char error_code[32], error_detail[1024], error_pointer[512]; ///< STATE failed
  double fraction, t, t_end;                                   ///< PROGRESS; NaN when not told
  char phase[16];                                              ///< PROGRESS: "checking", or ""
  char level[16];                                              ///< LOG: "warning"
  char message[1024];                                          ///< LOG
  const char *json;                                            ///< the event as text, "" for what the client says
} tendril_event;

/// Follows a job on its stream of server-sent events until it has ended, or `on_event` returns false
/// (TENDRIL_STOPPED). A stream that breaks is taken up where it was left (Last-Event-ID), so no event comes twice.
/// @param after  number of the last event already known, 0 for all
tendril_status tendril_job_watch(tendril_client *client, const char *id, int64_t after,
                                 bool (*on_event)(void *context, const tendril_event *event), void *context,
                                 tendril_error *err);
/// Waits until a job has ended: job->state tells how, failed and cancelled are TENDRIL_OK, too.
/// @param timeout_s  0: as long as it takes; TENDRIL_TIMEOUT after it (a call is at most a second late)
tendril_status tendril_job_wait(tendril_client *client, const char *id, double timeout_s, tendril_job *job,
                                tendril_error *err);

// ------------------------------------------------------------------------------------------------------------ results

typedef struct tendril_result_query { ///< NULL: everything
  const char *fields;                 ///< "q,poses:arm@1"; NULL: all
  const char *from, *to;              ///< s (statics: numbers of problems), in decimal digits; NULL: first, last
  long stride;                        ///< every n-th row; 0 and 1: every row
  bool partial;                       ///< also of a job that has not succeeded: its committed rows
} tendril_result_query;

/// The result at a path. A download that breaks goes on where it was, and what is written is whole or absent: a
/// regular file (behind symlinks, too) is written aside and renamed; a FIFO or device, and "-" or "/dev/fd/N" for a
/// descriptor that is open, get the bytes at the end. NPZ on a terminal is TENDRIL_INVALID. A pipe without a reader
/// is TENDRIL_CLOSED where SIGPIPE is ignored.
tendril_status tendril_result_save(tendril_client *client, const char *id, const tendril_result_query *query,
                                   tendril_format format, const char *path, tendril_error *err);
/// The result in memory; `summary` is one of the arrays (JSON bytes). The caller closes it.
tendril_status tendril_result_arrays(tendril_client *client, const char *id, const tendril_result_query *query,
                                     tendril_arrays **result, tendril_error *err);

/// A job from its document to its arrays: submitted, waited for, fetched. A job that failed is TENDRIL_REFUSED with the
/// job's code, detail and pointer; where it kept what it computed (`unconverged`, `inconsistent`), *result has that.
/// @param document  [size] JSON text
/// @param job       out, may be NULL: its last state
/// @param result    out, NULL where there is none; the caller closes it
tendril_status tendril_run(tendril_client *client, const char *document, size_t size, tendril_job *job,
                           tendril_arrays **result, tendril_error *err);

// ------------------------------------------------------------------------------------------ fits, designs, gradients

typedef struct tendril_record { ///< numbers of a field over time, as they were measured
  const char *field;            ///< "poses:arm@1"
  const char *select;           ///< which of its numbers, JSON: "[[0, 3], [2, 3]]" is x and z of a pose; NULL: all
  size_t rows, width;
  const double *t;     ///< [rows] s; NULL of equilibria
  const double *value; ///< [rows][width] in the field's unit; NaN: missing
  double sigma;        ///< standard deviation of the noise, 0: unknown
} tendril_record;

typedef struct tendril_experiment { ///< what was done with the robot, and what was seen
  const char *job;                  ///< JSON text of a job of kind dynamics or statics; its model may be left out
  const tendril_record *records;    ///< [count]
  size_t count;
} tendril_experiment;

typedef struct tendril_choice { ///< a number that is sought
  const char *path;             ///< "/model/links/0/body/material/young", of designs "/job/inputs/cable1", too
  const char *name;             ///< NULL: the path
  double lower, upper;          ///< both 0: no bounds
  bool log;                     ///< sought by its logarithm: for what may be wrong by factors
  const double *value;          ///< where the search begins; NULL: what the document says
  const char *const *also;      ///< further places that share the number, NULL behind the last; NULL: none
} tendril_choice;

/// JSON texts of jobs for tendril_run, which the caller frees; NULL after filling *err: TENDRIL_INVALID (a text that is
/// no JSON, said by name), TENDRIL_NO_MEMORY. What stands in them is checked by the server.
/// @param model      name or document (JSON) of the robot; NULL: it stands in the first job
/// @param objective  JSON: a list of terms {field, select, target, weight, at} or {field, select, linear, at}
/// @param more       JSON object of further members ("{\"starts\": 5}"), NULL: none
char *tendril_fit_document(const char *model, const tendril_experiment *experiments, size_t count,
                           const tendril_choice *choices, size_t choice_count, const char *more, tendril_error *err);
/// @param of           JSON: the job of kind dynamics or statics with its model, or a list of several, the first with it
/// @param constraints  JSON: a list of {field, select, at, lower, upper}, NULL: none
char *tendril_design_document(const char *of, const tendril_choice *choices, size_t choice_count, const char *objective,
                              const char *constraints, const char *more, tendril_error *err);
/// @param paths  [count] of numbers or arrays of numbers
char *tendril_gradient_document(const char *of, const char *const *paths, size_t count, const char *objective,
                                const char *more, tendril_error *err);

typedef struct tendril_parameter { ///< NaN: there is none
  char name[512], path[512];
  double value;     ///< that was found; of a gradient: NaN
  double first;     ///< where the search began
  double deviation; ///< of a fit: standard deviation; 68 % of repetitions lie within it. NaN: held at its bound, or any
  double lower, upper; ///< bounds
  double slope;        ///< of a gradient: derivative of the value
  bool at_bound, log;
} tendril_parameter;

typedef struct tendril_constraint { ///< of a design: the number that it bounds nearest to its bound, or farthest beyond
  long index;                       ///< in the job's list
  char number[200];                 ///< "poses:arm@1[2][3] of problem 0"
  double value, lower, upper;       ///< NaN: no such bound
  double missed;                    ///< by how much it is beyond, in its unit
  bool active;                      ///< it holds the best
} tendril_constraint;

typedef struct tendril_found { ///< what a fit, a design or a gradient found; NaN: there is none
  char kind[16];               ///< "fit", "design", "gradient"
  char end[24];                ///< "converged", …; "" of gradients
  double value, first_value;   ///< cost of the fit, objective of the design, value of the gradient
  double misfit;               ///< of a fit: what is left over by sigma, root mean square: 1 is right
  bool estimated;              ///< of a fit without sigma: misfit is what is left over itself, taken for the noise
  double violation;            ///< of a design: by how much of its size a constraint is missed
  double first_violation;      ///< the same where the search began
  long iterations, runs;       ///< runs of the robot; 0: not told
  size_t count;
  tendril_parameter *parameter; ///< [count]
  size_t constraints;
  tendril_constraint *constraint; ///< [constraints]
} tendril_found;

/// Reads what was found out of a result. The caller frees it.
/// @return NULL after filling *err: TENDRIL_INVALID when it is no result of these kinds
tendril_found *tendril_found_read(tendril_arrays *result, tendril_error *err);
void tendril_found_free(tendril_found *found);
/// The model document of a fit or a design with the values that were found, and the job within a design with them (of
/// several, and of a fit: the list of them): JSON texts (numbers of 15 digits) that the caller frees; NULL after filling
/// *err.
char *tendril_found_model(tendril_arrays *result, tendril_error *err);
char *tendril_found_job(tendril_arrays *result, tendril_error *err);

// ------------------------------------------------------------------------------------------------------------- tokens

typedef struct tendril_token {
  char id[TENDRIL_ID_SIZE];
  char name[TENDRIL_NAME_SIZE];
  char scope[8];                 ///< "read", "run" or "admin"
  char owner[TENDRIL_NAME_SIZE]; ///< of what it makes; of a read token: whose things it looks at, "": everybody's
  char created_at[TENDRIL_TIME_SIZE];
  char token[96]; ///< the secret, after tendril_token_create only
} tendril_token;

/// Makes a token; the client must have an admin token for this and the calls below. Said once only: when the
/// connection breaks meanwhile, look at the list.
tendril_status tendril_token_create(tendril_client *client, const char *name, const char *scope, tendril_token *token,
                                    tendril_error *err);
/// The same for another owner than the token's name (a read token: than everybody); NULL: as tendril_token_create.
tendril_status tendril_token_create_for(tendril_client *client, const char *name, const char *scope, const char *owner,
                                        tendril_token *token, tendril_error *err);
/// Calls `row` for every token that holds; it returns false to end the list early.
tendril_status tendril_token_list(tendril_client *client,
                                  bool (*row)(void *context, const tendril_token *token, const char *json),
                                  void *context, tendril_error *err);
/// Deletes a token by id or name; it holds no more when this returns. The last one of scope admin is refused.
tendril_status tendril_token_delete(tendril_client *client, const char *id_or_name, tendril_error *err);
/// The same, be it the last one of scope admin: then only who has the data folder makes new ones.
tendril_status tendril_token_delete_by_force(tendril_client *client, const char *id_or_name, tendril_error *err);

// -------------------------------------------------------------------------------------------------------------- nodes

typedef struct tendril_node { ///< a server that runs the jobs of the database
  char id[TENDRIL_ID_SIZE];
  char name[TENDRIL_NAME_SIZE], host[TENDRIL_NAME_SIZE];
  char state[16]; ///< "ready", "draining" or "lost"
  int slots;      ///< jobs that it runs at a time
  int64_t running;
  char version[32], cpu_level[32];
  char started_at[TENDRIL_TIME_SIZE], heartbeat_at[TENDRIL_TIME_SIZE];
  bool self; ///< the one that answers
} tendril_node;

/// Calls `row` for every node; it returns false to end the list early.
tendril_status tendril_node_list(tendril_client *client,
                                 bool (*row)(void *context, const tendril_node *node, const char *json), void *context,
                                 tendril_error *err);
/// A node, by name or id, takes no more jobs, or does again. *node (NULL: of no interest) as it is then.
tendril_status tendril_node_drain(tendril_client *client, const char *id_or_name, bool drains, tendril_node *node,
                                  tendril_error *err);

// ----------------------------------------------------------------------------------------------------------- examples

/// Calls `row` for every robot that the server ships.
tendril_status tendril_example_list(tendril_client *client,
                                    bool (*row)(void *context, const char *name, const char *description),
                                    void *context, tendril_error *err);
/// Model and job document of one example; both texts live in tendril_reply.
tendril_status tendril_example_get(tendril_client *client, const char *name, tendril_text *model, tendril_text *job,
                                   tendril_error *err);

#ifdef __cplusplus
}
#endif
#endif
