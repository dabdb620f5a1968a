// A family of strain functions: what strain/basis.c needs to know of it. Internal to strain/.
#ifndef TENDRIL_STRAIN_FAMILY_H
#define TENDRIL_STRAIN_FAMILY_H

#include "tendril/spec.h"
#include <stdbool.h>
#include <stddef.h>

/// One active component, frozen.
typedef struct td_component {
  int order;
  int count;       ///< functions of the family, 0 when the component is locked
  double softest;  ///< least stiffness along the rod where it varies and the enrichment is by it; 0
  int enrichment;  ///< functions per element beyond them …
  int elements;    ///< … of which there are so many
  size_t knots;    ///< table basis only: knots …
  const double *s; ///< … [knots]
  const double *y; ///< [count][knots] values
  const double *m; ///< [count][knots] second derivatives of the splines
} td_component;

typedef struct td_basis_family {
  const char *name;                 ///< the document's word
  bool elements;                    ///< `order` counts elements, whose boundaries are computational points
  int lowest_order;                 ///< 1 for elements
  int (*count)(int order);          ///< functions; NULL: as many as the table has columns
  int (*default_points)(int order); ///< Gauss points that `order` asks for (per element)
  void (*eval)(const td_component *component, double s, double *value); ///< value [count]
  int (*degree)(int order); ///< of the polynomials that an element's functions span; NULL: not even constants
  int joined;               ///< of elements: they agree in so many derivatives, the value counted, where they meet
} td_basis_family;

#define TD_FAMILY_ROW(word, row) extern const td_basis_family td_family_##row;
TD_BASES(TD_FAMILY_ROW)

/// Element of N equal ones that holds s in [0, 1], and the place in it, local in [0, 1].
int td_element_of(int N, double s, double *local);

/// order + 1, the count of most families, and order + 3, the Gauss points that polynomials of that order need
/// (points.c).
int td_order_plus_one(int order);
int td_order_plus_three(int order);
/// order itself, the degree of polynomials on the whole rod.
int td_order_itself(int order);

/// The row of a basis.
const td_basis_family *td_basis_family_of(int basis);

#endif
