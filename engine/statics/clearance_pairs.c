#include "statics/clearance_pairs.h"
#include "lie/vec3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

td_status td_clearance_pairs_init(td_clearance_pairs *c, const td_model *m) {
  size_t pairs = (size_t)m->solid_pair_count;
  *c = (td_clearance_pairs){0};
  if (pairs == 0) return TD_OK;
  c->from = calloc(4 * pairs, sizeof *c->from);
  c->place = calloc((size_t)m->proxy_count + 1, sizeof *c->place);
  c->way = calloc((size_t)m->solid_count, sizeof *c->way);
  c->left = calloc(pairs, sizeof *c->left);
  if (!c->from || !c->place || !c->way || !c->left) return td_clearance_pairs_fini(c), TD_NO_MEMORY;
  c->to = c->from + pairs;
  c->between = c->to + pairs;
  c->met = c->between + pairs;
  return TD_OK;
}

void td_clearance_pairs_fini(td_clearance_pairs *c) {
  free(c->from); // the others stand behind it
  free(c->place);
  free(c->way);
  free(c->left);
  *c = (td_clearance_pairs){0};
}

// ------------------------------------------------------------------------------------------------ looks

static bool is_two(const td_solid_pair *pair) { return pair->a != pair->b; }

static void look(const td_model *m, td_workspace *ws, td_pair_look *out) {
  td_grip_begin(m, ws);
  for (int i = 0; i < m->solid_pair_count; i++)
    if (is_two(&m->solid_pair[i]))
      td_grip_look(m, ws, i, &out[i]);
    else
      out[i] = (td_pair_look){.depth = -INFINITY};
}

static void meet(td_clearance_pairs *c, const td_model *m, const td_pair_look *seen) {
  for (int i = 0; i < m->solid_pair_count; i++) {
    td_pair_look *met = &c->met[i];
    if (!(met->depth > 0)) memcpy(met->n, seen[i].n, sizeof met->n);
    if (seen[i].depth > 0) memcpy(c->left[i], seen[i].n, sizeof c->left[i]);
    met->depth = fmax(met->depth, seen[i].depth);
  }
}

void td_clearance_pairs_begin(td_clearance_pairs *c, const td_model *m, td_workspace *ws) {
  if (!c->from) return;
  look(m, ws, c->from);
  memcpy(c->met, c->from, (size_t)m->solid_pair_count * sizeof *c->met);
  for (int p = 0; p < m->proxy_count; p++)
    for (int k = 0; k < 6; k++) c->place[p][k / 3][k % 3] = ws->proxy_end[p][k / 3][k % 3] + ws->origin[k % 3];
}

void td_clearance_pairs_end(td_clearance_pairs *c, const td_model *m, td_workspace *ws) {
  if (!c->from) return;
  look(m, ws, c->to);
  for (int s = 0; s < m->solid_count; s++) {
    double most = 0;
    for (int p = m->solid[s].first; p < m->solid[s].first + m->solid[s].count; p++)
      for (int end = 0; end < 2; end++) {
        double way[3];
        for (int k = 0; k < 3; k++) way[k] = ws->proxy_end[p][end][k] + ws->origin[k] - c->place[p][end][k];
        most = fmax(most, td_vec3_dot(way, way));
      }
    c->way[s] = sqrt(most);
  }
}

void td_clearance_pairs_look(td_clearance_pairs *c, const td_model *m, td_workspace *ws) {
  if (!c->from) return;
  look(m, ws, c->between);
  meet(c, m, c->between);
}

// ------------------------------------------------------------------------------------------------ what they say

static double way_of(const td_clearance_pairs *c, const td_solid_pair *pair) {
  return c->way[pair->a] + c->way[pair->b];
}

double td_clearance_pairs_way(const td_clearance_pairs *c, const td_model *m) {
  double most = 0;
  for (int i = 0; i < m->solid_pair_count && c->from; i++)
    if (is_two(&m->solid_pair[i]) && way_of(c, &m->solid_pair[i]) + c->from[i].depth > 0)
      most = fmax(most, way_of(c, &m->solid_pair[i]) / td_grip_size(m, i));
  return most;
}

bool td_clearance_pairs_stay(const td_clearance_pairs *c, const td_model *m, double part) {
  for (int i = 0; i < m->solid_pair_count && c->from; i++)
    if (is_two(&m->solid_pair[i]) &&
        !(way_of(c, &m->solid_pair[i]) + fmin(c->from[i].depth, 0) <= part * td_grip_size(m, i)))
      return false;
  return true;
}

bool td_clearance_pairs_deepen(const td_clearance_pairs *c, const td_model *m, double part) {
  for (int i = 0; i < m->solid_pair_count && c->from; i++)
    if (is_two(&m->solid_pair[i]) && !(c->between[i].depth <= fmax(c->from[i].depth, 0) + part * td_grip_size(m, i)))
      return true;
  return false;
}

int td_clearance_pairs_passed(const td_clearance_pairs *c, const td_model *m, double part, bool deep_end) {
  for (int i = 0; i < m->solid_pair_count && c->from; i++) {
    double deep = is_two(&m->solid_pair[i]) ? part * td_grip_size(m, i) : INFINITY;
    if (!(c->met[i].depth > deep) || c->from[i].depth > deep) continue;
    bool apart = c->from[i].depth <= 0 && c->to[i].depth <= 0;
    if (c->to[i].depth > deep ? deep_end : apart || td_vec3_dot(c->met[i].n, c->left[i]) < 0) return i;
  }
  return -1;
}
