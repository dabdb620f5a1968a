// Magnetised rods and rigid bodies in an applied field, which actuators of type `field` make.
//
//   B(p) = B0 + G p,   p from the world's origin; G symmetric and traceless (no current where the robot is), B0 and
//                       five numbers of G are inputs.
// A dipole mu that is fixed in its body (a rod's magnetisation times the area of its material and the Gauss weight; a
// rigid body's moment at its centre of mass) has U = -mu.B(p) and feels, about p, the torque mu x B(p) and the force G
// mu. tau = J^T of these is linear in the inputs.
//
// Derivatives. Beside what a wrench of fixed directions at p has (composite.c), mu turns with its body and B changes
// with p:
//   d torque = (w x mu) x B + mu x G v_p,   d force = G (w x mu),   v_p = v + w x p,
// so that N += S^T [(mu.B) 1 - mu B^T, -mu^ G; G mu^, 0] S with S = [1 0; -p^ 1]. In a uniform field the first block is
// all, and lean maps hold it.
// One pass over composites that hold nothing else gives tau, one derivative pass dtau/dq; dtau/dqd = 0.
// Sources: Abbott, Diller, Petruska 2020, Annu. Rev. Control Robot. Auton. Syst. 3 (torque, force, the five gradients);
// Zhao et al. 2019, J. Mech. Phys. Solids 124 (magnetisation per reference volume, carried along by the material).
#include "force/force_table.h"
#include "force/world_map.h"
#include "lie/vec3.h"
#include "model/block.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "spec/check/actuator/actuator.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <string.h>

static const double NONE[3] = {0};

typedef struct magnet {
  int node;
  double point[3], moment[3]; // m, A m^2, in the node's axes
} magnet;

typedef struct source { // an actuator
  int channel, count;   // the first of its channels; 3, with a gradient 8
} source;

typedef struct magnetism { // NULL: the document has no field
  int magnet_count, source_count;
  bool gradient; // of some source
  magnet *magnet;
  source *source;
} magnetism;

static const magnetism *kept(const td_model *m) { return m->of_force[TD_FORCE_AT_magnetism]; }

typedef struct field {
  double B[3], G[9]; // T at the world's origin, T/m
} field;

// ---- the field

// value times unit input k of a source: x, y, z; xx, xy, xz, yy, yz.
static void add_input(field *f, int k, double value) {
  static const int row[5] = {0, 0, 0, 1, 1}, column[5] = {0, 1, 2, 1, 2};
  if (k < 3) {
    f->B[k] += value;
    return;
  }
  int i = row[k - 3], j = column[k - 3];
  f->G[3 * i + j] += value;
  if (i == j)
    f->G[8] -= value;
  else
    f->G[3 * j + i] += value;
}

static field field_of(const magnetism *all, const double *u) {
  field f = {0};
  for (int s = 0; s < all->source_count; s++)
    for (int k = 0; k < all->source[s].count; k++) add_input(&f, k, u[all->source[s].channel + k]);
  return f;
}

// A magnet in the world: its moment, its point (about ws->origin), the field and the force there.
typedef struct dipole {
  double mu[3], p[3], B[3], force[3];
} dipole;

static dipole dipole_of(const td_workspace *ws, const magnet *x, const field *f) {
  dipole d;
  double at[3];
  td_mat3_vec(ws->pose[x->node].R, x->moment, d.mu);
  td_node_point(ws, x->node, x->point, d.p);
  for (int i = 0; i < 3; i++) at[i] = d.p[i] + ws->origin[i];
  td_mat3_vec(f->G, at, d.B);
  td_mat3_vec(f->G, d.mu, d.force);
  for (int i = 0; i < 3; i++) d.B[i] += f->B[i];
  return d;
}

// ---- forces

static void apply(const magnetism *all, td_workspace *ws, const field *f) {
  for (int i = 0; i < all->magnet_count; i++) {
    dipole d = dipole_of(ws, &all->magnet[i], f);
    double torque[3];
    td_vec3_cross(d.mu, d.B, torque);
    td_composite_apply(&ws->composite[all->magnet[i].node], torque, d.force, d.p);
  }
}

// out [n] = tau of a field, at the poses in ws.
static void project(const td_model *m, td_workspace *ws, const field *f, double *out) {
  td_composite_clear(m, ws);
  apply(kept(m), ws, f);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  memset(out, 0, (size_t)m->n * sizeof *out);
  td_composite_project(m, ws, out);
  for (int i = 0; i < m->n; i++) out[i] = -out[i];
}

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  (void)qd;
  if (!u || !out->actuation) return;
  field f = field_of(kept(m), u);
  td_kinematics(m, ws, q, NULL, NULL, NONE, TD_LEVEL_POSE);
  project(m, ws, &f, ws->scratch);
  for (int i = 0; i < m->n; i++) out->actuation[i] += ws->scratch[i];
}

static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  const magnetism *all = kept(m);
  (void)qd, (void)u;
  td_kinematics(m, ws, q, NULL, NULL, NONE, TD_LEVEL_POSE);
  for (int s = 0; s < all->source_count; s++)
    for (int k = 0; k < all->source[s].count; k++) {
      field unit = {0};
      add_input(&unit, k, 1);
      project(m, ws, &unit, ws->scratch);
      for (int i = 0; i < m->n; i++) dtau_du[i * m->channel_count + all->source[s].channel + k] = ws->scratch[i];
    }
}

// ---- derivatives

// What turning and moving change beside a wrench of fixed directions.
static void add_maps(td_workspace *ws, const magnet *x, const field *f, bool gradient) {
  dipole d = dipole_of(ws, x, f);
  double along = td_vec3_dot(d.mu, d.B), *N = ws->composite[x->node].N, block[TD_MATRIX6] = {0}, muG[9] = {0},
         Gmu[9] = {0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) N[3 * i + j] -= d.mu[i] * d.B[j];
    N[4 * i] += along;
  }
  if (!gradient) return;
  assert(ws->full);
  td_hat_times_add(d.mu, f->G, -1, muG);
  td_times_hat_add(f->G, d.mu, 1, Gmu);
  td_add_block(block, 0, 3, muG);
  td_add_block(block, 3, 0, Gmu);
  td_add_body_map(block, d.p, ws->full[x->node].N);
}

static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  const magnetism *all = kept(m);
  (void)qd;
  if (!u) return;
  field f = field_of(all, u);
  td_kinematics(m, ws, q, ws->zero, ws->zero, NONE, TD_LEVEL_ACCELERATION);
  td_composite_clear(m, ws);
  ws->world_forces = 1;
  apply(all, ws, &f);
  for (int i = 0; i < all->magnet_count; i++) add_maps(ws, &all->magnet[i], &f, all->gradient);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_columns_of(m, ws, TD_COLUMNS_SLOPES);
  for (int i = 0; i < m->n * m->ld; i++) ws->dtau_dq[i] -= ws->did_dq[i];
}

// ---- energy: who makes the field drives it, so that changes of it are work of the actuators

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  const magnetism *all = kept(m);
  double stored = 0;
  (void)q;
  if (!u) return;
  field f = field_of(all, u);
  for (int i = 0; i < all->magnet_count; i++) {
    dipole d = dipole_of(ws, &all->magnet[i], &f);
    stored -= td_vec3_dot(d.mu, d.B);
  }
  energy->magnetic += stored;
  energy->driven += stored;
}

// ---- the row

static bool is_magnetised(const double m[3]) { return m[0] != 0 || m[1] != 0 || m[2] != 0; }

static void add_rigid(const td_model *m, int link, const td_rigid_spec *rigid, magnetism *all) {
  magnet *x = &all->magnet[all->magnet_count++];
  x->node = m->link[link].node;
  assert(m->node[x->node].inertia >= 0); // of every rigid body
  memcpy(x->point, m->inertia[m->node[x->node].inertia].com, sizeof x->point);
  memcpy(x->moment, rigid->magnetisation, sizeof x->moment);
}

// A dipole at every Gauss point of a rod: magnetisation times the volume that the point stands for.
static void add_rod(const td_rod *rod, const td_rod_spec *spec, magnetism *all) {
  for (int k = 0, gauss = 0; k < rod->point_count && gauss < rod->gauss_count; k++) {
    if (rod->abscissa[k] != rod->gauss_s[gauss]) continue;
    td_section_at at;
    td_section_eval(rod->outline, rod->gauss_s[gauss], &at);
    magnet *x = &all->magnet[all->magnet_count++];
    *x = (magnet){.node = rod->point_node[k]};
    for (int i = 0; i < 3; i++) x->moment[i] = at.area * rod->weight[gauss] * spec->magnetisation[i];
    gauss++;
  }
}

static void add_sources(const td_model_spec *spec, magnetism *all) {
  for (size_t i = 0; i < spec->actuator_count; i++) {
    const td_actuator_spec *a = &spec->actuators[i];
    if (a->type != TD_ACTUATOR_FIELD) continue;
    all->source[all->source_count++] = (source){td_actuator_first_channel(spec, i), td_actuator_channel_count(spec, a)};
    all->gradient |= a->gradient;
  }
}

// Nothing where the document has no field; a field that acts on nothing keeps its channels.
static td_status build(td_model *m, const td_model_spec *spec) {
  size_t sources = 0, magnets = 0;
  for (size_t i = 0; i < spec->actuator_count; i++) sources += spec->actuators[i].type == TD_ACTUATOR_FIELD;
  for (int r = 0; r < m->rod_count; r++) magnets += (size_t)m->rod[r].gauss_count;
  if (sources == 0) return TD_OK;
  magnetism *all = td_block_alloc(&m->blocks, 1, sizeof *all);
  if (!all) return TD_NO_MEMORY;
  all->magnet = td_block_alloc(&m->blocks, magnets + spec->link_count, sizeof *all->magnet);
  all->source = td_block_alloc(&m->blocks, sources, sizeof *all->source);
  if (!all->magnet || !all->source) return TD_NO_MEMORY;
  add_sources(spec, all);
  for (int i = 0; i < m->link_count; i++) {
    const td_body_spec *body = &spec->links[i].body;
    if (body->type == TD_BODY_RIGID && is_magnetised(body->rigid.magnetisation)) add_rigid(m, i, &body->rigid, all);
    if (body->type == TD_BODY_ROD && is_magnetised(body->rod.magnetisation))
      add_rod(&m->rod[m->link[i].rod], &body->rod, all);
  }
  m->of_force[TD_FORCE_AT_magnetism] = all;
  return TD_OK;
}

static unsigned acts(const td_model *m) {
  if (!kept(m)) return 0;
  return TD_ACTS_DRIVEN | (kept(m)->gradient ? TD_ACTS_BY_MAPS : TD_ACTS);
}

const td_force td_force_magnetism = {.name = "magnetism",
                                     .build = build,
                                     .acts = acts,
                                     .actuates = true,
                                     .add = add,
                                     .add_slopes = add_slopes,
                                     .add_inputs = add_inputs,
                                     .energies = 1u << TD_ENERGY_MAGNETIC,
                                     .energy = add_energy};
