// What the files of resolution.h share.
#ifndef TENDRIL_ESTIMATE_RESOLUTION_PARTS_H
#define TENDRIL_ESTIMATE_RESOLUTION_PARTS_H

#include "estimate/kinds.h"
#include "estimate/resolution/resolution.h"

enum { TD_ENRICHMENT = 4 };       // Legendre polynomials beyond the basis
#define TD_COARSE_FORCE 0.015     // of the rod's strains, by its energy
#define TD_COARSE_JOINT 0.01      // of what forces do to a joint
#define TD_COARSE_POINTS 0.015    // of the rod's length, by points in a run,
#define TD_COARSE_MOTION 0.01     // by functions in a run,
#define TD_COARSE_SHAPE 1e-3      // at an equilibrium: nothing else stands in the way of its shape
#define TD_COARSE_RESPONSE 0.05   // of a tip's largest deflection, in a run
#define TD_COARSE_STRAIN 0.25     // of the rod's largest curvature or twist, at equilibria
#define TD_OVERLOADED_SHAPE 0.25  // of the rod's length, and
#define TD_OVERLOADED_PART 0.5    // of what it has moved by: no order helps
#define TD_OVERLOADED_STIFF 3e3   // times as stiff by loads as by its material: no order helps, either,
#define TD_OVERLOADED_LEAST 0.015 // where the shape is off by so much
#define TD_COARSE_PART 0.03       // of what the rod has moved by, at equilibria, by estimate,
#define TD_COARSE_SETTLED 0.01    // by an equilibrium with more functions
#define TD_COARSE_TWIST 0.01 // of how far a rod is twisted, at equilibria: estimates see half of what a kink asks for

typedef struct td_finding {    // of one element
  double force, points, basis; // worst ratios so far: of a force; of the shape to the rod's length, by their limits
  double points_limit, basis_limit;
  double basis_t;          // s, of the shape by functions
  char what[TD_KIND_NAME]; // the force
  double part, part_limit; // error by the basis in what the shape has changed by
  double strain, steep;    // error by the basis in curvature and twist; stiffness by loads over that of the material
  char force_at[32], points_at[32], basis_at[32], part_at[32], strain_at[32];
  td_apart astray;                   // what more points do to a whole run, ratio 0: not known, or nothing to be said
  int component;                     // whose strains the basis lacks most
  double tail[TD_ENRICHMENT + 1];    // error of the shape that is left with so many more degrees
  double strains[TD_ENRICHMENT + 1]; // the same of the strains
  double turn;                       // error by the basis in how far the rod is twisted, of that, at equilibria
  double turns[TD_ENRICHMENT + 1];   // the same that is left
  char turn_at[32];
} td_finding;

typedef struct td_mode_finding { // frequencies about the worst state
  bool known, tried;             // the robot that is advised was built, and has enough of them
  int count, trusted;            // modes; the lowest ones that are right
  int rod, component, more[6];   // rod -1: enough of them, else what lacks most there, and what to add of each strain
  int points;                    // Gauss points for that; 0: as they are
  double up_to, square, right;   // rad/s of the last right one; w^2 of the next, and what it should be
  char where[32];
} td_mode_finding;

typedef struct td_response_finding {
  td_apart apart, whole; // within a period; in the run as a whole
  bool small;            // it is made of small motions: what is found of it as a whole may be said
  int component, more, lacking;
} td_response_finding;

typedef struct td_stability_finding { // an equilibrium that more functions would let go
  bool found, branch; // branch: an unstable one of a path, that would have left more of its branches behind it
  bool points;        // with more Gauss points, not with more functions
  int rod, component;
  char where[32];
} td_stability_finding;

typedef struct td_contact_finding { // points that touch, the worst so far
  double excess;                    // over what is right enough
  int contact, rod, count;
  double force, spread, moved; // N; N with the stiffness spread along the rod; m
  double length, stiffness;    // m of rod that touches then; per metre
  bool counts;                 // how many they are decides
  char where[32];
} td_contact_finding;

struct td_resolution {
  const td_model *model;
  td_workspace *ws;
  td_twin twin;
  td_refinement how;
  td_twin richer, plain; // with more functions than the twin, with none more, on as many points: made when asked for
  bool settles_nothing;  // they cannot be
  td_kinds *kinds;
  int N, ld;
  double *K, *M, *S, *U, *G;       // [N][N], [N][N], [N][ld], [N][ld], [rows][N]
  double *q, *qd, *qdd;            // [N] embedded
  double *fine, *own, *dq, *moved; // [N], [n], [N], [N]
  double *kept;                    // [3 n + m + multipliers] the state of the largest difference of forces
  double *now;                     // the same of the state at hand
  double *all;                     // [N] dq with all polynomials
  double *ratio;                   // [elements]
  td_kind_unit *unit;              // [elements]
  double *bow, *beside; // [rods] m, moved beside the chord, of rods that rock, else 0; what parts are times for that
  double *moved_by, *wrong;        // [rods] m, from the shape at rest; found wrong at the state at hand
  double *error;                   // [2 rods] of shapes by functions there, of the length; as estimated
  double (*shape)[3], (*other)[3]; // [nodes of the twin] seen from the base of the rod
  td_finding *found;               // [elements]
  td_mode_finding modes;
  td_response_finding response;
  td_enriched_finding enriched;
  td_stability_finding stability;
  td_contact_finding contact;
  td_resolution_state worst;
  double growth; // e-folds by which motions would grow beyond those of the model's functions, in a run, the most
  double most;   // of forces against MOST_FORCE at the kept state
  td_resolution_state doubted; // that of the largest excess of points or shape over what is right enough,
  double doubt, *doubted_row;  // which is that; like `kept`
  td_advised *advised;         // [links] what would do
};

/// r->fine: the twin's residual at a state, less that of `own`, which is the model or one with the same coordinates;
/// r->K, M, G there.
TD_NODISCARD td_status td_resolution_residuals(td_resolution *r, const td_model *own, td_workspace *ws,
                                               const td_resolution_state *at);
/// dq = S^-1 force on the model's coordinates and the first `level` polynomials beyond the basis, S = K + sigma M.
/// *sigma grows until S is positive definite; its factor stays in r->U.
TD_NODISCARD bool td_resolution_solve(td_resolution *r, int level, double *sigma, const double *force, double *dq);
/// Whether the state says anything of this rod.
bool td_resolution_is_asked(const td_resolution_state *at, int rod);
/// Where sigma begins: stiffness over mass of the slowest strain, 1/s^2, on paths, 0 elsewhere.
double td_resolution_sigma(const td_resolution *r, const td_resolution_state *at);
/// Positions of the twin's nodes at q [N], each from the base of its rod. false: one is not finite.
bool td_resolution_shapes(td_resolution *r, const double *q, double (*out)[3]);
/// advice/settled.c: error [rods] of shapes by functions, as `estimated` [rods] has it and over the rods' lengths, from
/// equilibria with more of them and without, on as many points. false: they are not known, `error` is as it was.
bool td_resolution_settled(td_resolution *r, const td_resolution_state *at, const double *estimated, double *error);
/// Its twins.
void td_resolution_settled_fini(td_resolution *r);
/// strain.c: the largest change of curvature and twist of a rod by dq [N], less that by `less` [N] (NULL:
/// 0), over the largest of those that it has at r->q beyond those at rest; 0 for a rod that moves by stretching, not by
/// bending.
double td_resolution_strain(const td_resolution *r, int rod_index, const double *dq, const double *less);
/// twist.c: how much functions leave out of the twist of rods at an equilibrium; after the looks at points and shapes.
void td_resolution_look_at_twist(td_resolution *r, const td_resolution_state *at, double sigma);
/// The largest stiffness of a curvature of a rod by forces, over that by its material; 0 where springs or contacts may
/// be what holds it.
double td_resolution_steepness(const td_resolution *r, int rod_index);
/// Whether the points of contacts of a point each lie where they should (contact.c).
void td_resolution_look_at_contact(td_resolution *r, const td_resolution_state *at);
void td_resolution_tell_contact(const td_resolution *r, td_warnings *warnings);
/// Whether contacts of a point each act: another number of points is another robot then.
bool td_resolution_touches(td_resolution *r, const td_resolution_state *at);
/// motion.c. out [n]: `rate` [n] (embedded [N]) without the part of modes ten times as fast as the slowest
/// strain.
void td_resolution_smooth(td_resolution *r, const double *embedded, const double *rate, double *out);
/// Takes the strains of those modes, whose accelerations are missing in r->own, out of r->fine.
void td_resolution_leave_out_fast_strains(td_resolution *r);
/// Where sigma begins in motion: the square of the rate at which the state at hand changes, 1/s^2.
double td_resolution_pace(const td_resolution *r, const td_resolution_state *at);
/// Coordinate i of the twin is solved for: not of a prescribed joint, nor a polynomial beyond `level`.
bool td_resolution_is_free(const td_resolution *r, int i, int level);
/// r->S upper [N][ld] = K + sigma M and the loops' penalty on the free coordinates.
void td_resolution_assemble(td_resolution *r, int level, double sigma);
/// Whether the twin lets a stable equilibrium go; after td_resolution_residuals.
void td_resolution_look_at_stability(td_resolution *r, const td_resolution_state *at);
// Whether K + sigma M is positive definite on these levels, sigma `neutral` times stiffness over mass of the slowest
// strain; factored then.
bool td_resolution_is_held(td_resolution *r, int level, double neutral);
/// Stiffness over mass of the slowest strain, 1/s^2.
double td_resolution_slowest(const td_resolution *r);
/// joints.c: joints that the points of rods put off, unless those of the rod to blame were told already.
void td_resolution_tell_joints(td_resolution *r, td_warnings *warnings);
/// ratio [elements] at the worst state, of the robot with the points of this refinement. false: unknown, it cannot be
/// built.
TD_NODISCARD bool td_resolution_try(td_resolution *r, const td_refinement *how, double *ratio);
/// Gauss points with which this element is right, its ratio at most `limit`: those of the twin when no fewer are.
int td_resolution_enough_points(td_resolution *r, int link, int element, double limit);
/// advice/advice.c: the robot with what is advised [links] looks at a state: at its own equilibrium next to it where one is
/// asked for (`near`). `asked` belongs to `tried`, and both to the caller. false: it says nothing.
bool td_resolution_ask(td_resolution *r, const td_advised *advised, const td_resolution_state *state,
                       void (*look)(td_resolution *, const td_resolution_state *), td_resolution **asked,
                       td_twin *tried);
/// Whether the order of this strain is a degree of its functions.
bool td_resolution_has_degrees(const td_rod_spec *spec, int component);
/// r->advised from what was found.
void td_resolution_advise(td_resolution *r);
/// What was found over what is right enough: beyond 1 it is told.
double td_resolution_excess_of_points(const td_finding *f);
double td_resolution_excess_of_shape(const td_finding *f);
/// So much of the length the functions may leave out.
double td_resolution_limit_of_shape(const td_finding *f);
/// What was found of a rod's twist, as one of its shape by torsion.
td_finding td_resolution_twist_of(const td_finding *f);
/// So many more degrees leave no more than `most`.
int td_resolution_more_degrees(const td_resolution *r, const td_finding *f, double most);
/// Gauss points per element of the run that a run was compared with.
int td_resolution_points_of_run(const td_resolution *r, int rod);
/// ratio [elements]: what all differences together do to an element by its scale, from r->unit.
void td_resolution_ratios(const td_resolution *r, double *ratio);

#endif
