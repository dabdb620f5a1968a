// A finer twin of a frozen robot: the same document with more Gauss points on its rods, and strains of their own beyond
// the basis.
//
// Coordinates of the model are coordinates of the twin, at other places: a state of the model is a state of the twin
// with its new coordinates at 0, and the same field of strains. Contacts of a stiffness per point are spread over the
// points of the twin, so that a rod that lies flat feels the same.
#ifndef TENDRIL_ESTIMATE_TWIN_H
#define TENDRIL_ESTIMATE_TWIN_H

#include "model/workspace.h"

typedef struct td_advised { ///< of a link's rod, beside what its document says
  int points, more[6];      ///< Gauss points per element (0: as they are); degrees of each strain
} td_advised;

typedef struct td_refinement {
  double points;    ///< times those of the model, on every rod; 1: the model's own
  bool features;    ///< and so many that nothing that the document says by a table or a helix falls between them
  bool contactless; ///< without obstacles
  int room;         ///< and enough for so many more polynomials, which it does not have
  bool own_points;  ///< whatever is asked for: the model's own
  int enrichment;   ///< Legendre polynomials beyond the basis, on every element of every active strain
  bool smooth;      ///< these are polynomials where the section jumps, too
  const td_advised *advised; ///< [links] NULL: nothing; else this alone, of bases whose order is a degree
  int alone;                 ///< 0: all rods; k: that of link k - 1 has more points, others keep theirs
} td_refinement;

typedef struct td_twin {
  td_model *model;
  td_workspace *ws;
  int *at;    ///< [n of the original] where its coordinates stand here
  int *level; ///< [n here] 0: a coordinate of the original; k: the k-th polynomial beyond the basis
} td_twin;

/// Builds it. Rods that cannot have so many points keep what the format allows.
/// @return TD_OK, or why the refined document is no model: it then has too many coordinates or points, or memory is
///   short
TD_NODISCARD td_status td_twin_create(const td_model *model, const td_refinement *how, td_twin *twin);
void td_twin_destroy(td_twin *twin);
/// to [n of the twin] from a vector of the original (NULL: zeros).
void td_twin_embed(const td_model *model, const td_twin *twin, const double *from, double *to);
/// The strain of a rod whose new coordinates hold most elastic energy in x [n of the twin].
int td_twin_lacking(const td_twin *twin, int rod, const double *x);
/// The same of those that move its points: what a stiff rod is stretched by holds energy and goes nowhere.
int td_twin_moving(const td_twin *twin, int rod, const double *x);
/// The tip of a rod seen from its base, by the poses that the twin's workspace holds.
void td_twin_tip(const td_twin *twin, int rod, td_se3 *tip);
/// Positions of a twin's nodes at q [n here], each from the base of its rod. false: one is not finite.
bool td_twin_shapes(const td_twin *twin, const double *q, double (*out)[3]);
/// The largest distance of a rod's points between two of these, by its length. Its base is 0 in both; a rod may begin
/// where another ends.
double td_twin_change(const td_twin *twin, int rod, double (*a)[3], double (*b)[3]);
/// The same beside the chord from base to tip, b turned onto that of a: what bends, and not what turns the base.
double td_twin_bow(const td_twin *twin, int rod, double (*a)[3], double (*b)[3]);
/// By how much b is turned from a about the tangent of a, rad.
double td_twist_between(const td_se3 *a, const td_se3 *b);
/// Gauss points per element that a rod has in a twin of this refinement.
int td_twin_points(const td_model_spec *document, int link, const td_refinement *how);

#endif
