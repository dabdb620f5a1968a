// What can still be judged of a document that cannot be read: the document without the members that are at fault.
//
// Method: the member that holds an error is taken out and what is left is read again; where it is now missing, that which
// holds it goes, too. Numbers that have to be there become ordinary ones. Each round changes one member at least. A
// document whose links or bodies would have to go is given up: what is said of others would follow from that.
#include "codec/document/sound.h"
#include "codec/json/place.h"
#include "tendril/status.h"

#include <string.h>

enum { ROUNDS = 8 };

static const struct {
  const char *key;
  double value; // SI
} ordinary[] = {{"t_end", 1}, {"young", 1e6},  {"density", 1000},     {"poisson", 0.3}, {"length", 1},
                {"mass", 1},  {"radius", 0.1}, {"outer_radius", 0.1}, {"width", 0.1},   {"height", 0.1}};
static const char *const carrying[] = {"links", "body", "joint"};

static const double *ordinary_value(const char *key) {
  for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
    if (strcmp(ordinary[i].key, key) == 0) return &ordinary[i].value;
  return NULL;
}

static bool carries(const char *key) {
  for (size_t i = 0; i < sizeof carrying / sizeof *carrying; i++)
    if (strcmp(carrying[i], key) == 0) return true;
  return false;
}

// Makes member `key` of `holder` harmless. False: there is no such member.
static bool mend(json_t *holder, const char *key) {
  const double *value = ordinary_value(key);
  if (!json_is_object(holder)) return false;
  if (value) return json_object_set_new(holder, key, json_real(*value)) == 0;
  return json_object_get(holder, key) && json_object_del(holder, key) == 0;
}

// What stands at `pointer`, or the nearest member of an object that holds it. False: too much hangs on that.
static bool take_out(json_t *doc, const char *pointer) {
  char at[TD_POINTER_SIZE], key[JSON_TOKEN_SIZE];
  strcpy(at, pointer);
  for (char *last = strrchr(at, '/'); last; last = strrchr(at, '/')) {
    if (!json_place_token(last, key) || carries(key)) return false;
    *last = '\0';
    if (mend(json_place_find(doc, at), key)) return true;
  }
  return false;
}

static bool take_all_out(json_t *doc, const td_errors *all) {
  for (int i = 0; i < all->count; i++)
    if (!take_out(doc, all->list[i].pointer)) return false;
  return all->count > 0;
}

json_t *codec_sound(const json_t *document, const td_errors *known, codec_reads reads) {
  json_t *left = json_deep_copy(document);
  td_errors all = *known;
  for (int round = 0; left && round < ROUNDS && take_all_out(left, &all); round++) {
    all.count = 0;
    if (reads(left, &all)) return left;
  }
  json_decref(left);
  return NULL;
}

// Whether one of two places holds the other.
static bool touch(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;
  return strncmp(a, b, least) == 0 && (n == m || (n < m ? b : a)[least] == '/');
}

void codec_errors_elsewhere(td_errors *all, const td_errors *more) {
  int known = all->count;
  for (int i = 0; i < more->count; i++) {
    bool told = false;
    for (int k = 0; k < known; k++) told = told || touch(all->list[k].pointer, more->list[i].pointer);
    if (!told && !td_errors_add(all, &more->list[i])) return;
  }
}
