// Places for what a caller holds for long.
#ifndef SERVER_SERVICE_SEAT_H
#define SERVER_SERVICE_SEAT_H

#include "base/share/seats.h"
#include "service/access/auth.h"

/// A place for what a caller will hold for long, in words "results being sent"; false with rate_limited, and `option`
/// named that sets the caller's share.
bool seat_take(seats *from, const auth_caller *who, const char *words, const char *option, fault *f);

#endif
