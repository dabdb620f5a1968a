// Inside the store only: what kinds of rows and of blobs share.
#ifndef SERVER_STORE_PARTS_H
#define SERVER_STORE_PARTS_H

#include "base/log/log.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

enum { STORE_PATH_SIZE = 4096 };
#define STORE_LOST_FOUND "lost+found" ///< folder of results of which no row knows

typedef struct store_listener { // one of the functions; context NULL: nobody listens
  void (*notify)(void *context, const char *id);
  void (*work)(void *context, bool many);
  void (*order)(void *context, store_order what, const char *id, int attempt);
  void *context;
} store_listener;

struct store {
  const rows_kind *rows;
  void *rows_state; ///< of this kind; NULL: not open
  const blobs_kind *blobs;
  void *blobs_state;           ///< the same
  pthread_mutex_t notify_lock; // before those of who is told, after any other
  store_listener listeners[STORE_LISTENERS];
  _Atomic bool stopped, damaged; // health.c
  _Atomic bool full;             // the last that was to be written found no room
  int lock_fd;
  unsigned char cursor_key[STORE_KEY_SIZE];
  char folder[STORE_PATH_SIZE], tmp[STORE_PATH_SIZE];
  char place[STORE_PATH_SIZE];     ///< of rows: the folder, or a URL of a database
  char results[STORE_PATH_SIZE];   ///< a folder of results that several processes share; "": none
  char node[ID_SIZE];              ///< this process among those that share rows; "": it is alone
  char direct[STORE_PATH_SIZE];    ///< a URL of the same database with sessions of one's own
  bool plain;                      ///< `place` is that of a pooler: nothing is prepared
  int connections;                 ///< to a database, at most
  char node_name[STORE_NODE_SIZE]; ///< this process as people call it
  int slots;                       ///< jobs that it runs at a time
  bool as_it_is, any_results;      ///< of a database, as store_where has them
  int64_t opened_ms;
  char only_id[ID_SIZE]; ///< its id where there is one only
  _Atomic bool draining; ///< likewise
  _Atomic store_takers takers;
};

/// One sentence; false, so that it can be returned.
bool store_say(char message[STORE_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
/// True when it is there then.
bool store_make_folder(const char *path, char message[STORE_MESSAGE_SIZE]);
/// The store's folder, with its lock and an empty folder for temporary files.
bool store_open_folder(store *s, char message[STORE_MESSAGE_SIZE]);

/// The device failed to keep what was written: from here on every change is STORE_STOPPED.
void store_stop_writing(store *s, const char *what, const char *reason);
bool store_is_stopped(const store *s);
/// A row is not what was written: said in the log, and readiness hears of it.
void store_row_damaged(store *s, const char *table, const char *row);
/// fdatasync, fsync of a folder; false when it failed (a failure of the device stops all writing) or writing was
/// stopped.
bool store_sync_file(store *s, int fd, const char *what);
bool store_sync_folder(store *s, const char *path);

/// True when parts of an owner may take so many bytes more, after those of jobs that have ended made room.
bool store_part_room(store *s, const char *owner, int64_t bytes);
/// The rows of a part, in its file: their SHA-256 up to `size`, and how it begins anew.
bool store_part_digest(store_part *part, uint64_t size, char sha256[DIGEST_HEX_SIZE]);
void store_part_forget_digest(store_part *part);
bool store_write_all(int fd, const void *bytes, size_t size);
enum { STORE_STATE_LIMIT = 64 << 20 }; ///< bytes of a checkpoint's state

struct json_t;
/// A JSON value as compact text in memory that is not Jansson's (to be freed); NULL without memory.
char *store_json_text(const struct json_t *json);
/// The base with the places and values of a difference (to be freed); NULL when they do not fit, or without memory.
char *store_difference_apply(const char *base, const char *difference);
/// STORE_FAILED (logged) when a document is not the one of this name any more.
store_status store_document_check(const char *sha256, const char *document);
/// store_job_whole with the base at hand.
store_status store_job_whole_from(struct store_job *job, const char *base);

#endif
