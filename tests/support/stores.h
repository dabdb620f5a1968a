// The kinds of stores that the suite of the store runs against. Another kind is a row of the table in stores.c.
#ifndef TENDRIL_TEST_STORES_H
#define TENDRIL_TEST_STORES_H

#include <stdbool.h>
#include <stdint.h>

enum { TEST_STORES = 3, TEST_PLACE_SIZE = 64 };

struct store;

typedef struct test_store { ///< what a test needs of a kind besides its interface
  const char *name;
  void (*make)(char place[TEST_PLACE_SIZE]); ///< a new place: the folder of its files
  struct store *(*open)(const char *place, char *message);
  void (*remove)(const char *place);
  bool patient; ///< what is missing is not called lost before a while has passed
  bool folder;  ///< the place is a data folder: SQLite and files, which some tests look into or change
} test_store;

extern const test_store test_stores[TEST_STORES];

/// Another process's store on the same rows, with files in a folder of its own; of a kind that lets several open it.
struct store *test_store_open_node(int kind, const char *place, const char *folder, char *message);
/// A statement asked of the database behind an open store: the integer that it gives.
int64_t test_store_ask(int kind, const char *place, const char *sql);
/// A transaction of somebody else that has run a statement and is not over until it is released.
void *test_store_hold(int kind, const char *place, const char *sql);
void test_store_release(void *held);
/// Changes the database of a closed data folder as no program of ours would.
void test_store_tamper(const char *folder, const char *sql);

/// First in a test that looks behind the interface into a data folder: nothing to do for kinds that have none.
#define TEST_NEEDS_FOLDER(kind)                                                                                        \
  if (!test_stores[kind].folder) return

#endif
