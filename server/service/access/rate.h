// How often a caller may call: a bucket per caller, refilled at a steady rate.
#ifndef SERVER_SERVICE_RATE_H
#define SERVER_SERVICE_RATE_H

typedef struct rate_limit rate_limit;

/// @param rate   requests a second, at least 1
/// @param burst  requests at once after a silence, at least 1
/// @return NULL when memory or random numbers are short
rate_limit *rate_create(int rate, int burst);
void rate_destroy(rate_limit *r);
/// Takes one request of caller `key` at time now_s (of a clock that never goes back).
/// @return 0 when it may go on; else the seconds after which one more may, and nothing is taken
/// Callers beyond some thousands at a time push out the one who came longest ago, who then starts with a full bucket.
double rate_take(rate_limit *r, const char *key, double now_s);

enum { RATE_KEY_SIZE = 64 };
/// The name under which an address is counted: without scheme and port; of IPv6 the network of 64 bits, which is what
/// one customer gets. Spellings: see auth_check.
void rate_key_of_peer(const char *peer, char key[RATE_KEY_SIZE]);

#endif
