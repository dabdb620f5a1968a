// A table of makers: each looks for its field and adds panels. Quantities of different units never share an axis.
#include "plot/curves/panels.h"

#include "base/say.h"
#include "plot/curves/axis.h"
#include "plot/curves/channels.h"
#include "plot/curves/coordinates.h"
#include "plot/curves/events.h"
#include "plot/curves/load_curve.h"
#include "plot/curves/repeats.h"
#include "plot/curves/search.h"
#include "plot/curves/tip_error.h"
#include "plot/curves/touches.h"
#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIED_MOST = 3 };

// ------------------------------------------------------------------------------------------------ inputs

static bool make_inputs(maker *m) {
  size_t columns;
  const double *u = recording_field(m->r, "u", &columns);
  int first = m->list->count;
  for (size_t i = 0; u && i < columns; ++i) {
    char plain[24];
    const char *name = recording_name(m->r, "channels", i);
    channel_group group = channels_group(m->r, name);
    snprintf(plain, sizeof plain, "u[%zu]", i);
    panel *p = maker_of_unit(m, first, channels_title(group), channels_unit(group));
    if (p) maker_named(p, u + i, columns, name ? name : plain);
  }
  return u && columns > 0;
}

// ------------------------------------------------------------------------------------------------ tip, energy

static double range_of(const double *y, size_t count, size_t stride, double *low, double *high) {
  for (size_t i = 0; i < count; ++i)
    if (isfinite(y[i * stride])) *low = fmin(*low, y[i * stride]), *high = fmax(*high, y[i * stride]);
  return *high - *low;
}

static const double STILL_SHARE = 1e-9; // a tip that moves by less stands still: what is left is rounding

// Where the axes lie far apart compared with what moves, positions would be three straight lines.
static bool is_flat(const double *tip, size_t samples) {
  double low = INFINITY, high = -INFINITY, moved = 0;
  for (size_t k = 0; k < 3; ++k) {
    double least = INFINITY, most = -INFINITY;
    moved = fmax(moved, range_of(tip + k, samples, 3, &least, &most));
    low = fmin(low, least), high = fmax(high, most);
  }
  return moved < 0.4 * (high - low) && moved > STILL_SHARE * (high - low);
}

static const char *const axis_names[] = {"x", "y", "z"};

// Of a grid x, y and z have a panel each, so that the colours are left for its lines.
static bool make_tip_of_grid(maker *m, const double *tip, const char *name) {
  panel *p = NULL;
  for (size_t i = 0; i < 3; ++i) {
    char title[160];
    snprintf(title, sizeof title, "%s of %.90s", axis_names[i], name);
    p = maker_add(m, title, "m");
    if (p) maker_curve(p, tip + i, 3, colour_of_curve((int)i), "");
  }
  return p != NULL;
}

static bool make_tip(maker *m) {
  char name[128], title[160];
  double *tip = maker_hold(m, recording_tip(m->r, m->link, name, sizeof name));
  bool shifted = tip && !m->r->statics && is_flat(tip, m->r->samples);
  snprintf(title, sizeof title, shifted ? "%.90s, from where it started" : "%.90s", name);
  if (tip && m->list->kin.value) return make_tip_of_grid(m, tip, name);
  panel *p = tip ? maker_add(m, title, "m") : NULL;
  for (size_t i = 3 * m->r->samples; shifted && i-- > 0;) tip[i] -= tip[i % 3];
  for (size_t i = 0; p && i < 3; ++i) maker_named(p, tip + i, 3, axis_names[i]);
  return p != NULL;
}

static bool tip_is_there(const maker *m) {
  char name[128];
  double *tip = recording_tip(m->r, m->link, name, sizeof name);
  free(tip);
  return tip != NULL;
}

// Distances of tips from a controller's reference, as powers of ten: convergence is a straight line down.
static bool make_tip_error(maker *m) {
  enum { TIPS = 8 };
  const char *tip = NULL;
  size_t count = m->r->samples, tips = 0;
  double *error = m->r->statics ? NULL : tip_error_of(m->r, 0, &tip), *rows = NULL;
  panel *p = error ? maker_add(m, "distance of tips from their reference, log10", "m") : NULL;
  if (p) rows = maker_hold(m, must_alloc(TIPS * count * sizeof *rows));
  while (p && error && tips < TIPS) {
    for (size_t k = 0; k < count; ++k) rows[tips * count + k] = log10(fmax(error[k], 1e-12));
    maker_named(p, rows + tips * count, 1, tip);
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
  panel *p = energy && columns >= ENERGIES_SHOWN ? maker_add(m, "energy, gravitational from 0", "J") : NULL;
  if (!p) return false;
  size_t stride = columns + 1; // and their sum
  double *rows = maker_hold(m, must_alloc(stride * count * sizeof *rows));
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
    if (has) maker_named(p, rows + k, stride, energy_word(m->r, k));
  }
  maker_curve(p, rows + columns, stride, (colour){.2, .2, .2}, "sum")->dashed = true;
  return true;
}

// One curve per tendon, called as the model calls it.
static bool add_tendon_columns(maker *m, const char *field, const char *title, const char *unit) {
  const json_t *actuator;
  size_t i, k = 0;
  int first = m->list->count;
  if (!maker_columns(m, field, title, unit, NULL)) return false;
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

// First of all where the result is a path of equilibria.
static bool make_load_curve(maker *m) {
  double *rows = NULL;
  panel *p = maker_add(m, "", "");
  bool made = p && load_curve_fill(p, m->r, &rows);
  maker_hold(m, rows);
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
    bool is_axis = values && memcmp(values, m->list->x, m->r->samples * sizeof *values) == 0;
    panel *p = values && !is_axis ? maker_add(m, title, "") : NULL;
    if (p) maker_curve(p, values, 1, (colour){.25, .27, .31}, "");
    made = made || p;
  }
  return made;
}

// How a search went, and the slopes of a gradient.
static bool make_searched(maker *m, double *(*fill)(panel *, const recording *)) {
  panel *p = m->r->found ? maker_add(m, "", "") : NULL;
  double *values = p ? maker_hold(m, fill(p, m->r)) : NULL;
  if (p && !values) free(m->list->panel[--m->list->count]);
  return values != NULL;
}

static bool make_cost(maker *m) { return make_searched(m, search_worth); }
static bool make_parameters(maker *m) { return make_searched(m, search_parameters); }
static bool make_slopes(maker *m) { return make_searched(m, search_slopes); }

// What is left of the equations of statics, by powers of ten: forces and moments in one number.
static bool make_residual(maker *m) {
  size_t columns;
  const double *residual = m->r->statics ? recording_field(m->r, "residual", &columns) : NULL;
  panel *p = residual ? maker_add(m, "residual, log10", "N, N m") : NULL;
  if (!p) return false;
  double *rows = maker_hold(m, must_alloc(m->r->samples * sizeof *rows));
  for (size_t i = 0; i < m->r->samples; ++i) rows[i] = log10(fmax(residual[i * columns], 1e-16));
  maker_named(p, rows, 1, "");
  return true;
}

// Where all problems have their solution, what is left is rounding.
static bool all_converged(const recording *r) {
  size_t columns;
  const double *converged = recording_field(r, "converged", &columns);
  for (size_t i = 0; converged && i < r->samples; ++i)
    if (converged[i * columns] == 0) return false;
  return true;
}

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
    {"q", coordinates_make, UNLESS_SOUGHT},
    {"qd", coordinates_rates, ASKED_FOR},
    {"tip", make_tip, USUAL},
    {"tip_error", make_tip_error, USUAL},
    {"tendons", make_tendons, ASKED_FOR},
    {"tensions", make_tensions, USUAL},
    {"energy", make_energy, USUAL},
    {"contacts", touches_make, USUAL},
    {"lambda", coordinates_multipliers, UNLESS_SOUGHT},
    {"loop_error", coordinates_loop_error, UNLESS_SOUGHT},
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
            "energy, contacts, lambda, "
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

// ------------------------------------------------------------------------------------------------ all

// What lines of one colour differ in.
static void tell_third(panel_list *list, const recording *r) {
  char name[128];
  size_t used = strlen(list->folded);
  if (!list->kin.value || list->kin.third < 0) return;
  varied_name(r, (size_t)list->kin.third, name, sizeof name);
  snprintf(list->folded + used, sizeof list->folded - used, "%slines of one colour differ in %.100s", used ? "; " : "",
           name);
}

bool panels_make(panel_list *list, const recording *r, const char *fields, const char *link) {
  maker m = {r, link, list};
  *list = (panel_list){.count = 0};
  axis_choose(&m);
  for (int i = 0; !fields && i < MAKERS; ++i) {
    bool is_axis = makers[i].make == make_inputs && list->x != r->x && !r->sweep && r->samples > 1;
    bool told = json_object_get(r->summary, "continuation") &&
                (makers[i].make == make_inputs || makers[i].make == make_residual); // the load curve does
    bool rounding = makers[i].make == make_residual && all_converged(r);
    bool crowd = list->kin.value && makers[i].make == coordinates_make && tip_is_there(&m); // lines of lines
    bool again =
        (makers[i].make == make_varied && repeats_varied(&m)) || (makers[i].make == make_inputs && repeats_inputs(&m));
    if (makers[i].when >= (r->found ? USUAL : UNLESS_SOUGHT) && !is_axis && !told && !rounding && !again && !crowd)
      (void)makers[i].make(&m);
  }
  if (!fields) repeats_fold(list);
  if (!fields) tell_third(list, r);
  for (int i = 0; !fields && list->count == 0 && i < MAKERS; ++i)
    if (makers[i].when == ASKED_FOR) (void)makers[i].make(&m); // rather than nothing
  bool good = !fields || make_named(&m, fields);
  events_mark(list, r);
  for (int i = 0; i < list->count; ++i) {
    if (list->panel[i]->own_axis) continue;
    list->panel[i]->x = list->x;
    list->panel[i]->next = list->next;
    list->panel[i]->log_x = list->log_x;
    snprintf(list->panel[i]->x_label, sizeof list->panel[i]->x_label, "%s", list->x_label);
    list->panel[i]->family = list->kin.value;
    list->panel[i]->family_low = list->kin.low, list->panel[i]->family_high = list->kin.high;
    snprintf(list->panel[i]->family_name, sizeof list->panel[i]->family_name, "%s", list->kin.name);
  }
  if (!good) panels_free(list);
  return good;
}

void panels_free(panel_list *list) {
  for (int i = 0; i < list->count; ++i) free(list->panel[i]);
  for (int i = 0; i < list->held_count; ++i) free(list->held[i]);
  free(list->next);
  family_close(&list->kin);
  *list = (panel_list){.count = 0};
}
