// Nodes: who runs the jobs of this store. What each has running tells of everybody's jobs, so that is for those who see
// all; to keep one from taking more is for admins, where there are tokens.
#include "codec/json/text.h"
#include "service/about/about.h"

#include <string.h>

bool nodes_list(service *s, const auth_caller *who, void (*visit)(void *context, const store_node *row), void *context,
                fault *f) {
  if (!who->sees_all)
    return fault_set(f, PROBLEM_PERMISSION_DENIED, NULL, "nodes are told to tokens that see everybody's jobs only");
  store_status status = store_node_list(s->store, &(store_visit){.context = context, .node = visit});
  return status == STORE_OK || fault_from_store(f, status, "list of nodes");
}

bool nodes_drain(service *s, const auth_caller *who, const char *name, bool drains, store_node *node, fault *f) {
  if (auth_required(s->auth) && who->scope != AUTH_ADMIN)
    return fault_set(f, PROBLEM_PERMISSION_DENIED, NULL, "only a token of scope admin drains a node");
  bool text = codec_utf8_valid(name, strlen(name));
  store_status status = text ? store_node_drain(s->store, name, drains, node) : STORE_NOT_FOUND;
  if (!text) name = "?";
  if (status == STORE_NOT_FOUND) return fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no node \"%.80s\"", name);
  if (status == STORE_AMBIGUOUS)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "several nodes are called \"%.80s\": say its id", name);
  return status == STORE_OK || fault_from_store(f, status, "node");
}
