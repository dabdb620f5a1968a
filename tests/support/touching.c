#include "support/touching.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = TOUCHING_MOST };

const char TOUCHING_FREE[] = "\"joint\": {\"type\": \"free\"}, ";
const char TOUCHING_ROD[] =
    "\"body\": {\"type\": \"rod\", \"length\": 0.6, \"section\": {\"shape\": \"circle\", \"radius\": [0.06, 0.04]}, "
    "\"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 100}, \"strain\": {\"basis\": "
    "\"legendre\", \"order\": {\"bending_y\": 1, \"bending_z\": 1, \"elongation\": 0}}, \"quadrature\": {\"points\": "
    "5}}";
const char TOUCHING_BALL[] =
    "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 700}";
const char TOUCHING_CAPSULE[] =
    "\"body\": {\"type\": \"rigid\", \"mass\": 2, \"com\": [0.01, 0, 0.02], \"inertia\": [0.02, 0.03, 0.02], "
    "\"collision\": "
    "{\"shape\": \"capsule\", \"radius\": 0.07, \"length\": 0.3, \"axis\": [1, 0.5, 0.2], \"pose\": {\"translation\": "
    "[0.02, -0.01, 0.03]}}}";
const char TOUCHING_BOX[] =
    "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.3, 0.1]}, "
    "\"density\": 500}";
const char TOUCHING_MESH[] =
    "\"body\": {\"type\": \"rigid\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.02], \"collision\": {\"shape\": "
    "\"mesh\", "
    "\"points\": [[0.1, 0, 0], [-0.1, 0.1, 0], [0, -0.1, 0.1], [0, 0, -0.12]], \"rounding\": 0.01}}";
const char TOUCHING_PCC[] =
    "\"body\": {\"type\": \"reduced\", \"kinematics\": \"pcc\", \"length\": 0.3, \"radius\": 0.03, "
    "\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4}";
const char TOUCHING_DRUM[] =
    "\"body\": {\"type\": \"rigid\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.02], \"collision\": {\"shape\": "
    "\"cylinder\", \"radius\": 0.1, \"length\": 0.15, \"axis\": [0.2, 1, 0.1], \"rounding\": 0.02}}";
const char TOUCHING_LAW[] = "\"stiffness\": 2e3, \"damping\": 0.4, \"friction\": 0.6, \"slip_speed\": 0.3";

static double some(toucher *p) {
  p->seed = p->seed * 1664525u + 1013904223u;
  return (double)(p->seed >> 8) / (1 << 23) - 1;
}

void toucher_init(toucher *p, td_model *model) {
  *p = (toucher){.model = model, .n = td_model_ndof(model), .seed = 3};
  ck_assert(p->n <= MOST && td_workspace_create(model, &p->ws) == TD_OK);
  for (int i = 0; i < p->n; i++) p->size[i] = 0.4;
}

void toucher_fini(toucher *p) {
  td_workspace_destroy(p->ws);
  td_model_destroy(p->model);
}

double toucher_held(toucher *p) {
  td_energy energy;
  ck_assert_int_eq(td_energy_at(p->model, p->ws, p->x[0], p->x[1], &energy), TD_OK);
  return energy.contact;
}

// The next random state that touches.
void toucher_touch(toucher *p) {
  do {
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < p->n; i++) p->x[part][i] = (part ? 2 : p->size[i]) * some(p);
  } while (!(toucher_held(p) > 1e-3));
}

double toucher_most(int n, const double *a, const double *b) {
  double x = 0;
  for (int i = 0; i < n; i++) x = fmax(x, fabs(a[i] - (b ? b[i] : 0)));
  return x;
}

// Forces of the places at which bodies touch are all that acts there; each presses along its unit normal.
static void places_hold(toucher *p, const char *what) {
  enum { PLACES = 64 };
  double places[PLACES * TD_CONTACT_PLACE], force[3 * 8], sum[3 * 8] = {0};
  int rows = td_contact_row_count(p->model), count = td_contact_place_count(p->model), used = 0;
  ck_assert(rows <= 8 && count <= PLACES);
  ck_assert_int_eq(td_contact_rows(p->model, p->ws, p->x[0], p->x[1], NULL, force), TD_OK);
  ck_assert_int_eq(td_contact_places(p->model, p->ws, p->x[0], p->x[1], places), TD_OK);
  for (; used < count && places[used * TD_CONTACT_PLACE] >= 0; used++) {
    const double *f = places + used * TD_CONTACT_PLACE + 4, *n = f + 3;
    ck_assert_double_eq_tol(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-9);
    for (int k = 0; k < 3; k++) sum[3 * (int)places[used * TD_CONTACT_PLACE] + k] += f[k];
  }
  for (int i = 0; i < 3 * rows && used < count; i++)
    ck_assert_msg(fabs(sum[i] - force[i]) < 1e-9 * fmax(1, toucher_most(3 * rows, force, NULL)), "%s: %g N of %g N",
                  what, sum[i], force[i]);
}

// ------------------------------------------------------------------------------------------------ derivatives

static void id_at(toucher *p, int part, int k, double step, double *id) {
  double kept = p->x[part][k];
  p->x[part][k] += step;
  ck_assert_int_eq(td_inverse_dynamics(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, id), TD_OK);
  p->x[part][k] = kept;
}

static void difference(toucher *p, int part, int k, double h, double *out) {
  static const double weight[3] = {0.75, -0.15, 1. / 60};
  double ahead[MOST], behind[MOST];
  memset(out, 0, MOST * sizeof *out);
  for (int s = 0; s < 3; s++) {
    id_at(p, part, k, (s + 1) * h, ahead);
    id_at(p, part, k, -(s + 1) * h, behind);
    for (int i = 0; i < p->n; i++) out[i] += weight[s] * (ahead[i] - behind[i]) / h;
  }
}

void toucher_derivatives_are_right(toucher *p, int states, const char *what) {
  const char *asked = getenv("TENDRIL_STATES");
  if (asked) states = atoi(asked);
  static const double H = 1e-4, WORST = 1e-7;
  int compared = 0, seams = 0;
  double worst = 0, dq[MOST * MOST], dqd[MOST * MOST];
  for (int s = 0; s < states; s++) {
    toucher_touch(p);
    places_hold(p, what);
    ck_assert_int_eq(td_id_derivatives(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, NULL, dq, dqd, NULL), TD_OK);
    for (int part = 0; part < 2; part++)
      for (int k = 0; k < p->n; k++) {
        double column[MOST], near[MOST], far[MOST];
        for (int i = 0; i < p->n; i++) column[i] = (part ? dqd : dq)[i * p->n + k];
        difference(p, part, k, H, near);
        difference(p, part, k, 1.5 * H, far);
        double size = fmax(1, toucher_most(p->n, near, NULL));
        if (toucher_most(p->n, near, far) > 1e-8 * size) {
          seams++;
          continue;
        }
        compared++;
        double off = toucher_most(p->n, near, column) / size;
        if (off > WORST) { // both widths may stand across the same seam
          difference(p, part, k, 0.1 * H, near);
          off = toucher_most(p->n, near, column) / size;
        }
        worst = fmax(worst, off);
      }
  }
  ck_assert_msg(worst < WORST, "%s: off by %g", what, worst);
  ck_assert_msg(seams < compared / 5, "%s: %d of %d at seams", what, seams, seams + compared);
}
