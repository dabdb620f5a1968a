// What every part of the store answers with, and sizes of what it names.
#ifndef SERVER_STORE_STATUS_H
#define SERVER_STORE_STATUS_H

#include "base/digest.h"
#include "base/id.h"
#include "store/states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct store store;

typedef enum store_status {
  STORE_OK,
  STORE_NOT_FOUND,
  STORE_EXISTS,       ///< the name is taken
  STORE_AMBIGUOUS,    ///< several owners have one of this name
  STORE_SHARE,        ///< the owner has as many as one may have
  STORE_KEPT,         ///< the owner would keep more than one may: store_keep says of what
  STORE_PRECONDITION, ///< the row is not what the caller expected (If-Match, a job's state, a stale attempt)
  STORE_FULL,         ///< no space, or the disk fails: nothing was changed
  STORE_SLOW,         ///< a read was given up after LIMIT_READ_S
  STORE_FAILED,       ///< a defect; logged
  STORE_AWAY,         ///< the database cannot be reached: nothing was changed, or nobody knows; it may be soon
  STORE_STOPPED,      ///< the device failed to keep what was written: nothing is written any more
} store_status;

enum { STORE_NAME_SIZE = 64, STORE_KIND_SIZE = 16, STORE_NODE_SIZE = 64, STORE_MESSAGE_SIZE = 256 };

#endif
