// Who may call: the one place that both faces (HTTP, gRPC) ask, before anything else is done for a request.
//
// A transport hands in what it knows of the caller as text and gets true, or false with a fault of the API's table:
//
//   unauthenticated    no token where one is needed, a header that is not "Bearer TOKEN", a token that is unknown or
//   was deleted
//   permission_denied  the token's scope is not enough; a Host or Origin that this server does not answer to
//   rate_limited       too many requests of this token or address; f->retry_after_s says when there is room again
//
// Tokens. 256 random bits, of which only the SHA-256 is kept (store, and a list in memory); the comparison takes the
// same time wherever the difference is, and goes through the whole list. A data folder in which a token was ever made
// asks every caller for one, from loopback too, whatever became of that token; one without lets everybody read and run
// (and is served on loopback only, unless the operator says --insecure). Tokens are made and deleted by admin tokens
// only.
//
// Owners. What a token makes belongs to the owner that it names (its own name, unless somebody says otherwise), and
// what belongs to another owner is not there for it, but for tokens of scope admin and those of scope read without an
// owner, who look at all. Without tokens, or with auth_options.shared, everybody sees everything; then models belong to
// nobody.
//
// Nothing of `authorization` ever goes into a fault, a log line or a reply. All functions may be called by any thread
// at any time; only those that make and delete tokens wait for the disk.
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
  int tokens_each;   ///< of one owner; 0: no bound
  bool shared;       ///< every token sees and changes everything that its scope allows, whosever it is
} auth_options;

/// Reads the tokens of the store. NULL when that fails (the log says why).
auth *auth_create(store *s, const auth_options *options);
void auth_destroy(auth *a);

typedef struct auth_caller {  ///< who it is, for logs and for auth_holds
  char id[ID_SIZE];           ///< of the token; "": without one
  char name[STORE_NAME_SIZE]; ///< of the token; "": without one
  auth_scope scope;
  /// A number of the token, or of the address without one: what one caller may have of anything is counted by it.
  uint64_t owner;
  uint64_t account;            ///< owner, or 0: who calls from this machine a server without tokens shares with nobody
  char owns[STORE_NAME_SIZE];  ///< the owner that its jobs will have; "": nobody
  char space[STORE_NAME_SIZE]; ///< the owner of its models and idempotency keys; "": nobody, all share them
  bool sees_all;               ///< whosever it is; otherwise what is its owner's, and shared models
} auth_caller;

/// The word for nobody where an owner is asked for; no owner's name.
#define AUTH_NOBODY "none"

/// Whose jobs a caller sees: its owner's; NULL: everybody's.
const char *auth_sees(const auth_caller *caller);
/// Whether a caller sees the things of this owner.
bool auth_sees_owner(const auth_caller *caller, const char *owner);

/// The gate of every request.
/// @param peer           the caller's address as the transport spells it: "192.0.2.7", "[::1]:51234",
/// "ipv4:192.0.2.7:51234",
///                       "ipv6:%5B::1%5D:51234", "unix:…"; port and scheme are left away. NULL: unknown
/// @param authorization  value of the header or metadata `authorization` as it came; NULL: there is none
/// @param needed         scope of the operation
/// @param caller         out, in any case
/// @return false with unauthenticated, permission_denied or rate_limited in *f
/// Cost: one SHA-256 of the token and 64 bytes compared per token that exists (1 us; 5 us with 1000 tokens); no
/// allocation.
bool auth_check(auth *a, const char *peer, const char *authorization, auth_scope needed, auth_caller *caller, fault *f);
/// Whether a caller that was let in would be still (its token was not deleted since): for long streams, now and then.
bool auth_holds(auth *a, const auth_caller *caller);

/// Host header or `:authority` ("localhost:8080", "[::1]", "tendril.example:443"); NULL: missing, which is an
/// invalid_argument.
bool auth_check_host(const auth *a, const char *host, fault *f);
/// Origin header ("https://tendril.example") of a request whose Host was checked; NULL: not a page, good.
bool auth_check_origin(const auth *a, const char *origin, const char *host, fault *f);

/// Tokens are asked for: there are some, or were.
bool auth_required(auth *a);
/// How many hold.
int auth_count(auth *a);

// ------------------------------------------------------------------------------------------------------ making tokens

enum { AUTH_TOKEN_SIZE = 8 + 64 + 1 };

/// Makes a token and stores its hash; it holds at once. `token` gets the only copy of the secret: "tendril_" and 64
/// digits.
/// @param name   [A-Za-z0-9][A-Za-z0-9_.-]{0,62}, of no other token
/// @param owner  of what it will make, a word like the name; NULL: the name. Of a read token: whose things it looks at;
/// NULL:
///               everybody's
/// Waits for the disk.
bool auth_token_create(auth *a, const char *name, auth_scope scope, const char *owner, char token[AUTH_TOKEN_SIZE],
                       store_token *made, fault *f);
/// Deletes a token by id or name; it holds no more when this returns. The last one of scope admin (failed_precondition)
/// only when it is forced. Waits for the disk.
bool auth_token_delete(auth *a, const char *id_or_name, bool force, fault *f);

#endif
