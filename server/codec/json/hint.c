// Keys of other formats (URDF, MJCF, SoRoSim, text books) with the key that says it here, and keys that are nearly
// right.
//
// Method: a word of the table is offered where its key is known, its sentence where it has one. Otherwise the nearest
// key by Levenshtein's distance, letters' case and underscores left out: one change in three letters at the most, one
// of two words is a part of the other, or neither.
#include "codec/json/hint.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 31 };

static const char LIMITS[] =
    "limits are soft stops of a joint: \"limits\": {\"lower\": -1, \"upper\": 1, \"stiffness\": 1e4, \"damping\": 1e3}";
static const char POSES[] = "where it is and how it is turned is a pose: {\"translation\": [x, y, z], \"rpy\": [r, p, "
                            "y]} (m, rad)";
static const char NUMBERS[] =
    "a section given by numbers is {\"shape\": \"stiffness\", \"GJ\", \"EI_y\", \"EI_z\", \"EA\", \"GA_y\", \"GA_z\", "
    "\"mass_per_length\", …}";
static const char LOOKS[] = "documents say nothing of looks and meshes for pictures; what touches is under `contacts`";
static const char FRICTION[] = "only tendons and contacts have friction; joints and rods have `damping`";

// A word, the key that it is called here, or a sentence of what to do (without a key: always).
static const struct {
  const char *word, *key, *sentence;
} WORDS[] = {
    {"limit", "limits", LIMITS},
    {"limit", NULL, LIMITS},
    {"limits", NULL, LIMITS},
    {"lower", NULL, LIMITS},
    {"upper", NULL, LIMITS},
    {"range", "limits", LIMITS},
    {"range", NULL, LIMITS},
    {"jointlimits", "limits", LIMITS},
    {"jointlimits", NULL, LIMITS},
    {"origin", "pose", POSES},
    {"pos", "pose", POSES},
    {"position", "pose", POSES},
    {"xyz", "translation", NULL},
    {"xyz", "pose", POSES},
    {"translation", "pose", POSES},
    {"rpy", "pose", POSES},
    {"euler", "rpy", NULL},
    {"orientation", "rpy", NULL},
    {"rotation", "rpy", NULL},
    {"rotation", "pose", POSES},
    {"orientation", "pose", POSES},
    {"quat", "quaternion", NULL},
    {"pos", "translation", NULL},
    {"position", "translation", NULL},
    {"e", "young", NULL},
    {"modulus", "young", NULL},
    {"youngsmodulus", "young", NULL},
    {"elasticmodulus", "young", NULL},
    {"rho", "density", NULL},
    {"nu", "poisson", NULL},
    {"poissonratio", "poisson", NULL},
    {"poissonsratio", "poisson", NULL},
    {"g", "shear", NULL},
    {"g", "gravity", NULL},
    {"shearmodulus", "shear", NULL},
    {"mu", "friction", NULL},
    {"mu", NULL, FRICTION},
    {"friction", NULL, FRICTION},
    {"eta", "viscosity", NULL},
    {"damping", "viscosity", "a material's damping is its `viscosity`, Pa s"},
    {"dampingratio", "viscosity", "a material's damping is its `viscosity`, Pa s"},
    {"dampingratio", "damping", "it is not a ratio but in N m s, N s or N s/m"},
    {"diameter", "radius", "half of it"},
    {"r", "radius", NULL},
    {"l", "length", NULL},
    {"m", "mass", NULL},
    {"i", "inertia", NULL},
    {"inertial", "inertia", "mass, com and inertia are keys of `body` itself"},
    {"inertiatensor", "inertia", NULL},
    {"centerofmass", "com", NULL},
    {"cog", "com", NULL},
    {"child", "parent", "a link names its parent; whatever names no parent is on the world"},
    {"base", "parent", NULL},
    {"stiffnessmatrix", NULL, NUMBERS},
    {"ei", NULL, NUMBERS},
    {"ea", NULL, NUMBERS},
    {"gj", NULL, NUMBERS},
    {"geom", NULL, LOOKS},
    {"geometry", NULL, LOOKS},
    {"visual", NULL, LOOKS},
    {"collision", NULL, LOOKS},
    {"color", NULL, LOOKS},
    {"bodies", "links", NULL},
    {"joints", "links", "each link has the joint by which it hangs on its parent"},
    {"materials", "links", "each rod has its own `material`"},
    {"tendons", "actuators", "each of {\"type\": \"tendon\", …}"},
    {"cables", "actuators", "each of {\"type\": \"tendon\", …}"},
    {"motors", "actuators", "each of {\"type\": \"joint\", …}"},
    {"forces", "loads", NULL},
    {"forces", "inputs", NULL},
    {"force", "wrench", "[mx, my, mz, fx, fy, fz]"},
    {"moment", "wrench", "[mx, my, mz, fx, fy, fz]"},
    {"obstacles", "contacts", NULL},
    {"ground", "contacts", "a {\"type\": \"plane\", \"stiffness\": …}"},
    {"water", "fluid", NULL},
    {"constraints", "loops", NULL},
    {"k", "stiffness", NULL},
    {"d", "damping", NULL},
    {"c", "damping", NULL},
    {"restlength", "rest", NULL},
    {"l0", "rest", NULL},
    {"path", "routing", NULL},
    {"dof", "order", NULL},
    {"degree", "order", NULL},
    {"strains", "order", NULL},
    {"bendy", "bending_y", NULL},
    {"bendz", "bending_z", NULL},
    {"curvature", "bending_y", "about the section's y axis; bending_z about its z axis"},
    {"bending", "bending_y", "about the section's y axis; bending_z about its z axis"},
    {"twist", "torsion", NULL},
    {"stretch", "elongation", NULL},
    {"extension", "elongation", NULL},
    {"shear", "shear_y", NULL},
    {"model", "base", "the job that a sweep varies, with its model"},
    {"u", "inputs", NULL},
    {"tensions", "inputs", NULL},
    {"q0", "initial", "{\"q\": […]}"},
    {"q", "initial", "{\"q\": […]}"},
    {"x0", "initial", "{\"q\": […], \"qd\": […]}"},
    {"tf", "t_end", NULL},
    {"tfinal", "t_end", NULL},
    {"tmax", "t_end", NULL},
    {"duration", "t_end", NULL},
    {"time", "t_end", NULL},
    {"solver", "integrator", NULL},
    {"method", "integrator", "{\"method\": …}"},
    {"h", "integrator", "{\"h\": …}"},
    {"timestep", "h", NULL},
    {"timestep", "integrator", "{\"h\": …}"},
    {"step", "h", NULL},
    {"dt", "h", "dt is of `output`"},
    {"dt", "output", "{\"dt\": …}"},
    {"fields", "output", "{\"fields\": […]}"},
    {"outputs", "output", NULL},
    {"tolerance", "rtol", NULL},
    {"reltol", "rtol", NULL},
    {"abstol", "atol", NULL},
    {"hinge", "revolute", NULL},
    {"pin", "revolute", NULL},
    {"continuous", "revolute", "without `limits`"},
    {"slide", "prismatic", NULL},
    {"slider", "prismatic", NULL},
    {"linear", "prismatic", NULL},
    {"ball", "spherical", NULL},
    {"weld", "fixed", NULL},
    {"rigid", "fixed", NULL},
    {"floating", "free", NULL},
    {"screw", "helical", NULL},
    {"cardan", "universal", NULL},
    {"hooke", "universal", NULL},
    {"cube", "box", NULL},
    {"ball", "sphere", NULL},
    {"cable", "tendon", NULL},
    {"motor", "joint", "a motor is an actuator of type joint"},
    {"square", "rectangle", NULL},
};
enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };

// Small letters and digits only; false when there are none or too many.
static bool plain(const char *key, char out[LONGEST + 1]) {
  size_t n = 0;
  for (; *key; key++) {
    if (!isalnum((unsigned char)*key)) continue;
    if (n == LONGEST) return false;
    out[n++] = (char)tolower((unsigned char)*key);
  }
  out[n] = '\0';
  return n > 0;
}

static bool is_known(const char *key, hint_keys keys, const void *context, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (keys(context, i) && !strcmp(keys(context, i), key)) return true;
  return false;
}

static bool of_another_format(const char *word, hint_keys keys, const void *context, size_t count, char *text,
                              size_t size) {
  for (int i = 0; i < WORD_COUNT; i++) {
    const char *key = WORDS[i].key, *sentence = WORDS[i].sentence;
    if (strcmp(WORDS[i].word, word) || (key && !is_known(key, keys, context, count))) continue;
    if (!key) return snprintf(text, size, "%s; ", sentence), true;
    snprintf(text, size, "did you mean \"%s\"? %s%s", key, sentence ? sentence : "", sentence ? "; " : "");
    return true;
  }
  return false;
}

// Letters that are missing, too many, others, or swapped with the next.
static int distance(const char *a, const char *b) {
  int rows[3][LONGEST + 1], n = (int)strlen(b);
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= n; j++) last[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int least = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < least) least = last[j] + 1;
      if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && before[j - 2] + 1 < least) least = before[j - 2] + 1;
      row[j] = least;
    }
    int *oldest = before;
    before = last, last = row, row = oldest;
  }
  return last[n];
}

bool codec_hint(const char *key, hint_keys keys, const void *context, size_t count, char *text, size_t size) {
  char word[LONGEST + 1], other[LONGEST + 1];
  const char *nearest = NULL;
  *text = '\0';
  if (!plain(key, word)) return false;
  if (of_another_format(word, keys, context, count, text, size)) return true;
  int longest = (int)strlen(word), least = longest / 3 + 1;
  for (size_t i = 0; i < count; i++) {
    const char *known = keys(context, i);
    if (!known || !plain(known, other)) continue;
    int far = longest > 3 && (strstr(other, word) == other || strstr(word, other) == word) ? 1 : distance(word, other);
    if (longest > 2 && far < least && (int)strlen(other) > 2) least = far, nearest = known;
  }
  if (nearest) snprintf(text, size, "did you mean \"%s\"? ", nearest);
  return nearest != NULL;
}

// ------------------------------------------------------------------------------------------------ numbers

static const struct {
  const char *word;
  double si;
} UNITS[] = {{"", 1},      {"m", 1},        {"mm", 1e-3}, {"cm", 1e-2}, {"km", 1e3},  {"g", 1e-3},
             {"kg", 1},    {"s", 1},        {"ms", 1e-3}, {"min", 60},  {"N", 1},     {"mN", 1e-3},
             {"kN", 1e3},  {"Pa", 1},       {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}, {"bar", 1e5},
             {"rad", 1},   {"deg", 0},      {"Nm", 1},    {"N m", 1},   {"Hz", 1},    {"kg/m^3", 1},
             {"kg/m3", 1}, {"g/cm^3", 1e3}, {"J", 1},     {"m/s", 1},   {"rad/s", 1}, {"Pa s", 1}};

void codec_hint_number(const char *word, char *text, size_t size) {
  char *end;
  double x = strtod(word, &end);
  *text = '\0';
  if (end == word || !isfinite(x)) return;
  while (*end == ' ') end++;
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
    if (strcmp(UNITS[i].word, end) != 0) continue;
    double si = UNITS[i].si > 0 ? UNITS[i].si : M_PI / 180;
    snprintf(text, size, "; numbers have neither quotes nor units, they are in SI units: %.9g", x * si);
    return;
  }
  if (isalpha((unsigned char)*end))
    snprintf(text, size, "; numbers have neither quotes nor units, they are in SI units");
}
