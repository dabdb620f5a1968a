// What the service remembers: rows (rows.h) and blobs (blobs.h), and what is said of both together.
//
// A store is a kind of rows and a kind of blobs, chosen by the place that the operator names (store.c has the table): a
// data folder, with rows in a database and blobs in files; or rows in a PostgreSQL database that several processes
// share, each with a folder of its own for what is on its way, and blobs in that database or results in a folder that
// they share. One process owns a folder (lock file). Every function is thread-safe. What a
// function returned OK for is on the disk (a claim: when something else of its job is).
//
// Folder:  tendril.db (+ -wal, -shm, -mark)   lock   results/ID.npz   parts/ID.*   tmp/ (attempts in progress, emptied
// at start)
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "store/blobs.h"
#include "store/rows.h"

/// Opens or creates a data folder and migrates it.
/// @return NULL with one sentence in `message`: folder not writable, locked by another server, newer than this program,
/// or its log has lost what was acknowledged
store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]);
enum { STORE_CONNECTIONS = 8, STORE_PLACE_MAX = 1000 };
typedef struct store_where {
  const char *folder;  ///< of files: results, what survives attempts, temporary ones
  const char *rows;    ///< NULL: in the folder, too; else a database that several processes share: postgresql://…
  const char *results; ///< of such a database: a folder of results that they share; NULL: in the database
  const char
      *direct; ///< where `rows` is a pooler's: the database itself, to migrate and to hear of changes; NULL: the same
  bool plain;  ///< prepare no statements
  int connections;  ///< to that database, at most; 0: STORE_CONNECTIONS
  bool anyway;      ///< whatever its log has lost
  bool as_it_is;    ///< a database is not migrated, nor told where its results are: refused when it must be
  bool any_results; ///< wherever its results are: for who looks at none and writes none
  const char *node; ///< what people call this process among others; NULL or "": as the machine
  int slots;        ///< jobs that it runs at a time
} store_where;
/// The same, where rows may be elsewhere. NULL, too, when the database cannot be reached or was made by a newer program.
store *store_open_at(const store_where *where, char message[STORE_MESSAGE_SIZE]);
void store_close(store *s);
/// The name of the only process that can run its jobs; "": there may be several.
const char *store_only_node(const store *s);
/// False with one sentence when the disk failed to keep what was written, is full, or the database was found damaged.
bool store_health(store *s, char message[STORE_MESSAGE_SIZE]);
/// Where a page ended, as text that tells nothing of what others submit, and back; false for a text that is no cursor
/// of this folder.
enum { STORE_CURSOR_SIZE = 33 };
void store_cursor_write(const store *s, int64_t seq, char text[STORE_CURSOR_SIZE]);
bool store_cursor_read(const store *s, const char *text, int64_t *seq);

// ------------------------------------------------------------------------------------------------------------ wake-ups

enum { STORE_LISTENERS = 8 };
/// Tells somebody, after the commit and in a thread of the store or its caller, that a job has new events or was
/// deleted. `id` NULL: any job may have. False when STORE_LISTENERS are told already.
bool store_listen(store *s, void (*notify)(void *context, const char *id), void *context);
/// Tells somebody, in the same way, that there is work: a job (`many`: several) that could not be claimed before may be
/// now, or from when it is due. Who is told may read, and changes nothing there. False when STORE_LISTENERS are told
/// something already.
bool store_listen_for_work(store *s, void (*work)(void *context, bool many), void *context);
typedef enum store_order { ///< what others want of this process
  STORE_ORDER_CANCEL,      ///< the cancel of a job that it runs was asked for elsewhere
  STORE_ORDER_LEAVE,       ///< it has lost a job that it runs, or (no id) all of them: nothing of them is to go on
  STORE_ORDER_DRAIN,       ///< it takes no more jobs
  STORE_ORDER_RESUME,      ///< it does again
  STORE_ORDER_TOKENS,      ///< tokens may have changed elsewhere
  STORE_ORDER_LOOK         ///< a job was changed elsewhere: for kinds of rows
} store_order;
/// Tells somebody of orders, in a thread of the store. `id` NULL: of no job, or of all.
bool store_listen_for_orders(store *s, void (*order)(void *context, store_order what, const char *id, int attempt),
                             void *context);
/// Tells them. For kinds of rows.
void store_order_given(store *s, store_order what, const char *id, int attempt);
/// No more calls with this context; when it returns, none is under way.
void store_unlisten(store *s, void *context);
/// Tells them: the rows of a job have changed. For kinds of rows, after their commits.
void store_notify(store *s, const char *id);
/// Tells them that there is work. For kinds of rows, after their commits, whoever has made it.
void store_notify_work(store *s, bool many);
/// A job of this sweep changed: tells those who watch the sweep.
void store_sweep_changed(store *s, const char *id);

// ------------------------------------------------------------------------------------------ results against their rows

/// "its file is missing", …
const char *store_result_words(store_result_condition condition);
/// Keeps what was found in the row: error {code: result_lost} and a remark in the log when the result is missing, cut
/// or damaged, neither when it is good (again). STORE_OK when the row says so already.
store_status store_result_report(store *s, const struct store_job *job, store_result_condition found);

typedef struct store_scan {
  int64_t results, lost, orphans; ///< out: results looked for, those missing or cut, files removed or set aside
  int64_t unsure;                 ///< out: those that cannot be read, or of which nobody says yet that they are lost
  bool (*go_on)(void *context);   ///< asked now and then; false ends the scan. NULL: to the end
  void *context;
} store_scan;
/// Compares rows and results: reports what is missing, cut or there again, removes results that nobody can want, and
/// moves files of which no row knows to lost+found/. STORE_PRECONDITION when another process does that.
store_status store_result_scan(store *s, store_scan *scan);
/// How many files of results there are, and of how many no row knows: many, when the database is an older copy.
store_status store_result_count_unknown(store *s, int64_t *files, int64_t *unknown);

// --------------------------------------------------------------------------------------- the disk of temporary files

/// An unlinked file in the data folder; -1 with errno.
int store_tmp_file(store *s);
/// True when a megabyte can be written.
bool store_has_room(const store *s);
/// False when documents of so many bytes would take from what is kept of the disk for small ones: a twentieth, at most
/// 64 MiB.
bool store_has_reserve(const store *s, uint64_t bytes);
/// Size of the file system of the data folder; 0: unknown.
int64_t store_disk_bytes(const store *s);
/// True when temporary files of so many bytes leave a tenth of the disk, at most a GiB, to what is to be kept.
bool store_tmp_room(const store *s, uint64_t bytes);
/// The same as store_has_room as far as the file system tells at once: cheap enough to be asked before each job.
bool store_seems_to_have_room(const store *s);
/// The same as store_has_room of a data folder that is not open; true, too, when there is none yet.
bool store_folder_has_room(const char *folder);
/// Folder for temporary files of workers.
const char *store_tmp_folder(const store *s);

#endif
