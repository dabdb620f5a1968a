// One table of states, and readers that never fail for what they do not know.
#include "lib/reply/documents.h"

#include "lib/base/error.h"
#include <math.h>
#include <string.h>

static const char *const states[] = {"queued", "running", "succeeded", "failed", "cancelled"};
enum { STATES = sizeof states / sizeof *states };

const char *tendril_state_name(tendril_state state) { return (int)state < STATES ? states[state] : "unknown"; }

bool tendril_state_ended(tendril_state state) {
  return state == TENDRIL_SUCCEEDED || state == TENDRIL_FAILED || state == TENDRIL_CANCELLED;
}

tendril_state client_read_state(const char *name) {
  for (int i = 0; i < STATES; ++i)
    if (strcmp(states[i], name) == 0) return (tendril_state)i;
  return TENDRIL_UNKNOWN;
}

const char *client_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double client_number(const json_t *object, const char *key, double otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

// Within the range of int, whatever the number is.
static int whole(const json_t *object, const char *key) {
  double value = client_number(object, key, 0);
  return value > -2e9 && value < 2e9 ? (int)value : 0;
}

#define COPY(field, object, key) client_copy(field, sizeof(field), client_text(object, key))

int client_read_warnings(const json_t *found, tendril_warning *list) {
  const json_t *one;
  int count = 0;
  size_t i;
  json_array_foreach(found, i, one) {
    if (count == TENDRIL_WARNINGS) break;
    COPY(list[count].code, one, "code");
    COPY(list[count].detail, one, "detail");
    COPY(list[count].pointer, one, "pointer");
    count++;
  }
  return count;
}

bool client_read_job(const json_t *json, tendril_job *job) {
  const json_t *model = json_object_get(json, "model"), *progress = json_object_get(json, "progress"),
               *error = json_object_get(json, "error");
  *job = (tendril_job){.state = client_read_state(client_text(json, "state")),
                       .attempt = whole(json, "attempt"),
                       .revision = whole(model, "revision"),
                       .priority = whole(json, "priority"),
                       .fraction = client_number(progress, "fraction", 0),
                       .t = client_number(progress, "t", NAN),
                       .t_end = client_number(progress, "t_end", NAN)};
  COPY(job->id, json, "id");
  COPY(job->phase, progress, "phase");
  COPY(job->kind, json, "kind");
  COPY(job->model, model, "name");
  COPY(job->created_at, json, "created_at");
  COPY(job->started_at, json, "started_at");
  COPY(job->finished_at, json, "finished_at");
  COPY(job->retry_of, json, "retry_of");
  COPY(job->parent, json, "parent");
  COPY(job->owner, json, "owner");
  COPY(job->node, json, "node");
  COPY(job->waiting_for, json, "waiting_for");
  COPY(job->error_code, error, "code");
  COPY(job->error_detail, error, "detail");
  COPY(job->error_pointer, error, "pointer");
  job->warning_count = client_read_warnings(json_object_get(json, "warnings"), job->warning);
  return job->id[0] != '\0';
}

bool client_read_model(const json_t *json, tendril_model *model) {
  *model = (tendril_model){.revision = whole(json, "revision"),
                           .ndof = whole(json, "ndof"),
                           .channels = (int)json_array_size(json_object_get(json, "channels"))};
  COPY(model->name, json, "name");
  COPY(model->owner, json, "owner");
  COPY(model->sha256, json, "sha256");
  model->warning_count = client_read_warnings(json_object_get(json, "warnings"), model->warning);
  COPY(model->created_at, json, "created_at");
  return json_is_object(json);
}

bool client_read_token(const json_t *json, tendril_token *token) {
  *token = (tendril_token){.id = ""};
  COPY(token->id, json, "id");
  COPY(token->name, json, "name");
  COPY(token->scope, json, "scope");
  COPY(token->owner, json, "owner");
  COPY(token->created_at, json, "created_at");
  COPY(token->token, json, "token");
  return token->id[0] != '\0';
}

bool client_read_node(const json_t *json, tendril_node *node) {
  *node = (tendril_node){.id = ""};
  COPY(node->id, json, "id");
  COPY(node->name, json, "name");
  COPY(node->host, json, "host");
  COPY(node->state, json, "state");
  COPY(node->version, json, "version");
  COPY(node->cpu_level, json, "cpu_level");
  COPY(node->started_at, json, "started_at");
  COPY(node->heartbeat_at, json, "heartbeat_at");
  node->slots = (int)json_integer_value(json_object_get(json, "slots"));
  node->running = json_integer_value(json_object_get(json, "running"));
  node->self = json_is_true(json_object_get(json, "self"));
  return node->id[0] != '\0';
}

static tendril_event_kind kind_of(const char *type) {
  if (strcmp(type, "state") == 0) return TENDRIL_EVENT_STATE;
  if (strcmp(type, "progress") == 0) return TENDRIL_EVENT_PROGRESS;
  return strcmp(type, "log") == 0 ? TENDRIL_EVENT_LOG : TENDRIL_EVENT_OTHER;
}

bool client_read_event(const char *type, const char *data, size_t size, tendril_event *event) {
  json_t *json = json_loadb(data, size, 0, NULL);
  const json_t *error = json_object_get(json, "error"), *seq = json_object_get(json, "seq");
  *event = (tendril_event){.kind = kind_of(*type ? type : client_text(json, "event")),
                           .seq = json_is_integer(seq) ? json_integer_value(seq) : 0,
                           .attempt = whole(json, "attempt"),
                           .state = client_read_state(client_text(json, "state")),
                           .fraction = client_number(json, "fraction", NAN),
                           .t = client_number(json, "t", NAN),
                           .t_end = client_number(json, "t_end", NAN),
                           .json = data};
  COPY(event->time, json, "time");
  COPY(event->phase, json, "phase");
  COPY(event->level, json, "level");
  COPY(event->message, json, "message");
  COPY(event->error_code, error, "code");
  COPY(event->error_detail, error, "detail");
  COPY(event->error_pointer, error, "pointer");
  bool good = json_is_object(json);
  json_decref(json);
  return good;
}
