// A table of makers: each looks for its field and adds panels. Quantities of different units never share an axis. A
// statics list in which one input alone rises or falls is drawn over that input; otherwise over the problem's number.
#include "plot/curves/panels.h"

#include "base/say.h"
#include "plot/curves/channels.h"
#include "plot/curves/events.h"
#include "plot/curves/load_curve.h"
#include "plot/curves/search.h"
#include "plot/curves/tip_error.h"
#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
  const recording *r;
  const char *link;
  panel_list *list;
} maker;

enum { VARIED_MOST = 3 };

static double *hold(maker *m, double *values) {
  if (values) m->list->held[m->list->held_count++] = values;
  return values;
}

// NULL when there is no room for another one.
static panel *add_panel(maker *m, const char *title, const char *unit) {
  if (m->list->count == PANEL_LIMIT) return NULL;
  panel *p = must_alloc(sizeof *p);
  p->samples = m->r->samples;
  p->dots = m->r->statics;
  p->linked = varied_count(m->r) < 2;
  snprintf(p->title, sizeof p->title, "%.95s", title);
  snprintf(p->unit, sizeof p->unit, "%.15s", unit);
  return m->list->panel[m->list->count++] = p;
}

static curve *add_curve(panel *p, const double *y, size_t stride, colour paint, const char *label) {
  if (p->count == CURVE_LIMIT) return NULL;
  curve *k = &p->curves[p->count++];
  *k = (curve){.y = y, .stride = stride, .paint = paint, .line_width = 1.7};
  snprintf(k->label, sizeof k->label, "%.39s", label);
  return k;
}

// The next colour; a second round is dashed.
static curve *add_named(panel *p, const double *y, size_t stride, const char *label) {
  int i = p->count;
  curve *k = add_curve(p, y, stride, colour_of_curve(i), label);
  if (k) k->dashed = i / COLOUR_CURVES % 2 == 1;
  return k;
}

// Columns called "name[i]" unless a list of the summary names them.
static bool add_columns(maker *m, const char *field, const char *title, const char *unit, const char *names) {
  size_t columns;
  const double *y = recording_field(m->r, field, &columns);
  panel *p = y ? add_panel(m, title, unit) : NULL;
  for (size_t i = 0; p && i < columns; ++i) {
    char plain[48];
    snprintf(plain, sizeof plain, "%.24s[%zu]", field, i);
    const char *name = names ? recording_name(m->r, names, i) : NULL;
    add_named(p, y + i, columns, name ? name : columns > 1 ? plain : "");
  }
  return p != NULL;
}

// ------------------------------------------------------------------------------------------------ inputs

static bool make_inputs(maker *m) {
  size_t columns;
  const double *u = recording_field(m->r, "u", &columns);
  panel *of_group[CHANNEL_GROUPS] = {0};
  for (size_t i = 0; u && i < columns; ++i) {
    char plain[24];
    const char *name = recording_name(m->r, "channels", i);
    channel_group group = channels_group(m->r, name);
    snprintf(plain, sizeof plain, "u[%zu]", i);
    if (!of_group[group]) of_group[group] = add_panel(m, channels_title(group), channels_unit(group));
    if (of_group[group]) add_named(of_group[group], u + i, columns, name ? name : plain);
  }
  return u && columns > 0;
}

// ------------------------------------------------------------------------------------------------ coordinates

// "arm.bending_y[2]": link "arm", component "bending_y".
typedef struct coordinate {
  char link[64], component[40];
} coordinate;

static coordinate split(const char *name) {
  coordinate c = {"", ""};
  const char *dot = name ? strrchr(name, '.') : NULL;
  if (!dot) return c;
  snprintf(c.link, sizeof c.link, "%.*s", (int)(dot - name), name);
  snprintf(c.component, sizeof c.component, "%.*s", (int)strcspn(dot + 1, "["), dot + 1);
  return c;
}

static bool is_joint(const coordinate *c) { return strcmp(c->component, "joint") == 0; }

// "shoulder" of a joint with one coordinate, "body[2]" of one with several.
static void add_joint(const recording *r, panel *p, const double *q, size_t stride, size_t i, const coordinate *c) {
  const char *name = recording_name(r, "coordinates", i), *bracket = name ? strrchr(name, '[') : NULL;
  coordinate next = split(recording_name(r, "coordinates", i + 1));
  bool several = (bracket && strcmp(bracket, "[0]") != 0) || (is_joint(&next) && strcmp(next.link, c->link) == 0);
  char label[80];
  snprintf(label, sizeof label, "%.60s%.10s", c->link, bracket && several ? bracket : "");
  add_named(p, q, stride, label);
}

// Of coordinate i, which is one of a joint: "" where the model is not known.
static const char *unit_of_joint(const recording *r, size_t i, const coordinate *c) {
  const json_t *joint = json_object_get(recording_entry(r, "links", c->link, strlen(c->link)), "joint");
  const char *type = json_string_value(json_object_get(joint, "type")), *name = recording_name(r, "coordinates", i);
  const char *bracket = name ? strrchr(name, '[') : NULL;
  long k = bracket ? strtol(bracket + 1, NULL, 10) : 0;
  if (!type) return "";
  if (strcmp(type, "prismatic") == 0) return "m";
  bool turns_first = strcmp(type, "cylindrical") == 0 || strcmp(type, "planar") == 0;
  return (turns_first && k > 0) || (strcmp(type, "free") == 0 && k > 2) ? "m" : "rad";
}

// The unit of a panel of joints: that of all of them, or both.
static void join_units(panel *p, const char *unit) {
  bool first = p->count == 0;
  if (first && *unit) snprintf(p->unit, sizeof p->unit, "%s", unit);
  if (!first && strcmp(p->unit, unit) != 0) snprintf(p->unit, sizeof p->unit, "rad, m");
}

// One colour per component, shared by all rods, lighter for higher modes; the first of a component carries its name.
typedef struct strains {
  char component[COLOUR_CURVES][40];
  int components, member;
  coordinate last;
} strains;

static void add_strain(panel *p, strains *s, const double *q, size_t stride, const coordinate *c) {
  int k = 0;
  while (k < s->components && strcmp(s->component[k], c->component) != 0) ++k;
  bool fresh = k == s->components && k < COLOUR_CURVES;
  if (fresh) memcpy(s->component[s->components++], c->component, sizeof c->component);
  bool goes_on = strcmp(s->last.link, c->link) == 0 && strcmp(s->last.component, c->component) == 0;
  s->member = goes_on ? s->member + 1 : 0;
  s->last = *c;
  colour paint = colour_lighter(colour_of_curve(k), fmin(0.65, 0.16 * s->member));
  curve *added = add_curve(p, q, stride, paint, fresh ? c->component : "");
  if (added) added->line_width = 1.4;
}

static bool make_coordinates_of(maker *m, const char *field, const char *joints_title, const char *strains_title) {
  size_t columns;
  const double *q = recording_field(m->r, field, &columns);
  panel *joints = NULL, *rods = NULL;
  strains s = {.components = 0};
  for (size_t i = 0; q && i < columns; ++i) {
    coordinate c = split(recording_name(m->r, "coordinates", i));
    panel **p = is_joint(&c) ? &joints : &rods;
    if (!*p) *p = is_joint(&c) ? add_panel(m, joints_title, "rad, m") : add_panel(m, strains_title, "");
    if (!*p) continue;
    if (is_joint(&c))
      join_units(*p, unit_of_joint(m->r, i, &c)), add_joint(m->r, *p, q + i, columns, i, &c);
    else
      add_strain(*p, &s, q + i, columns, &c);
  }
  return q && columns > 0;
}

static bool make_coordinates(maker *m) {
  return make_coordinates_of(m, "q", "joint coordinates q", "strain coordinates q");
}

static bool make_rates(maker *m) {
  return make_coordinates_of(m, "qd", "rates of joint coordinates (per s)", "rates of strain coordinates (per s)");
}

// ------------------------------------------------------------------------------------------------ tip, energy

static double range_of(const double *y, size_t count, size_t stride, double *low, double *high) {
  for (size_t i = 0; i < count; ++i)
    if (isfinite(y[i * stride])) *low = fmin(*low, y[i * stride]), *high = fmax(*high, y[i * stride]);
  return *high - *low;
}

// Where the axes lie far apart compared with what moves, positions would be three straight lines.
static bool is_flat(const double *tip, size_t samples) {
  double low = INFINITY, high = -INFINITY, moved = 0;
  for (size_t k = 0; k < 3; ++k) {
    double least = INFINITY, most = -INFINITY;
    moved = fmax(moved, range_of(tip + k, samples, 3, &least, &most));
    low = fmin(low, least), high = fmax(high, most);
  }
  return moved < 0.4 * (high - low);
}

static bool make_tip(maker *m) {
  static const char *const axis[] = {"x", "y", "z"};
  char name[128], title[160];
  double *tip = hold(m, recording_tip(m->r, m->link, name, sizeof name));
  bool shifted = tip && !m->r->statics && is_flat(tip, m->r->samples);
  snprintf(title, sizeof title, shifted ? "%.90s, from where it started" : "%.90s", name);
  panel *p = tip ? add_panel(m, title, "m") : NULL;
  for (size_t i = 3 * m->r->samples; shifted && i-- > 0;) tip[i] -= tip[i % 3];
  for (size_t i = 0; p && i < 3; ++i) add_named(p, tip + i, 3, axis[i]);
  return p != NULL;
}

// Distances of tips from a controller's reference, as powers of ten: convergence is a straight line down.
static bool make_tip_error(maker *m) {
  enum { TIPS = 8 };
  const char *tip = NULL;
  size_t count = m->r->samples, tips = 0;
  double *error = m->r->statics ? NULL : tip_error_of(m->r, 0, &tip), *rows = NULL;
  panel *p = error ? add_panel(m, "distance of tips from their reference, log10", "m") : NULL;
  if (p) rows = hold(m, must_alloc(TIPS * count * sizeof *rows));
  while (p && error && tips < TIPS) {
    for (size_t k = 0; k < count; ++k) rows[tips * count + k] = log10(fmax(error[k], 1e-12));
    add_named(p, rows + tips * count, 1, tip);
    free(error);
    error = tip_error_of(m->r, ++tips, &tip);
  }
  free(error);
  return p != NULL;
}

enum { GRAVITATIONAL = 2, ENERGIES_SHOWN = 3 }; // column; the first three are drawn though they be 0

// Of a column of `energy`: as the summary says, older builds' do not.
static const char *energy_word(const recording *r, size_t k) {
  static const char *const older[] = {"kinetic", "elastic", "gravitational", "contact"};
  const char *name = recording_name(r, "energies", k);
  return name ? name : k < sizeof older / sizeof *older ? older[k] : "energy";
}

// The height from which a potential is counted is nobody's choice: it starts at zero.
static bool make_energy(maker *m) {
  size_t columns, count = m->r->samples;
  const double *energy = recording_field(m->r, "energy", &columns);
  panel *p = energy && columns >= ENERGIES_SHOWN ? add_panel(m, "energy, gravitational from 0", "J") : NULL;
  if (!p) return false;
  size_t stride = columns + 1; // and their sum
  double *rows = hold(m, must_alloc(stride * count * sizeof *rows));
  for (size_t i = 0; i < count; ++i) {
    double *row = rows + stride * i;
    memcpy(row, energy + columns * i, columns * sizeof *rows);
    row[GRAVITATIONAL] -= energy[GRAVITATIONAL];
    row[columns] = 0;
    for (size_t k = 0; k < columns; ++k) row[columns] += row[k];
  }
  for (size_t k = 0; k < columns; ++k) {
    double least = 0, most = 0;
    bool has = k < ENERGIES_SHOWN || range_of(rows + k, count, stride, &least, &most) > 0;
    if (has) add_named(p, rows + k, stride, energy_word(m->r, k));
  }
  add_curve(p, rows + columns, stride, (colour){.2, .2, .2}, "sum")->dashed = true;
  return true;
}

// One curve per tendon, called as the model calls it.
static bool add_tendon_columns(maker *m, const char *field, const char *title, const char *unit) {
  const json_t *actuator;
  size_t i, k = 0;
  int first = m->list->count;
  if (!add_columns(m, field, title, unit, NULL)) return false;
  panel *p = m->list->panel[first];
  json_array_foreach(json_object_get(m->r->model, "actuators"), i, actuator) {
    const char *type = json_string_value(json_object_get(actuator, "type"));
    const char *name = json_string_value(json_object_get(actuator, "name"));
    if (!type || !name || strcmp(type, "tendon") != 0 || k >= (size_t)p->count) continue;
    snprintf(p->curves[k++].label, sizeof p->curves[0].label, "%.39s", name);
  }
  return true;
}

static bool make_tendons(maker *m) { return add_tendon_columns(m, "tendons", "tendon lengths", "m"); }
static bool make_tensions(maker *m) { return add_tendon_columns(m, "tensions", "tendon tensions, pulled end", "N"); }
static bool make_lambda(maker *m) {
  return add_columns(m, "lambda", "forces of loops and joints", "N, N m", "multipliers");
}

// First of all where the result is a path of equilibria.
static bool make_load_curve(maker *m) {
  double *rows = NULL;
  panel *p = add_panel(m, "", "");
  bool made = p && load_curve_fill(p, m->r, &rows);
  hold(m, rows);
  if (p) p->dots = p->dots && !made;
  if (p && !made) free(m->list->panel[--m->list->count]);
  return made;
}

// A panel for each place that a sweep varied, unless the only one is the axis already.
static bool make_varied(maker *m) {
  bool made = false;
  for (size_t k = 0; k < varied_count(m->r) && k < VARIED_MOST; ++k) {
    char name[128], title[160];
    const double *values = varied_values(m->r, k);
    varied_name(m->r, k, name, sizeof name);
    snprintf(title, sizeof title, "varied: %.120s", name);
    panel *p = values && values != m->list->x ? add_panel(m, title, "") : NULL;
    if (p) add_curve(p, values, 1, (colour){.25, .27, .31}, "");
    made = made || p;
  }
  return made;
}

// How a search went, and the slopes of a gradient.
static bool make_searched(maker *m, double *(*fill)(panel *, const recording *)) {
  panel *p = m->r->found ? add_panel(m, "", "") : NULL;
  double *values = p ? hold(m, fill(p, m->r)) : NULL;
  if (p && !values) free(m->list->panel[--m->list->count]);
  return values != NULL;
}

static bool make_cost(maker *m) { return make_searched(m, search_worth); }
static bool make_parameters(maker *m) { return make_searched(m, search_parameters); }
static bool make_slopes(maker *m) { return make_searched(m, search_slopes); }

static bool make_loop_error(maker *m) { return add_columns(m, "loop_error", "loop error", "rad, m", NULL); }
static bool make_residual(maker *m) { return m->r->statics && add_columns(m, "residual", "residual", "N, N m", NULL); }

// ------------------------------------------------------------------------------------------------ the table

// Searches have more to show than others.
typedef enum drawn_when { ASKED_FOR, UNLESS_SOUGHT, USUAL } drawn_when;

static const struct {
  const char *name;
  bool (*make)(maker *);
  drawn_when when;
} makers[] = {
    {"cost", make_cost, USUAL},
    {"parameters", make_parameters, USUAL},
    {"slopes", make_slopes, USUAL},
    {"load_curve", make_load_curve, USUAL},
    {"varied", make_varied, USUAL},
    {"u", make_inputs, USUAL},
    {"q", make_coordinates, UNLESS_SOUGHT},
    {"qd", make_rates, ASKED_FOR},
    {"tip", make_tip, USUAL},
    {"tip_error", make_tip_error, USUAL},
    {"tendons", make_tendons, ASKED_FOR},
    {"tensions", make_tensions, USUAL},
    {"energy", make_energy, USUAL},
    {"lambda", make_lambda, UNLESS_SOUGHT},
    {"loop_error", make_loop_error, UNLESS_SOUGHT},
    {"residual", make_residual, UNLESS_SOUGHT},
};
enum { MAKERS = sizeof makers / sizeof *makers };

static bool make_one(maker *m, const char *name, size_t length) {
  for (int i = 0; i < MAKERS; ++i) {
    if (strlen(makers[i].name) != length || strncmp(makers[i].name, name, length) != 0) continue;
    if (makers[i].make(m)) return true;
    if (m->list->count == PANEL_LIMIT)
      say_error("there is room for %d panels, and none left for '%.*s': ask for fewer", (int)PANEL_LIMIT, (int)length,
                name);
    else
      say_error("the result holds nothing for the panel '%.*s'", (int)length, name);
    return false;
  }
  say_error("there is no panel '%.*s'; there are cost, parameters, slopes, load_curve, varied, u, q, qd, tip, "
            "tip_error, tendons, tensions, "
            "energy, lambda, "
            "loop_error, residual",
            (int)length, name);
  return false;
}

static bool make_named(maker *m, const char *fields) {
  for (const char *at = fields; *at; at += *at == ',') {
    size_t length = strcspn(at, ",");
    if (length > 0 && !make_one(m, at, length)) return false;
    at += length;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ the axis of statics

static bool varies(const double *u, size_t samples, size_t stride) {
  for (size_t i = 1; i < samples; ++i)
    if (u[i * stride] != u[0]) return true;
  return false;
}

static bool monotone(const double *u, size_t samples, size_t stride) {
  double way = u[(samples - 1) * stride] - u[0];
  for (size_t i = 1; i < samples; ++i)
    if ((u[i * stride] - u[(i - 1) * stride]) * way <= 0) return false;
  return true;
}

// The only input that changes, when it changes one way: its column, else -1.
static long only_input(const recording *r, const double *u, size_t columns) {
  long found = -1;
  for (size_t k = 0; u && k < columns; ++k) {
    if (!varies(u + k, r->samples, columns)) continue;
    if (found >= 0 || !monotone(u + k, r->samples, columns)) return -1;
    found = (long)k;
  }
  return found;
}

static void choose_axis(maker *m) {
  panel_list *list = m->list;
  size_t columns = 0;
  const double *u = m->r->statics && !m->r->ends ? recording_field(m->r, "u", &columns) : NULL;
  long k = only_input(m->r, u, columns);
  list->x = m->r->x;
  snprintf(list->x_label, sizeof list->x_label, "%s", recording_axis(m->r));
  const double *values = varied_count(m->r) == 1 ? varied_values(m->r, 0) : NULL;
  if (values && m->r->samples > 1 && monotone(values, m->r->samples, 1)) {
    list->x = values;
    varied_name(m->r, 0, list->x_label, sizeof list->x_label);
    return;
  }
  if (k < 0 || m->r->sweep) return;
  const char *name = recording_name(m->r, "channels", (size_t)k);
  double *x = hold(m, must_alloc(m->r->samples * sizeof *x));
  for (size_t i = 0; i < m->r->samples; ++i) x[i] = u[i * columns + (size_t)k];
  list->x = x;
  snprintf(list->x_label, sizeof list->x_label, "%.40s (%s)", name ? name : "u",
           channels_unit(channels_group(m->r, name)));
}

// ------------------------------------------------------------------------------------------------ all

bool panels_make(panel_list *list, const recording *r, const char *fields, const char *link) {
  maker m = {r, link, list};
  *list = (panel_list){.count = 0};
  choose_axis(&m);
  for (int i = 0; !fields && i < MAKERS; ++i) {
    bool is_axis = makers[i].make == make_inputs && list->x != r->x && !r->sweep;
    bool told = json_object_get(r->summary, "continuation") &&
                (makers[i].make == make_inputs || makers[i].make == make_residual); // the load curve does
    if (makers[i].when >= (r->found ? USUAL : UNLESS_SOUGHT) && !is_axis && !told) (void)makers[i].make(&m);
  }
  for (int i = 0; !fields && list->count == 0 && i < MAKERS; ++i)
    if (makers[i].when == ASKED_FOR) (void)makers[i].make(&m); // rather than nothing
  bool good = !fields || make_named(&m, fields);
  events_mark(list, r);
  for (int i = 0; i < list->count; ++i) {
    if (list->panel[i]->own_axis) continue;
    list->panel[i]->x = list->x;
    snprintf(list->panel[i]->x_label, sizeof list->panel[i]->x_label, "%s", list->x_label);
  }
  if (!good) panels_free(list);
  return good;
}

void panels_free(panel_list *list) {
  for (int i = 0; i < list->count; ++i) free(list->panel[i]);
  for (int i = 0; i < list->held_count; ++i) free(list->held[i]);
  *list = (panel_list){.count = 0};
}
