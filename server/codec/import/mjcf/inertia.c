// The mass of a body of MJCF: what <inertial> says, or all of its geoms.
#include "codec/import/mjcf/parts.h"

#include <string.h>

static json_t *rigid(double mass, const double com[3], const double I[9], bool *failed) {
  json_t *body = json_object(), *rows = json_array();
  for (int i = 0; i < 3; i++) import_append(rows, import_vector(I + 3 * i, 3, failed), failed);
  import_set(body, "type", json_string("rigid"), failed);
  import_set(body, "mass", json_real(mass), failed);
  import_set(body, "com", import_vector(com, 3, failed), failed);
  import_set(body, "inertia", rows, failed);
  return body;
}

// fullinertia is xx, yy, zz, xy, xz, yz.
static td_status read_moments(mjcf *m, xml_element *e, double I[9]) {
  double x[6] = {0};
  const char *full = xml_attribute_of(e, "fullinertia"), *diagonal = xml_attribute_of(e, "diaginertia");
  if (!full && !diagonal) return import_fail(m->r, e, "it has no diaginertia and no fullinertia");
  td_status status = full ? import_numbers_of(m->r, e, "fullinertia", full, 6, 6, x, NULL)
                          : import_numbers_of(m->r, e, "diaginertia", diagonal, 3, 3, x, NULL);
  const double rows[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  memcpy(I, rows, sizeof rows);
  return status;
}

static td_status read_written(mjcf *m, xml_element *e, json_t **out) {
  mjcf_place place;
  double mass = 0, I[9], R[9], turned[9];
  td_status status = mjcf_place_of(m, e, &place);
  if (!status) status = import_numbers(m->r, e, "mass", true, 1, &mass);
  if (!status && mass < 0) status = import_fail(m->r, e, "mass=\"%g\" is negative", mass);
  if (!status) status = read_moments(m, e, I);
  if (status) return status;
  if (m->r->inertia == IMPORT_INERTIA_NEAREST) import_nearest_inertia(m->r, e, I);
  mjcf_rotation(place.quaternion, R);
  import_turn_inertia(R, I, turned);
  *out = rigid(mass, place.xyz, turned, &m->failed);
  return TD_OK;
}

td_status mjcf_read_inertia(mjcf *m, xml_element *body, const mjcf_weight *w, json_t **out) {
  xml_element *written = NULL;
  td_status status = m->inertias == MJCF_INERTIAS_OF_GEOMS ? TD_OK : import_one(m->r, body, "inertial", &written);
  *out = NULL;
  if (status || written) return status ? status : read_written(m, written, out);
  if (m->inertias == MJCF_INERTIAS_WRITTEN) return TD_OK;
  if (w->mesh)
    return import_fail(m->r, w->mesh,
                       "the body would weigh what its mesh does; give it an <inertial>, or the geom mass=\"0\"");
  if (!(w->mass > 0)) return TD_OK;
  double com[3], I[9], c2 = 0;
  for (int i = 0; i < 3; i++) com[i] = w->moment[i] / w->mass, c2 += com[i] * com[i];
  for (int i = 0; i < 9; i++) {
    double off = w->mass * ((i % 4 == 0 ? c2 : 0) - com[i / 3] * com[i % 3]);
    I[i] = w->inertia[i] - off;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) I[3 * i + j] = I[3 * j + i];
  *out = rigid(w->mass, com, I, &m->failed);
  return TD_OK;
}
