// The kinds of stores that the suite of the store runs against.
#include "support/stores.h"

#include <check.h>
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
