// Cells are made safe for a terminal and padded by characters, not bytes; the last column ends the line.
#include "base/table.h"

#include "base/say.h"
#include <stdlib.h>
#include <string.h>

// All bytes but those that go on with a character.
int table_characters(const char *text) {
  int count = 0;
  for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static void print_cell(FILE *to, const table_column *column, const char *text) {
  char safe[TABLE_CELL];
  say_safe(safe, sizeof safe, *text ? text : "-");
  int gap = abs(column->width) - table_characters(safe);
  bool last = !column[1].name;
  if (column->width < 0 && gap > 0) fprintf(to, "%*s", gap, "");
  fputs(safe, to);
  if (column->width > 0 && gap > 0 && !last) fprintf(to, "%*s", gap, "");
  fputs(last ? "\n" : "  ", to);
}

static FILE *target(const table *t) { return t->to ? t->to : stdout; }

static void print_head(const table *t) {
  if (t->json || t->rows > 0) return;
  for (const table_column *column = t->columns; column->name; ++column) print_cell(target(t), column, column->name);
}

static void print_row(const table *t, const void *row) {
  for (const table_column *column = t->columns; column->name; ++column) {
    char made[TABLE_CELL] = "";
    if (column->cell) column->cell(row, made);
    print_cell(target(t), column, column->cell ? made : (const char *)row + column->text);
  }
}

bool table_print(table *t, const void *row, const char *document) {
  print_head(t);
  ++t->rows;
  if (t->json)
    fprintf(target(t), "%s\n", document);
  else
    print_row(t, row);
  return !ferror(target(t));
}

void table_end(const table *t) { print_head(t); }
