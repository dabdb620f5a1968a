// Obstacles that lie between the points of a rod which touch them.
#ifndef TENDRIL_FORCE_CONTACT_OBSTACLE_GAP_H
#define TENDRIL_FORCE_CONTACT_OBSTACLE_GAP_H

#include "model/workspace.h"

enum { TD_CONTACT_GAP_TEXT = 320 };

/// Where an obstacle lies deepest in a rod, beyond what the points on either side feel.
typedef struct td_contact_gap {
  int contact, rod; ///< indices into model->contact, model->rod
  double s, depth;  ///< X/L; m
} td_contact_gap;

/// Warns (`coarse_contact`, in m->warnings) of balls and cylinders that slip between points of a rod as it is at q = 0,
/// and marks these contacts (td_contact.gaps), rods along a cylinder too. Once, when the model has been built.
/// Allocates; without memory it says nothing.
void td_warn_of_contact_gaps(td_model *m);
/// As many Gauss points per element as that warning asks for of a rod; 0: it does not. Overwrites kinematics in ws.
int td_contact_gap_points(const td_model *m, td_workspace *ws, int rod);
/// Hermite's cubic through two points of a rod with their tangents, the chord's length long, at x in [0, 1], in their
/// axes.
void td_contact_between(const td_se3 *a, const td_se3 *b, double x, double out[3]);
/// The deepest place at q [n] where a marked obstacle lies in a rod by more than the rod's radius beyond what its
/// points feel; false: nowhere, `worst` is left alone. Overwrites kinematics in ws. A forward pass where there are
/// marked contacts, else nothing; no allocation.
bool td_contact_gap_find(const td_model *m, td_workspace *ws, const double *q, td_contact_gap *worst);
/// 'the obstacle lies 0.01 m deep in the rod "arm" …', without a full stop.
void td_contact_gap_text(const td_model *m, const td_contact_gap *at, char text[TD_CONTACT_GAP_TEXT]);
/// "/model/contacts/0" and such.
enum { TD_CONTACT_GAP_POINTER = 40 };
void td_contact_gap_pointer(const td_contact_gap *at, char text[TD_CONTACT_GAP_POINTER]);

#endif
