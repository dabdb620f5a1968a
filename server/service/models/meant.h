// Which model may be meant by a name that no model has.
#ifndef SERVER_SERVICE_MODELS_MEANT_H
#define SERVER_SERVICE_MODELS_MEANT_H

#include "service/access/auth.h"
#include "service/fault.h"
#include "service/service.h"

/// Adds it to a fault that says that there is none, where one that `who` may see is nearly called so. Always false.
/// Cost: a read of the first 500 names; only who mistypes pays it.
bool models_add_meant(service *s, const auth_caller *who, const char *name, fault *f);

#endif
