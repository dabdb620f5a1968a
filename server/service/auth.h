// Who may call: the one place that both faces (HTTP, gRPC) ask, before anything else is done for a request.
//
// A transport hands in what it knows of the caller as text and gets true, or false with a fault of the API's table:
//
//   unauthenticated    no token where one is needed, a header that is not "Bearer TOKEN", a token that is unknown or was deleted
//   permission_denied  the token's scope is not enough; a Host or Origin that this server does not answer to
//   rate_limited       too many requests of this token or address; f->retry_after_s says when there is room again
//
// Tokens. 256 random bits, of which only the SHA-256 is kept (store, and a list in memory); the comparison takes the same
// time wherever the difference is, and goes through the whole list. A data folder in which a token was ever made asks every
// caller for one, from loopback too, whatever became of that token; one without lets everybody read and run (and is served on
// loopback only, unless the operator says --insecure). Tokens are made and deleted by admin tokens only.
//
// Nothing of `authorization` ever goes into a fault, a log line or a reply. All functions may be called by any thread at any
// time; only those that make and delete tokens wait for the disk.
#ifndef SERVER_SERVICE_AUTH_H
#define SERVER_SERVICE_AUTH_H

#include "service/fault.h"

typedef struct auth auth;

/// What an operation needs and what a token allows: each includes those before it.
typedef enum auth_scope {
  AUTH_PUBLIC, ///< no token, no limit: health, version, contract, dashboard
  AUTH_READ,   ///< look at models, jobs, results, metrics
  AUTH_RUN,    ///< and compute, submit, change, delete them
  AUTH_ADMIN,  ///< and make, list, delete tokens
  AUTH_SCOPE_COUNT
} auth_scope;
/// "read", "run", "admin"; "public".
const char *auth_scope_name(auth_scope scope);
/// False when `name` is none of "read", "run", "admin".
bool auth_scope_find(const char *name, auth_scope *scope);

typedef struct auth_options {
  bool reachable;    ///< an address other than loopback is listened on: numeric Host headers are accepted, too
  const char *hosts; ///< "NAME,NAME": names that Host and Origin may have besides those of loopback; outlives auth
  int rate;          ///< requests a second of one token, or of one address without a token; 0: no limit
  int burst;         ///< requests at once; 0: those of a second
} auth_options;

/// Reads the tokens of the store. NULL when that fails (the log says why).
auth *auth_create(store *s, const auth_options *options);
void auth_destroy(auth *a);

typedef struct auth_caller {  ///< who it is, for logs and for auth_holds
  char id[ID_SIZE];           ///< of the token; "": without one
  char name[STORE_NAME_SIZE]; ///< of the token; "": without one
  auth_scope scope;
  uint64_t
      owner; ///< a number of the token, or of the address without one: what one caller may have of anything is counted by it
} auth_caller;

/// The gate of every request.
/// @param peer           the caller's address as the transport spells it: "192.0.2.7", "[::1]:51234", "ipv4:192.0.2.7:51234",
///                       "ipv6:%5B::1%5D:51234", "unix:…"; port and scheme are left away. NULL: unknown
/// @param authorization  value of the header or metadata `authorization` as it came; NULL: there is none
/// @param needed         scope of the operation
/// @param caller         out, in any case
/// @return false with unauthenticated, permission_denied or rate_limited in *f
/// Cost: one SHA-256 of the token and 64 bytes compared per token that exists (1 us; 5 us with 1000 tokens); no allocation.
bool auth_check(auth *a, const char *peer, const char *authorization, auth_scope needed, auth_caller *caller, fault *f);
/// Whether a caller that was let in would be still (its token was not deleted since): for long streams, now and then.
bool auth_holds(auth *a, const auth_caller *caller);

/// Host header or `:authority` ("localhost:8080", "[::1]", "tendril.example:443"); NULL: missing, which is an invalid_argument.
bool auth_check_host(const auth *a, const char *host, fault *f);
/// Origin header ("https://tendril.example") of a request whose Host was checked; NULL: not a page, good.
bool auth_check_origin(const auth *a, const char *origin, const char *host, fault *f);

/// Tokens are asked for: there are some, or were.
bool auth_required(auth *a);
/// How many hold.
int auth_count(auth *a);

// ------------------------------------------------------------------------------------------------------ making tokens

enum { AUTH_TOKEN_SIZE = 8 + 64 + 1 };

/// Makes a token and stores its hash; it holds at once. `token` gets the only copy of the secret: "tendril_" and 64 digits.
/// @param name  [A-Za-z0-9][A-Za-z0-9_.-]{0,62}, of no other token
/// Waits for the disk.
bool auth_token_create(auth *a, const char *name, auth_scope scope, char token[AUTH_TOKEN_SIZE], store_token *made,
                       fault *f);
/// Deletes a token by id or name; it holds no more when this returns. Waits for the disk.
bool auth_token_delete(auth *a, const char *id_or_name, fault *f);

#endif
