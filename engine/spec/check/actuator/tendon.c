// Tendons: segments and routings; what they refer to must exist and fit.
//
// A tendon on a single link is written in the document without `segments`; its pointers then skip that level.
#include "element/routing.h"
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"
#include "strain/field_column.h"
#include <math.h>
#include <string.h>

static td_status check_table(const td_place *routing, const td_routing_spec *spec) {
  td_status status = td_check_knots(routing, "s", spec->count, spec->s);
  if (!status) status = td_check_all_finite(routing, "y", spec->count, spec->y);
  return status ? status : td_check_all_finite(routing, "z", spec->count, spec->z);
}

static td_status check_linear(const td_place *routing, const td_routing_spec *spec) {
  td_status status = td_check_all_finite(routing, "base", 2, spec->base);
  return status ? status : td_check_all_finite(routing, "tip", 2, spec->tip);
}

static td_status check_helix(const td_place *routing, const td_routing_spec *spec) {
  td_status status = td_check_finite(routing, "radius", spec->radius);
  if (!status) status = td_check_finite(routing, "turns", spec->turns);
  return status ? status : td_check_finite(routing, "phase", spec->phase);
}

static td_status check_term(const td_place *at, const td_routing_spec *spec, int depth, int *terms);

static td_status check_sum(const td_place *at, const td_routing_spec *spec, int depth, int *terms) {
  td_place of = td_place_key(at, "of");
  if (depth == TD_MAX_ROUTING_DEPTH)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "sums may be nested %d deep", (int)TD_MAX_ROUTING_DEPTH);
  if (spec->of_count < 1) return td_place_fail(&of, TD_INVALID_ARGUMENT, "must have at least one routing");
  for (size_t i = 0; i < spec->of_count; i++) {
    td_place term = td_place_at(&of, i);
    td_status status = check_term(&term, &spec->of[i], depth + 1, terms);
    if (status) return status;
  }
  return TD_OK;
}

// Recursion no deeper than TD_MAX_ROUTING_DEPTH.
static td_status check_term(const td_place *at, const td_routing_spec *spec, int depth, int *terms) {
  if (spec->type != TD_ROUTING_SUM && ++*terms > TD_MAX_ROUTING_TERMS)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "a routing may have %d terms in all", (int)TD_MAX_ROUTING_TERMS);
  switch (spec->type) {
  case TD_ROUTING_LINEAR:
    return check_linear(at, spec);
  case TD_ROUTING_HELIX:
    return check_helix(at, spec);
  case TD_ROUTING_TABLE:
    return check_table(at, spec);
  case TD_ROUTING_SUM:
    return check_sum(at, spec, depth, terms);
  case TD_ROUTING_COUNT:
    break;
  }
  return td_place_fail(at, TD_INVALID_ARGUMENT, "unknown routing type %d", (int)spec->type);
}

td_status td_check_routing(const td_place *routing, const td_routing_spec *spec) {
  int terms = 0;
  return check_term(routing, spec, 0, &terms);
}

static td_status check_points(const td_place *segment, const td_segment_spec *spec) {
  td_place points = td_place_key(segment, "points");
  if (spec->points_count < 1 || spec->points_count > TD_MAX_POINTS)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "must have 1 to %d points, has %zu", (int)TD_MAX_POINTS,
                         spec->points_count);
  for (size_t i = 0; i < spec->points_count; i++) {
    td_place point = td_place_at(&points, i);
    td_status status = td_check_all_finite(&point, NULL, 3, spec->points + 3 * i);
    if (status) return status;
  }
  return TD_OK;
}

// Material points (x, y, s) of a reduced body lie on its axis or off it, s within its length.
static td_status check_material_points(const td_place *at, const td_segment_spec *segment,
                                       const td_reduced_spec *body) {
  td_status status = check_points(at, segment);
  td_place points = td_place_key(at, "points");
  for (size_t i = 0; !status && i < segment->points_count; i++) {
    td_place point = td_place_at(&points, i), s = td_place_at(&point, 2);
    status = td_check_within(&s, NULL, segment->points[3 * i + 2], 0, body->length);
  }
  return status;
}

// Which ways of saying where a tendon runs a body understands.
static void ways_of(const td_body_spec *body, bool *routing, bool *points) {
  bool deforms = body->type == TD_BODY_REDUCED &&
                 (td_reduced_has_sections(&body->reduced) || body->reduced.kinematics == TD_KINEMATICS_RITZ);
  *routing = body->type == TD_BODY_ROD || (body->type == TD_BODY_REDUCED && !deforms);
  *points = body->type != TD_BODY_ROD;
}

static td_status check_segment(const td_model_spec *spec, const td_place *at, const td_segment_spec *segment) {
  int link;
  bool may_route, may_point;
  td_place routing = td_place_key(at, "routing"), points = td_place_key(at, "points");
  td_place named = td_place_key(at, "link");
  if (segment->link && td_spec_is_world(segment->link))
    return td_place_fail(
        &named, TD_INVALID_ARGUMENT,
        "a tendon runs along links, not along the world: add a link with a fixed joint on the world and "
        "a rigid body, and give its points");
  td_status status = td_check_link_reference(spec, at, "link", segment->link, &link);
  if (status) return status;
  const td_body_spec *body = &spec->links[link].body;
  ways_of(body, &may_route, &may_point);
  if (!may_point && segment->points_count)
    return td_place_fail(&points, TD_INVALID_ARGUMENT,
                         "a tendon runs along a rod by its `routing`; `points` are for rigid "
                         "links, and this is a rod: \"%s\"",
                         segment->link);
  if (!may_route && segment->has_routing)
    return td_place_fail(&routing, TD_INVALID_ARGUMENT,
                         "only a rod has a `routing`; a rigid link has `points`, and this is "
                         "no rod: \"%s\"",
                         segment->link);
  if (!may_point && !segment->has_routing)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "a tendon on a rod needs a `routing`: \"%s\"", segment->link);
  if (segment->has_routing && segment->points_count)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "a segment has a `routing` or `points`, not both");
  if (segment->has_routing) return td_check_routing(&routing, &segment->routing);
  return body->type == TD_BODY_REDUCED ? check_material_points(at, segment, &body->reduced) : check_points(at, segment);
}

// What pulls on a tendon and what holds it back.
static td_status check_pull(const td_place *at, const td_actuator_spec *a) {
  td_status status = td_check_not_negative(at, "friction", a->friction);
  if (!status) status = td_check_not_negative(at, "slip_speed", a->slip_speed);
  if (status || !a->mode_length) return status;
  status = td_check_positive(at, "stiffness", a->stiffness);
  if (!status && !isnan(a->rest)) status = td_check_not_negative(at, "rest", a->rest);
  if (!status) status = td_check_not_negative(at, "damping", a->damping);
  return status ? status : td_check_not_negative(at, "slack_width", a->slack_width);
}

// Those of the tendons up to this one.
static size_t segments_up_to(const td_model_spec *spec, size_t index) {
  size_t count = 0;
  for (size_t i = 0; i <= index; i++)
    if (spec->actuators[i].type == TD_ACTUATOR_TENDON) count += spec->actuators[i].segment_count;
  return count;
}

static td_status check(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_actuator_spec *actuator = &spec->actuators[index];
  td_place list = td_place_key(at, "segments");
  if (actuator->segment_count < 1)
    return td_place_fail(actuator->segments_key ? &list : at, TD_INVALID_ARGUMENT,
                         "a tendon needs at least one segment");
  if (segments_up_to(spec, index) > TD_MAX_SEGMENTS)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "the model's tendons have more than %d segments",
                         (int)TD_MAX_SEGMENTS);
  for (size_t i = 0; i < actuator->segment_count; i++) {
    td_place segment = td_place_at(&list, i);
    td_status status = check_segment(spec, actuator->segments_key ? &segment : at, &actuator->segments[i]);
    if (status) return status;
  }
  return check_pull(at, actuator);
}

const td_actuator_row td_actuator_tendon = {.check = check};
