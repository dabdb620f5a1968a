// JSON of replies as the structs of tendril_client.h. Members that are missing or of another type become "", 0 or
// NaN: a newer server must not break an older client.
#ifndef TENDRIL_CLIENT_LIB_DOCUMENTS_H
#define TENDRIL_CLIENT_LIB_DOCUMENTS_H

#include "tendril_client.h"
#include <jansson.h>

/// A member as text, "" when it is none.
const char *client_text(const json_t *object, const char *key);
/// A member as a number, `otherwise` when it is none.
double client_number(const json_t *object, const char *key, double otherwise);

/// False when there is no id, so that it is no job.
bool client_read_job(const json_t *json, tendril_job *job);
/// A list of warnings (NULL: none), of which TENDRIL_WARNINGS are taken; how many.
int client_read_warnings(const json_t *list, tendril_warning *warnings);
/// False when it is no token.
bool client_read_token(const json_t *json, tendril_token *token);
bool client_read_node(const json_t *json, tendril_node *node);
bool client_read_model(const json_t *json, tendril_model *model);
/// An event from its type ("" when the stream named none) and data. False when the data is no JSON object.
bool client_read_event(const char *type, const char *data, size_t size, tendril_event *event);
tendril_state client_read_state(const char *name);

#endif
