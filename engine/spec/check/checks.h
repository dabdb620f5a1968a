// The rules of a document, a function per section of it, and what they ask of each other.
#ifndef TENDRIL_SPEC_CHECKS_H
#define TENDRIL_SPEC_CHECKS_H

#include "spec/place.h"
#include "tendril/spec.h"

/// Most computational points a whole model may have: bounds what a document can make us allocate.
enum { TD_MAX_MODEL_POINTS = 16384 };

/// Index of a link among the first `count`, -1 when there is none of that name.
int td_spec_link_find(const td_model_spec *spec, size_t count, const char *name);
/// True for "world".
bool td_spec_is_world(const char *name);
/// The link called `name` into `*index`; "world" and unknown names fail at member `key` (NULL: at the place itself).
TD_NODISCARD td_status td_check_link_reference(const td_model_spec *spec, const td_place *at, const char *key,
                                               const char *name, int *index);
/// Translation finite, R a rotation.
TD_NODISCARD td_status td_check_pose(const td_place *at, const td_se3 *pose);

TD_NODISCARD td_status td_check_link(const td_model_spec *spec, size_t index, const td_place *links);
TD_NODISCARD td_status td_check_joint(const td_place *link, const td_joint_spec *joint);
/// `size` and `rounding` of a box.
/// check_law.c: a length that is none of an atom nor of a star; the law of a contact whose numbers have their signs.
TD_NODISCARD td_status td_check_measure(const td_place *at, const char *key, double x);
TD_NODISCARD td_status td_check_law(const td_place *contact, const td_contact_spec *c);
TD_NODISCARD td_status td_check_box(const td_place *at, const double size[3], double rounding);
TD_NODISCARD td_status td_check_rigid(const td_place *body, const td_rigid_spec *rigid);
/// Drag and added mass under `hydrodynamics` of a body.
TD_NODISCARD td_status td_check_rigid_fluid(const td_place *hydrodynamics, const td_rigid_spec *rigid);
TD_NODISCARD td_status td_check_rod_fluid(const td_place *hydrodynamics, const td_rod_spec *rod);
/// `fluid`, after links.
TD_NODISCARD td_status td_check_water(const td_model_spec *spec, const td_place *root);
TD_NODISCARD td_status td_check_contacts(const td_model_spec *spec, const td_place *root);
/// What a contact between bodies names; how many pairs all of them name.
/// Its sections deform, so that it has no balls to touch with.
static inline bool td_check_deforms(td_body_kinematics kinematics) {
  return kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS || kinematics == TD_KINEMATICS_LVP ||
         kinematics == TD_KINEMATICS_RITZ;
}
TD_NODISCARD td_status td_check_pair(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c);
/// A mesh that touches bodies, or what bulges: it has an inside, is rounded and not too fine. Of other shapes nothing.
TD_NODISCARD td_status td_check_hull(const td_place *at, const char *link, const td_collision_spec *c);
TD_NODISCARD td_status td_check_pair_count(const td_model_spec *spec, const td_place *contacts);
TD_NODISCARD td_status td_check_reduced(const td_place *body, const td_reduced_spec *reduced);
/// What only a Ritz body has.
TD_NODISCARD td_status td_check_ritz(const td_place *body, const td_reduced_spec *reduced);
TD_NODISCARD td_status td_check_rod(const td_place *body, const td_rod_spec *rod);
/// Knots, counts and finite values of a profile at `at`.
TD_NODISCARD td_status td_check_profile(const td_place *at, const td_profile *profile);
/// Section and material, number by number.
TD_NODISCARD td_status td_check_section(const td_place *body, const td_rod_spec *rod);
/// What its numbers are together along the rod; section, strain and quadrature must have been accepted.
TD_NODISCARD td_status td_check_section_along(const td_place *body, const td_rod_spec *rod);
/// The products that the engine forms of numbers that are each finite are finite (and masses above 0) too.
TD_NODISCARD td_status td_check_rod_magnitudes(const td_place *body, const td_rod_spec *rod);
TD_NODISCARD td_status td_check_routing(const td_place *routing, const td_routing_spec *spec);
TD_NODISCARD td_status td_check_actuators(const td_model_spec *spec, const td_place *root);
TD_NODISCARD td_status td_check_loads(const td_model_spec *spec, const td_place *root);
TD_NODISCARD td_status td_check_loops(const td_model_spec *spec, const td_place *root);
/// True when a joint actuator of mode position drives the link's joint.
bool td_spec_is_prescribed(const td_model_spec *spec, int link);
TD_NODISCARD td_status td_check_springs(const td_model_spec *spec, const td_place *root);
/// Where a fixed point of the model is: a link (-1: the world) and, on a rod, an abscissa.
typedef struct td_anchor {
  int link;
  double at;
} td_anchor;
/// An end of a loop or a spring, member `key` of `at`: its link must exist, its abscissa and pose be sound.
TD_NODISCARD td_status td_check_end(const td_model_spec *spec, const td_place *at, const char *key,
                                    const td_loop_end *end, td_anchor *out);
/// Whether neither a joint nor a rod lies between two anchors.
bool td_spec_one_body(const td_model_spec *spec, td_anchor a, td_anchor b);
/// Channels (actuators', loads', then springs') by name: count and duplicates.
TD_NODISCARD td_status td_check_channels(const td_model_spec *spec, const td_place *root);
/// Every joint with coordinates must move inertia in each of its directions, or M is singular.
TD_NODISCARD td_status td_check_inertia(const td_model_spec *spec, const td_place *links);

#endif
