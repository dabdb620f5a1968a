// XML text to a tree of elements.
//
// libexpat calls back for each element; no entity but the five of XML itself ever exists, as the begin of a document
// type ends the parse. Elements are linked as they open, so nothing recurses, whatever the depth.
#include "codec/import/xml.h"

#include <expat.h>
#include <string.h>

typedef struct builder {
  XML_Parser parser;
  arena *memory;
  const char *pointer;
  td_error *err;
  td_status status;
  xml_element *root, *open, *latest; // open: the element in which the text stands
  size_t count, depth;
} builder;

static int line_of(const builder *b) { return (int)XML_GetCurrentLineNumber(b->parser); }

static void stop(builder *b, td_status status, const char *what, const char *name) {
  if (b->status) return;
  b->status = td_fail(b->err, status, b->pointer, "line %d: %s%.80s", line_of(b), what, name);
  XML_StopParser(b->parser, XML_FALSE);
}

static bool copy_attributes(builder *b, xml_element *e, const XML_Char **pairs) {
  while (pairs[2 * e->attribute_count]) e->attribute_count++;
  e->attributes = arena_array(b->memory, e->attribute_count, sizeof *e->attributes);
  for (size_t i = 0; e->attributes && i < e->attribute_count; i++) {
    xml_attribute *one = &e->attributes[i];
    one->name = arena_strdup(b->memory, pairs[2 * i]);
    one->value = arena_strdup(b->memory, pairs[2 * i + 1]);
    if (!one->name || !one->value) return false;
  }
  return e->attributes != NULL;
}

static void hang(builder *b, xml_element *e) {
  xml_element *parent = e->parent = b->open;
  if (parent && parent->last) parent->last->next = e;
  if (parent && !parent->first) parent->first = e;
  if (parent) parent->last = e;
  if (b->latest) b->latest->following = e;
  if (!b->root) b->root = e;
  b->open = b->latest = e;
}

static bool within_limits(builder *b, const XML_Char *name, const XML_Char **pairs) {
  size_t attributes = 0;
  while (pairs[2 * attributes]) attributes++;
  if (++b->count > XML_MAX_ELEMENTS)
    stop(b, TD_LIMIT, "more than 100000 elements, at ", name);
  else if (++b->depth > XML_MAX_DEPTH)
    stop(b, TD_LIMIT, "elements are nested more than 64 deep, at ", name);
  else if (attributes > XML_MAX_ATTRIBUTES)
    stop(b, TD_LIMIT, "more than 64 attributes in ", name);
  return b->status == TD_OK;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **pairs) {
  builder *b = context;
  if (b->status || !within_limits(b, name, pairs)) return;
  xml_element *e = arena_alloc(b->memory, sizeof *e);
  if (e) e->name = arena_strdup(b->memory, name);
  if (!e || !e->name || !copy_attributes(b, e, pairs)) {
    stop(b, TD_NO_MEMORY, "no memory for ", name);
    return;
  }
  e->line = line_of(b);
  hang(b, e);
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
  builder *b = context;
  (void)name;
  if (b->status) return;
  b->open = b->open->parent;
  b->depth--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length) {
  builder *b = context;
  if (b->status || !b->open || b->open->text_line) return;
  for (int i = 0; i < length; i++)
    if (!strchr(" \t\r\n", text[i])) b->open->text_line = line_of(b);
}

static void XMLCALL on_document_type(void *context, const XML_Char *name, const XML_Char *system,
                                     const XML_Char *public, int internal) {
  (void)system, (void)public, (void)internal;
  stop(context, TD_INVALID_ARGUMENT,
       "a document type (<!DOCTYPE>) is not read; take it out, with its entities: ", name);
}

static td_status finish(builder *b, enum XML_Status parsed) {
  if (b->status || parsed == XML_STATUS_OK) return b->status;
  enum XML_Error code = XML_GetErrorCode(b->parser);
  return td_fail(b->err, code == XML_ERROR_NO_MEMORY ? TD_NO_MEMORY : TD_INVALID_ARGUMENT, b->pointer,
                 "line %d column %d: %s%s", line_of(b), (int)XML_GetCurrentColumnNumber(b->parser) + 1,
                 XML_ErrorString(code), code == XML_ERROR_INVALID_TOKEN ? ": this is no XML" : "");
}

td_status xml_parse(const char *text, size_t size, const char *pointer, arena *a, xml_element **root, td_error *err) {
  *root = NULL;
  if (size > XML_MAX_BYTES)
    return td_fail(err, TD_LIMIT, pointer, "%zu bytes are more than the %d of a description", size, (int)XML_MAX_BYTES);
  builder b = {.parser = XML_ParserCreate("UTF-8"), .memory = a, .pointer = pointer, .err = err, .status = TD_OK};
  if (!b.parser) return td_fail(err, TD_NO_MEMORY, pointer, "no memory for the parser");
  XML_SetUserData(b.parser, &b);
  XML_SetElementHandler(b.parser, on_start, on_end);
  XML_SetCharacterDataHandler(b.parser, on_text);
  XML_SetStartDoctypeDeclHandler(b.parser, on_document_type);
  td_status status = finish(&b, XML_Parse(b.parser, text, (int)size, XML_TRUE));
  XML_ParserFree(b.parser);
  if (status == TD_OK) *root = b.root;
  return status;
}

// ------------------------------------------------------------------------------------------------ looking

const char *xml_attribute_of(xml_element *e, const char *name) {
  for (size_t i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, name) == 0) return e->attributes[i].read = true, e->attributes[i].value;
  return NULL;
}

static xml_element *first_named(xml_element *e, const char *name) {
  while (e && strcmp(e->name, name) != 0) e = e->next;
  if (e) e->read = true;
  return e;
}

xml_element *xml_child(xml_element *e, const char *name) { return first_named(e->first, name); }
xml_element *xml_sibling(const xml_element *e) { return first_named(e->next, e->name); }
