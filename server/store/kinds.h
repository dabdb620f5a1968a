// The kinds of rows that a store may be of.
#ifndef SERVER_STORE_KINDS_H
#define SERVER_STORE_KINDS_H

#include "store/rows.h"

extern const rows_kind sqlite_rows;     ///< in a data folder
extern const rows_kind postgresql_rows; ///< in a database that several processes share

#endif
