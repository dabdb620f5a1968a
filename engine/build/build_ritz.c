// Ritz bodies: displacement x = X + sum phi_k(X) q_k over a box or a mesh; particles at the Gauss points of the box or
// of the mesh's elements, distal frame from three points.
//
// Cold code. Modes are polynomials in material coordinates, so gradients are exact. Source: Pustina2025 (5)-(7),
// simulation 3.
#include "body/body.h"
#include "build/build.h"
#include "element/reduced/mesh.h"
#include "element/reduced/reduced_points.h"
#include "element/reduced/ritz_mode.h"
#include "math/quadrature.h"
#include <math.h>
#include <string.h>

enum { POINTS = 64 };

static void put_particle(const td_reduced_spec *r, td_ritz *ritz, int index, const double X[3], double volume) {
  int batch = index / TD_LANES, lane = index % TD_LANES;
  td_ritz_points *points = (td_ritz_points *)&ritz->points[batch];
  points->volume[lane] = volume;
  for (int i = 0; i < 3; i++) points->X[i][lane] = X[i];
  for (int k = 0; k < ritz->n; k++) {
    td_ritz_modes *mode = (td_ritz_modes *)&ritz->modes[(size_t)batch * (size_t)ritz->n + (size_t)k];
    for (int i = 0; i < 3; i++) {
      mode->phi[i][lane] = td_ritz_mode_at(&r->ritz_modes[k], i, X, -1);
      for (int j = 0; j < 3; j++) mode->gradient[3 * i + j][lane] = td_ritz_mode_at(&r->ritz_modes[k], i, X, j);
    }
  }
}

// Gauss points of the body: of all elements of its mesh or of its box.
typedef struct cloud {
  int count;
  const td_reduced_spec *spec;
  td_mesh_rule rule; // of a mesh
  int side[3];       // of a box
  double x[3][POINTS], w[3][POINTS];
} cloud;

static void box_cloud(const td_reduced_spec *r, cloud *c) {
  td_reduced_box_points(r, c->side);
  c->count = c->side[0] * c->side[1] * c->side[2];
  for (int i = 0; i < 3; i++) td_gauss_legendre(c->side[i], c->x[i], c->w[i]);
}

static void cloud_of(const td_reduced_spec *r, cloud *c) {
  *c = (cloud){.spec = r};
  if (!r->has_mesh) {
    box_cloud(r, c);
    return;
  }
  td_mesh_rule_of(td_reduced_mesh_points(r), &c->rule);
  c->count = (int)td_mesh_particle_count(&r->mesh, &c->rule);
}

// Position and volume of particle p.
static double particle_at(const cloud *c, int p, double X[3]) {
  const td_reduced_spec *r = c->spec;
  if (r->has_mesh) return td_mesh_particle(&r->mesh, &c->rule, p, X);
  int i = p % c->side[0], j = p / c->side[0] % c->side[1], k = p / c->side[0] / c->side[1];
  X[0] = (c->x[0][i] - 0.5) * r->size[0], X[1] = (c->x[1][j] - 0.5) * r->size[1], X[2] = c->x[2][k] * r->size[2];
  return r->size[0] * r->size[1] * r->size[2] * c->w[0][i] * c->w[1][j] * c->w[2][k];
}

static void put_particles(const cloud *c, td_ritz *ritz) {
  for (int p = 0; p < ritz->batch_count * TD_LANES; p++) {
    double X[3], volume = particle_at(c, p < c->count ? p : 0, X);
    put_particle(c->spec, ritz, p, X, p < c->count ? volume : 0);
  }
}

static void put_tip(const td_reduced_spec *r, td_ritz *ritz) {
  memcpy(ritz->tip, r->tip_points, sizeof ritz->tip);
  for (int k = 0; k < ritz->n; k++)
    for (int i = 0; i < 9; i++)
      ((double *)ritz->tip_mode)[9 * k + i] = td_ritz_mode_at(&r->ritz_modes[k], i % 3, r->tip_points + i / 3 * 3, -1);
}

// Point p of the surface at rest: around the box by rising z and angle, or the mesh's own.
static void skin_at(const td_reduced_spec *r, int p, double X[3]) {
  if (r->has_mesh) {
    memcpy(X, r->mesh.points + 3 * p, 3 * sizeof *X);
    return;
  }
  double angle = 2 * M_PI * (p % TD_SURFACE_AROUND) / TD_SURFACE_AROUND, c = cos(angle), d = sin(angle);
  double reach = 0.5 / fmax(fabs(c) / r->size[0], fabs(d) / r->size[1]); // to the side it meets first
  X[0] = reach * c, X[1] = reach * d, X[2] = r->size[2] * (p / TD_SURFACE_AROUND) / (TD_SKIN_RINGS - 1);
}

static void put_skin(const td_reduced_spec *r, td_ritz *ritz) {
  double *skin = (double *)ritz->skin, *modes = (double *)ritz->skin_mode;
  for (int p = 0; p < ritz->skin_count; p++) {
    skin_at(r, p, skin + 3 * p);
    for (int k = 0; k < ritz->n; k++)
      for (int i = 0; i < 3; i++)
        modes[3 * ((size_t)ritz->skin_count * (size_t)k + (size_t)p) + (size_t)i] =
            td_ritz_mode_at(&r->ritz_modes[k], i, skin + 3 * p, -1);
  }
}

td_status td_build_ritz(td_model *m, const td_model_spec *spec, int link) {
  const td_reduced_spec *r = &spec->links[link].body.reduced;
  td_element *e = &m->element[m->element_count];
  td_ritz *ritz = &m->ritz[m->ritz_count];
  int n = (int)r->ritz_mode_count;
  cloud c;
  cloud_of(r, &c);
  *e = (td_element){
      .type = TD_ELEMENT_RITZ, .row = &td_body_ritz, .link = link, .coordinate = m->n, .n = n, .npad = td_pad(n)};
  e->start = m->link[link].node, e->end = m->node_count++, e->rod = -1, e->ritz = m->ritz_count++;
  m->node[e->end] = (td_node){.element = m->element_count++, .inertia = -1};
  m->link[link].distal = e->end;
  *ritz = (td_ritz){.node = e->start,
                    .n = n,
                    .element = (int)(e - m->element),
                    .density = r->density,
                    .displaced = spec->fluid_density / r->density};
  ritz->batch_count = (c.count + TD_LANES - 1) / TD_LANES;
  ritz->mu = r->young / (2 * (1 + r->poisson));
  ritz->lambda = r->young * r->poisson / ((1 + r->poisson) * (1 - 2 * r->poisson));
  ritz->eta = r->damping_time;
  ritz->skin_rings = r->has_mesh ? 0 : TD_SKIN_RINGS;
  ritz->skin_count = r->has_mesh ? (int)r->mesh.point_count : TD_SKIN_RINGS * TD_SURFACE_AROUND;
  ritz->points = td_block_alloc(&m->blocks, (size_t)ritz->batch_count, sizeof(td_ritz_points));
  ritz->modes = td_block_alloc(&m->blocks, (size_t)ritz->batch_count * (size_t)n, sizeof(td_ritz_modes));
  ritz->tip_mode = td_block_alloc(&m->blocks, (size_t)n, 9 * sizeof(double));
  ritz->skin = td_block_alloc(&m->blocks, (size_t)ritz->skin_count, 3 * sizeof(double));
  ritz->skin_mode = td_block_alloc(&m->blocks, (size_t)n * (size_t)ritz->skin_count, 3 * sizeof(double));
  if (!ritz->points || !ritz->modes || !ritz->tip_mode || !ritz->skin || !ritz->skin_mode) return TD_NO_MEMORY;
  put_particles(&c, ritz);
  put_skin(r, ritz);
  put_tip(r, ritz);
  m->n += n;
  return TD_OK;
}
