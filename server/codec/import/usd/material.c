// The material of a rod: that bound to its curve, or to what is around it.
//
// The proposal says stiffnesses in two ways. Its newer text has curvesBendStiffness (E I) and its like for the other
// strains, each of which is else that of youngsModulus and poissonsRatio with a round section, k = 0.9. Its older text,
// which Newton and Isaac Lab read, has bendStiffness and its like as moduli; there twist is else that of bend, shear
// that of stretch. All are in units of the layer.
#include "codec/import/usd/parts.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, AGREES = 1e-3;
static const char DEFAULT[] = "is said by nobody: that of the proposal is taken";
static const char UNBOUND[] =
    "has no material with the PhysicsCurvesDeformableMaterialAPI: all of it is that of the proposal";
static const char NO_STRETCH[] =
    "the rod does not stretch: stretching is of another modulus than bending, or of none, and "
    "a rod has one Young's modulus";
static const char NO_SHEAR[] =
    "the rod does not shear: shear is of another modulus than twist, or of none, and a rod has "
    "one shear modulus";

// ------------------------------------------------------------------------------------------------ binding

static usd_prim *child_of(const usd_prim *prim, const char *name, size_t size) {
  usd_prim *c = prim->first;
  while (c && !(strlen(c->name) == size && memcmp(c->name, name, size) == 0)) c = c->next;
  return c;
}

static td_status follow(const usd *u, const usd_prim *from, const usd_field *f, usd_prim **found) {
  usd_scan s = f->value;
  usd_token t = usd_next(&s);
  if (usd_is_mark(&t, '[')) t = usd_next(&s);
  *found = NULL;
  if (usd_is(&t, USD_WORD, "None") || usd_is_mark(&t, ']')) return TD_OK;
  if (t.kind != USD_PATH || t.size < 2 || *t.text != '/')
    return usd_fail(u, from, t.line, "%.60s is no path from the root, </World/Material>", f->name);
  usd_prim *at = u->root;
  for (size_t i = 1; at && i < t.size;) {
    const char *end = memchr(t.text + i, '/', t.size - i);
    size_t n = end ? (size_t)(end - t.text) - i : t.size - i;
    at = child_of(at, t.text + i, n);
    i += n + 1;
  }
  if (!at || !usd_is_defined(at))
    return usd_fail(u, from, t.line, "%.60s: there is no prim <%.*s>", f->name, (int)(t.size < 100 ? t.size : 100),
                    t.text);
  *found = at;
  return TD_OK;
}

// The nearest one, unless one further out is stronger.
static td_status bound_by(const usd *u, usd_prim *curve, const char *relation, usd_prim **found) {
  const usd_field *by = NULL;
  const usd_prim *from = curve;
  for (usd_prim *p = curve; p; p = p->parent) {
    usd_field *f = usd_property(p, relation);
    if (f && (!by || f->stronger)) by = f, from = p;
  }
  *found = NULL;
  return by ? follow(u, from, by, found) : TD_OK;
}

static td_status find(const usd *u, usd_prim *curve, usd_prim **material) {
  td_status status = bound_by(u, curve, "material:binding:physics", material);
  if (!status && !*material) status = bound_by(u, curve, "material:binding", material);
  if (status || !*material || usd_has_schema(*material, "CurvesDeformableMaterialAPI")) return status;
  *material = NULL;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ numbers

typedef struct modulus {
  double x; ///< Pa
  bool there;
} modulus;

typedef struct reading {
  const usd *u;
  usd_prim *curve, *from; ///< from: the material, NULL: none
  bool older;             ///< a word of the older text stands there
} reading;

static td_status read_number(const reading *r, const char *name, double unit, bool positive, double *x, bool *there) {
  usd_field *f = r->from ? usd_physics(r->from, name) : NULL;
  td_status status = usd_scalar(r->u, r->from, f, x, there);
  if (status || !*there) return status;
  *x *= unit;
  if (!isfinite(*x)) return usd_fail(r->u, r->from, f->line, "%s is too large", f->name);
  if (!(*x >= 0) || (positive && *x == 0))
    return usd_fail(r->u, r->from, f->line, "%s %g has to be more than 0", f->name, *x / unit);
  return TD_OK;
}

// The structural stiffness `newer`, over the `area` that it holds, else the modulus `older`.
static td_status read_modulus(reading *r, const char *newer, double power, double area, const char *older, modulus *m) {
  double k = r->u->kilogram, d = r->u->metre;
  td_status status = read_number(r, newer, k * pow(d, power), false, &m->x, &m->there);
  if (m->there) m->x /= area;
  if (status || m->there) return status;
  status = read_number(r, older, k / d, false, &m->x, &m->there);
  r->older = r->older || m->there;
  return status;
}

static void tell_default(const reading *r, const char *name, const char *value) {
  char path[REMARK_TEXT_SIZE];
  remark_add(r->u->r->remarks, DEFAULT, r->from ? r->from->line : r->curve->line, "%s of %s: %s", name,
             usd_path_of(r->from ? r->from : r->curve, path), value);
}

static td_status read_isotropic(const reading *r, double *young, double *shear, bool *there) {
  double poisson = 0.3;
  bool told = false;
  usd_field *f = r->from ? usd_physics(r->from, "poissonsRatio") : NULL;
  *young = 1e6;
  td_status status = read_number(r, "youngsModulus", r->u->kilogram / r->u->metre, true, young, there);
  if (!status) status = usd_scalar(r->u, r->from, f, &poisson, &told);
  if (status) return status;
  if (!(poisson > -1 && poisson <= 0.5))
    return usd_fail(r->u, r->from, f->line, "%s %g is not in (-1, 0.5]", f->name, poisson);
  *shear = *young / (2 * (1 + poisson));
  return TD_OK;
}

static td_status read_section(const reading *r, usd_material *m) {
  double thickness = 1e-3;
  bool there;
  td_status status = read_number(r, "curvesThickness", r->u->metre, true, &thickness, &there);
  if (!status && !there) status = read_number(r, "thickness", r->u->metre, true, &thickness, &there);
  if (!status && !there) tell_default(r, "thickness", "0.001 m");
  m->radius = thickness / 2;
  if (!status) status = read_number(r, "density", r->u->kilogram / pow(r->u->metre, 3), false, &m->density, &there);
  return status;
}

static void tell_locked(const reading *r, const char *detail, const modulus *of, double other, const char *name) {
  char path[REMARK_TEXT_SIZE];
  usd_path_of(r->curve, path);
  if (of->there)
    remark_add(r->u->r->remarks, detail, r->curve->line, "%s: %g Pa beside %g Pa of %s", path, of->x, other, name);
  else
    remark_add(r->u->r->remarks, detail, r->curve->line, "%s", path);
}

td_status usd_read_material(const usd *u, usd_prim *curve, usd_material *m) {
  reading r = {.u = u, .curve = curve};
  modulus bend = {0}, twist = {0}, stretch = {0}, shear = {0};
  double young = 0, isotropic = 0, k = 0.9;
  bool told;
  char path[REMARK_TEXT_SIZE];
  *m = (usd_material){.shear_correction = 1};
  td_status status = find(u, curve, &r.from);
  if (status) return status;
  if (r.from) r.from->read = true;
  if (!r.from) remark_add(u->r->remarks, UNBOUND, curve->line, "%s", usd_path_of(curve, path));
  status = read_section(&r, m);
  double A = PI * m->radius * m->radius, I = A * m->radius * m->radius / 4;
  if (!status) status = read_modulus(&r, "curvesBendStiffness", 3, I, "bendStiffness", &bend);
  if (!status) status = read_modulus(&r, "curvesTwistStiffness", 3, 2 * I, "twistStiffness", &twist);
  if (!status) status = read_modulus(&r, "curvesStretchStiffness", 1, A, "stretchStiffness", &stretch);
  if (!status) status = read_modulus(&r, "curvesShearStiffness", 1, A, "shearStiffness", &shear);
  if (!status) status = read_isotropic(&r, &young, &isotropic, &told);
  if (status) return status;
  if (!told && !bend.there) tell_default(&r, "bending stiffness", "that of 1e6 Pa");
  m->young = bend.there ? bend.x : young;
  m->shear = twist.there ? twist.x : r.older ? m->young : isotropic;
  if (!(m->young > 0 && m->shear > 0))
    return usd_fail(u, r.from, r.from->line, "bending %g Pa and twist %g Pa have to be more than 0", m->young,
                    m->shear);
  if (r.older && !shear.there) shear = stretch;
  if (!r.older && !stretch.there) stretch = (modulus){young, true};
  if (!r.older && !shear.there) shear = (modulus){k * isotropic, true};
  m->stretches = stretch.there && fabs(stretch.x - m->young) <= AGREES * m->young;
  m->shears = shear.there && shear.x >= 0.5 * m->shear && shear.x <= (1 + AGREES) * m->shear;
  if (m->shears && shear.x < (1 - AGREES) * m->shear) m->shear_correction = shear.x / m->shear;
  if (!m->stretches) tell_locked(&r, NO_STRETCH, &stretch, m->young, "bending");
  if (!m->shears) tell_locked(&r, NO_SHEAR, &shear, m->shear, "twist");
  return TD_OK;
}
