// Values are read from the text where they stand, by whoever knows what they should be.
#include "codec/import/usd/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

td_status usd_no_memory(const usd *u) {
  return td_fail(u->r->err, TD_NO_MEMORY, u->r->pointer, "no memory for the scene");
}

const char *usd_path_of(const usd_prim *prim, char text[REMARK_TEXT_SIZE]) {
  const usd_prim *way[USD_MAX_DEPTH + 1];
  size_t n = 0;
  int at = 0;
  for (; prim && prim->parent && n <= USD_MAX_DEPTH; prim = prim->parent) way[n++] = prim;
  text[0] = '\0';
  while (n > 0 && at < REMARK_TEXT_SIZE)
    at += snprintf(text + at, (size_t)(REMARK_TEXT_SIZE - at), "/%s", way[--n]->name);
  remark_trim(text, at);
  return text;
}

td_status usd_fail(const usd *u, const usd_prim *prim, int line, const char *format, ...) {
  char what[TD_MESSAGE_SIZE], path[REMARK_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  usd_path_of(prim, path);
  return td_fail(u->r->err, TD_INVALID_ARGUMENT, u->r->pointer, "line %d: %.160s%s%s", line, path, *path ? ": " : "",
                 what);
}

static usd_field *named(usd_field *f, const char *name) {
  while (f && !(f->valued && strcmp(f->name, name) == 0)) f = f->next;
  if (f) f->read = true;
  return f;
}

usd_field *usd_property(usd_prim *prim, const char *name) { return named(prim->properties, name); }
usd_field *usd_metadata(usd_prim *prim, const char *name) { return named(prim->metadata, name); }

usd_field *usd_physics(usd_prim *prim, const char *name) {
  char full[96];
  snprintf(full, sizeof full, "physics:%s", name);
  usd_field *f = usd_property(prim, full);
  snprintf(full, sizeof full, "omniphysics:%s", name);
  return f ? f : usd_property(prim, full);
}

// ------------------------------------------------------------------------------------------------ numbers

static bool number_of(const usd_token *t, double *x) {
  char text[64];
  if (usd_is(t, USD_WORD, "inf") || usd_is(t, USD_NUMBER, "-inf"))
    return *x = *t->text == '-' ? -INFINITY : INFINITY, true;
  if (t->kind != USD_NUMBER || t->size >= sizeof text) return false;
  memcpy(text, t->text, t->size);
  text[t->size] = '\0';
  return import_number(text, x) == t->size;
}

static td_status wrong_value(const usd *u, const usd_prim *prim, const usd_field *f, const usd_token *t,
                             const char *wanted) {
  return usd_fail(u, prim, t->line, "%.60s: '%.*s' is not %s", f->name, (int)(t->size < 40 ? t->size : 40), t->text,
                  wanted);
}

// Walks over the numbers of a value; `x` NULL: counts them.
static td_status walk(const usd *u, const usd_prim *prim, const usd_field *f, size_t tuple, double *x, size_t *count) {
  usd_scan s = f->value;
  size_t depth = 0, n = 0, begin = 0;
  do {
    usd_token t = usd_next(&s);
    double number;
    if (usd_is_mark(&t, '(') || usd_is_mark(&t, '[')) {
      depth++, begin = n;
    } else if (usd_is_mark(&t, ')') || usd_is_mark(&t, ']')) {
      depth--;
      if (*t.text == ')' && tuple < 16 && n - begin != tuple)
        return usd_fail(u, prim, t.line, "%.60s: a value has %zu numbers, not %zu", f->name, n - begin, tuple);
      begin = n;
    } else if (!usd_is_mark(&t, ',')) {
      if (!number_of(&t, &number) || (!isfinite(number) && depth > 0)) return wrong_value(u, prim, f, &t, "a number");
      if (x) x[n] = number;
      n++;
    }
  } while (depth > 0);
  *count = n;
  return n % tuple == 0 ? TD_OK
                        : usd_fail(u, prim, f->line, "%.60s: %zu numbers are no multiple of %zu", f->name, n, tuple);
}

td_status usd_numbers(const usd *u, const usd_prim *prim, const usd_field *f, size_t tuple, double **x, size_t *count) {
  *x = NULL;
  td_status status = walk(u, prim, f, tuple, NULL, count);
  if (status) return status;
  *x = arena_array(u->r->memory, *count + 1, sizeof **x);
  return *x ? walk(u, prim, f, tuple, *x, count) : usd_no_memory(u);
}

td_status usd_vector(const usd *u, const usd_prim *prim, const usd_field *f, double *x, size_t count) {
  double *all;
  size_t n;
  td_status status = usd_numbers(u, prim, f, count, &all, &n);
  if (status) return status;
  if (n != count) return usd_fail(u, prim, f->line, "%.60s has %zu numbers, not %zu", f->name, n, count);
  for (size_t i = 0; i < count; i++)
    if (!isfinite(all[i])) return usd_fail(u, prim, f->line, "%.60s is not finite", f->name);
  memcpy(x, all, count * sizeof *x);
  return TD_OK;
}

td_status usd_scalar(const usd *u, usd_prim *prim, usd_field *f, double *x, bool *there) {
  double *all;
  size_t n;
  *there = false;
  td_status status = f ? usd_numbers(u, prim, f, 1, &all, &n) : TD_OK;
  if (!f || status) return status;
  if (n != 1) return usd_fail(u, prim, f->line, "%.60s has %zu numbers, not one", f->name, n);
  if (all[0] == -INFINITY) return TD_OK;
  if (!isfinite(all[0])) return usd_fail(u, prim, f->line, "%.60s is not finite", f->name);
  *x = all[0], *there = true;
  return TD_OK;
}

bool usd_flag(const usd_field *f, bool otherwise) {
  if (!f) return otherwise;
  usd_token t = usd_peek(&f->value);
  return usd_is(&t, USD_WORD, "true") || usd_is(&t, USD_WORD, "True") || usd_is(&t, USD_NUMBER, "1");
}

const char *usd_text(const usd *u, const usd_field *f) {
  usd_token t = f ? usd_peek(&f->value) : (usd_token){.kind = USD_END};
  bool text = t.kind == USD_STRING || t.kind == USD_WORD;
  return arena_strndup(u->r->memory, text ? t.text : "", text ? t.size : 0);
}

// ------------------------------------------------------------------------------------------------ prims

static bool lists(const usd_field *f, const char *name) {
  char plain[96], vendor[96];
  usd_scan s = f->value;
  snprintf(plain, sizeof plain, "Physics%s", name);
  snprintf(vendor, sizeof vendor, "OmniPhysics%s", name);
  for (;;) {
    usd_token t = usd_next(&s);
    if (usd_is(&t, USD_STRING, plain) || usd_is(&t, USD_STRING, vendor)) return true;
    if (t.kind != USD_STRING && !usd_is_mark(&t, '[') && !usd_is_mark(&t, ',')) return false;
  }
}

bool usd_has_schema(usd_prim *prim, const char *name) {
  bool has = false;
  for (usd_field *f = prim->metadata; f; f = f->next)
    if (f->valued && strcmp(f->name, "apiSchemas") == 0) f->read = true, has = has || lists(f, name);
  return has;
}

bool usd_is_defined(usd_prim *prim) {
  for (; prim; prim = prim->parent)
    if (strcmp(prim->specifier, "def") != 0 || !usd_flag(usd_metadata(prim, "active"), true)) return false;
  return true;
}
