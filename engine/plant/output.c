// The rows of a run. The words of output.fields are a table: each has a resolver (what follows the colon, how large)
// and a filler. Adding a field is adding a row. A field is resolved once; filling a row walks the resolved fields in
// order.
#include "model/workspace.h"
#include "plant/output_fields.h"
#include "spec/place.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_LIMIT = 4096, OF_ALL = TD_FIELD_Q | TD_FIELD_QD | TD_FIELD_U };

// ------------------------------------------------------------------------------------------------ resolvers

static td_status vector(td_output_field *f, int length) {
  f->member.rank = 1;
  f->member.dim[0] = length;
  return TD_OK;
}

static td_status resolve_state(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_model_ndof(model));
}
static td_status resolve_inputs(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_model_channel_count(model));
}
static td_status resolve_multipliers(const td_model *model, const char *argument, const td_place *at,
                                     td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_model_loop_row_count(model) + td_model_prescribed_count(model));
}
static td_status resolve_loop_error(const td_model *model, const char *argument, const td_place *at,
                                    td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_model_loop_row_count(model));
}
static td_status resolve_energy(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_energy_count(model));
}
static td_status resolve_tendons(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  return vector(f, td_model_tendon_count(model));
}

static td_status resolve_contacts(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  f->member.rank = 2;
  f->member.dim[0] = td_contact_row_count(model);
  f->member.dim[1] = 3;
  return TD_OK;
}

static td_status resolve_places(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  (void)argument, (void)at;
  f->member.rank = 2;
  f->member.dim[0] = td_contact_place_count(model);
  f->member.dim[1] = TD_CONTACT_PLACE;
  return TD_OK;
}

// With the names that there are, as far as they are few.
static td_status fail_link(const td_model *model, const td_place *at, const char *name) {
  char names[240] = "";
  int count = td_model_link_count(model), length = 0;
  for (int i = 0; i < count && i <= 8 && length < (int)sizeof names - TD_MAX_NAME - 8; i++)
    length += snprintf(names + length, sizeof names - (size_t)length, "%s%s", i ? ", " : "",
                       i < 8 ? td_model_link_name(model, i) : "…");
  return td_place_fail(at, TD_INVALID_ARGUMENT, "the model has no link \"%.80s\"; it has %s", name, names);
}

// LINK or, where a part of it is no link's name, LINK@S.
static td_status resolve_link(const td_model *model, const char *argument, const td_place *at, bool point,
                              td_output_field *f) {
  f->s = NAN;
  f->link = td_model_link_find(model, argument);
  const char *sign = point ? strrchr(argument, '@') : NULL, *asked = argument;
  char name[TD_MAX_NAME + 1];
  if (f->link < 0 && sign) {
    char *end = NULL;
    size_t length = (size_t)(sign - argument);
    if (length > TD_MAX_NAME) length = TD_MAX_NAME;
    memcpy(name, argument, length);
    name[length] = '\0';
    f->link = td_model_link_find(model, name);
    f->s = strtod(sign + 1, &end);
    bool number = end != sign + 1 && *end == '\0';
    if (number) asked = name;
    if (f->link >= 0 && !(number && f->s >= 0 && f->s <= 1))
      return td_place_fail(at, TD_INVALID_ARGUMENT, "the abscissa after @ must be a number in [0, 1], is \"%.40s\"",
                           sign + 1);
  }
  if (f->link < 0) return fail_link(model, at, asked);
  f->points = td_model_link_point_count(model, f->link);
  return TD_OK;
}

static td_status resolve_strain(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  td_status status = resolve_link(model, argument, at, false, f);
  if (status) return status;
  if (td_model_link_body(model, f->link) != TD_BODY_ROD)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "link \"%.80s\" is not a rod and has no strain", argument);
  f->member.rank = 2;
  f->member.dim[0] = f->points;
  f->member.dim[1] = 6;
  return TD_OK;
}

static td_status resolve_poses(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  td_status status = resolve_link(model, argument, at, true, f);
  bool list = isnan(f->s) && !status && td_model_link_body(model, f->link) == TD_BODY_ROD;
  f->member.rank = list ? 3 : 2;
  for (int i = 0; i < 3; i++) f->member.dim[i] = list && i == 0 ? f->points : 4;
  return status;
}

static td_status resolve_shape(const td_model *model, const char *argument, const td_place *at, td_output_field *f) {
  td_status status = resolve_link(model, argument, at, false, f);
  if (status) return status;
  int circles = td_model_surface_count(model, f->link);
  if (td_model_surface_points(model, f->link) == 0)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "link \"%.80s\" is not a reduced body and has no shape", argument);
  f->member.rank = circles ? 3 : 2;
  f->member.dim[0] = circles ? circles : td_model_surface_points(model, f->link);
  f->member.dim[1] = circles ? TD_SURFACE_AROUND : 3, f->member.dim[2] = 3;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ fillers

static td_status fill_q(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                        double *out) {
  (void)o, (void)p, (void)t;
  memcpy(out, y, f->member.size * sizeof *out);
  return TD_OK;
}
static td_status fill_qd(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                         double *out) {
  return fill_q(o, f, p, t, y + p->n, out);
}
static td_status fill_qdd(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                          double *out) {
  (void)f;
  td_status status = td_plant_rate(p, t, y, o->rates);
  memcpy(out, o->rates + p->n, (size_t)p->n * sizeof *out);
  return status;
}
// Multipliers of loops, then forces of prescribed joints: those of index 1 at this state, whatever the formulation of
// the run.
static td_status fill_lambda(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                             double *out) {
  td_status status = td_plant_rate(p, t, y, o->rates);
  memcpy(out, p->lambda, f->member.size * sizeof *out);
  return status;
}
static td_status fill_loop_error(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                                 double *out) {
  (void)o, (void)f, (void)t;
  return td_loop_error(p->model, p->ws, y, out, NULL);
}
static td_status fill_u(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                        double *out) {
  (void)o;
  td_status status = td_plant_inputs(p, t, y, y + p->n);
  memcpy(out, p->u, f->member.size * sizeof *out);
  return status;
}
static td_status fill_energy(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                             double *out) {
  (void)o;
  td_energy e;
  td_status status = td_plant_energy(p, t, y, &e);
  for (int i = 0; i < f->member.dim[0]; i++) out[i] = e.of[td_energy_kind_of(p->model, i)];
  return status;
}
static td_status fill_tendons(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                              double *out) {
  (void)o, (void)f, (void)t;
  return td_tendon_lengths(p->model, p->ws, y, out, NULL);
}
static td_status fill_tensions(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                               double *out) {
  (void)o, (void)f;
  td_status status = td_plant_inputs(p, t, y, y + p->n);
  return status ? status : td_tendon_tensions(p->model, p->ws, y, y + p->n, p->u, out);
}
static td_status fill_strain(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                             double *out) {
  (void)o, (void)t;
  for (int k = 0; k < f->points; k++)
    td_strain_at(p->model, y, f->link, td_model_link_abscissa(p->model, f->link, k), out + 6 * k);
  return TD_OK;
}

static void put_pose(const td_se3 *pose, double *out) {
  for (int i = 0; i < 3; i++) {
    memcpy(out + 4 * i, pose->R + 3 * i, 3 * sizeof *out);
    out[4 * i + 3] = pose->p[i];
  }
  memcpy(out + 12, (double[]){0, 0, 0, 1}, 4 * sizeof *out);
}

static td_status fill_poses(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                            double *out) {
  (void)t;
  bool point = !isnan(f->s);
  td_status status = point ? td_pose_at(p->model, p->ws, y, f->link, f->s, o->poses)
                           : td_link_poses(p->model, p->ws, y, f->link, o->poses);
  for (int k = 0; k < (point ? 1 : f->points); k++) put_pose(&o->poses[k], out + 16 * k);
  return status;
}

static td_status fill_shape(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                            double *out) {
  (void)o, (void)t;
  return td_link_surface(p->model, p->ws, y, f->link, out);
}

static td_status fill_contacts(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y,
                               double *out) {
  (void)o, (void)f, (void)t;
  return td_contact_rows(p->model, p->ws, y, y + p->n, out, NULL);
}
static td_status fill_contact_force(const td_output *o, const td_output_field *f, td_plant *p, double t,
                                    const double *y, double *out) {
  (void)o, (void)f, (void)t;
  return td_contact_rows(p->model, p->ws, y, y + p->n, NULL, out);
}

static td_status fill_contact_place(const td_output *o, const td_output_field *f, td_plant *p, double t,
                                    const double *y, double *out) {
  (void)o, (void)f, (void)t;
  return td_contact_places(p->model, p->ws, y, y + p->n, out);
}

static const td_output_kind kinds[] = {
    {"q", false, TD_REST_ANYWAY, TD_FIELD_Q, resolve_state, fill_q, td_slopes_of_state},
    {"qd", false, TD_REST_MOVES, TD_FIELD_QD, resolve_state, fill_qd, td_slopes_of_state},
    {"qdd", false, TD_REST_MOVES, OF_ALL, resolve_state, fill_qdd, td_slopes_of_dynamics},
    {"u", false, TD_REST_ANYWAY, TD_FIELD_U, resolve_inputs, fill_u, td_slopes_of_inputs},
    {"lambda", false, TD_REST_ANYWAY, OF_ALL, resolve_multipliers, fill_lambda, td_slopes_of_dynamics},
    {"loop_error", false, TD_REST_REPORTED, TD_FIELD_Q, resolve_loop_error, fill_loop_error, NULL},
    {"energy", false, TD_REST_REPORTED, OF_ALL, resolve_energy, fill_energy, NULL},
    {"tendons", false, TD_REST_REPORTED, TD_FIELD_Q, resolve_tendons, fill_tendons, td_slopes_of_tendons},
    {"tensions", false, TD_REST_REPORTED, OF_ALL, resolve_tendons, fill_tensions, NULL},
    {"contacts", false, TD_REST_REPORTED, TD_FIELD_Q | TD_FIELD_QD, resolve_contacts, fill_contacts, NULL},
    {"contact_force", false, TD_REST_REPORTED, TD_FIELD_Q | TD_FIELD_QD, resolve_contacts, fill_contact_force, NULL},
    {"contact_place", false, TD_REST_REPORTED, TD_FIELD_Q | TD_FIELD_QD, resolve_places, fill_contact_place, NULL},
    {"strain", true, TD_REST_REPORTED, TD_FIELD_Q, resolve_strain, fill_strain, NULL},
    {"poses", true, TD_REST_REPORTED, TD_FIELD_Q, resolve_poses, fill_poses, NULL},
    {"shape", true, TD_REST_REPORTED, TD_FIELD_Q, resolve_shape, fill_shape, NULL},
};

// ------------------------------------------------------------------------------------------------ planning

static const td_output_kind *find_kind(const char *name, const char **argument) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].word);
    if (strncmp(name, kinds[i].word, length) != 0) continue;
    *argument = name + length + 1;
    if (name[length] == (kinds[i].of_link ? ':' : '\0')) return &kinds[i];
  }
  return NULL;
}

// With the field that begins most alike: "pose:arm" is "poses:arm", "poses" "poses:arm".
static td_status fail_field(const td_model *model, const td_place *at, const char *name) {
  enum { ALIKE = 3 };
  const td_output_kind *meant = NULL;
  const char *rest = strchr(name, ':');
  char hint[TD_MAX_NAME + 80] = "";
  size_t most = ALIKE - 1;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t same = 0;
    while (kinds[i].word[same] && kinds[i].word[same] == name[same]) same++;
    if (same > most) most = same, meant = &kinds[i];
  }
  if (meant)
    snprintf(hint, sizeof hint, "did you mean \"%s%s%.64s\"? ", meant->word, meant->of_link ? ":" : "",
             !meant->of_link       ? ""
             : rest && *(rest + 1) ? rest + 1
                                   : td_model_link_name(model, 0));
  return td_place_fail(
      at, TD_INVALID_ARGUMENT,
      "unknown field \"%.80s\"; %sknown are q, qd, qdd, u, lambda, loop_error, energy, tendons, "
      "tensions, contacts, contact_force, contact_place, strain:LINK, poses:LINK, poses:LINK@S and shape:LINK",
      name, hint);
}

typedef struct wishes {
  const char *const *fields;
  size_t count;
  bool statics;
} wishes;

static wishes wishes_of(const td_dynamics_spec *spec) { return (wishes){spec->fields, spec->field_count, false}; }

static td_status resolve(const td_model *model, const wishes *w, size_t i, const td_place *list, td_output_field *f) {
  td_place at = td_place_at(list, i);
  const char *name = w->fields[i], *argument = NULL;
  for (size_t k = 0; k < i; k++)
    if (strcmp(w->fields[k], name) == 0)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "the field \"%.80s\" is listed twice", name);
  *f = (td_output_field){.kind = find_kind(name, &argument), .link = -1, .s = NAN, .member = {.name = name}};
  if (!f->kind) return fail_field(model, &at, name);
  if (w->statics && f->kind->statics == TD_REST_MOVES)
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%s\" is 0 at every equilibrium: leave it out", name);
  td_status status = f->kind->resolve(model, argument, &at, f);
  f->member.size = !w->statics || f->kind->statics == TD_REST_REPORTED;
  for (int d = 0; d < f->member.rank; d++) f->member.size *= (size_t)f->member.dim[d];
  return status;
}

static int plan(const td_place *root, const td_model *model, const wishes *w, td_member *members, int capacity,
                size_t *row_size) {
  td_place output = td_place_key(root, "output"), list = td_place_key(&output, "fields");
  size_t offset = 0;
  bool failed = false;
  if (w->count > FIELD_LIMIT) {
    (void)!td_place_fail(&list, TD_INVALID_ARGUMENT, "at most %d fields, has %zu", (int)FIELD_LIMIT, w->count);
    return -1;
  }
  for (size_t i = 0; i < w->count; i++) {
    td_output_field f;
    td_status status = resolve(model, w, i, &list, &f);
    if (!td_place_goes_on(&list, status)) return -1;
    failed = failed || status;
    if (status) continue;
    f.member.offset = offset;
    offset += f.member.size;
    if (members && i < (size_t)capacity) members[i] = f.member;
  }
  if (row_size) *row_size = offset;
  return failed ? -1 : (int)w->count;
}

td_status td_output_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  wishes w = wishes_of(spec);
  return plan(root, model, &w, NULL, 0, NULL) < 0 ? TD_INVALID_ARGUMENT : TD_OK;
}

td_status td_output_check_at_rest(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  wishes w = {spec->fields, spec->field_count, true};
  return plan(root, model, &w, NULL, 0, NULL) < 0 ? TD_INVALID_ARGUMENT : TD_OK;
}

int td_run_output_members(const td_model *model, const td_dynamics_spec *spec, td_member *members, int capacity,
                          size_t *row_size, td_error *err) {
  wishes w = wishes_of(spec);
  td_place root = td_place_root(err);
  return plan(&root, model, &w, members, capacity, row_size);
}

// What every result of statics has anyway is no member of the row.
int td_statics_output_members(const td_model *model, const td_statics_spec *spec, td_member *members, int capacity,
                              size_t *row_size, td_error *err) {
  wishes w = {spec->fields, spec->field_count, true};
  td_place root = td_place_root(err);
  int count = plan(&root, model, &w, members, capacity, row_size), kept = 0;
  for (int i = 0; i < count && members && i < capacity; i++) {
    const char *argument;
    if (find_kind(members[i].name, &argument)->statics == TD_REST_REPORTED) members[kept++] = members[i];
  }
  return members && count >= 0 ? kept : count;
}

static td_status create(const td_model *model, const wishes *w, td_output **output, td_error *err) {
  td_place root = td_place_root(err), out = td_place_key(&root, "output"), list = td_place_key(&out, "fields");
  td_output *o = *output = calloc(1, sizeof *o);
  int most = 1;
  if (o) o->fields = calloc(w->count + 1, sizeof *o->fields);
  td_status status = o && o->fields ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "no memory for the output");
  for (size_t i = 0; !status && i < w->count; i++) {
    td_output_field *f = &o->fields[o->count++];
    status = resolve(model, w, i, &list, f);
    f->member.offset = o->row_size;
    o->row_size += f->member.size;
    if (f->points > most) most = f->points;
  }
  if (!status) o->poses = calloc((size_t)most, sizeof *o->poses);
  if (!status) o->rates = calloc(2 * (size_t)td_model_ndof(model) + 1, sizeof *o->rates);
  if (!status && !(o->poses && o->rates)) status = td_fail(err, TD_NO_MEMORY, "", "no memory for the output");
  if (!status) return TD_OK;
  td_output_destroy(o);
  *output = NULL;
  return status;
}

td_status td_output_create(const td_model *model, const td_dynamics_spec *spec, td_output **output, td_error *err) {
  wishes w = wishes_of(spec);
  return create(model, &w, output, err);
}

td_status td_output_create_at_rest(const td_model *model, const td_statics_spec *spec, td_output **output,
                                   td_error *err) {
  wishes w = {spec->fields, spec->field_count, true};
  return create(model, &w, output, err);
}

void td_output_destroy(td_output *output) {
  if (!output) return;
  free(output->fields);
  free(output->poses);
  free(output->rates);
  free(output);
}

size_t td_output_row_size(const td_output *output) { return output->row_size; }

td_status td_output_fill(const td_output *output, td_plant *plant, double t, const double *y, double *row) {
  td_status status = TD_OK;
  bool begun = td_steady_begin(plant->ws, y, y + plant->n); // one pass for all poses
  for (size_t i = 0; !status && i < output->count; i++) {
    const td_output_field *f = &output->fields[i];
    if (f->member.size) status = f->kind->fill(output, f, plant, t, y, row + f->member.offset);
  }
  td_steady_end(plant->ws, begun);
  return status;
}

// ------------------------------------------------------------------------------------------------ sample times

static const double CLOSE = 1e-9; // relative: a multiple of dt this near to t_end is t_end

// Multiples of dt in [0, t_end), t_end itself not counted.
static double whole_samples(const td_dynamics_spec *spec) { return ceil(spec->t_end / spec->output_dt * (1 - CLOSE)); }

size_t td_run_sample_count(const td_dynamics_spec *spec) {
  if (spec->times) return spec->t_end > 0 ? spec->time_count : 0;
  bool usable = spec->t_end > 0 && spec->output_dt > 0 && isfinite(spec->t_end) && isfinite(spec->output_dt);
  double count = usable ? whole_samples(spec) + 1 : 0;
  return count < 1e15 ? (size_t)count : (size_t)1e15;
}

double td_run_sample_time(const td_dynamics_spec *spec, size_t i) {
  if (spec->times) return spec->times[i];
  return (double)i >= whole_samples(spec) ? spec->t_end : (double)i * spec->output_dt;
}
