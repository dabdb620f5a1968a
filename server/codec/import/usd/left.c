// What of a scene found no place in the model: prims by what they are, and of those that were read the properties and
// metadata that nobody has asked for. A prim that was told stands for all within it.
#include "codec/import/usd/parts.h"

#include <string.h>

typedef struct left_row {
  const char *begin, *detail;
} left_row;

static const char JOINT[] =
    "is left out, and may change how a rod moves: joints and attachments of USD are not read; hang "
    "a rod at its link by `parent`, or close it by `loops` of the model";
static const char RIGID[] = "is left out: of USD only rods are read; rigid bodies come by URDF or MJCF";
static const char SOFT[] = "is left out: of what is soft in USD only rods are read";
static const char DRAWN[] =
    "is left out: it is drawn, and stands in the world; obstacles of a model are its `contacts`";
static const char LOOKS[] = "is left out: it is about pictures";
static const char CONTACT[] = "is left out: it is about contacts; obstacles of a model are its `contacts`";

static const left_row SCHEMAS[] = {{"RigidBodyAPI", RIGID},
                                   {"ArticulationRootAPI", RIGID},
                                   {"SurfaceDeformableSimAPI", SOFT},
                                   {"VolumeDeformableSimAPI", SOFT}};
// By the beginning of a prim's type.
static const left_row TYPES[] = {
    {"PhysicsAttachment", JOINT},
    {"OmniPhysics", JOINT},
    {"PhysicsCollisionGroup", CONTACT},
    {"PhysicsElementCollisionFilter", CONTACT},
    {"PhysicsScene", "is left out: a model has one gravity, that of the first scene"},
    {"Physics", JOINT},
    {"Material", "is left out: no rod has it"},
    {"GeomSubset", "is left out: a rod has one material"},
    {"TetMesh", SOFT},
    {"Mesh", DRAWN},
    {"Cube", DRAWN},
    {"Sphere", DRAWN},
    {"Capsule", DRAWN},
    {"Cylinder", DRAWN},
    {"Cone", DRAWN},
    {"Plane", DRAWN},
    {"Points", DRAWN},
    {"BasisCurves", "is left out: it has no PhysicsCurvesDeformableSimAPI, so it is drawn and no more"},
    {"Camera", LOOKS},
    {"Shader", LOOKS},
    {"NodeGraph", LOOKS},
};
// By the beginning of a property's name.
static const left_row PROPERTIES[] = {
    {"normals", "is left out: the section is round, and at rest it is not twisted"},
    {"physics:restNormals", "is left out: the section is round, and at rest it is not twisted"},
    {"omniphysics:restNormals", "is left out: the section is round, and at rest it is not twisted"},
    {"velocities", "is left out: give runs their `initial`"},
    {"primvars:", LOOKS},
    {"extent", LOOKS},
    {"visibility", LOOKS},
    {"purpose", LOOKS},
    {"orientation", LOOKS},
    {"doubleSided", LOOKS},
    {"outputs:", LOOKS},
    {"physics:collisionEnabled", CONTACT},
    {"physics:dynamicFriction", CONTACT},
    {"physics:staticFriction", CONTACT},
    {"physics:restitution", CONTACT},
    {"xformOp:", "is left out: xformOpOrder does not name it, or it changes with time"},
};
static const char DAMPING[] =
    "is left out: damp a rod by `viscosity` of its material, or by `damping` of its section (0 now)";
static const char MOVING[] = "is left out: it changes with time; what stands still is read";
static const char ON_CURVE[] = "is left out: a material has it, not a curve";
static const char ABSENT[] =
    "is left out: an over or a class defines nothing by itself, and what is not active is not there";
static const char UNKNOWN_PRIM[] = "is left out: no part of USD that Tendril reads";
static const char UNKNOWN_PROPERTY[] = "is left out: no property of USD that Tendril reads";
static const char METADATA[] = "is left out: metadata says nothing of how a rod moves";

static const char *row_of(const left_row *rows, size_t count, const char *word) {
  for (size_t i = 0; i < count; i++)
    if (strncmp(rows[i].begin, word, strlen(rows[i].begin)) == 0) return rows[i].detail;
  return NULL;
}
#define ROW_OF(rows, word) row_of(rows, sizeof(rows) / sizeof *(rows), word)

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// What holds others and is nothing itself.
static bool is_frame(const usd_prim *prim) {
  static const char *const frames[] = {"", "Xform", "Scope"};
  for (size_t i = 0; i < 3; i++)
    if (strcmp(prim->type, frames[i]) == 0) return true;
  return false;
}

static const char *detail_of(usd_prim *prim) {
  if (strcmp(prim->specifier, "def") != 0 || !usd_flag(usd_metadata(prim, "active"), true)) return ABSENT;
  for (size_t i = 0; i < sizeof SCHEMAS / sizeof *SCHEMAS; i++)
    if (usd_has_schema(prim, SCHEMAS[i].begin)) return SCHEMAS[i].detail;
  if (prim->read || is_frame(prim)) return NULL;
  if (ends_in(prim->type, "Light")) return LOOKS;
  const char *detail = ROW_OF(TYPES, prim->type);
  return detail ? detail : UNKNOWN_PRIM;
}

static const char *detail_of_property(const usd_prim *prim, const usd_field *f) {
  const char *detail = ROW_OF(PROPERTIES, f->name);
  bool curve = strcmp(prim->type, "BasisCurves") == 0;
  if (ends_in(f->name, ".timeSamples")) return MOVING;
  if (strstr(f->name, "amping")) return DAMPING;
  if (curve && (ends_in(f->name, "Stiffness") || ends_in(f->name, "hickness"))) return ON_CURVE;
  return detail ? detail : UNKNOWN_PROPERTY;
}

static void tell_fields(const usd *u, const usd_prim *prim) {
  char path[REMARK_TEXT_SIZE];
  usd_path_of(prim, path);
  for (const usd_field *f = prim->properties; f; f = f->next)
    if (!f->read && f->valued)
      remark_add(u->r->remarks, detail_of_property(prim, f), f->line, "%s of %s", f->name, path);
  for (const usd_field *f = prim->metadata; f; f = f->next)
    if (!f->read) remark_add(u->r->remarks, METADATA, f->line, "%s of %s", f->name, *path ? path : "the layer");
}

void usd_tell_left(const usd *u) {
  char path[REMARK_TEXT_SIZE];
  for (usd_prim *prim = u->root; prim; prim = prim->following) {
    const char *detail = prim->parent ? detail_of(prim) : NULL;
    bool silent = prim->told || (prim->parent && prim->parent->told && !prim->read);
    if (detail && !silent)
      remark_add(u->r->remarks, detail, prim->line, "%s %s", *prim->type ? prim->type : prim->specifier,
                 usd_path_of(prim, path));
    prim->told = silent || detail;
    if (prim->read && !(silent && !prim->parent)) tell_fields(u, prim);
  }
}
