// How stiff the floor is follows from what stands on it: k depth^1.5 is the weight at a depth of 1 mm, k with one digit.
// A robot of rods alone, whose mass is not written in its document, has that of 1 kg.
#include "codec/import/ground.h"
#include "codec/import/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEPTH = 1e-3, G = 9.81; // m, m/s^2
static const double DAMPING = 1;            // s/m, Hunt and Crossley
static const double FRICTION = 0.5;

static const char DETAIL[] = "is the ground that was asked for, in `contacts`: it gives way by about 1 mm under the "
                             "robot; other stiffness, friction, place: `stiffness`, `friction`, `pose` there";

static bool touches(const json_t *body) {
  const char *type = json_string_value(json_object_get(body, "type"));
  return json_object_get(body, "collision") || (type && strcmp(type, "rod") == 0);
}

static double one_digit(double x) {
  double power = pow(10, floor(log10(x)));
  return round(x / power) * power;
}

// Names of the links that touch; *mass of all rigid bodies, kg.
static json_t *touching(const json_t *document, double *mass, bool *failed) {
  json_t *names = json_array(), *links = json_object_get(document, "links"), *link;
  size_t i;
  *mass = 0;
  json_array_foreach(links, i, link) {
    const json_t *body = json_object_get(link, "body");
    *mass += json_number_value(json_object_get(body, "mass"));
    if (touches(body)) import_append(names, json_incref(json_object_get(link, "name")), failed);
  }
  return names;
}

static json_t *plane(double mass, json_t *names, bool *failed) {
  json_t *ground = json_object();
  import_set(ground, "name", json_string("ground"), failed);
  import_set(ground, "type", json_string("plane"), failed);
  import_set(ground, "stiffness", json_real(one_digit((mass > 0 ? mass : 1) * G / pow(DEPTH, 1.5))), failed);
  import_set(ground, "damping", json_real(DAMPING), failed);
  import_set(ground, "friction", json_real(FRICTION), failed);
  import_set(ground, "links", names, failed);
  return ground;
}

td_status import_ground(json_t *document, remark_list *remarks, td_error *err) {
  bool failed = false;
  double mass;
  json_t *names = touching(document, &mass, &failed), *contacts = json_object_get(document, "contacts");
  size_t count = json_array_size(names);
  if (count == 0) {
    json_decref(names);
    return td_fail(err, TD_INVALID_ARGUMENT, "/ground",
                   "nothing of the robot can touch it: no rigid body has a `collision`, and there is no rod");
  }
  if (!contacts) {
    contacts = json_array();
    import_set(document, "contacts", contacts, &failed);
  }
  if (!failed) import_append(contacts, plane(mass, names, &failed), &failed);
  remark_add(remarks, DETAIL, 0, "the plane z = 0, which %zu %s", count, count == 1 ? "link touches" : "links touch");
  return failed ? td_fail(err, TD_NO_MEMORY, "/ground", "no memory for the ground") : TD_OK;
}
