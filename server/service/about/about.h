// What the server says of itself: version, limits, contract, metrics, and the robots that come with it.
#ifndef SERVER_SERVICE_ABOUT_H
#define SERVER_SERVICE_ABOUT_H

#include "codec/json/number.h"
#include "codec/view/about.h"
#include "service/service.h"

void examples_list(void (*visit)(void *context, const example_view *view), void *context);
bool examples_get(const char *name, example_view *view, fault *f);
server_version about_version(void);
/// Fills at most ABOUT_LIMITS rows; returns how many.
enum { ABOUT_LIMITS = 64 };
int about_limits(const service *s, limit_row rows[ABOUT_LIMITS]);
/// The contract, as one OpenAPI document that outlives every reply.
span about_contract(void);
/// What the process counts, as OpenMetrics text; for who sees its own things only: its jobs by state.
bool about_metrics(service *s, const auth_caller *who, codec_buffer *reply, fault *f);
/// Those who run the jobs of this store; for who sees everybody's.
bool nodes_list(service *s, const auth_caller *who, void (*visit)(void *context, const store_node *row), void *context,
                fault *f);
/// A node, by name or id, takes no more jobs, or does again; for admins, where there are tokens.
bool nodes_drain(service *s, const auth_caller *who, const char *name, bool drains, store_node *node, fault *f);
/// Ready: the store answers.
bool about_ready(service *s, fault *f);

#endif
