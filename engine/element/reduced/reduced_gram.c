// Gram matrices sum w phi_i . phi_j and sum w grad phi_i : grad phi_j over the Gauss points of sampled elements.
#include "element/reduced/reduced_gram.h"
#include "element/reduced/mesh.h"
#include "element/reduced/ritz_mode.h"
#include "math/relative.h"
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, ROW = 12 };
static const double ENOUGH = 3e-4;

static void add_point(const td_reduced_spec *spec, const double X[3], double weight, double (*row)[ROW], double *mass,
                      double *stretch) {
  size_t n = spec->ritz_mode_count;
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      for (int d = -1; d < 3; d++) row[i][d < 0 ? c : 3 + 3 * c + d] = td_ritz_mode_at(&spec->ritz_modes[i], c, X, d);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double m = 0, s = 0;
      for (int c = 0; c < 3; c++) m += row[i][c] * row[j][c];
      for (int c = 3; c < ROW; c++) s += row[i][c] * row[j][c];
      mass[i * n + j] += weight * m, stretch[i * n + j] += weight * s;
    }
}

// mass, stretch [modes][modes] by n points.
static void gram(const td_reduced_spec *spec, int n, double (*row)[ROW], double *mass, double *stretch) {
  long elements = (long)(spec->mesh.tetrahedron_count + spec->mesh.hexahedron_count), each = n * n * n;
  long samples = elements < SAMPLES ? elements : SAMPLES;
  td_mesh_rule rule;
  td_mesh_rule_of(n, &rule);
  for (long s = 0; s < samples; s++) {
    long element = s * elements / samples;
    for (long p = 0; p < each; p++) {
      double X[3], volume = td_mesh_particle(&spec->mesh, &rule, element * each + p, X);
      add_point(spec, X, volume, row, mass, stretch);
    }
  }
}

bool td_reduced_mesh_is_fine(const td_reduced_spec *spec, int n) {
  size_t modes = spec->ritz_mode_count, size = modes * modes;
  double *all = calloc(4 * size + ROW * modes + (size_t)td_relative_work((int)modes), sizeof *all);
  if (!all) return true;
  double *work = all + 4 * size + ROW * modes, (*row)[ROW] = (double(*)[ROW])(all + 4 * size);
  gram(spec, n, row, all, all + size);
  gram(spec, n + 1, row, all + 2 * size, all + 3 * size);
  bool fine = td_relative_change((int)modes, (int)modes, all, all + 2 * size, work) < ENOUGH &&
              td_relative_change((int)modes, (int)modes, all + size, all + 3 * size, work) < ENOUGH;
  free(all);
  return fine;
}
