// Strain bases: the table of families, and a rod's basis frozen from its spec.
//
// A frozen basis is one allocation: six components, then (table basis only) knots, values and the splines' second
// derivatives.  Invariant: a component with count 0 is locked at the reference strain.
#include "strain/basis.h"
#include "math/cholesky.h"
#include "math/lanes.h"
#include "math/spline.h"
#include "strain/family.h"
#include "strain/section.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(word, row) &td_family_##row,
static const td_basis_family *const families[TD_BASIS_COUNT] = {TD_BASES(ENTRY)};

struct td_rod_basis {
  const td_basis_family *family;
  td_section *section; // NULL: no component is enriched by it
  td_component component[6];
  double numbers[];
};

const td_basis_family *td_basis_family_of(int basis) {
  assert(basis >= 0 && basis < TD_BASIS_COUNT);
  return families[basis];
}

const char *td_basis_name(td_basis basis) { return (unsigned)basis < TD_BASIS_COUNT ? families[basis]->name : NULL; }

bool td_basis_has_elements(td_basis basis) { return td_basis_family_of((int)basis)->elements; }
int td_basis_lowest_order(td_basis basis) { return td_basis_family_of((int)basis)->lowest_order; }

// Functions of the family alone.
static int own_count(const td_rod_spec *rod, int component) {
  const td_basis_family *family = td_basis_family_of((int)rod->basis);
  if (rod->order[component] < 0) return 0;
  return family->count ? family->count(rod->order[component]) : (int)rod->table_columns[component];
}

int td_rod_component_count(const td_rod_spec *rod, int component) {
  return own_count(rod, component) + rod->enrichment * td_rod_component_elements(rod, component);
}

int td_rod_component_elements(const td_rod_spec *rod, int component) {
  if (rod->order[component] < 0) return 0;
  return td_basis_has_elements(rod->basis) ? rod->order[component] : 1;
}

int td_rod_largest_count(const td_rod_spec *rod) {
  int largest = 0;
  for (int c = 0; c < 6; c++) {
    int count = td_rod_component_count(rod, c);
    if (count > largest) largest = count;
  }
  return largest;
}

// Doubles behind the header: the knots once, and per column its values and second derivatives.
static size_t table_size(const td_rod_spec *rod) {
  size_t columns = 0;
  if (rod->basis != TD_BASIS_TABLE) return 0;
  for (int c = 0; c < 6; c++) columns += (size_t)own_count(rod, c);
  return rod->table_count * (1 + 2 * columns);
}

static td_status freeze_columns(const td_rod_spec *rod, int c, const double *s, double **next, td_component *out) {
  size_t knots = rod->table_count, block = knots * (size_t)out->count;
  double *y = *next, *m = y + block;
  memcpy(y, rod->table[c], block * sizeof *y);
  *next = m + block;
  out->knots = knots;
  out->s = s;
  out->y = y;
  out->m = m;
  for (size_t i = 0; i < (size_t)out->count; i++) {
    td_status status = td_spline_prepare(knots, s, y + i * knots, 1, m + i * knots);
    if (status) return status;
  }
  return TD_OK;
}

static td_status freeze(const td_rod_spec *rod, td_rod_basis *basis) {
  bool table = rod->basis == TD_BASIS_TABLE;
  double *next = basis->numbers + (table ? rod->table_count : 0);
  if (table) memcpy(basis->numbers, rod->table_s, rod->table_count * sizeof *next);
  for (int c = 0; c < 6; c++) {
    td_component *component = &basis->component[c];
    component->order = rod->order[c];
    component->count = own_count(rod, c);
    component->elements = td_rod_component_elements(rod, c);
    component->enrichment = component->count ? rod->enrichment : 0;
    if (!table || !component->count) continue;
    td_status status = freeze_columns(rod, c, basis->numbers, &next, component);
    if (status) return status;
  }
  return TD_OK;
}

enum { LOOKS = 256 };
static const double VARIED = 3;     // stiffest over softest section
static const double LACKING = 5e-3; // of the compliance

// What the functions of a component lack of the compliance under a constant moment: 1 - b^T K^-1 b / integral 1/k,
// K_ij = integral k phi_i phi_j,
// b_i = integral phi_i. 0 where it cannot be told.
static double lacking_compliance(const td_rod_basis *basis, int component) {
  const td_component *c = &basis->component[component];
  size_t n = (size_t)c->count, ld = (size_t)td_pad_most(c->count);
  double *K = calloc(2 * n * ld + 2 * ld + n, sizeof *K), *U = K + n * ld, *b = U + n * ld, *x = b + ld, *phi = x + ld;
  double whole = 0, taken = 0;
  for (int look = 0; K && look < LOOKS; look++) {
    td_section_laws laws;
    double s = (look + 0.5) / LOOKS;
    td_section_laws_at(basis->section, s, &laws);
    basis->family->eval(c, s, phi);
    whole += 1 / laws.stiffness[component];
    for (size_t i = 0; i < n; i++) {
      b[i] += phi[i];
      for (size_t j = i; j < n && phi[i] != 0; j++) K[i * ld + j] += laws.stiffness[component] * phi[i] * phi[j];
    }
  }
  for (size_t i = 0; K && i < n; i++) K[i * ld + i] *= 1 + 1e-12, x[i] = b[i];
  bool known = K && !td_spd_factor((int)n, (int)ld, K, (int)ld, U);
  if (known) td_spd_solve((int)n, (int)ld, U, x);
  for (size_t i = 0; known && i < n; i++) taken += b[i] * x[i];
  free(K);
  return known ? 1 - taken / whole : 0;
}

// Components that lack some of it, as the section jumps or has a neck, are enriched by what moments do there, P_k over
// the stiffness: polynomials approach a neck as slowly as those before them.
static td_status look_at_section(const td_rod_spec *rod, td_rod_basis *basis) {
  double least[6], most[6] = {0};
  bool any = false;
  if (!rod->enrichment || rod->smooth_enrichment) return TD_OK;
  td_status status = td_section_create(rod, &basis->section);
  if (status) return status;
  for (int c = 0; c < 6; c++) least[c] = INFINITY;
  for (int i = 0; i <= LOOKS; i++) {
    td_section_laws laws;
    td_section_laws_at(basis->section, (double)i / LOOKS, &laws);
    for (int c = 0; c < 6; c++)
      least[c] = fmin(least[c], laws.stiffness[c]), most[c] = fmax(most[c], laws.stiffness[c]);
  }
  for (int c = 0; c < 6; c++) {
    bool varies = basis->component[c].count && least[c] > 0 && most[c] > VARIED * least[c] &&
                  lacking_compliance(basis, c) > LACKING;
    basis->component[c].softest = varies ? least[c] : 0;
    any |= varies;
  }
  if (any) return TD_OK;
  td_section_destroy(basis->section);
  basis->section = NULL;
  return TD_OK;
}

td_status td_rod_basis_create(const td_rod_spec *rod, td_rod_basis **basis) {
  td_rod_basis *made = calloc(1, sizeof *made + table_size(rod) * sizeof(double));
  if (!made) return TD_NO_MEMORY;
  made->family = td_basis_family_of((int)rod->basis);
  td_status status = freeze(rod, made);
  if (!status) status = look_at_section(rod, made);
  if (status) {
    td_rod_basis_destroy(made);
    return status;
  }
  *basis = made;
  return TD_OK;
}

void td_rod_basis_destroy(td_rod_basis *basis) {
  if (basis) td_section_destroy(basis->section);
  free(basis);
}

int td_rod_basis_count(const td_rod_basis *basis, int component) {
  const td_component *c = &basis->component[component];
  return c->count + c->enrichment * c->elements;
}

bool td_rod_basis_follows_section(const td_rod_basis *basis, int component) {
  return basis->component[component].softest > 0;
}

int td_rod_basis_total(const td_rod_basis *basis) {
  int total = 0;
  for (int c = 0; c < 6; c++) total += td_rod_basis_count(basis, c);
  return total;
}

int td_rod_basis_degree(td_basis basis, int order) {
  const td_basis_family *family = td_basis_family_of((int)basis);
  return family->degree ? family->degree(order) : -1;
}

// Behind the family's functions, element by element, P_k(2 t - 1) of the next degrees, 0 outside the element. What
// higher degrees add is not smooth where elements meet, and needs low ones that are not, either, to be so together: all
// elements but the first begin with those that let go of the family's joints, P_0 and, of elements with common slopes,
// P_1.
static void enrich(const td_rod_basis *basis, const td_component *c, double s, double *value) {
  int degree = basis->family->degree ? basis->family->degree(c->order) : -1;
  double t, before = 0, now = 1;
  int element = td_element_of(c->elements, s, &t), joined = basis->family->joined, half = c->enrichment / 2;
  int jumps = element == 0 ? 0 : joined < half ? joined : half;
  double *own = value + element * c->enrichment;
  memset(value, 0, (size_t)(c->enrichment * c->elements) * sizeof *value);
  for (int k = 0; k <= degree + c->enrichment - jumps; k++) {
    if (k > degree) own[jumps + k - degree - 1] = now;
    if (k < jumps) own[k] = now;
    double next = ((2 * k + 1) * (2 * t - 1) * now - k * before) / (k + 1);
    before = now, now = next;
  }
}

// The same of a component whose stiffness varies: P_k(2 t - 1) softest / stiffness, k from 0 on, in each element.
static void enrich_by_section(const td_rod_basis *basis, int component, double s, double *value) {
  const td_component *c = &basis->component[component];
  double t, before = 0;
  td_section_laws laws;
  td_section_laws_at(basis->section, s, &laws);
  double now = c->softest / laws.stiffness[component], *own;
  own = value + td_element_of(c->elements, s, &t) * c->enrichment;
  memset(value, 0, (size_t)(c->enrichment * c->elements) * sizeof *value);
  for (int k = 0; k < c->enrichment; k++) {
    own[k] = now;
    double next = ((2 * k + 1) * (2 * t - 1) * now - k * before) / (k + 1);
    before = now, now = next;
  }
}

void td_rod_basis_eval(const td_rod_basis *basis, int component, double s, double *value) {
  assert(component >= 0 && component < 6 && s >= 0 && s <= 1);
  const td_component *c = &basis->component[component];
  if (c->count) basis->family->eval(c, s, value);
  if (c->softest > 0)
    enrich_by_section(basis, component, s, value + c->count);
  else if (c->enrichment)
    enrich(basis, c, s, value + c->count);
}
