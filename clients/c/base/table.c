// Cells are made safe for a terminal and padded by characters, not bytes; the last column ends the line.
#include "base/table.h"

#include "base/say.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// All bytes but those that go on with a character.
int table_characters(const char *text) {
  int count = 0;
  for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

enum { LEAST_WIDTH = 20 };

static FILE *target(const table *t) { return t->to ? t->to : stdout; }

// Columns of the terminal that are left behind those before the last; 0: it is none, or too narrow.
static int width_of_last(const table *t) {
  struct winsize size;
  int before = 0;
  for (const table_column *c = t->columns; c[1].name; ++c) before += abs(c->width) + 2;
  if (!t->wrap || ioctl(fileno(target(t)), TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col - before > LEAST_WIDTH ? size.ws_col - before : 0;
}

// Bytes of the words that fit into so many characters, at least one word.
static size_t bytes_that_fit(const char *text, int width) {
  size_t fit = 0;
  int characters = 0;
  for (size_t i = 0; text[i]; ++i) {
    characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    if (characters > width && fit > 0) return fit;
    if (text[i] == ' ' && i > 0) fit = i;
  }
  return characters > width && fit > 0 ? fit : strlen(text);
}

static void print_wrapped(const table *t, const char *text) {
  int width = width_of_last(t), indent = 0;
  for (const table_column *c = t->columns; c[1].name; ++c) indent += abs(c->width) + 2;
  while (width > 0 && table_characters(text) > width) {
    size_t fit = bytes_that_fit(text, width);
    fprintf(target(t), "%.*s\n%*s", (int)fit, text, indent, "");
    for (text += fit; *text == ' '; ++text) {
    }
  }
  fprintf(target(t), "%s\n", text);
}

static void print_cell(const table *t, const table_column *column, const char *text) {
  FILE *to = target(t);
  char safe[TABLE_CELL];
  say_safe(safe, sizeof safe, *text ? text : "-");
  int gap = abs(column->width) - table_characters(safe);
  if (column->width < 0 && gap > 0) fprintf(to, "%*s", gap, "");
  if (!column[1].name) {
    print_wrapped(t, safe);
    return;
  }
  fputs(safe, to);
  if (column->width > 0 && gap > 0) fprintf(to, "%*s", gap, "");
  fputs("  ", to);
}

static void print_head(const table *t) {
  if (t->json || t->rows > 0) return;
  for (const table_column *column = t->columns; column->name; ++column) print_cell(t, column, column->name);
}

static void print_row(const table *t, const void *row) {
  for (const table_column *column = t->columns; column->name; ++column) {
    char made[TABLE_CELL] = "";
    if (column->cell) column->cell(row, made);
    print_cell(t, column, column->cell ? made : (const char *)row + column->text);
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
