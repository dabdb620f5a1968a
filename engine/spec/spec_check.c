// The rules of a model document in the order of the document: gravity and fluid, links, actuators, loads, loops, then
// what only the whole can tell (coordinates, computational points, channels, inertia behind every joint).
//
// The first broken rule ends the check. Where all errors are wanted, each entry of a list and each section whose needs have
// passed has its first one; what needs a section that has failed is not looked at, so that no error follows from another.
#include "spec/spec_check.h"
#include "element/reduced/reduced_points.h"
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include "strain/basis.h"
#include "strain/field_column.h"
#include "strain/points.h"

static td_status check_world(const td_model_spec *spec, const td_place *root) {
  td_place fluid = td_place_key(root, "fluid");
  td_status status = td_check_all_finite(root, "gravity", 3, spec->gravity);
  return status ? status : td_check_not_negative(&fluid, "density", spec->fluid_density);
}

static td_status check_links(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  if (spec->link_count < 1 || spec->link_count > TD_MAX_LINKS)
    return td_place_fail(&links, TD_INVALID_ARGUMENT, "must have 1 to %d links, has %zu", (int)TD_MAX_LINKS,
                         spec->link_count);
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->link_count; i++) {
    td_status status = td_check_link(spec, i, &links);
    if (!first) first = status;
    if (!td_place_goes_on(&links, status)) break;
  }
  return first;
}

static int link_dof(const td_link_spec *link) {
  int dof = td_joint_dof(link->joint.type);
  if (link->body.type == TD_BODY_ROD)
    for (int c = 0; c < 6; c++) dof += td_rod_component_count(&link->body.rod, c);
  if (link->body.type == TD_BODY_REDUCED) dof += td_reduced_columns(&link->body.reduced, NULL);
  return dof;
}

static td_status check_sizes(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  int dof = 0, points = 0;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_link_spec *link = &spec->links[i];
    td_place at = td_place_at(&links, i);
    dof += link_dof(link);
    points += link->body.type == TD_BODY_ROD       ? td_rod_point_count(&link->body.rod)
              : link->body.type == TD_BODY_REDUCED ? td_reduced_s_points(&link->body.reduced) + 2
                                                   : 1;
    if (dof > TD_MAX_NDOF)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "the model has more than %d coordinates", (int)TD_MAX_NDOF);
    if (points > TD_MAX_MODEL_POINTS)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "the model has more than %d computational points",
                           (int)TD_MAX_MODEL_POINTS);
  }
  if (dof > 0) return TD_OK;
  return td_place_fail(&links, TD_INVALID_ARGUMENT,
                       "the model has no coordinate: no joint moves and no rod is flexible");
}

static td_status check_inertia(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  return td_check_inertia(spec, &links);
}

// In the order in which their errors are told.
static const struct {
  td_status (*check)(const td_model_spec *spec, const td_place *root);
  size_t needs; ///< sections, from the first one on, that must have passed
} SECTIONS[] = {
    {check_world, 0},        {check_links, 0},       {td_check_water, 2}, {check_sizes, 2},
    {td_check_actuators, 2}, {td_check_loads, 2},    {td_check_loops, 2}, {td_check_springs, 2},
    {td_check_channels, 8},  {td_check_contacts, 2}, {check_inertia, 10},
};

static td_status check(const td_model_spec *spec, const td_place *root) {
  const size_t count = sizeof SECTIONS / sizeof *SECTIONS;
  size_t passed = count; // sections from the first one on
  td_status first = TD_OK;
  for (size_t i = 0; i < count; i++) {
    td_status status = passed >= SECTIONS[i].needs ? SECTIONS[i].check(spec, root) : TD_OK;
    if (!status) continue;
    if (!first) first = status;
    if (passed == count) passed = i;
    if (!td_place_goes_on(root, status)) break;
  }
  return first;
}

td_status td_spec_check(const td_model_spec *spec, td_warnings *warnings, td_error *err) {
  td_place root = td_place_root_of(warnings, err);
  td_status status = check(spec, &root);
  if (!status) td_spec_remark(spec, &root);
  return status;
}

void td_model_errors(const td_model_spec *spec, td_errors *all) {
  td_error err = {.status = TD_OK};
  td_place root = td_place_root(&err);
  root.all = all;
  all->count = 0;
  (void)check(spec, &root);
}
