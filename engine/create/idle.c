// Loads and tendons that work on nothing: their generalized force is 0 in three configurations as general as any, so it
// is 0 in all.
//
// A force out of the plane of a planar rod, a tendon beside the axis of a rod that only bends the other way, a load on
// a link that nothing moves: each was meant to move the robot, and a strain or a joint is missing. Prescribed
// coordinates count as moved: what works on them is a reaction that can be asked for. Rounding leaves 1e-16 of a unit
// force times a length; what moves anything has a lever of more than 1e-12 m.
#include "create/idle.h"
#include "create/robot_size.h"
#include "pass/composite_nodes.h"
#include "pass/whole_pass.h"
#include "strain/points.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_JUDGED = 512 };
static const double NONE[3] = {0}, NOTHING = 1e-12;

void td_idle_look(const td_model *m, int look, double *q) {
  for (int i = 0; i < m->n; i++) q[i] = 0.1 * sin(i + 1.0 + 2.0 * look);
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : INFINITY;
  return most;
}

// ---- channels

static bool is_of_load(const td_model *m, int channel) {
  for (int l = 0; l < m->load_count; l++)
    for (int c = 0; c < 6; c++)
      if (m->load[l].channel[c] == channel) return true;
  return false;
}

// u = 2 of this channel against u = 0: the others' part cancels.
static bool load_is_idle(const td_model *m, td_workspace *ws, int channel, double *q, double *out) {
  double *u = calloc((size_t)m->channel_count + (size_t)m->n, sizeof *u), *without = u + m->channel_count;
  bool idle = u != NULL;
  for (int look = 0; look < TD_IDLE_LOOKS && idle; look++) {
    td_idle_look(m, look, q);
    u[channel] = 0;
    td_id_parts(m, ws, q, NULL, NULL, u, TD_FORCE_LOADS, NONE, without);
    u[channel] = 2;
    td_id_parts(m, ws, q, NULL, NULL, u, TD_FORCE_LOADS, NONE, out);
    double scale = fmax(1, largest(without, m->n));
    for (int i = 0; i < m->n; i++) out[i] -= without[i];
    idle = largest(out, m->n) <= NOTHING * scale;
  }
  free(u);
  return idle;
}

static bool tendon_is_idle(const td_model *m, td_workspace *ws, int tendon, double *q) {
  size_t n = (size_t)m->n, tendons = (size_t)m->tendon_count;
  double *length = calloc(tendons * (n + 1), sizeof *length);
  bool idle = length != NULL;
  for (int look = 0; look < TD_IDLE_LOOKS && idle; look++) {
    td_idle_look(m, look, q);
    (void)!td_tendon_lengths(m, ws, q, length, length + tendons);
    idle = largest(length + tendons + n * (size_t)tendon, m->n) <= NOTHING;
  }
  free(length);
  return idle;
}

bool td_channel_is_idle(const td_model *m, td_workspace *ws, int channel, double *q, double *out) {
  if (channel < 0 || m->n > LARGEST_JUDGED) return false;
  if (m->channel[channel].tendon >= 0) return tendon_is_idle(m, ws, m->channel[channel].tendon, q);
  return is_of_load(m, channel) && load_is_idle(m, ws, channel, q, out);
}

// ---- a whole model

// Loads [first, first + count) of the model, those of one of the document, all their components at once.
static bool part_is_idle(td_model *m, td_workspace *ws, int first, int count, double *q, double *out) {
  td_load *all = m->load;
  double *u = malloc(((size_t)m->channel_count + 1) * sizeof *u), size = 0;
  int loads = m->load_count;
  bool idle = u != NULL;
  for (int i = 0; i < m->channel_count && u; i++) u[i] = 1 + 0.1 * sin(i + 1.0);
  m->load = all + first, m->load_count = count;
  for (int c = 0; c < 6; c++) size = fmax(size, all[first].channel[c] < 0 ? fabs(all[first].wrench[c]) : 1);
  for (int look = 0; look < TD_IDLE_LOOKS && idle; look++) {
    td_idle_look(m, look, q);
    td_id_parts(m, ws, q, NULL, NULL, u, TD_FORCE_LOADS, NONE, out);
    idle = largest(out, m->n) <= NOTHING * size;
  }
  m->load = all, m->load_count = loads;
  free(u);
  return idle && size > 0;
}

// As many loads of the model are the one of the document, side by side.
static int points_of(const td_model *m, const td_model_spec *spec, const td_load_spec *l) {
  const td_rod_spec *rod = &spec->links[td_model_link_find(m, l->link)].body.rod;
  return l->per_length ? td_rod_range_points(rod, l->from, l->to, NULL, NULL) : 1;
}

static void warn_of_loads(td_model *m, const td_model_spec *spec, td_workspace *ws, double *q, double *out) {
  int first = 0;
  for (size_t i = 0; i < spec->load_count; i++) {
    const td_load_spec *l = &spec->loads[i];
    int count = points_of(m, spec, l);
    char pointer[TD_POINTER_SIZE];
    snprintf(pointer, sizeof pointer, "/loads/%zu", i);
    if (part_is_idle(m, ws, first, count, q, out))
      td_warn(
          &m->warnings, "idle_force", pointer,
          "this load on \"%.63s\" moves nothing: wherever the robot is, the strains and joints that it would work on "
          "are locked or missing; give the rod their `order` or the link a joint, or turn the load",
          l->link);
    first += count;
  }
}

static void warn_of_tendons(td_model *m, const td_model_spec *spec, td_workspace *ws, double *q) {
  for (size_t i = 0, t = 0; i < spec->actuator_count; i++) {
    char pointer[TD_POINTER_SIZE];
    if (spec->actuators[i].type != TD_ACTUATOR_TENDON) continue;
    snprintf(pointer, sizeof pointer, "/actuators/%zu", i);
    if (tendon_is_idle(m, ws, (int)t++, q))
      td_warn(
          &m->warnings, "idle_force", pointer,
          "tendon \"%.63s\" moves nothing: its length is the same wherever the robot is, since the strains and joints "
          "that it would work on are locked or missing; give the rod their `order` (offsets are [y, z]: one along z "
          "works on bending_y, one along y on bending_z)",
          spec->actuators[i].name);
  }
}

void td_warn_of_idle_parts(td_model *m, const td_model_spec *spec) {
  td_workspace *ws = NULL;
  double *q = m->n <= LARGEST_JUDGED ? calloc(2 * (size_t)m->n + 1, sizeof *q) : NULL;
  if (m->load_count + m->tendon_count + m->contact_count == 0 || !q || td_workspace_create(m, &ws)) {
    free(q);
    return;
  }
  warn_of_loads(m, spec, ws, q, q + m->n);
  warn_of_tendons(m, spec, ws, q);
  if (m->contact_count) td_warn_of_far_obstacles(m, spec, ws);
  td_workspace_destroy(ws);
  free(q);
}
