// td_model_create: the frozen model, and what only it can tell about its document: lengths at q = 0, do the loops leave
// a motion, do all coordinates move mass?
//
// A chain is over-constrained when, closed, its loops have as many independent rows as there are coordinates: it is a
// structure, not a mechanism, whatever drives it. From q = 0 Gauss-Newton steps (smallest dq with de/dq dq = -e, LAPACK
// dgelsy) close the loops; where they do, the rank of A is judged, loop after loop. Where they do not, nothing is said
// here: jobs assemble their own start and report what error is left. Rank away from e = 0 would condemn mechanisms that
// move only when closed; so would a strict rank those whose numbers are rounded (a Bennett linkage of six digits is a
// structure).
#include "build/build.h"
#include "constraint/closed_chain.h"
#include "create/coarse_bodies.h"
#include "create/idle.h"
#include "create/robot_size.h"
#include "create/slack_tension.h"
#include "force/contact/bristle.h"
#include "force/contact/obstacle/gap.h"
#include "force/force.h"
#include "force/spring.h"
#include "force/tendon/tendon_kink.h"
#include "force/water/thin_surface.h"
#include "math/finite.h"
#include "math/lapack.h"
#include "pass/kinematics.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include "why/mass_rank.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSING_STEPS = 50, CLOSING_SIZE = 256, LARGEST_JUDGED = 512 };

typedef struct freedom {
  const td_model *m;
  td_workspace *ws;
  double *q, *e, *A, *G; ///< [n], [r], [r][n]
  double *matrix, *side; ///< column-major [r][n]; [r + n]
  double *work;
  int *pivot, work_size;
} freedom;

static td_status freedom_init(freedom *f, const td_model *m) {
  size_t n = (size_t)m->n, r = (size_t)m->loop_rows;
  *f = (freedom){.m = m, .work_size = 64 * (int)(n + r + 1)};
  f->q = calloc(2 * n + 2 * r + 3 * r * n + (size_t)f->work_size, sizeof(double));
  f->pivot = calloc(n, sizeof(int));
  if (!f->q || !f->pivot) return TD_NO_MEMORY;
  f->e = f->q + n;
  f->A = f->e + r;
  f->G = f->A + r * n;
  f->matrix = f->G + r * n;
  f->side = f->matrix + r * n;
  f->work = f->side + r + n;
  return td_workspace_create(m, &f->ws);
}

static void freedom_fini(freedom *f) {
  free(f->q);
  free(f->pivot);
  td_workspace_destroy(f->ws);
}

// Smallest x with rows [count][n] x = -e in the least-squares sense, into `side`; returns the rank.
static int least_squares(freedom *f, const double *rows, int count, double tolerance) {
  int n = f->m->n, one = 1, rank = 0, info = 0, height = count > n ? count : n;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < count; i++) f->matrix[j * count + i] = rows[i * n + j];
    f->pivot[j] = 0;
  }
  for (int i = 0; i < count; i++) f->side[i] = -f->e[i];
  dgelsy_(&count, &n, &one, f->matrix, &count, f->side, &height, f->pivot, &tolerance, &rank, f->work, &f->work_size,
          &info);
  return rank;
}

static td_status at_state(freedom *f, double *size) {
  td_constraint_terms terms = {.e = f->e, .A = f->A, .G = f->G};
  td_status status = td_constraint_terms_at(f->m, f->ws, &(td_state){.q = f->q}, NULL, &terms);
  *size = 0;
  for (int i = 0; i < f->m->loop_rows; i++) *size = fmax(*size, fabs(f->e[i]));
  return status;
}

// True when the loops close: q and A are then those of the closed chain.
static bool close_loops(freedom *f) {
  double size;
  for (int step = 0; step < CLOSING_STEPS; step++) {
    if (at_state(f, &size)) return false;
    if (size < 1e-10) return true;
    if (f->m->n > CLOSING_SIZE) return false;
    least_squares(f, f->G, f->m->loop_rows, TD_RANK_TOLERANCE);
    double longest = 0;
    for (int j = 0; j < f->m->n; j++) longest = fmax(longest, fabs(f->side[j]));
    for (int j = 0; j < f->m->n; j++) f->q[j] += f->side[j] / fmax(1, longest); // no step beyond a radian
  }
  return false;
}

static td_status judge(freedom *f, td_error *err) {
  const td_model *m = f->m;
  for (int i = 0; i < m->loop_count; i++) {
    int rows = m->loop[i].first + m->loop[i].rows;
    if (rows < m->n || least_squares(f, f->A, rows, TD_LOOSE_RANK) < m->n) continue;
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/loops/%d", i);
    return td_fail(err, TD_INVALID_ARGUMENT, pointer,
                   "over-constrained: with this loop closed, %d rows of the loops hold all %d coordinates still and no "
                   "motion is left",
                   rows, m->n);
  }
  return TD_OK;
}

static td_status check_freedom(const td_model *m, td_error *err) {
  freedom f;
  if (m->loop_rows < m->n) return TD_OK;
  td_status status = freedom_init(&f, m);
  if (status)
    td_fail(err, status, "", "not enough memory for the model");
  else if (close_loops(&f))
    status = judge(&f, err);
  freedom_fini(&f);
  return status;
}

// A mass matrix that is singular at q = 0.1 sin(1), 0.1 sin(2), …, as general a state as any, is so at all of them;
// statics needs none, so that it is a warning. Mechanisms of rigid bodies alone are judged by spec/check_inertia.c.
static td_status check_mass(td_model *m, td_error *err) {
  td_workspace *ws;
  td_mass_fault fault = {0};
  if (m->rod_count + m->ritz_count == 0 || m->n > LARGEST_JUDGED) return TD_OK;
  double *q = calloc((size_t)m->n + 1, sizeof *q);
  td_status status = q ? td_workspace_create(m, &ws) : TD_NO_MEMORY;
  if (status) {
    free(q);
    return td_fail(err, status, "", "not enough memory for the model");
  }
  for (int i = 0; i < m->n; i++) q[i] = 0.1 * sin(i + 1.0);
  td_mass_padded(m, ws, q);
  if (m->n && !td_all_finite(ws->mass, m->n * m->ld)) td_mass_judge(m, ws, 0, &fault);
  char pointer[96] = "";
  if (fault.missing && fault.link >= 0)
    snprintf(pointer, sizeof pointer, "/links/%d/body/%s", fault.link, fault.basis ? "strain" : "quadrature/points");
  if (fault.missing)
    td_warn(&m->warnings, "singular_mass_matrix", pointer,
            "the mass matrix is singular, accelerations do not exist or are rounding: %s", fault.text);
  td_workspace_destroy(ws);
  free(q);
  return TD_OK;
}

static td_status no_rest(td_error *err, const char *list, size_t i, const char *what) {
  char pointer[TD_POINTER_SIZE];
  snprintf(pointer, sizeof pointer, "/%s/%zu", list, i);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%s at q = 0 leaves the range of double", what);
}

static td_status rest_lengths(td_model *m, const td_model_spec *spec, td_workspace *ws, const double *q, double *length,
                              td_error *err) {
  (void)!td_tendon_lengths(m, ws, q, length, NULL); // judged one by one
  for (size_t i = 0, t = 0; i < spec->actuator_count; i++) {
    if (spec->actuators[i].type != TD_ACTUATOR_TENDON) continue;
    td_tendon_law *law = &m->law[t];
    if (law->length && isnan(law->rest)) law->rest = length[t];
    if (law->length && !isfinite(law->rest)) return no_rest(err, "actuators", i, "the length of this tendon");
    t++;
  }
  return TD_OK;
}

// Rests that the document leaves out are those at q = 0.
static td_status settle_rests(td_model *m, const td_model_spec *spec, td_error *err) {
  td_workspace *ws = NULL;
  double *q = calloc((size_t)m->n + (size_t)m->tendon_count, sizeof *q);
  td_status status = q ? td_workspace_create(m, &ws) : TD_NO_MEMORY;
  if (status) {
    free(q);
    return td_fail(err, status, "", "not enough memory for the model");
  }
  status = rest_lengths(m, spec, ws, q, q + m->n, err);
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; !status && i < m->spring_count; i++) {
    td_spring *spring = &m->spring[i];
    if (isnan(spring->rest)) spring->rest = td_spring_length(ws, spring);
    if (!isfinite(spring->rest)) status = no_rest(err, "springs", (size_t)i, "the length of this spring");
  }
  if (!status) td_warn_of_odd_rests(m, spec, ws, q + m->n);
  if (!status && m->length_count) td_warn_of_slack_tension(m, spec, ws);
  td_workspace_destroy(ws);
  free(q);
  return status;
}

static td_status take_workspace(const td_model *m, const td_memory *memory, td_error *err) {
  if (!memory || memory->take(memory->context, td_workspace_bytes(m))) return TD_OK;
  return td_fail(err, TD_NO_MEMORY, "", "the model could not be built: %s", td_status_name(TD_NO_MEMORY));
}

// What is warned of, once all is known.
static td_status remark(td_model *m, const td_model_spec *spec, td_error *err) {
  td_status status = check_mass(m, err);
  if (status) return status;
  td_warn_of_contact_gaps(m);
  td_warn_of_idle_parts(m, spec);
  td_warn_of_coarse_bodies(m, spec);
  return TD_OK;
}

td_status td_model_create(const td_model_spec *spec, td_model **model, td_error *err) {
  return td_model_create_within(spec, NULL, model, err);
}

td_status td_model_create_within(const td_model_spec *spec, const td_memory *memory, td_model **model, td_error *err) {
  td_status status = td_model_build(spec, memory, model, err);
  if (!status && td_forces_freeze(*model, spec))
    status = td_fail(err, TD_NO_MEMORY, "", "not enough memory for the model");
  if (!status && (*model)->bristle_count > TD_MOST_BRISTLES)
    status = td_fail(err, TD_INVALID_ARGUMENT, "/contacts",
                     "with `stick` may have %d touches (points before obstacles, pieces of bodies before each other), "
                     "have %d: take fewer points of quadrature, or name fewer links",
                     (int)TD_MOST_BRISTLES, (*model)->bristle_count);
  if (!status) status = take_workspace(*model, memory, err);
  if (!status && td_tendon_rest_stretches(*model))
    status = td_fail(err, TD_NO_MEMORY, "", "not enough memory for the model");
  if (!status && ((*model)->length_count || (*model)->spring_count)) status = settle_rests(*model, spec, err);
  if (!status && spec->fluid.has_surface) td_warn_of_thin_surface(*model, spec);
  if (!status && (*model)->loop_count) status = check_freedom(*model, err);
  if (!status && !spec->told) status = remark(*model, spec, err);
  if (!status) return TD_OK;
  td_model_destroy(*model);
  *model = NULL;
  return status;
}
