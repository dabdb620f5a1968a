// The forces on a robot by kind, as its own Gauss points see them and as those of a finer twin do.
#ifndef TENDRIL_ESTIMATE_KINDS_H
#define TENDRIL_ESTIMATE_KINDS_H

#include "estimate/twin.h"
#include "tendril/dynamics.h"

enum { TD_KIND_NAME = 96 };

typedef struct td_kind_unit { // an element of the tree: a joint or a rod
  double scale;               ///< what the largest force of any kind would do here, or what has been done to the rod
  double total;               ///< what all differences together do
  double off;                 ///< the same of the largest difference of one kind …
  char what[TD_KIND_NAME];    ///< … and its name, "tendon \"cable4\""
} td_kind_unit;

typedef struct td_kinds td_kinds;

/// respond: x [n of the twin] in: a force, out: the change of coordinates that it would cause, new coordinates held
/// at 0.
TD_NODISCARD td_status td_kinds_create(const td_model *model, const td_twin *twin,
                                       void (*respond)(void *context, double *x), void *context, td_kinds **kinds);
void td_kinds_destroy(td_kinds *k);
/// Compares `model` (the one of create, or one with the same coordinates) with the twin: unit [elements].
/// Rods: sizes are sqrt(x^T K x) of the response x, K their elastic stiffness: the root of twice its strain energy.
/// Joints: |x|.
TD_NODISCARD td_status td_kinds_compare(td_kinds *k, const td_model *model, td_workspace *ws, const td_state *state,
                                        td_kind_unit *unit);
/// unit[…].total from the response x [n of the twin] to all differences together.
void td_kinds_note_total(td_kinds *k, const double *x, td_kind_unit *unit);

#endif
