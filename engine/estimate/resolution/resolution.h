// Does the discretisation of a robot's rods see what the document says? Estimates at the states of a run or a list of
// equilibria.
//
// Warnings, per rod, each with what would do:
//   coarse_quadrature   generalized forces of one kind (or those of one channel), or the shape, change when Gauss
//                       points are added
//   coarse_basis        strains that the basis does not have would move the rod, change its motion or the lowest
//                       frequencies, or let an equilibrium go that is stable without them
// Equations in resolution.c. Never a failure: what cannot be judged (too many coordinates, no memory) is not.
#ifndef TENDRIL_ESTIMATE_RESOLUTION_RESOLUTION_H
#define TENDRIL_ESTIMATE_RESOLUTION_RESOLUTION_H

#include "tendril/dynamics.h"

typedef struct td_resolution td_resolution;

/// The equilibrium of a model near q [n], in and out, under inputs u, relative to prescribed joints at the rates qd [n]
/// (NULL: they stand). false: none was found within a few steps.
typedef bool td_near_equilibrium(const td_model *model, td_workspace *ws, const double *u, const double *qd, double *q);

/// What is asked about: a state with its multipliers.
typedef struct td_resolution_state {
  td_state state;
  const double *lambda;      ///< [rows + prescribed] as td_constraint_terms_at takes it; NULL: 0
  bool closure;              ///< loops are measured by their closure (runs, statics), not by the format's logarithm
  bool start;                ///< the equilibrium that a run starts at, judged by its shape alone
  double rests;              ///< s, for so long a run has stood here under loads that stay: judged by its shape alone
  const bool *stands;        ///< [rods] those that did, and that alone are judged; NULL: all
  bool stable;               ///< an equilibrium that is said to be one where the potential has a minimum
  bool path;                 ///< of a path through limit points, where the stiffness is no measure
  double lasts;              ///< s, for so long a run has been near it, where growth is judged
  double liveliest;          ///< J, the largest kinetic energy of the run that it is a state of
  td_near_equilibrium *near; ///< of an equilibrium: how robots with more functions find theirs; NULL: they do not
  double t;                  ///< s, when it was, in motion
  const char *where;         ///< "t = 0.3 s", "problem 4": of a sentence, kept as it is (31 characters)
} td_resolution_state;

/// Sets up the finer twin of a model.  @return NULL when there is nothing to judge or no way to
td_resolution *td_resolution_create(const td_model *model);
/// The same for states in motion alone, where what is added to the basis does not follow the section.
td_resolution *td_resolution_create_in_motion(const td_model *model);
/// Whether these are two: a section jumps or has a neck.
bool td_resolution_follows_sections(const td_resolution *r);
void td_resolution_destroy(td_resolution *r);
/// Judges one state. Cost: that of a few residuals and of one matrix K of a model two to four times as large.
void td_resolution_look(td_resolution *r, const td_resolution_state *at);
/// Judges of an equilibrium nothing but whether more functions would let it go, and at loads a hundredth below its own,
/// too. Cost: that of one matrix K of the larger model.
void td_resolution_look_at_hold(td_resolution *r, const td_resolution_state *at);
/// Judges of an unstable equilibrium of a path, under forces that have a potential, that has buckled in `behind` forms
/// whether more functions or points would have in more. Cost: two eigenproblems.
void td_resolution_look_at_branch(td_resolution *r, const td_resolution_state *at, int behind);
/// Judges the frequencies of small motions about a state. Cost: two eigenproblems, of the robot and of its twin.
void td_resolution_look_at_modes(td_resolution *r, const td_resolution_state *at);
/// Judges of a state of a run nothing but whether motions would grow faster with more functions. Cost: that of one
/// matrix K of the larger model, and where something grows, of two eigenproblems.
void td_resolution_look_at_growth(td_resolution *r, const td_resolution_state *at);
/// What a run was driven by.
typedef struct td_drive {
  double t_end;
  void *context;
  void (*inputs)(void *context, double t, double *u); ///< u [m] at t, no jump
  void (*motions)(void *context, double t,
                  double *out); ///< [prescribed][3] at t: acceleration, rate, way (rad, of turns their sine; m)
  double (*next_event)(void *context, double t); ///< the first time > t at which one jumps, INFINITY: none
  bool balanced;                                 ///< it began in equilibrium
  const double *const *seen;                     ///< [seen_count] q of states that it went through
  int seen_count;
} td_drive;

/// Judges what a run's motion is made of by small motions about its start, driven as the run was. Cost: a few ms.
void td_resolution_look_at_response(td_resolution *r, const td_resolution_state *start, const td_drive *drive);
typedef struct td_apart {            // how far a rod's points are from those of a finer robot, where that is worst
  double ratio, share, of_length, t; // against TD_COARSE_RESPONSE; of how far they get; of the rod's length; when
  int rod;
  bool twist; // of its tip about its axis: of how far it turns; rad
  bool own;   // of its points seen from its base, which joints move, too
} td_apart;

/// What a run with more strain functions said of one that was doubted.
typedef struct td_enriched_finding {
  bool known;
  int more;           ///< functions of each strain, on each element
  double finer;       ///< at least so many times the points
  td_apart functions; ///< what they change, on as many points
  int component;      ///< of which strain most
  td_apart points;  ///< what the points change that they need; 0: these are the robot's, or both together change little
  bool finer_known; ///< the motion on more points of every rod is known, perhaps with more functions:
  double until;     ///< s, until when the motion was seen with nothing to be said, where it is not known as a whole
  double strains;   ///< what they change in the strains of the rod where that is most, by its largest
} td_enriched_finding;

/// Whether what was seen of motions is near enough to being said, or beyond it, that a run with more functions is worth
/// its time.
bool td_resolution_doubts_motion(const td_resolution *r);
/// Whether functions would be blamed by what was seen of motions, where no run with more of them says otherwise.
bool td_resolution_blames_motion(const td_resolution *r);
/// Whether points would be.
bool td_resolution_blames_points(const td_resolution *r);
/// What such a run found: where that is known of functions, or of points, their estimates in motion are no longer told;
/// nor are those of what it has seen until it was given up.
void td_resolution_settle_motion(td_resolution *r, const td_enriched_finding *found);
/// How many modes there are, how many of the lowest ones are within 2 % of those with more strain functions, and the
/// last of these, rad/s, at the worst state looked at.  @return false when nothing could be compared
bool td_resolution_mode_trust(const td_resolution *r, int *count, int *trusted, double *up_to);
/// Says what was found at all states looked at.
void td_resolution_tell(td_resolution *r, td_warnings *warnings);

#endif
