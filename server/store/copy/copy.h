// A data folder into a PostgreSQL store, and such a store against itself.
#ifndef SERVER_STORE_COPY_COPY_H
#define SERVER_STORE_COPY_COPY_H

#include "store/store.h"

typedef struct store_copy {
  store *from, *to;                                                ///< a data folder, a database that nodes share
  void (*progress)(const char *what, int64_t done, int64_t total); ///< told often; total 0: unknown
  void (*complain)(const char *place, const char *what);           ///< of each result that cannot be copied
  int64_t models, jobs, results, parts, bytes;                     ///< out: what is in both now; bytes of results
  int64_t missing;                                                 ///< out: results that the folder has lost
  bool again; ///< out: all was there from an earlier copy, and of the others above only jobs is filled
} store_copy;
/// Copies what a folder remembers: models with revisions, documents, jobs, events, keys, sweeps, tokens, results and
/// what is kept of unfinished jobs, each compared with its checksum. What is there already is passed over, so an
/// interrupted copy may be run again; after a whole one it only compares. False with one sentence: the database has other
/// things, a node works there or has since a whole copy, or what was copied is not what is there.
bool store_copy_run(store_copy *c, char message[STORE_MESSAGE_SIZE]);

typedef struct store_audit {
  store *s;
  bool quick; ///< sizes of results, not their contents
  void (*progress)(const char *what, int64_t done, int64_t total);
  void (*complain)(const char *place, const char *what);
  int64_t jobs, results, bytes, parts, leftovers, wrong; ///< out; leftovers: blobs that no row wants
  int64_t lost;                                          ///< out: of the wrong ones, results that their rows call lost
} store_audit;
/// Compares rows of a PostgreSQL store with each other, documents with their names, results and checkpoints with their
/// rows and checksums. Nothing is changed.
bool store_audit_run(store_audit *a, char message[STORE_MESSAGE_SIZE]);

/// Of a PostgreSQL store's schema: its version, and the least that a program must know to work with it.
bool store_schema(store *s, int64_t *version, int64_t *least);

// Inside copy/.
enum { COPY_BATCH_BYTES = 4 << 20, COPY_BATCH_ROWS = 1000 };
/// Rows of all tables, in an order in which each finds what it refers to.
bool copy_rows(store_copy *c, char message[STORE_MESSAGE_SIZE]);
/// The same number of rows in both, and the same documents.
bool copy_compare(store_copy *c, char message[STORE_MESSAGE_SIZE]);
/// Whose results they are there: of no node that lives.
extern const char copy_node[ID_SIZE];

#endif
