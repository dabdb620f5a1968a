// What the readers of USD share. Internal to this folder.
#ifndef TENDRIL_CODEC_IMPORT_USD_PARTS_H
#define TENDRIL_CODEC_IMPORT_USD_PARTS_H

#include "codec/import/usd/tree.h"
#include "codec/import/usd/usd.h"

typedef struct usd {
  const import_reader *r;
  const import_choice *choice;
  usd_prim *root;
  double metre, kilogram; ///< one unit of the layer, m and kg
  bool y_up;
  json_t *links;
  const char **names; ///< of the links [link_count]
  size_t link_count;
  import_lines *lines;
  bool failed; ///< there was not enough memory for JSON
} usd;

// value.c: what stands in properties and metadata.
td_status usd_fail(const usd *u, const usd_prim *prim, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
td_status usd_no_memory(const usd *u);
/// "/World/Cable", cut to the size.
const char *usd_path_of(const usd_prim *prim, char text[REMARK_TEXT_SIZE]);
/// A property that has a value, which is read by that; NULL: none.
usd_field *usd_property(usd_prim *prim, const char *name);
/// "physics:NAME", else "omniphysics:NAME".
usd_field *usd_physics(usd_prim *prim, const char *name);
usd_field *usd_metadata(usd_prim *prim, const char *name);
/// All numbers of a value, in tuples of `tuple` (1: they stand alone).
/// @param count  out: of numbers
td_status usd_numbers(const usd *u, const usd_prim *prim, const usd_field *f, size_t tuple, double **x, size_t *count);
/// One number; not there, or -inf as USD writes what nobody has said: it stays, and *there is false.
td_status usd_scalar(const usd *u, usd_prim *prim, usd_field *f, double *x, bool *there);
/// Exactly `count` numbers.
td_status usd_vector(const usd *u, const usd_prim *prim, const usd_field *f, double *x, size_t count);
bool usd_flag(const usd_field *f, bool otherwise);
/// Its one token or string; "" where it is none. In the arena, NULL: no memory.
const char *usd_text(const usd *u, const usd_field *f);
/// An applied schema, "Physics" or "OmniPhysics" before `name`.
bool usd_has_schema(usd_prim *prim, const char *name);
/// Is it there: neither itself nor a prim around it an over, a class or inactive?
bool usd_is_defined(usd_prim *prim);

// place.c: transforms. M = [R t] has rows of four.
td_status usd_world(const usd *u, usd_prim *prim, double M[12]);
/// Points of a prim [count] in the world of the model: metres, z up.
void usd_place_points(const usd *u, const double M[12], const double *points, size_t count, double *out);
void usd_quaternion(const double R[9], double q[4]);
/// The rotation that takes x into `way` (of length 1) and turns least.
void usd_turn_to(const double way[3], double R[9]);

// course.c
typedef struct usd_course {
  bool bent;
  double length;             ///< m
  double curvature, torsion; ///< of the helix, 1/m; straight: 0
  double start[3], frame[9]; ///< where it begins; columns: tangent, normal, binormal
  double off;                ///< the farthest point from it, m
} usd_course;
/// The straight line, circle or helix through points at rest [count >= 2].
/// @return false: they double back, or two of them are one
bool usd_fit_course(const double *x, size_t count, usd_course *c);

// material.c
typedef struct usd_material {
  double radius, density;  ///< SI
  double young, shear;     ///< of bending and torsion, Pa
  double shear_correction; ///< k of k G A; 1 where nothing says
  bool stretches, shears;  ///< these strains are of the same material
} usd_material;
td_status usd_read_material(const usd *u, usd_prim *curve, usd_material *m);

// rod.c
td_status usd_add_rods(usd *u, usd_prim *curve);

// left.c
void usd_tell_left(const usd *u);

#endif
