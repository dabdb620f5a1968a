// The kinds of rows and of blobs that a store may be of.
#ifndef SERVER_STORE_KINDS_H
#define SERVER_STORE_KINDS_H

#include "store/blobs.h"
#include "store/rows.h"

extern const rows_kind sqlite_rows;     ///< in a data folder
extern const rows_kind postgresql_rows; ///< in a database that several processes share

extern const blobs_kind file_blobs;        ///< in a data folder
extern const blobs_kind shared_file_blobs; ///< results in a folder that several processes share, parts with their rows
extern const blobs_kind database_blobs;    ///< where the rows of PostgreSQL are

#endif
