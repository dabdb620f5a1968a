// Is a run's answer to be trusted? What it kept account of is compared with what the equations of motion allow.
#ifndef TENDRIL_RUN_JUDGE_GUARD_H
#define TENDRIL_RUN_JUDGE_GUARD_H

#include "body/rod/folded.h"
#include "body/rod/inside_out.h"
#include "body/rod/overstretched.h"
#include "force/contact/deep.h"
#include "force/contact/obstacle/gap.h"
#include "force/water/high_reynolds.h"
#include "plant/plant.h"
#include "run/judge/passages.h"
#include "run/judge/through.h"

#define TD_MOTIONLESS 1e-14 // a robot whose coordinates stay below this is at rest

typedef struct td_guard { // part of a checkpoint
  double size;            ///< J, the largest sum of the magnitudes of all energies
  double weight;          ///< J, what the robot weighs times its size
  double stored;          ///< J, every change of energies that are stored (all but the kinetic one), there and back
  double least[TD_ENERGY_KINDS], most[TD_ENERGY_KINDS]; ///< J, of each energy
  bool noted;                                           ///< these have values
  double open, open_t;                                  ///< largest loop error of an output state, rad or m, and when
  int open_loop;
  double worst;                ///< J, largest error of the balance at the end of a step
  double carried;              ///< J, largest kinetic energy that prescribed joints alone would give it
  uint64_t missed;             ///< steps that strode over a contact: apart at both ends, deep in it between them
  double missed_t;             ///< s, the end of the first of them
  double reach;                ///< largest coordinate or rate of those solved for, at the end of a step
  uint64_t inside_out;         ///< steps that ended with a rod turned inside out
  double inside_out_t;         ///< s, the end of the first of them
  td_inside_out worst_rod;     ///< the worst place of all of them
  uint64_t folded;             ///< steps that ended with a rod bent tighter than its section
  double folded_t;             ///< s, the end of the first of them
  td_folded tightest;          ///< the worst place of all of them
  uint64_t overstretched;      ///< steps that ended with a rod stretched beyond three times its length
  double overstretched_t;      ///< s, the end of the first of them
  td_overstretched longest;    ///< the worst place of all of them
  uint64_t slipped;            ///< steps that ended with an obstacle between the points of a rod, deep in it
  double slipped_t;            ///< s, the end of the first of them
  td_contact_gap deepest;      ///< the worst place of all of them
  double deep_energy;          ///< J, less than that in contacts sinks nothing in deep
  double deep;                 ///< s, for so long a rod was sunk deep into an obstacle
  double deep_t;               ///< s, the end of the first step of that
  td_contact_deep sunk;        ///< the worst place of all of them
  uint64_t pressed;            ///< steps in which a rod got through a ball or a bar
  double pressed_t;            ///< s, the end of the first of them
  td_pressed pressed_at;       ///< where that was
  uint64_t crossed;            ///< steps in which two bodies got through each other
  td_through_found crossed_at; ///< which they were
  uint64_t fast;               ///< steps that ended beyond the Reynolds numbers of resistive-force theory
  double fast_t;               ///< s, the end of the first of them
  td_high_reynolds fastest;    ///< the worst place of all of them
  bool at_rest; ///< it started in equilibrium, nothing drives it, and what moved is below what error control sees
} td_guard;

/// Takes note of the energies at the end of a step; `stored` is what all but the kinetic one have changed by in it.
void td_guard_note_energy(td_guard *guard, const td_energy *energy, double stored);
/// Takes note of the balance of the run up to the end y = (q, qd) of a step: of its error, and where that is too much
/// (or steps are equal) of what the robot would have if its prescribed joints alone moved. scratch [2 n].
void td_guard_note_balance(td_guard *guard, td_plant *plant, const td_integrator_spec *used,
                           const td_energy_balance *balance, const double *y, double *scratch);
/// Takes note of what the robot weighs, after the energy of its start, and of what its contacts hold where that is
/// much: masses and poses are in its workspace.
void td_guard_note_weight(td_guard *guard, const td_plant *plant);
/// Takes note of how far the robot moves: (q, qd) at the end of a step. reach [n]: the largest of each coordinate.
void td_guard_note_motion(td_guard *guard, const td_plant *plant, const double *y, double *reach);
/// Appends `small_motion` where the motion of a joint or a body as a whole is so small, beside that of others, that
/// atol hides it.
void td_guard_tell_small(const td_guard *guard, const td_plant *plant, const td_dynamics_spec *spec,
                         const td_integrator_spec *used, const double *reach, td_run_statistics *statistics);
/// Takes note of rods that are inside out, bent tighter than their sections or stretched beyond three times their
/// length, at q [n], the end of a step.
void td_guard_note_shape(td_guard *guard, const td_model *model, double t, const double *q);
/// Takes note of obstacles between the points of rods at q [n], the end of a step.
void td_guard_note_gaps(td_guard *guard, td_plant *plant, double t, const double *q);
/// Takes note of rods that have sunk deep into obstacles at q [n], the end at t of a step of h, where contacts hold
/// `energy` J.
void td_guard_note_depth(td_guard *guard, td_plant *plant, double h, double t, const double *q, double energy);
/// Takes note of a rod that got through a ball or a bar in the step that ended at t.
void td_guard_note_passage(td_guard *guard, double t, const td_pressed *at);
/// Takes note of two bodies that got through each other.
void td_guard_note_crossing(td_guard *guard, const td_through_found *at);
/// Takes note of how fast rods move through the fluid at y = (q, qd), the end of a step.
void td_guard_note_water(td_guard *guard, td_plant *plant, double t, const double *y);
/// Takes note of how far the loops are open at an output state q.
void td_guard_note_loops(td_guard *guard, td_plant *plant, double t, const double *q);
/// J, the largest swing of a kind of energy so far.
double td_guard_swing(const td_guard *guard);
/// J: energies below this are rounding, or heat.
double td_guard_rounding(const td_guard *guard);
/// Appends what a run that came to its end has to say to statistics->warnings.
/// @param used  the integrator with its defaults filled in
/// @return TD_OK, or TD_INCONSISTENT with the first reason in `err`: the motion is not what the equations of motion say
TD_NODISCARD td_status td_guard_judge(const td_guard *guard, const td_model *model, const td_integrator_spec *used,
                                      td_run_statistics *statistics, td_error *err);

#endif
