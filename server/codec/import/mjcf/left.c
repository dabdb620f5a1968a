// What of a MJCF found no place in a model: each element and attribute that no reader has asked for, with its line. An
// element that was not read stands for all within it.
#include "codec/import/mjcf/parts.h"

#include <stdio.h>
#include <string.h>

typedef struct left_row {
  const char *name, *detail;
} left_row;

static const char CONTACT[] =
    "is left out: it is about the contacts of MuJoCo; obstacles of a model are its `contacts`";
static const char SOLVER[] = "is left out: it is about the solver of MuJoCo";
static const char BOUNDS[] = "is left out: inputs and controllers have no bounds here; keep what you command within it";
static const char LOOKS[] = "is left out: bodies are drawn in one colour";
static const char LAW[] = "is left out: it is the law of a drive";

static const left_row ELEMENTS[] = {
    {"equality", "is left out, and changes how the robot moves: close it by `loops` of the model"},
    {"sensor", "is left out: ask a run for what sensors would see (output.fields)"},
    {"keyframe", "is left out: give runs their `initial`"},
    {"contact", CONTACT},
    {"visual", "is left out: it is about MuJoCo's pictures"},
    {"statistic", "is left out: it is about MuJoCo's pictures"},
    {"size", SOLVER},
    {"custom", "is left out: it is for other programs"},
    {"extension", "is left out: plugins of cables are read where a cable has them"},
    {"camera", "is left out: models have no cameras"},
    {"light", "is left out: models have no lights"},
    {"texture", LOOKS},
    {"material", "is left out: a colour that nothing drawn has"},
    {"mesh", "is left out: nothing drawn has it"},
    {"skin", "is left out: rods are drawn by their sections"},
    {"deformable", "is left out: of what is soft only cables are read"},
    {"flexcomp", "is left out: of what is soft only cables are read"},
    {"fixed", "is left out: no joint follows others by itself; close it by a controller"},
    {"actuator", "is left out: \"actuators\": \"none\" was asked for"},
    {"tendon", "is left out"},
    {"default", "is left out: no element has it"},
    {"plugin", "is left out: of plugins only that of cables is read"},
    {"inertial", "is left out: inertiafromgeom=\"true\" takes the geoms' instead"},
    {"flag", SOLVER},
};
static const left_row ATTRIBUTES[] = {
    {"armature",
     "is left out: the inertia of a rotor behind its gear; add it to the mass matrix by an inertia of the link"},
    {"frictionloss", "is left out: joints have no dry friction in Tendril; a damper may stand for it"},
    {"actuatorfrcrange", BOUNDS},
    {"actuatorfrclimited", BOUNDS},
    {"ctrlrange", BOUNDS},
    {"ctrllimited", BOUNDS},
    {"forcerange", BOUNDS},
    {"forcelimited", BOUNDS},
    {"range", "is left out: this joint or tendon has no end, or \"stops\": \"none\" was asked for"},
    {"limited", "is left out: this joint or tendon has no end, or \"stops\": \"none\" was asked for"},
    {"kp", LAW},
    {"kv", LAW},
    {"dampratio", LAW},
    {"inheritrange", LAW},
    {"gainprm", LAW},
    {"biasprm", LAW},
    {"gaintype", LAW},
    {"biastype", LAW},
    {"dyntype", "is left out, and changes how the robot moves: drives have no states of their own"},
    {"dynprm", LAW},
    {"gravcomp", "is left out: gravity acts on all bodies"},
    {"contype", CONTACT},
    {"conaffinity", CONTACT},
    {"condim", CONTACT},
    {"friction", CONTACT},
    {"margin", CONTACT},
    {"gap", CONTACT},
    {"priority", CONTACT},
    {"solmix", CONTACT},
    {"solref", SOLVER},
    {"solimp", SOLVER},
    {"solreflimit", SOLVER},
    {"solimplimit", SOLVER},
    {"solreffriction", SOLVER},
    {"solimpfriction", SOLVER},
    {"timestep", SOLVER},
    {"integrator", SOLVER},
    {"iterations", SOLVER},
    {"tolerance", SOLVER},
    {"cone", SOLVER},
    {"solver", SOLVER},
    {"impratio", SOLVER},
    {"rgba", LOOKS},
    {"material", LOOKS},
    {"texture", LOOKS},
    {"specular", LOOKS},
    {"shininess", LOOKS},
    {"reflectance", LOOKS},
    {"width", "is left out: tendons are drawn as lines"},
    {"group", "is left out: it is about MuJoCo's pictures"},
    {"meshdir", "is left out: meshes are found by the names of their files"},
    {"texturedir", LOOKS},
    {"balanceinertia", "is left out: \"inertia\": \"nearest\" mends inertias that no body has"},
    {"boundmass", "is left out: masses stay as they are written"},
    {"boundinertia", "is left out: inertias stay as they are written"},
    {"density", "is left out: give the model a `fluid`"},
    {"viscosity", "is left out: give the model a `fluid`"},
    {"wind", "is left out: give the model a `fluid`"},
};
static const char UNKNOWN_ELEMENT[] = "is left out: it is no part of MJCF that Tendril reads";
static const char UNKNOWN_ATTRIBUTE[] = "is left out: no attribute of MJCF that Tendril reads";
static const char TEXT[] = "is left out: text between elements";
static const char IN_WORLD[] = "is left out: it stands in the world; obstacles of a model are its `contacts`";

#define ROW_OF(rows, word, otherwise) row_of(rows, sizeof(rows) / sizeof *(rows), word, otherwise)
static const char *row_of(const left_row *rows, size_t count, const char *word, const char *otherwise) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].name, word) == 0) return rows[i].detail;
  return otherwise;
}

static void tell_element(const mjcf *m, const xml_element *e) {
  char whose[REMARK_TEXT_SIZE];
  bool standing = e->parent == m->world && (strcmp(e->name, "geom") == 0 || strcmp(e->name, "site") == 0);
  remark_add(m->r->remarks, standing ? IN_WORLD : ROW_OF(ELEMENTS, e->name, UNKNOWN_ELEMENT), e->line, "%s",
             import_whose(e, whose));
}

static void tell_rest(const mjcf *m, const xml_element *e) {
  char whose[REMARK_TEXT_SIZE];
  for (size_t i = 0; i < e->attribute_count; i++) {
    const xml_attribute *a = &e->attributes[i];
    if (a->read || strcmp(a->name, "name") == 0 || strcmp(a->name, "class") == 0) continue;
    remark_add(m->r->remarks, ROW_OF(ATTRIBUTES, a->name, UNKNOWN_ATTRIBUTE), e->line, "%s=\"%s\" in %s", a->name,
               a->value, import_whose(e, whose));
  }
  if (e->text_line) remark_add(m->r->remarks, TEXT, e->text_line, "text in %s", import_whose(e, whose));
}

void mjcf_tell_left(const mjcf *m) {
  for (const xml_element *e = m->root; e; e = e->following) {
    if (e->read)
      tell_rest(m, e);
    else if (e->parent && e->parent->read)
      tell_element(m, e);
  }
}
