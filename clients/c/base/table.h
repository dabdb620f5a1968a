// Lists as every command prints them: a head and rows whose columns are declared once, or with --json one document a
// line.
#ifndef TENDRIL_CLIENT_TABLE_H
#define TENDRIL_CLIENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_CELL = 512 };

typedef struct table_column { ///< a row without a name ends the list of columns
  const char *name;           ///< "STATE"
  int width;                  ///< in characters, never cut; negative: numbers, set to the right
  size_t text;                ///< offset of a text (char array) within a row of the list
  void (*cell)(const void *row,
               char out[TABLE_CELL]); ///< instead of `text`: writes what is no text, or not as it stands
} table_column;

typedef struct table {
  const table_column *columns;
  bool json; ///< documents instead of rows
  long rows; ///< printed so far
  FILE *to;  ///< NULL: standard output
  bool wrap; ///< on a terminal the last column goes on below itself
} table;

/// How many characters a text in UTF-8 has.
int table_characters(const char *text);
/// Prints a row, before the first one the head; an empty cell is "-". With json: `document`, a line of its own.
/// @return false when it cannot be written any more
bool table_print(table *t, const void *row, const char *document);
/// The head of a table without rows. To be called when there was an answer: a refusal has no table.
void table_end(const table *t);

#endif
