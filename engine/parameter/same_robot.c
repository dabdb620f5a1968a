// Models whose answers can be subtracted have the same coordinates, channels and loops, and the same points of
// quadrature in the same order: where a number moves a point past another one, the two discretise differently, and
// their difference by a small step is mostly that.
#include "parameter/same_robot.h"
#include "dynamics/kinks.h"

static bool same_path(const td_element *a, const td_element *b) {
  bool same = a->type == b->type && a->start == b->start && a->end == b->end && a->interval_count == b->interval_count;
  for (int i = 0; same && a->from && i < a->interval_count; i++)
    same = a->from[i] == b->from[i] && a->to[i] == b->to[i];
  return same;
}

const char *td_robots_differ(const td_model *a, const td_model *b, int count[2]) {
  const struct {
    const char *what;
    int of[2];
  } sizes[] = {{"coordinates", {a->n, b->n}},
               {"channels of u", {a->channel_count, b->channel_count}},
               {"links", {a->link_count, b->link_count}},
               {"rows of loops", {a->loop_rows, b->loop_rows}},
               {"prescribed coordinates", {a->prescribed_count, b->prescribed_count}},
               {"tendons", {a->tendon_count, b->tendon_count}},
               {"chambers", {a->chamber_count, b->chamber_count}},
               {"points of quadrature", {a->node_count, b->node_count}},
               {"elements", {a->element_count, b->element_count}},
               {"bodies", {a->ritz_count, b->ritz_count}},
               {"loads", {a->load_count, b->load_count}},
               {"limits of joints and points that may touch", {td_kinks_count(a), td_kinks_count(b)}},
               {"stretches of tendons", {a->stretch_count, b->stretch_count}}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    count[0] = sizes[i].of[0], count[1] = sizes[i].of[1];
    if (count[0] != count[1]) return sizes[i].what;
  }
  count[0] = count[1] = 0;
  for (int i = 0; i < a->element_count; i++)
    if (!same_path(&a->element[i], &b->element[i])) return "order of points along a body";
  return NULL;
}

bool td_workspaces_alike(const td_model *a, const td_model *b) {
  if (!a != !b) return false;
  if (!a) return true;
  const int sizes[][2] = {{a->slice_count, b->slice_count},     {a->mark_count, b->mark_count},
                          {a->full_maps, b->full_maps},         {a->strip_batches, b->strip_batches},
                          {a->max_batches, b->max_batches},     {a->kept_stride, b->kept_stride},
                          {a->max_strip_n, b->max_strip_n},     {a->max_strip_intervals, b->max_strip_intervals},
                          {a->max_rod_gauss, b->max_rod_gauss}, {a->spring_count, b->spring_count},
                          {a->length_count, b->length_count},   {a->friction_count, b->friction_count},
                          {a->piece_count, b->piece_count},     {a->most_pieces, b->most_pieces},
                          {a->loop_count, b->loop_count},       {a->proxy_count, b->proxy_count}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i][0] != sizes[i][1]) return false;
  for (int i = 0; i < a->ritz_count; i++)
    if (a->ritz[i].n != b->ritz[i].n) return false;
  return td_workspace_bytes(a) == td_workspace_bytes(b) && td_workspaces_alike(a->guide, b->guide);
}
