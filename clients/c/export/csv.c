// Comma-separated values: a line of names, then one line per row, as the server writes them (server/codec/result/
// csv.c): columns have the same names, numbers read back as the same double.
#include "export/result.h"

#include "base/say.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static size_t numbers(const export_field *f, const export_result *r) { return f->array->count / r->rows; }

// In quotes where the name has a comma, a quote or a line end in it.
static void put_name(FILE *to, const char *name) {
  bool quoted = strpbrk(name, ",\"\r\n") != NULL;
  if (quoted) putc('"', to);
  for (const char *p = name; *p; ++p) {
    if (*p == '"') putc('"', to);
    putc(*p, to);
  }
  if (quoted) putc('"', to);
}

static void put_head(FILE *to, const export_result *r) {
  char name[1024];
  bool first = r->t != NULL;
  if (!r->t) fputs("index", to);
  for (int k = 0; k < r->count; ++k) {
    const export_field *f = &r->fields[k];
    for (size_t i = 0; f->rows && i < numbers(f, r); ++i) {
      if (!export_column_name(f, i, name, sizeof name)) continue;
      if (!first) putc(',', to);
      first = false;
      put_name(to, name);
    }
  }
  putc('\n', to);
}

static void put_row(FILE *to, const export_result *r, size_t row) {
  char text[1024];
  bool first = r->t != NULL;
  if (!r->t) fprintf(to, "%zu", row);
  for (int k = 0; k < r->count; ++k) {
    const export_field *f = &r->fields[k];
    size_t n = f->rows ? numbers(f, r) : 0;
    for (size_t i = 0; i < n; ++i) {
      if (!export_column_name(f, i, text, sizeof text)) continue;
      export_number(f->array->values[row * n + i], text);
      fprintf(to, first ? "%s" : ",%s", text);
      first = false;
    }
  }
  putc('\n', to);
}

bool export_csv(const export_result *r, const char *path) {
  if (r->rows == 0) return say_error("the result has no rows that could be lines of a table"), false;
  FILE *to = fopen(path, "w");
  if (!to) return say_error("cannot write %s: %s", path, strerror(errno)), false;
  put_head(to, r);
  for (size_t row = 0; row < r->rows && !ferror(to); ++row) put_row(to, r, row);
  bool good = !ferror(to);
  if (fclose(to) == 0 && good) return true;
  return say_error("the table cannot be written: %s", strerror(errno)), false;
}
