// Arrays out of replies.
#ifndef TENDRIL_CLIENT_LIB_ARRAYS_H
#define TENDRIL_CLIENT_LIB_ARRAYS_H

#include "lib/http/client.h"

/// The client's reply as arrays, which own its bytes from now on.
tendril_status client_take_arrays(tendril_client *client, tendril_arrays **arrays, tendril_error *err);

#endif
