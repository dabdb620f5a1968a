// Inside the PostgreSQL kind of rows: the database. Connections, statements, changes, migrations, and hints between
// nodes.
#ifndef SERVER_STORE_POSTGRESQL_DATABASE_H
#define SERVER_STORE_POSTGRESQL_DATABASE_H

#include "store/parts.h"

#include <assert.h>
#include <libpq-fe.h>
#include <pthread.h>

/// What this kind gives (STORE_ROWS), wherever it stands.
#define POSTGRESQL_DECLARE(name) __typeof__(store_##name) postgresql_##name;
STORE_ROWS(POSTGRESQL_DECLARE)

enum { PG_STATEMENTS = 192, PG_PARAMETERS = 24, PG_CONNECTIONS_MAX = 64, PG_URL_SIZE = 1024 };

typedef struct pg_connection {
  PGconn *pg;                     ///< NULL: not open
  const char *sql[PG_STATEMENTS]; ///< prepared here, by the address of their text: every statement is one static string
  bool again;                     ///< the last statement failed in a way that a transaction run anew does not
  bool lost;                      ///< it is to be closed
  bool denied;                    ///< the last statement was one that its role may not run
  bool begins;                    ///< the next statement begins a transaction
  bool inside;                    ///< a transaction has begun
  bool busy;
  bool alone;                 ///< it listens: another is not opened silently in its place
  bool plain;                 ///< nothing is prepared, nor set: a pooler gives each transaction any session (PgBouncer)
  double patience_s;          ///< how long a statement may take before the database is taken to be away; 0: for ever
  const _Atomic bool *silent; ///< of the pool; NULL: it is of none
} pg_connection;

/// Rows that a statement gave, all of them in memory, and the one that is looked at.
typedef struct pg_rows {
  PGresult *result;
  int at;
} pg_rows;

typedef struct pg_pool {
  pthread_mutex_t lock;
  pthread_cond_t free;
  pg_connection connections[PG_CONNECTIONS_MAX];
  int count;
  bool plain;          ///< its connections are
  double away_until_s; ///< monotonic: until then nobody tries to reach a database that was away
  _Atomic bool silent; ///< it does not answer those who look after its node: nobody else waits for it then
  char url[PG_URL_SIZE];
} pg_pool;

/// A change: runs in the transaction of a connection. Anything but STORE_OK undoes it. It may run again, so what it
/// hands out through its context must then be replaced, not leaked.
typedef store_status (*pg_step)(pg_connection *c, void *context);

// ------------------------------------------------------------------------------------------------------- connections

/// Ready to give connections, none of which is open yet. `url` as libpq has it.
void pg_pool_init(pg_pool *pool, const char *url, int count, bool plain);
/// Nobody has one any more.
void pg_pool_fini(pg_pool *pool);
/// A connection, opened where it is not; waits while all are in use. NULL when the database cannot be reached, and for
/// half a second afterwards at once.
pg_connection *pg_take(pg_pool *pool);
/// The database does not answer, or does again: nobody waits for it meanwhile.
void pg_pool_silence(pg_pool *pool, bool silent);
/// Back: one that was lost is closed.
void pg_give(pg_pool *pool, pg_connection *c);
/// A connection of one's own, or NULL, logged. `message` not NULL: why, in one sentence.
PGconn *pg_open(const char *url, char message[STORE_MESSAGE_SIZE]);
/// The same through a pooler, whose sessions are shared with others.
PGconn *pg_open_shared(const char *url, char message[STORE_MESSAGE_SIZE]);
/// Opens a connection that was lost once more. False when the database cannot be reached.
bool pg_reopen(pg_connection *c);

// -------------------------------------------------------------------------------------------------------- statements

/// Runs a statement with parameters $1, $2, … by letters: t text (NULL allowed), i int64_t, d double (NaN: NULL),
/// b bool as int, x bytes as pointer and size_t. `rows` (NULL: of no interest) hold what it gave, from before the first row, for pg_end.
/// STORE_AWAY when the connection is lost.
store_status pg_run(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...);
/// The same; columns come as bytes (pg_bytes), whatever their type.
store_status pg_run_bytes(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...);
/// The same for a text that is made for one use, which is not kept prepared.
store_status pg_run_once(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...);
/// A statement that is asked several times ahead: what one gave is looked at while the next is under way. After
/// pg_ahead_begin, nothing else is run on the connection until pg_ahead_end; every pg_ahead has its pg_ahead_take, in
/// their order, whose columns come as bytes. Each says STORE_AWAY when the connection is lost.
store_status pg_ahead_begin(pg_connection *c, const char *sql);
store_status pg_ahead(pg_connection *c, const char *sql, const char *types, ...);
store_status pg_ahead_take(pg_connection *c, pg_rows *rows, const char *sql);
void pg_ahead_end(pg_connection *c);
/// Runs commands of which nothing is wanted, several in one text.
store_status pg_command(pg_connection *c, const char *sql);
/// This transaction may take minutes: thousands of rows.
store_status pg_take_time(pg_connection *c);
/// How many rows the statement has changed.
int64_t pg_changed(const pg_rows *rows);
/// The first column of the only row. STORE_NOT_FOUND without one.
store_status pg_integer_of(pg_rows *rows, store_status status, int64_t *value);
/// To the next row: false at the end, where the rows are given back.
bool pg_next(pg_rows *rows);
void pg_end(pg_rows *rows);

/// Columns of the row: NULL is 0, NaN, "" or, where memory is given, NULL.
bool pg_null(const pg_rows *rows, int column);
int64_t pg_integer(const pg_rows *rows, int column);
double pg_real(const pg_rows *rows, int column);
bool pg_true(const pg_rows *rows, int column);
const char *pg_text(const pg_rows *rows, int column); ///< lives as long as the rows; NULL for NULL
void pg_copy(const pg_rows *rows, int column, char *text, size_t size);
const void *pg_bytes(const pg_rows *rows, int column, size_t *size); ///< of pg_run_bytes; lives as long as the rows
char *pg_text_copy(const pg_rows *rows, int column);                 ///< to be freed

// ----------------------------------------------------------------------------------------------------------- changes

/// Runs a change in a transaction and returns when it is committed, or with the reason why it is not; then tells the
/// watchers of `notify` (NULL: nobody), here and at other nodes. One that others got in the way of is run again.
/// STORE_AWAY: the database was lost; what was committed last may be there or not.
store_status pg_change(store *s, pg_step step, void *context, const char *notify);
/// A connection that reads; every statement sees what was committed before it. NULL: STORE_AWAY.
pg_connection *pg_read(store *s);
void pg_read_end(store *s, pg_connection *c);

// --------------------------------------------------------------------------------------------------- hints of changes

typedef struct pg_news pg_news;
/// One connection listens to what other nodes say, and says what is done here; a poll each second stands behind it.
/// NULL when a thread could not be started.
pg_news *pg_news_start(store *s, const char *url, const char *node);
void pg_news_stop(pg_news *news);
/// After whoever may still tell something.
void pg_news_free(pg_news *news);
/// So many other nodes live, who are to be told. `news` NULL: nothing.
void pg_news_others(pg_news *news, int64_t count);
/// The rows of a job have changed; `id` NULL: there is work. Told to others within some milliseconds.
void pg_news_tell(pg_news *news, const char *id);
/// Tokens have changed.
void pg_news_tell_tokens(pg_news *news);
/// Tells who listens here, and the other nodes.
void pg_tell(store *s, const char *id);
void pg_tell_work(store *s, bool many);

/// Brings the schema up to date from embedded_postgresql_migrations, one process at a time. `as_it_is`: nothing is
/// changed, and one that is not there or older is refused. False with a sentence that says who is to do what.
bool pg_migrate(pg_connection *c, bool as_it_is, char message[STORE_MESSAGE_SIZE]);
#endif
