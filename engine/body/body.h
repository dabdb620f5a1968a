// A row per kind of joint and body: what the passes over the tree, energies, pictures and judgements ask of it.
//
// An element carries its row (td_element.row), a model all rows (td_model.bodies, ending with NULL): nobody asks which
// kind it is. What a kind leaves out is NULL. A new kind is one file here with its row, what builds it (build/), and
// its line in bodies.c.
#ifndef TENDRIL_BODY_BODY_H
#define TENDRIL_BODY_BODY_H

#include "model/workspace.h"
#include <stdbool.h>

/// How far a forward pass goes.
typedef enum td_level { TD_LEVEL_POSE, TD_LEVEL_TWIST, TD_LEVEL_ACCELERATION } td_level;

/// What to compute of nodes: wrench F and inertia M; M alone; all of them, with the maps B and N of derivatives.
typedef enum td_composite_level { TD_COMPOSITE_WRENCH, TD_COMPOSITE_MASS, TD_COMPOSITE_ALL } td_composite_level;

/// Which matrices columns are computed for: M; dID/dq and dID/dqd; both.
typedef enum td_columns { TD_COLUMNS_MASS = 1, TD_COLUMNS_SLOPES = 2, TD_COLUMNS_ALL = 3 } td_columns;

/// Stages `first` … `last` of a forward pass; q, qd, qdd [n], each read by its own stage alone.
typedef struct td_sweep {
  const double *q, *qd, *qdd;
  td_level first, last;
} td_sweep;

static inline bool td_sweeps(const td_sweep *s, td_level stage) { return s->first <= stage && stage <= s->last; }

/// Where a body has left what its kinematics can represent.
typedef struct td_shape_fault {
  int link;
  double s;        ///< m along the body's axis
  const char *why; ///< "bends beyond …", completes the sentence: body NAME at s = … m
} td_shape_fault;

typedef struct td_body_row {
  const char *name;

  // ---- one element

  /// Poses, twists and accelerations of its end nodes from those of its start.
  void (*motion)(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *s);
  /// out [e->n] = J^T of the wrenches beyond (ws->composite[].F, summed).
  void (*project)(const td_model *m, const td_workspace *ws, const td_element *e, double *out);
  /// Its own block of the matrices, its kept columns, and ws->wrench for the blocks with its ancestors.
  void (*columns)(const td_model *m, td_workspace *ws, const td_element *e, td_columns what);
  /// J [6][n] += world columns of its node `node`. Overwrites ws->tables.
  void (*jacobian)(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J);
  /// Points of the surface of its body, and rings of TD_SURFACE_AROUND that they form (0: those of a mesh); places,
  /// world, m.
  int (*skin)(const td_model *m, const td_element *e, int *rings);
  void (*surface)(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *points);

  // ---- all bodies of the kind in a model

  /// What their particles exert, to zero.
  void (*clear)(const td_model *m, td_workspace *ws);
  /// F, M, B, N into the composites of their nodes, as far as `level` asks, what their coordinates feel into their own
  /// states. gravity [3] as it entered A (buoyancy follows it).
  void (*nodes)(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level);
  /// Kinetic energy of the frozen bodies and potential energy of their weight += J, after `nodes` at MASS; needs V.
  void (*weigh)(const td_model *m, const td_workspace *ws, double *kinetic, double *gravitational);
  /// Kinetic energy, J, of what moves within them.
  double (*kinetic)(const td_model *m, const td_workspace *ws);
  /// Nonlinear elasticity and material damping: elastic, damping [n] -= (either may be NULL, damping needs qd; they may
  /// be one array).
  void (*forces)(const td_model *m, const double *q, const double *qd, double *elastic, double *damping);
  /// ws->dtau_dq, ws->dtau_dqd -= their derivatives; qd NULL: zero.
  void (*slopes)(const td_model *m, td_workspace *ws, const double *q, const double *qd);
  /// Strain energy of nonlinear laws, J.
  double (*elastic)(const td_model *m, const double *q);
  /// False, and where: some body has left the validity of its kinematics at q, curvatures taken `margin` times as
  /// large.
  bool (*valid)(const td_model *m, const double *q, double margin, td_shape_fault *fault);
  /// What one evaluation of their particles takes on one core, ns, within a factor of a few.
  double (*cost_ns)(const td_model *m, bool derivatives);
} td_body_row;

extern const td_body_row td_body_fixed, td_body_screw, td_body_joint, td_body_rigid, td_body_rod, td_body_section,
    td_body_ritz;

/// All rows, NULL at the end.
extern const td_body_row *const td_bodies[];

#endif
