// Option parsing: --name VALUE, --name=VALUE, -n VALUE, -nVALUE and positionals in any order.
// Invariant: value[i] belongs to rows[i]; strings are borrowed from argv.
#include "base/options.h"

#include "base/near.h"
#include "base/say.h"
#include "base/table.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_long(const option_row *rows, const char *name, size_t length) {
  for (int i = 0; rows[i].name; ++i)
    if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0) return i;
  return -1;
}

static int find_letter(const option_row *rows, char letter) {
  for (int i = 0; rows[i].name; ++i)
    if (rows[i].letter && rows[i].letter == letter) return i;
  return -1;
}

static bool add_positional(options *out, const char *word) {
  if (out->count == POSITIONAL_LIMIT) {
    say_error("too many arguments: '%s' is one more than this command takes", word);
    return false;
  }
  out->positional[out->count++] = word;
  return true;
}

static bool keep_value(options *out, int row, const char *value) {
  out->value[row] = value;
  if (out->given_count == GIVEN_LIMIT) return say_error("more than %d options", GIVEN_LIMIT), false;
  out->given[out->given_count].row = row;
  out->given[out->given_count++].value = value;
  return true;
}

// Consumes one option at argv[*i], and its value when it takes one.
static bool take_option(options *out, int argc, char **argv, int *i) {
  const char *word = argv[*i];
  bool is_long = word[1] == '-';
  const char *equals = is_long ? strchr(word, '=') : NULL;
  size_t length = equals ? (size_t)(equals - word - 2) : strlen(word) - 2;
  int row = is_long ? find_long(out->rows, word + 2, length) : find_letter(out->rows, word[1]);
  if (row < 0) {
    near_search near = near_to(is_long ? word + 2 : word + 1, is_long ? length : 1);
    for (const option_row *known = out->rows; known->name; ++known) near_try(&near, known->name);
    for (const option_row *known = out->rows; is_long && length > 0 && !near.best && known->name; ++known)
      if (strncmp(known->name, word + 2, length) == 0) near.best = known->name; // its beginning
    if (near.best)
      say_error("unknown option '%s': did you mean --%s?", word, near.best);
    else
      say_error("unknown option '%s' (--help lists the options)", word);
    return false;
  }
  assert(row < 2 * OPTION_LIMIT); // value[] has one for each row
  const char *attached = is_long ? (equals ? equals + 1 : NULL) : (word[2] ? word + 2 : NULL);
  if (!out->rows[row].argument) {
    if (attached) say_error("--%s takes no value", out->rows[row].name);
    out->value[row] = "";
    return !attached;
  }
  if (!attached && *i + 1 < argc) attached = argv[++*i];
  if (!attached) say_error("--%s needs a value: %s", out->rows[row].name, out->rows[row].argument);
  return attached && keep_value(out, row, attached);
}

bool options_parse(options *out, const option_row *rows, int argc, char **argv) {
  *out = (options){.rows = rows};
  bool only_positionals = false;
  for (int i = 0; i < argc; ++i) {
    const char *word = argv[i];
    bool dashed = !only_positionals && word[0] == '-' && word[1] != '\0';
    if (dashed && strcmp(word, "--") == 0) {
      only_positionals = true;
    } else if (dashed) {
      if (!take_option(out, argc, argv, &i)) return false;
    } else if (!add_positional(out, word)) {
      return false;
    }
  }
  return true;
}

bool options_has(const options *parsed, const char *name) { return find_long(parsed->rows, name, strlen(name)) >= 0; }

const char *options_nth(const options *parsed, const char *name, int n) {
  int row = find_long(parsed->rows, name, strlen(name));
  for (int i = 0; i < parsed->given_count; ++i)
    if (parsed->given[i].row == row && n-- == 0) return parsed->given[i].value;
  return NULL;
}

const char *options_get(const options *parsed, const char *name) {
  int row = find_long(parsed->rows, name, strlen(name));
  return row < 0 ? NULL : parsed->value[row];
}

bool options_integer(const options *parsed, const char *name, long low, long high, long otherwise, long *value) {
  const char *text = options_get(parsed, name);
  *value = otherwise;
  if (!text) return true;
  char *end = NULL;
  errno = 0;
  *value = strtol(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && *value >= low && *value <= high) return true;
  say_error("--%s must be a whole number from %ld to %ld, not '%s'", name, low, high, text);
  return false;
}

void options_print(FILE *to, const option_row *rows) {
  for (const option_row *row = rows; row->name; ++row) {
    char left[128];
    char letter[5] = "    ";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    int room = 24 - table_characters(left);
    fprintf(to, "  %s%*s%s%s\n", left, room > 0 ? room : 0, "", room < 0 ? "\n                           " : " ",
            row->help);
  }
}
