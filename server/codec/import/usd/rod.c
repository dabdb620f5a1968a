// BasisCurves as rods: a link for each curve.
#include "codec/import/shape/shape.h"
#include "codec/import/usd/parts.h"
#include "tendril/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BENDING_ORDER = 4, TORSION_ORDER = 2, OTHER_ORDER = 1 };
static const double PI = 3.14159265358979323846;

static const char BECOMES[] =
    "becomes a rod of circular section, bent and twisted by Legendre polynomials of order 4 and 2";
static const char NOT_LINEAR[] =
    "is left out: only curves of type \"linear\" and wrap \"nonperiodic\" are rods (type is "
    "\"cubic\" where nothing says)";
static const char STILL[] = "is left out: it does not move by itself (bodyEnabled, kinematicEnabled, or no mass)";
static const char STUB[] = "is left out: a rod has two points at least that are not held";
static const char HELD_STRETCH[] = "is left out: the stretch between points without mass, which stands still";
static const char FAR_END[] =
    "is free in the model, though its mass is 0: hold it by `loops` of the model, or by a `spring`";
static const char TURNED[] = "is read from its last point on, as that one is held";
static const char UNEVEN[] = "has other masses than one density gives: the rod has that of their sum";
static const char BENT_START[] =
    "begins elsewhere than at rest: the model says the shape at rest; give runs their `initial` for the other one";
static const char WIDTHS[] = "is left out: a rod is drawn by its section, which has another width";
static const char COLLIDES[] = "collides in USD; in a model rods touch what `contacts` name";

typedef struct bundle {
  usd *u;
  usd_prim *prim, *body; ///< body: with the DeformableBodyAPI, NULL: none
  usd_field *shape;      ///< where the rest shape stands
  double *points, *rest; ///< in the world; the same where nothing says the rest
  double *masses;        ///< kg, NULL: nothing says
  size_t point_count;
  double *counts;
  size_t curve_count;
  usd_material material;
} bundle;

/// One curve of a bundle that becomes a rod.
typedef struct strand {
  size_t first, count; ///< points of the bundle
  bool held;           ///< its first end
  double density;      ///< 0: that of the bundle
  usd_course course;
} strand;

// ------------------------------------------------------------------------------------------------ reading

static td_status wrong_count(const bundle *b, const usd_field *f, size_t count) {
  return usd_fail(b->u, b->prim, f->line, "%s has %zu entries, points %zu", f->name, count, b->point_count);
}

static td_status read_counts(bundle *b) {
  usd_field *f = usd_property(b->prim, "curveVertexCounts");
  if (!f) return usd_fail(b->u, b->prim, b->prim->line, "it has no curveVertexCounts");
  td_status status = usd_numbers(b->u, b->prim, f, 1, &b->counts, &b->curve_count);
  double sum = 0;
  for (size_t i = 0; i < b->curve_count && !status; i++) {
    double n = b->counts[i];
    if (!(n >= 2 && n <= 1e9) || n != floor(n))
      return usd_fail(b->u, b->prim, f->line, "curveVertexCounts: a curve has %g points, not 2 or more", n);
    sum += n;
  }
  if (!status && sum != (double)b->point_count)
    return usd_fail(b->u, b->prim, f->line, "curveVertexCounts are %g points together, points %zu", sum,
                    b->point_count);
  return status;
}

static td_status read_placed(bundle *b, const usd_field *f, const double M[12], double **out, size_t *count) {
  td_status status = usd_numbers(b->u, b->prim, f, 3, out, count);
  if (status) return status;
  *count /= 3;
  usd_place_points(b->u, M, *out, *count, *out);
  return TD_OK;
}

static td_status read_points(bundle *b) {
  double M[12];
  size_t count;
  usd_field *f = usd_property(b->prim, "points"), *rest = usd_physics(b->prim, "restShapePoints");
  if (!f) return usd_fail(b->u, b->prim, b->prim->line, "it has no points that stand still");
  td_status status = usd_world(b->u, b->prim, M);
  if (!status) status = read_placed(b, f, M, &b->points, &b->point_count);
  b->rest = b->points, b->shape = rest ? rest : f;
  if (status || !rest) return status;
  status = read_placed(b, rest, M, &b->rest, &count);
  return status || count == b->point_count ? status : wrong_count(b, rest, count);
}

static td_status read_masses(bundle *b) {
  size_t count;
  usd_field *f = usd_physics(b->prim, "masses");
  td_status status = f ? usd_numbers(b->u, b->prim, f, 1, &b->masses, &count) : TD_OK;
  if (!f || status) return status;
  if (count == 0) return b->masses = NULL, TD_OK;
  if (count != b->point_count) return wrong_count(b, f, count);
  for (size_t i = 0; i < count; i++) {
    if (!(b->masses[i] >= 0)) return usd_fail(b->u, b->prim, f->line, "%s: %g is negative", f->name, b->masses[i]);
    b->masses[i] *= b->u->kilogram;
  }
  return TD_OK;
}

static td_status check_widths(const bundle *b) {
  usd_field *f = usd_property(b->prim, "widths");
  double *x;
  size_t count;
  char path[REMARK_TEXT_SIZE];
  td_status status = f ? usd_numbers(b->u, b->prim, f, 1, &x, &count) : TD_OK;
  if (!f || status) return status;
  for (size_t i = 0; i < count; i++)
    if (fabs(x[i] * b->u->metre / (2 * b->material.radius) - 1) > 0.01) {
      remark_add(b->u->r->remarks, WIDTHS, f->line, "widths of %s", usd_path_of(b->prim, path));
      return TD_OK;
    }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ strands

static void swap_rows(double *x, size_t width, size_t first, size_t last) {
  for (; x && first < last; first++, last--)
    for (size_t k = 0; k < width; k++) {
      double held = x[width * first + k];
      x[width * first + k] = x[width * last + k], x[width * last + k] = held;
    }
}

static void tell(const bundle *b, const char *detail, const char *what) {
  char path[REMARK_TEXT_SIZE];
  remark_add(b->u->r->remarks, detail, b->prim->line, "%s%s", what, usd_path_of(b->prim, path));
}

// How the masses hold a strand: its points without mass at one end are let go but one; false: nothing of it moves.
static bool hold(const bundle *b, strand *s) {
  const double *m = b->masses;
  size_t end = s->first + s->count, leading = 0, trailing = 0;
  while (m && leading < s->count && m[s->first + leading] == 0) leading++;
  if (m && leading == s->count) return tell(b, STILL, ""), false;
  while (m && m[end - 1 - trailing] == 0) trailing++;
  if (leading == 0 && trailing > 0) {
    swap_rows(b->points, 3, s->first, end - 1);
    if (b->rest != b->points) swap_rows(b->rest, 3, s->first, end - 1);
    swap_rows(b->masses, 1, s->first, end - 1);
    leading = trailing, trailing = 0;
    tell(b, TURNED, "");
  }
  if (trailing > 0) tell(b, FAR_END, "the last end of ");
  if (leading > 1) tell(b, HELD_STRETCH, "the beginning of ");
  s->held = leading > 0;
  if (leading > 1) s->first += leading - 1, s->count -= leading - 1;
  return s->count >= 2 ? true : (tell(b, STUB, ""), false);
}

static double distance(const double *a, const double *b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// Mass over volume of the points that have a mass; a point has half of the stretches beside it.
static void weigh(const bundle *b, strand *s) {
  double area = PI * b->material.radius * b->material.radius, mass = 0, volume = 0, least = INFINITY, most = 0;
  for (size_t i = 0; i < s->count; i++) {
    const double *x = b->rest + 3 * (s->first + i);
    double own = ((i > 0 ? distance(x, x - 3) : 0) + (i + 1 < s->count ? distance(x, x + 3) : 0)) / 2 * area;
    double m = b->masses[s->first + i];
    if (i == 0 && s->held) continue;
    mass += m, volume += own;
    least = fmin(least, m / own), most = fmax(most, m / own);
  }
  s->density = mass / volume;
  if (!(most - least <= 0.01 * s->density)) tell(b, UNEVEN, "");
}

static td_status fit(const bundle *b, strand *s) {
  if (!usd_fit_course(b->rest + 3 * s->first, s->count, &s->course))
    return usd_fail(b->u, b->prim, b->shape->line, "%s: two points that follow one another are at one place",
                    b->shape->name);
  if (!(s->course.off <= 0.01 * s->course.length))
    return usd_fail(
        b->u, b->prim, b->shape->line,
        "%s: at rest it is neither straight nor a circle or helix to 1 %% of its length; cut the curve where "
        "its curvature changes, or say another rest by physics:restShapePoints",
        b->shape->name);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ place

// Columns: the first stretch, and the next that is not along it in its plane; false: there is none.
static bool triad(const double *x, size_t count, double A[9]) {
  double d[3], e[3] = {0}, n = distance(x + 3, x);
  for (int k = 0; k < 3; k++) d[k] = (x[3 + k] - x[k]) / n;
  for (size_t i = 1; i + 1 < count; i++) {
    double along = 0, size = 0, length = distance(x + 3 * i + 3, x + 3 * i);
    for (size_t k = 0; k < 3; k++) e[k] = x[3 * i + 3 + k] - x[3 * i + k], along += e[k] * d[k];
    for (int k = 0; k < 3; k++) e[k] -= along * d[k], size += e[k] * e[k];
    size = sqrt(size);
    if (!(size > 1e-4 * length)) continue;
    for (int k = 0; k < 3; k++) {
      int l = (k + 1) % 3, m = (k + 2) % 3;
      A[3 * k] = d[k], A[3 * k + 1] = e[k] / size, A[3 * k + 2] = (d[l] * e[m] - d[m] * e[l]) / size;
    }
    return true;
  }
  usd_turn_to(d, A);
  return false;
}

// Q = A B^T
static void between(const double A[9], const double B[9], double Q[9]) {
  for (int i = 0; i < 9; i++)
    Q[i] = A[i / 3 * 3] * B[i % 3 * 3] + A[i / 3 * 3 + 1] * B[i % 3 * 3 + 1] + A[i / 3 * 3 + 2] * B[i % 3 * 3 + 2];
}

static void turn(const double R[9], const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

// Where the rod is at the start, as it is shaped at rest: its first stretch is where the points have it.
static td_status place(const bundle *b, strand *s) {
  const double *p = b->points + 3 * s->first, *r = b->rest + 3 * s->first;
  double A[9], B[9], Q[9], off = 0, frame[9];
  if (p == r) return TD_OK;
  if (!(distance(p + 3, p) > 0))
    return usd_fail(b->u, b->prim, b->prim->line, "points: two that follow one another are at one place");
  bool both = triad(p, s->count, A), other = triad(r, s->count, B);
  if (both != other) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = (p[3 + k] - p[k]) / distance(p + 3, p);
    usd_turn_to(d, A);
    for (int k = 0; k < 3; k++) d[k] = (r[3 + k] - r[k]) / distance(r + 3, r);
    usd_turn_to(d, B);
  }
  between(A, B, Q);
  for (size_t i = 0; i < s->count; i++) {
    double d[3], to[3], at[3];
    for (size_t k = 0; k < 3; k++) d[k] = r[3 * i + k] - r[k];
    turn(Q, d, to);
    for (int k = 0; k < 3; k++) at[k] = p[k] + to[k];
    off = fmax(off, distance(at, p + 3 * i));
  }
  if (!(off <= 1e-3 * s->course.length)) tell(b, BENT_START, "");
  double d[3], to[3];
  for (int k = 0; k < 3; k++) d[k] = s->course.start[k] - r[k];
  turn(Q, d, to);
  for (int k = 0; k < 3; k++) s->course.start[k] = p[k] + to[k];
  for (int i = 0; i < 9; i++)
    frame[i] = Q[i / 3 * 3] * s->course.frame[i % 3] + Q[i / 3 * 3 + 1] * s->course.frame[3 + i % 3] +
               Q[i / 3 * 3 + 2] * s->course.frame[6 + i % 3];
  memcpy(s->course.frame, frame, sizeof frame);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ link

static json_t *body_of(const bundle *b, const strand *s) {
  bool *failed = &b->u->failed;
  const usd_material *m = &b->material;
  json_t *body = json_object(), *section = json_object(), *strain = json_object(), *order = json_object();
  import_set(section, "shape", json_string("circle"), failed);
  import_set(section, "radius", json_real(m->radius), failed);
  if (m->shear_correction != 1) import_set(section, "shear_correction", json_real(m->shear_correction), failed);
  import_set(order, "torsion", json_integer(TORSION_ORDER), failed);
  import_set(order, "bending_y", json_integer(BENDING_ORDER), failed);
  import_set(order, "bending_z", json_integer(BENDING_ORDER), failed);
  if (m->stretches) import_set(order, "elongation", json_integer(OTHER_ORDER), failed);
  if (m->shears) import_set(order, "shear_y", json_integer(OTHER_ORDER), failed);
  if (m->shears) import_set(order, "shear_z", json_integer(OTHER_ORDER), failed);
  import_set(strain, "basis", json_string("legendre"), failed);
  import_set(strain, "order", order, failed);
  const double reference[6] = {s->course.torsion, 0, s->course.curvature, 1, 0, 0};
  if (s->course.bent) import_set(strain, "reference", import_vector(reference, 6, failed), failed);
  import_set(body, "type", json_string("rod"), failed);
  import_set(body, "length", json_real(s->course.length), failed);
  import_set(body, "section", section, failed);
  import_set(body, "material",
             json_pack("{s:f, s:f, s:f}", "young", m->young, "shear", m->shear, "density", s->density), failed);
  import_set(body, "strain", strain, failed);
  return body;
}

static bool is_taken(const usd *u, const char *name) {
  for (size_t i = 0; i < u->link_count; i++)
    if (strcmp(u->names[i], name) == 0) return true;
  return strcmp(name, "world") == 0;
}

// The prim's name; of several curves, and where others have it already, with a number.
static td_status name_link(const bundle *b, size_t curve, const char **name) {
  char text[TD_MAX_NAME + 24];
  size_t n = strlen(b->prim->name);
  if (n > TD_MAX_NAME - 8)
    return usd_fail(b->u, b->prim, b->prim->line, "its name has %zu bytes, more than %d", n, (int)TD_MAX_NAME - 8);
  bool several = b->curve_count > 1;
  snprintf(text, sizeof text, several ? "%s_%zu" : "%s", b->prim->name, curve + 1);
  for (size_t k = 2; is_taken(b->u, text); k++)
    snprintf(text, sizeof text, "%s_%zu", b->prim->name, several ? curve + k : k);
  *name = arena_strdup(b->u->r->memory, text);
  return *name ? TD_OK : usd_no_memory(b->u);
}

static td_status add_link(const bundle *b, const strand *s, size_t curve) {
  usd *u = b->u;
  double q[4];
  const char *name;
  char path[REMARK_TEXT_SIZE];
  td_status status = name_link(b, curve, &name);
  if (status) return status;
  if (!(s->density > 0) || !isfinite(s->density))
    return usd_fail(u, b->prim, b->prim->line, "its density %g kg/m^3 is no finite number above 0", s->density);
  usd_quaternion(s->course.frame, q);
  for (int k = 3; k >= 0; k--) q[k] = q[0] < 0 ? -q[k] : q[k] + 0.;
  json_t *link = json_object(), *joint = json_object(), *pose = import_pose(s->course.start, NULL, q, &u->failed);
  import_set(joint, "type", json_string(s->held ? "fixed" : "free"), &u->failed);
  import_set(link, "name", json_string(name), &u->failed);
  if (pose) import_set(link, "pose", pose, &u->failed);
  import_set(link, "joint", joint, &u->failed);
  import_set(link, "body", body_of(b, s), &u->failed);
  import_append(u->links, link, &u->failed);
  u->names[u->link_count] = name;
  u->lines->joints[u->link_count] = u->lines->links[u->link_count] = b->prim->line;
  u->lines->link_count = ++u->link_count;
  double mass = s->density * s->course.length * PI * b->material.radius * b->material.radius;
  remark_add(u->r->remarks, BECOMES, b->prim->line, "%s: \"%s\", %g m%s, %g kg, %s", usd_path_of(b->prim, path), name,
             s->course.length, s->course.bent ? " along a circle or helix" : "", mass,
             s->held ? "held at its beginning" : "free");
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ bundle

// What the bundle's density is: of the body's mass, of the body, of the material, of water.
static td_status find_density(const bundle *b, double length, double *density) {
  double area = PI * b->material.radius * b->material.radius, mass = 0, own = 0;
  double unit = b->u->kilogram / pow(b->u->metre, 3);
  bool there;
  td_status status = TD_OK;
  if (b->body) status = usd_scalar(b->u, b->body, usd_physics(b->body, "mass"), &mass, &there);
  if (!status && b->body) status = usd_scalar(b->u, b->body, usd_physics(b->body, "density"), &own, &there);
  if (status) return status;
  bool water = !(mass > 0) && !(own > 0) && !(b->material.density > 0);
  *density = mass > 0  ? mass * b->u->kilogram / (area * length)
             : own > 0 ? own * unit
             : water   ? 1000
                       : b->material.density;
  if (water && !b->masses) tell(b, "has no density: that of the proposal is taken, 1000 kg/m^3", "");
  return TD_OK;
}

static td_status add_strands(const bundle *b) {
  strand *strands = arena_array(b->u->r->memory, b->curve_count, sizeof *strands);
  double length = 0, density;
  size_t at = 0;
  td_status status = TD_OK;
  if (!strands) return usd_no_memory(b->u);
  if (b->u->link_count + b->curve_count > USD_MAX_RODS)
    return td_fail(b->u->r->err, TD_LIMIT, b->u->r->pointer, "line %d: more than %d rods", b->prim->line,
                   (int)USD_MAX_RODS);
  for (size_t i = 0; i < b->curve_count && !status; i++) {
    strand *s = &strands[i];
    *s = (strand){.first = at, .count = (size_t)b->counts[i]};
    at += s->count;
    if (!hold(b, s)) s->count = 0;
    if (s->count > 0) status = fit(b, s);
    length += s->count > 0 ? s->course.length : 0;
  }
  if (!status) status = find_density(b, length, &density);
  for (size_t i = 0; i < b->curve_count && !status; i++) {
    strand *s = &strands[i];
    if (s->count == 0) continue;
    s->density = density;
    if (b->masses) weigh(b, s);
    status = place(b, s);
    if (!status) status = add_link(b, s, i);
  }
  return status;
}

static bool moves(const bundle *b) {
  usd_prim *body = b->body ? b->body : b->prim;
  return usd_flag(usd_physics(body, "bodyEnabled"), true) && !usd_flag(usd_physics(body, "kinematicEnabled"), false);
}

td_status usd_add_rods(usd *u, usd_prim *curve) {
  bundle b = {.u = u, .prim = curve};
  const char *type = usd_text(u, usd_property(curve, "type")), *wrap = usd_text(u, usd_property(curve, "wrap"));
  if (!type || !wrap) return usd_no_memory(u);
  for (usd_prim *p = curve; p && !b.body; p = p->parent)
    if (usd_has_schema(p, "DeformableBodyAPI")) b.body = p;
  bool linear = strcmp(type, "linear") == 0 && (!*wrap || strcmp(wrap, "nonperiodic") == 0);
  if (!linear || !moves(&b)) {
    tell(&b, linear ? STILL : NOT_LINEAR, "");
    curve->told = true;
    return TD_OK;
  }
  td_status status = read_points(&b);
  if (!status) status = read_counts(&b);
  if (!status) status = read_masses(&b);
  if (!status) status = usd_read_material(u, curve, &b.material);
  if (!status) status = check_widths(&b);
  if (!status && usd_has_schema(curve, "CollisionAPI")) tell(&b, COLLIDES, "");
  return status ? status : add_strands(&b);
}
