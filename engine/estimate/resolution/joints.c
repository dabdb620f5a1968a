// Joints: what the points of rods make of motions in which rods do not bend. A rod that is bent at rest, stands in a
// layered current or floats is weighed, pushed and lifted at its points, whether it has coordinates of its own or not,
// and the joints below it feel the sum.
//
// The error of a joint is what the difference of all forces does to it, by the most that forces of one kind do
// (kinds.h). Which rod is to blame is tried: the one that alone, with more points, leaves least of it.
#include "estimate/resolution/parts.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <stdio.h>
#include <string.h>

enum { TRIED = 24 }; // rods

static int worst_joint(const td_resolution *r) {
  int worst = -1;
  for (int i = 0; i < r->model->element_count; i++)
    if (r->model->element[i].rod < 0 && r->found[i].force > (worst < 0 ? TD_COARSE_JOINT : r->found[worst].force))
      worst = i;
  return worst;
}

// The rod whose points are to blame for what is found at an element; -1: none can be told.
static int to_blame(td_resolution *r, int element) {
  const td_model *m = r->model;
  int best = -1;
  double least = r->found[element].force;
  for (int i = 0, tried = 0; i < m->rod_count && tried < TRIED; i++) {
    if (!m->rod[i].basis) continue;
    td_refinement how = {.points = r->how.points, .features = r->how.features, .alone = m->rod[i].link + 1};
    tried++;
    if (!td_resolution_try(r, &how, r->ratio) || !(r->ratio[element] < least)) continue;
    least = r->ratio[element], best = i;
  }
  return best;
}

static bool is_told(const td_warnings *warnings, const char *pointer) {
  bool told = false;
  for (int i = 0; warnings && i < warnings->count; i++)
    told |= !strcmp(warnings->list[i].code, "coarse_quadrature") && !strcmp(warnings->list[i].pointer, pointer);
  return told;
}

void td_resolution_tell_joints(td_resolution *r, td_warnings *warnings) {
  const td_model *m = r->model;
  int joint = worst_joint(r), rod = joint < 0 ? -1 : to_blame(r, joint);
  if (rod < 0) return;
  int link = m->rod[rod].link, fine = td_twin_points(m->document, link, &r->how);
  const td_rod_spec *spec = &m->document->links[link].body.rod;
  const td_finding *f = &r->found[joint];
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/quadrature/points", link);
  if (is_told(warnings, pointer)) return;
  td_warn(warnings, "coarse_quadrature", pointer,
          "the %d Gauss points%s of \"%s\" are too few: compared with %d, what they see of %s puts the joint of \"%s\" "
          "off by %.2g %% of what forces do to it (%s); take %d points",
          td_rod_gauss_per_piece(spec), td_basis_has_elements(spec->basis) ? " per element" : "", m->link[link].name,
          fine, f->what, m->link[m->element[joint].link].name, 100 * f->force, f->force_at,
          td_resolution_enough_points(r, link, joint, TD_COARSE_JOINT));
}
