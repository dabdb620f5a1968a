// A kind of force, as a row of a table. A new kind is one file with its row, and that row's line in force_table.h.
//
// A kind acts on bodies, with wrenches and maps that enter ID (on_nodes), or on coordinates, with generalized forces
// that enter tau (add).
// The model keeps the rows that act in it: a kind that a robot lacks costs nothing. Rows stand below the passes over
// the tree, which walk the model's lists and never name a kind.
#ifndef TENDRIL_FORCE_FORCE_H
#define TENDRIL_FORCE_FORCE_H

#include "body/body.h"

struct td_energy;

/// Powers at a state, W: what runs keep account of beside the powers of tau.
typedef struct td_power {
  double actuation; ///< what stored forces add to it: the ledger makes their power that of who drives them
  double loads, hydrodynamics;
  double flow;    ///< of hydrodynamics, what a flow does to a robot at rest
  double heat;    ///< of resistance to motion through the water, whatever that does itself
  double rubbing; ///< that friction and damping of contacts turn into heat
} td_power;

/// Members of id_terms that forces on bodies belong to, beside inertia, gravity and buoyancy; bits of what a pass adds.
/// RUBBING is of `contact` there: what contacts add that resists motion.
enum { TD_FORCE_LOADS = 1, TD_FORCE_CONTACT = 2, TD_FORCE_DRAG = 4, TD_FORCE_RUBBING = 8, TD_FORCE_ALL = 15 };

/// What a kind needs of the passes; TD_ACTS of those that need nothing.
enum {
  TD_ACTS = 1,
  TD_ACTS_IN_WORLD = 2,  ///< it has forces fixed in the world: N enters the columns
  TD_ACTS_BY_MAPS = 4,   ///< general 6x6 maps M, B, N (td_model.full_maps)
  TD_ACTS_WIDE_ROWS = 8, ///< all six rows of R
  TD_ACTS_DRIVEN = 16,   ///< what it stores depends on inputs
};

/// What was asked for: id and what holds it; tau and lengths of tendons.
enum { TD_ASKED_ID = 1, TD_ASKED_TAU = 2 };

/// One pass over the bodies.
typedef struct td_force_pass {
  const double *u;       ///< [channels], NULL: zero
  const double *gravity; ///< [3] as it entered A; NULL at TD_COMPOSITE_MASS
  unsigned kinds;        ///< of TD_FORCE_…
  td_composite_level level;
} td_force_pass;

/// Where generalized forces are added, [n] each: any of them may be one array; actuation NULL: not wanted.
/// elastic is minus the gradient of td_energy.elastic at the inputs given.
typedef struct td_force_sums {
  double *actuation, *elastic, *damping;
} td_force_sums;

typedef struct td_force {
  const char *name;
  /// Lays out what it acts on and keeps in the model (of_force) beside what build/ has, from m->blocks, in the order of
  /// the table: TD_OK or TD_NO_MEMORY. NULL: nothing.
  td_status (*build)(td_model *m, const td_model_spec *spec);
  /// 0: the model has none of this kind; else TD_ACTS_… of what it needs. Asked once, when the model is frozen.
  unsigned (*acts)(const td_model *m);

  // ---- on bodies, part of ID. Poses are in ws, V and A too above TD_COMPOSITE_MASS.
  unsigned kind; ///< of TD_FORCE_…, which passes ask for; 0: it acts in every pass
  bool inertial; ///< it adds to M, so that it is asked in every pass, at TD_COMPOSITE_MASS too
  bool moves;    ///< it depends on velocities
  bool heats;    ///< all of its power becomes heat
  /// Adds its wrenches (minus what acts from outside) and, by level, its maps to the nodes.
  void (*on_nodes)(const td_model *m, td_workspace *ws, const td_force_pass *pass);
  /// ws->did_dq, ws->did_dqd += what no map of one node holds, for forces between bodies. Columns of their frames are
  /// kept, twists in ws. NULL: maps hold it all.
  void (*between)(const td_model *m, td_workspace *ws);
  /// F += what of it is no inertia, from poses and V; returns W of it that become heat. NULL: on_nodes gives it, as a
  /// wrench.
  double (*alone)(const td_model *m, td_workspace *ws, const double *u);
  /// F += dF/du of one channel, from poses (and V when it `moves`); false: the channel is not of this kind. NULL: has
  /// no channels.
  bool (*by_channel)(const td_model *m, td_workspace *ws, const double *u, int channel);

  // ---- on coordinates, part of tau. qd, u NULL: zero. They may overwrite poses and composites.
  bool actuates; ///< inputs make it: without u it is 0
  /// Adds its generalized forces.
  void (*add)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
              const td_force_sums *out);
  /// Called before the matrices of tau are cleared, which it may overwrite. NULL: nothing to prepare.
  void (*prepare_slopes)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u);
  /// ws->dtau_dq, ws->dtau_dqd [n][ld] += its derivatives. May overwrite everything else but the factor of M and the
  /// solution of fd.
  void (*add_slopes)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u);
  /// Columns of dtau_du [n][channels], which are 0. NULL: tau does not depend on inputs by it.
  void (*add_inputs)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                     double *dtau_du);

  // ---- accounts
  unsigned energies; ///< bits 1 << td_energy_kind of those that robots without such a force do not have
  /// Adds what it stores at poses and V in ws. May overwrite composites. NULL: it stores nothing.
  void (*energy)(const td_model *m, td_workspace *ws, const double *q, const double *u, struct td_energy *energy);
  /// Adds what it takes and gives at (q, qd, u) beyond the power of its part of tau. NULL: nothing.
  void (*power)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                td_power *power);

  /// Warns of what is odd about a state by it, where parts of `asked` (TD_ASKED_…) were asked for. NULL: nothing can
  /// be.
  void (*tell)(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u, unsigned asked,
               const char *pointer, td_warnings *warnings);
} td_force;

/// Fills the lists of a model that has been built of `spec`, and what its forces need of the passes. Once, before its
/// first workspace.
/// @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_forces_freeze(td_model *m, const td_model_spec *spec);

#endif
