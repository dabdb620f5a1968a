// Prims are opened and closed one after another, and brackets of a value are kept on a stack of their own, so nothing
// recurses, whatever the depth.
#include "codec/import/usd/tree.h"
#include "codec/json/text.h"

#include <string.h>

typedef struct builder {
  usd_scan scan;
  arena *memory;
  const char *pointer;
  td_error *err;
  usd_prim *root, *open, *latest;
  size_t prims, fields, depth;
} builder;

static const char COMPOSED[] = "of other layers or places; let USD write the scene in one piece: usdcat --flatten";

static td_status no_memory(const builder *b) {
  return td_fail(b->err, TD_NO_MEMORY, b->pointer, "no memory for the layer");
}

static td_status unexpected(const builder *b, const usd_token *found, const char *wanted) {
  if (found->kind == USD_WRONG)
    return td_fail(b->err, TD_INVALID_ARGUMENT, b->pointer, "line %d: %s", found->line, found->text);
  return td_fail(b->err, TD_INVALID_ARGUMENT, b->pointer, "line %d: '%.*s' stands where %s should", found->line,
                 (int)(found->size < 40 ? found->size : 40), found->text, wanted);
}

static td_status too_many(const builder *b, int line, const char *what) {
  return td_fail(b->err, TD_LIMIT, b->pointer, "line %d: %s", line, what);
}

// ------------------------------------------------------------------------------------------------ values

static bool opens(const usd_token *t) { return t->kind == USD_MARK && strchr("([{", *t->text); }
static bool closes(const usd_token *t) { return t->kind == USD_MARK && strchr(")]}", *t->text); }

// Behind the bracket that closes the one just read; *stronger: the word of a binding stands within.
static td_status skip_group(builder *b, char open, bool *stronger) {
  char stack[USD_MAX_DEPTH] = {open};
  size_t depth = 1;
  while (depth > 0) {
    usd_token t = usd_next(&b->scan);
    if (t.kind == USD_END || t.kind == USD_WRONG) return unexpected(b, &t, "a closing bracket");
    if (stronger && usd_is(&t, USD_STRING, "strongerThanDescendants")) *stronger = true;
    if (opens(&t)) {
      if (depth == USD_MAX_DEPTH) return too_many(b, t.line, "brackets are nested more than 64 deep");
      stack[depth++] = *t.text;
    } else if (closes(&t)) {
      char wanted = stack[depth - 1] == '(' ? ')' : stack[depth - 1] == '[' ? ']' : '}';
      if (*t.text != wanted) return unexpected(b, &t, wanted == ')' ? "')'" : wanted == ']' ? "']'" : "'}'");
      depth--;
    }
  }
  return TD_OK;
}

static td_status skip_value(builder *b, bool metadata) {
  usd_token t = usd_next(&b->scan);
  if (opens(&t)) return skip_group(b, *t.text, NULL);
  if (t.kind == USD_END || t.kind == USD_MARK || t.kind == USD_WRONG) return unexpected(b, &t, "a value");
  usd_token more = usd_peek(&b->scan);
  bool file = t.kind == USD_ASSET;
  if (file && more.kind == USD_PATH) usd_next(&b->scan), more = usd_peek(&b->scan);
  if (!metadata || !(file || t.kind == USD_PATH) || !usd_is_mark(&more, '(')) return TD_OK;
  usd_next(&b->scan);
  return skip_group(b, '(', NULL);
}

// ------------------------------------------------------------------------------------------------ fields

static bool is_list_word(const usd_token *t) {
  static const char *const words[] = {"add", "delete", "prepend", "append", "reorder"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (usd_is(t, USD_WORD, words[i])) return true;
  return false;
}

static td_status add_field(builder *b, usd_field **list, const usd_token *type, const usd_token *name, bool twice,
                           usd_field **out) {
  usd_prim *prim = b->open;
  if (++b->fields > USD_MAX_FIELDS) return too_many(b, name->line, "more than 400000 properties");
  if (++prim->field_count > USD_MAX_FIELDS_OF_ONE) return too_many(b, name->line, "more than 256 properties of a prim");
  usd_field *f = arena_alloc(b->memory, sizeof *f);
  if (!f) return no_memory(b);
  f->type = type ? arena_strndup(b->memory, type->text, type->size) : "";
  f->name = arena_strndup(b->memory, name->text, name->size);
  f->line = name->line;
  if (!f->type || !f->name) return no_memory(b);
  while (*list) {
    if (!twice && strcmp((*list)->name, f->name) == 0)
      return td_fail(b->err, TD_INVALID_ARGUMENT, b->pointer, "line %d: %.80s stands in line %d already", f->line,
                     f->name, (*list)->line);
    list = &(*list)->next;
  }
  *list = *out = f;
  return TD_OK;
}

// Metadata that puts a prim together from elsewhere.
static bool composes(const usd_token *name) {
  static const char *const words[] = {"references", "payload",     "inherits",  "specializes",
                                      "variants",   "variantSets", "subLayers", "clips"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (usd_is(name, USD_WORD, words[i])) return true;
  return false;
}

// "None", "[]": nothing.
static bool is_nothing(usd_scan value) {
  usd_token t = usd_next(&value);
  if (usd_is(&t, USD_WORD, "None")) return true;
  bool list = usd_is_mark(&t, '[');
  t = usd_next(&value);
  return list && usd_is_mark(&t, ']');
}

static td_status read_entry(builder *b, usd_token name) {
  usd_field *f = NULL;
  bool deletes = usd_is(&name, USD_WORD, "delete");
  usd_token mark;
  if (is_list_word(&name)) name = usd_next(&b->scan);
  if (name.kind != USD_WORD) return unexpected(b, &name, "the name of metadata");
  mark = usd_next(&b->scan);
  if (!usd_is_mark(&mark, '=')) return unexpected(b, &mark, "'='");
  usd_scan value = b->scan;
  td_status status = skip_value(b, true);
  if (status || deletes) return status;
  if (composes(&name) && !is_nothing(value))
    return td_fail(b->err, TD_INVALID_ARGUMENT, b->pointer, "line %d: %.*s: it is made %s", name.line, (int)name.size,
                   name.text, COMPOSED);
  status = add_field(b, &b->open->metadata, NULL, &name, true, &f);
  if (!status) f->value = value, f->valued = true;
  return status;
}

// "( … )" of the prim that is open, or of the layer.
static td_status read_metadata(builder *b) {
  td_status status = TD_OK;
  usd_next(&b->scan);
  while (!status) {
    usd_token t = usd_next(&b->scan);
    if (usd_is_mark(&t, ')')) return TD_OK;
    if (usd_is_mark(&t, ',') || t.kind == USD_STRING) continue; // a string alone: a comment
    status = read_entry(b, t);
  }
  return status;
}

// [custom] [uniform] float3[] name = value ( … )
static td_status read_property(builder *b, usd_token t) {
  static const char *const before[] = {"custom", "uniform", "varying", "config"};
  bool deletes = false;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    if (usd_is(&t, USD_WORD, before[i])) t = usd_next(&b->scan);
    if (!is_list_word(&t)) continue;
    deletes = usd_is(&t, USD_WORD, "delete") || usd_is(&t, USD_WORD, "reorder");
    t = usd_next(&b->scan);
  }
  if (t.kind != USD_WORD) return unexpected(b, &t, "a prim or a property");
  usd_token mark = usd_peek(&b->scan), name;
  if (usd_is_mark(&mark, '[')) {
    usd_next(&b->scan), mark = usd_next(&b->scan);
    if (!usd_is_mark(&mark, ']')) return unexpected(b, &mark, "']'");
  }
  name = usd_next(&b->scan);
  if (name.kind != USD_WORD) return unexpected(b, &name, "the name of a property");
  usd_field *f = NULL, gone = {.type = ""};
  td_status status = deletes ? TD_OK : add_field(b, &b->open->properties, &t, &name, false, &f);
  if (status) return status;
  if (deletes) f = &gone;
  mark = usd_peek(&b->scan);
  if (usd_is_mark(&mark, '=')) {
    usd_next(&b->scan);
    f->value = b->scan, f->valued = true;
    status = skip_value(b, false);
  }
  mark = usd_peek(&b->scan);
  if (status || !usd_is_mark(&mark, '(')) return status;
  usd_next(&b->scan);
  return skip_group(b, '(', &f->stronger);
}

// ------------------------------------------------------------------------------------------------ prims

static void hang(builder *b, usd_prim *prim) {
  usd_prim *parent = prim->parent = b->open;
  if (parent && parent->last) parent->last->next = prim;
  if (parent && !parent->first) parent->first = prim;
  if (parent) parent->last = prim;
  if (b->latest) b->latest->following = prim;
  b->open = b->latest = prim;
}

// def Xform "World" ( … ) {
static td_status open_prim(builder *b, const usd_token *specifier) {
  usd_token type = {.text = ""}, name = usd_next(&b->scan);
  if (name.kind == USD_WORD) type = name, name = usd_next(&b->scan);
  if (name.kind != USD_STRING || name.size == 0) return unexpected(b, &name, "the name of a prim, in quotes,");
  if (++b->prims > USD_MAX_PRIMS) return too_many(b, name.line, "more than 100000 prims");
  if (++b->depth > USD_MAX_DEPTH) return too_many(b, name.line, "prims are nested more than 64 deep");
  usd_prim *prim = arena_alloc(b->memory, sizeof *prim);
  if (!prim) return no_memory(b);
  prim->specifier = arena_strndup(b->memory, specifier->text, specifier->size);
  prim->type = arena_strndup(b->memory, type.text, type.size);
  prim->name = arena_strndup(b->memory, name.text, name.size);
  prim->line = specifier->line;
  if (!prim->specifier || !prim->type || !prim->name) return no_memory(b);
  hang(b, prim);
  usd_token mark = usd_peek(&b->scan);
  td_status status = usd_is_mark(&mark, '(') ? read_metadata(b) : TD_OK;
  if (status) return status;
  mark = usd_next(&b->scan);
  return usd_is_mark(&mark, '{') ? TD_OK : unexpected(b, &mark, "'{'");
}

// reorder nameChildren = […]: the order of what stands in the text is as good.
static td_status skip_order(builder *b) {
  usd_token name = usd_next(&b->scan), mark = usd_next(&b->scan);
  if (name.kind != USD_WORD || !usd_is_mark(&mark, '=')) return unexpected(b, &mark, "'='");
  return skip_value(b, true);
}

static bool orders(const builder *b, const usd_token *t) {
  usd_token next = usd_peek(&b->scan);
  return usd_is(t, USD_WORD, "reorder") &&
         (usd_is(&next, USD_WORD, "nameChildren") || usd_is(&next, USD_WORD, "rootPrims") ||
          usd_is(&next, USD_WORD, "properties"));
}

static td_status read_statement(builder *b, const usd_token *t) {
  if (usd_is(t, USD_WORD, "def") || usd_is(t, USD_WORD, "over") || usd_is(t, USD_WORD, "class")) return open_prim(b, t);
  if (usd_is(t, USD_WORD, "variantSet"))
    return td_fail(b->err, TD_INVALID_ARGUMENT, b->pointer, "line %d: variantSet: it is made %s", t->line, COMPOSED);
  if (usd_is_mark(t, '}') && b->open != b->root) {
    b->open = b->open->parent, b->depth--;
    return TD_OK;
  }
  if (orders(b, t)) return skip_order(b);
  return b->open == b->root ? unexpected(b, t, "a prim") : read_property(b, *t);
}

static td_status read_layer(builder *b) {
  td_status status = TD_OK;
  usd_token mark = usd_peek(&b->scan);
  if (usd_is_mark(&mark, '(')) status = read_metadata(b);
  while (!status) {
    usd_token t = usd_next(&b->scan);
    if (t.kind == USD_END && b->open == b->root) return TD_OK;
    status = t.kind == USD_END || t.kind == USD_WRONG ? unexpected(b, &t, "'}'") : read_statement(b, &t);
  }
  return status;
}

// What the text begins with says what it is.
static td_status check_head(const char *text, size_t size, const char *pointer, td_error *err) {
  static const char head[] = "#usda 1.";
  if (size > USD_MAX_BYTES)
    return td_fail(err, TD_LIMIT, pointer, "%zu bytes are more than the %d of a description", size, (int)USD_MAX_BYTES);
  if ((size >= 8 && memcmp(text, "PXR-USDC", 8) == 0) || (size >= 2 && memcmp(text, "PK", 2) == 0))
    return td_fail(err, TD_INVALID_ARGUMENT, pointer,
                   "line 1: this is binary USD (.usdc, .usdz); write it as text: usdcat --flatten -o scene.usda");
  if (size < sizeof head - 1 || memcmp(text, head, sizeof head - 1) != 0)
    return td_fail(err, TD_INVALID_ARGUMENT, pointer, "line 1: a layer of USD as text begins with #usda 1.0");
  if (!codec_utf8_valid(text, size)) return td_fail(err, TD_INVALID_ARGUMENT, pointer, "the text is not UTF-8");
  return TD_OK;
}

td_status usd_parse(const char *text, size_t size, const char *pointer, arena *a, usd_prim **root, td_error *err) {
  builder b = {.scan = {.at = text, .end = text + size, .line = 1}, .memory = a, .pointer = pointer, .err = err};
  *root = NULL;
  td_status status = check_head(text, size, pointer, err);
  if (status) return status;
  b.root = b.open = b.latest = arena_alloc(a, sizeof *b.root);
  if (!b.root) return no_memory(&b);
  b.root->specifier = "def", b.root->type = b.root->name = "";
  b.root->line = 1, b.root->read = true;
  status = read_layer(&b);
  if (!status) *root = b.root;
  return status;
}
