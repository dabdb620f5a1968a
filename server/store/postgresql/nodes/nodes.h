// Inside the room of nodes: what its files share.
#ifndef SERVER_STORE_POSTGRESQL_NODES_NODES_H
#define SERVER_STORE_POSTGRESQL_NODES_NODES_H

#include "store/postgresql/postgresql.h"

/// The name that this life of the process has in the rows: a new one for each, which is kept in the data folder.
/// `before` is that of the folder's last life, "" when there was none. False with a sentence.
bool pg_node_rename(const store *s, char id[ID_SIZE], char before[ID_SIZE], char message[STORE_MESSAGE_SIZE]);

enum { PG_LOST_MAX = 256 };
typedef struct pg_lost { ///< an attempt that is held here and that the rows do not give to this node
  char id[ID_SIZE];
  int attempt;
} pg_lost;
/// Those held since before `asked_s` (monotonic) that are not among `rows` ("id attempt cancel id …", NULL: none),
/// which were read later; they are not held any more. Returns how many stand in `lost`.
int pg_held_lost(store *s, double asked_s, const char *rows, pg_lost lost[PG_LOST_MAX]);
#endif
