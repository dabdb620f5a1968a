// The kinds of stores that the suite of the store runs against.
#include "support/stores.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_folder(char place[TEST_PLACE_SIZE]) {
  strcpy(place, "/tmp/tendril-store-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(place));
}

static void remove_folder(const char *place) {
  char command[TEST_PLACE_SIZE + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  ck_assert_int_eq(system(command), 0);
}

const test_store test_stores[TEST_STORES] = {
    {"sqlite and files", make_folder, remove_folder, true},
};

void test_store_tamper(const char *folder, const char *sql) {
  char path[TEST_PLACE_SIZE + 16];
  sqlite3 *db = NULL;
  snprintf(path, sizeof path, "%s/tendril.db", folder);
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}
