// Numbers of documents as parameters. What a row claims is tested: that documents moved by a step still freeze,
// and that what is affine is so.
#include "codec/document/parameters/table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ANY -INFINITY, INFINITY
#define POSITIVE 0, INFINITY
// Columns: pattern, scale, rule, affine, moves, open, lower, upper, typical.
#define FREE(pattern, scale, typical)                                                                                  \
  { pattern, scale, RULE_NONE, false, false, false, ANY, typical, NULL }
#define FREE_AFFINE(pattern, scale, typical)                                                                           \
  { pattern, scale, RULE_NONE, true, false, false, ANY, typical, NULL }
#define FROM_ZERO(pattern, scale, typical)                                                                             \
  { pattern, scale, RULE_NONE, false, false, false, POSITIVE, typical, NULL }
#define FROM_ZERO_AFFINE(pattern, scale, typical)                                                                      \
  { pattern, scale, RULE_NONE, true, false, false, POSITIVE, typical, NULL }
#define ABOVE_ZERO(pattern)                                                                                            \
  { pattern, SCALE_OWN, RULE_NONE, false, false, true, POSITIVE, 1, NULL }
#define ABOVE_ZERO_AFFINE(pattern)                                                                                     \
  { pattern, SCALE_OWN, RULE_NONE, true, false, true, POSITIVE, 1, NULL }
#define SYMMETRIC(pattern)                                                                                             \
  { pattern, SCALE_ROW, RULE_SYMMETRIC, true, false, false, ANY, 1e-3, NULL }
#define ABSCISSA(pattern)                                                                                              \
  { pattern, SCALE_TYPICAL, RULE_NONE, false, false, false, 0, 1, 0.1, NULL }
// What moves something.
#define PLACE(pattern, scale, typical)                                                                                 \
  { pattern, scale, RULE_NONE, false, true, false, ANY, typical, NULL }
#define LENGTH(pattern)                                                                                                \
  { pattern, SCALE_LENGTH, RULE_NONE, false, true, true, POSITIVE, 1, NULL }
#define HOLE(pattern)                                                                                                  \
  { pattern, SCALE_LENGTH, RULE_NONE, false, true, false, POSITIVE, 1e-3, NULL }
#define AXIS(pattern, rule, moves)                                                                                     \
  { pattern, SCALE_ROW, rule, false, moves, false, ANY, 1, NULL }
#define KNOTS(pattern, rule)                                                                                           \
  { pattern, SCALE_KNOT, rule, false, true, true, ANY, 1, NULL }
#define REFUSED(pattern, why)                                                                                          \
  { pattern, SCALE_TYPICAL, RULE_REFUSED, false, false, false, ANY, 1, why }

static const parameter_row rows[] = {
    REFUSED("/links/*/body/strain/order/*", "an order is a count"),
    REFUSED("/links/*/body/order", "an order is a count"),
    REFUSED("/links/*/view/**", "nothing that is drawn reaches the dynamics"),
    REFUSED("/links/*/body/quadrature/*", "the number of points is a count"),
    REFUSED("/links/*/body/mesh/tetrahedra/*/*", "it is the index of a point"),
    REFUSED("/links/*/body/mesh/hexahedra/*/*", "it is the index of a point"),
    REFUSED("/links/*/body/modes/*/*/*/1", "it is a whole power"),
    REFUSED("/links/*/body/modes/*/*/*/2", "it is a whole power"),
    REFUSED("/links/*/body/modes/*/*/*/3", "it is a whole power"),
    REFUSED("/actuators/*/chamber", "it names a chamber"),
    REFUSED("/loops/*/joint/axis/*", "the axis of a loop stays a coordinate axis; turn the loop by `pose`"),

    FREE_AFFINE("/gravity/*", SCALE_ROW, 9.81),
    FROM_ZERO_AFFINE("/fluid/density", SCALE_OWN, 1000),
    FROM_ZERO_AFFINE("/fluid/viscosity", SCALE_OWN, 1e-3),
    FREE("/fluid/velocity/velocity/*/*", SCALE_ROW, 1),
    KNOTS("/fluid/velocity/z/*", RULE_KNOT),
    FREE("/fluid/velocity/*", SCALE_ROW, 1),
    PLACE("/fluid/surface/z", SCALE_WIDTH, 1),
    LENGTH("/fluid/surface/width"),

    PLACE("/links/*/pose/translation/*", SCALE_ROBOT, 1),
    PLACE("/links/*/pose/rpy/*", SCALE_TYPICAL, 1),
    PLACE("/links/*/pose/quaternion/*", SCALE_ROW, 1),
    PLACE("/contacts/*/pose/translation/*", SCALE_ROBOT, 1),
    PLACE("/contacts/*/pose/rpy/*", SCALE_TYPICAL, 1),
    PLACE("/contacts/*/pose/quaternion/*", SCALE_ROW, 1),
    FREE("/**/pose/translation/*", SCALE_ROBOT, 1),
    FREE("/**/pose/rpy/*", SCALE_TYPICAL, 1),
    FREE("/**/pose/quaternion/*", SCALE_ROW, 1),
    {"/links/*/at", SCALE_TYPICAL, RULE_NONE, false, true, false, 0, 1, 0.1, NULL},
    ABSCISSA("/loads/*/at"),
    ABSCISSA("/loads/*/from"),
    ABSCISSA("/loads/*/to"),
    ABSCISSA("/loops/*/*/at"),
    ABSCISSA("/springs/*/*/at"),

    AXIS("/links/*/joint/axis/*", RULE_PLANE, true),
    PLACE("/links/*/joint/pitch", SCALE_ROBOT, 1),
    FREE_AFFINE("/links/*/joint/stiffness/**", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/joint/damping/**", SCALE_OWN, 1),
    FREE("/links/*/joint/rest/**", SCALE_TYPICAL, 1),
    FREE("/links/*/joint/limits/lower/**", SCALE_TYPICAL, 1),
    FREE("/links/*/joint/limits/upper/**", SCALE_TYPICAL, 1),
    ABOVE_ZERO_AFFINE("/links/*/joint/limits/stiffness/**"),
    FROM_ZERO_AFFINE("/links/*/joint/limits/damping/**", SCALE_OWN, 1),

    FROM_ZERO_AFFINE("/links/*/body/mass", SCALE_OWN, 1),
    FREE("/links/*/body/com/*", SCALE_ROBOT, 1),
    FROM_ZERO_AFFINE("/links/*/body/inertia/*", SCALE_OWN, 1e-3),
    SYMMETRIC("/links/*/body/inertia/*/*"),
    ABOVE_ZERO("/links/*/body/shape/size/*"),
    ABOVE_ZERO("/links/*/body/shape/radius"),
    ABOVE_ZERO("/links/*/body/shape/length"),
    ABOVE_ZERO("/links/*/body/shape/height"),
    FREE("/links/*/body/shape/polygon/*/*", SCALE_OFFSET, 1),
    AXIS("/links/*/body/shape/axis/*", RULE_PLANE, false),
    LENGTH("/links/*/body/collision/radius"),
    LENGTH("/links/*/body/collision/length"),
    LENGTH("/links/*/body/collision/size/*"),
    HOLE("/links/*/body/collision/rounding"),
    AXIS("/links/*/body/collision/axis/*", RULE_NONE, false),
    PLACE("/links/*/body/collision/points/*/*", SCALE_ROBOT, 1),
    ABOVE_ZERO_AFFINE("/links/*/body/density"),
    FREE_AFFINE("/links/*/body/magnetisation/*", SCALE_ROW, 1),

    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/cd_x", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/cd_y", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/cd_z", SCALE_OWN, 1),
    FREE_AFFINE("/links/*/body/hydrodynamics/cl_x", SCALE_OWN, 1),
    FREE_AFFINE("/links/*/body/hydrodynamics/cl_y", SCALE_OWN, 1),
    FREE_AFFINE("/links/*/body/hydrodynamics/cl_z", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/added_y", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/added_z", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/linear/tangential", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/linear/normal", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/linear/*", SCALE_OWN, 1),
    FREE_AFFINE("/links/*/body/hydrodynamics/linear/*/*", SCALE_ROW, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/drag/*", SCALE_OWN, 1),
    FREE_AFFINE("/links/*/body/hydrodynamics/drag/*/*", SCALE_ROW, 1),
    FROM_ZERO_AFFINE("/links/*/body/hydrodynamics/added_mass/*", SCALE_OWN, 1),
    SYMMETRIC("/links/*/body/hydrodynamics/added_mass/*/*"),
    ABOVE_ZERO("/links/*/body/hydrodynamics/body_density"),

    LENGTH("/links/*/body/length"),
    ABOVE_ZERO_AFFINE("/links/*/body/material/young"),
    {"/links/*/body/material/poisson", SCALE_TYPICAL, RULE_NONE, false, false, false, -1, 0.5, 0.3, NULL},
    ABOVE_ZERO_AFFINE("/links/*/body/material/shear"),
    ABOVE_ZERO_AFFINE("/links/*/body/material/density"),
    FROM_ZERO_AFFINE("/links/*/body/material/viscosity", SCALE_OWN, 1),

    KNOTS("/links/*/body/section/*/s/*", RULE_INNER_KNOT),
    HOLE("/links/*/body/section/inner_radius/**"),
    HOLE("/links/*/body/section/inner_height/**"),
    HOLE("/links/*/body/section/inner_width/**"),
    HOLE("/links/*/body/section/inner_semi_y/**"),
    HOLE("/links/*/body/section/inner_semi_z/**"),
    LENGTH("/links/*/body/section/radius/**"),
    LENGTH("/links/*/body/section/height/**"),
    LENGTH("/links/*/body/section/width/**"),
    LENGTH("/links/*/body/section/semi_y/**"),
    LENGTH("/links/*/body/section/semi_z/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/torsion_constant/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/shear_correction/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/EA/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/GA_y/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/GA_z/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/GJ/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/EI_y/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/EI_z/**"),
    ABOVE_ZERO_AFFINE("/links/*/body/section/mass_per_length/**"),
    FROM_ZERO_AFFINE("/links/*/body/section/inertia_per_length/**", SCALE_OWN, 1e-6),
    FROM_ZERO_AFFINE("/links/*/body/section/damping/**", SCALE_OWN, 1e-3),
    SYMMETRIC("/links/*/body/section/coupling/**"),

    KNOTS("/links/*/body/strain/reference/s/*", RULE_INNER_KNOT),
    PLACE("/links/*/body/strain/reference/**", SCALE_STRAIN, 1),
    KNOTS("/links/*/body/strain/s/*", RULE_INNER_KNOT),
    PLACE("/links/*/body/strain/*/*/*", SCALE_ROW, 1),

    LENGTH("/links/*/body/radius/**"),
    HOLE("/links/*/body/inner_radius"),
    HOLE("/links/*/body/wall"),
    LENGTH("/links/*/body/width"),
    LENGTH("/links/*/body/size/*"),
    ABOVE_ZERO_AFFINE("/links/*/body/young"),
    {"/links/*/body/poisson", SCALE_TYPICAL, RULE_NONE, false, false, true, 0, 0.5, 0.3, NULL},
    FROM_ZERO_AFFINE("/links/*/body/damping_time", SCALE_OWN, 0.1),
    PLACE("/links/*/body/tip_points/*/*", SCALE_OFFSET, 1),
    PLACE("/links/*/body/mesh/points/*/*", SCALE_OFFSET, 1),
    PLACE("/links/*/body/modes/*/polynomial/*", SCALE_ROW, 1),
    PLACE("/links/*/body/modes/*/*/*/0", SCALE_OWN, 1),

    ABOVE_ZERO("/actuators/*/stiffness"),
    {"/actuators/*/rest", SCALE_ROBOT, RULE_NONE, false, true, false, POSITIVE, 1, NULL},
    FROM_ZERO("/actuators/*/damping", SCALE_OWN, 1),
    LENGTH("/actuators/*/slack_width"),
    FROM_ZERO("/actuators/*/friction", SCALE_OWN, 0.1),
    ABOVE_ZERO("/actuators/*/slip_speed"),
    PLACE("/actuators/**/points/*/*", SCALE_ROBOT, 1),
    PLACE("/actuators/**/routing/**/base/*", SCALE_OFFSET, 1),
    PLACE("/actuators/**/routing/**/tip/*", SCALE_OFFSET, 1),
    PLACE("/actuators/**/routing/**/radius", SCALE_OFFSET, 1),
    PLACE("/actuators/**/routing/**/turns", SCALE_TYPICAL, 1),
    PLACE("/actuators/**/routing/**/phase", SCALE_TYPICAL, 1),
    KNOTS("/actuators/**/routing/**/s/*", RULE_INNER_KNOT),
    PLACE("/actuators/**/routing/**/y/*", SCALE_OFFSET, 1),
    PLACE("/actuators/**/routing/**/z/*", SCALE_OFFSET, 1),

    FREE_AFFINE("/loads/*/wrench/*", SCALE_ROW, 1),
    REFUSED("/contacts/*/apart", "what is nearer along the rod touches or does not: nothing is smooth in it"),
    LENGTH("/contacts/*/radius"),
    LENGTH("/contacts/*/size/*"),
    HOLE("/contacts/*/rounding"),
    AXIS("/contacts/*/axis/*", RULE_NONE, true),
    ABOVE_ZERO_AFFINE("/contacts/*/stiffness"),
    ABOVE_ZERO("/contacts/*/exponent"),
    FROM_ZERO("/contacts/*/damping", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/contacts/*/friction", SCALE_OWN, 0.1),
    ABOVE_ZERO("/contacts/*/slip_speed"),
    REFUSED("/contacts/*/stick/stiffness", "what springs of contacts remember has no derivatives"),
    REFUSED("/contacts/*/stick/damping", "what springs of contacts remember has no derivatives"),
    FROM_ZERO_AFFINE("/contacts/*/anisotropy/*", SCALE_OWN, 0.1),
    FREE("/loops/*/joint/pitch", SCALE_ROBOT, 1),
    FROM_ZERO_AFFINE("/springs/*/stiffness", SCALE_OWN, 1),
    FROM_ZERO_AFFINE("/springs/*/damping", SCALE_OWN, 1),
    FROM_ZERO("/springs/*/rest", SCALE_OWN, 0.1),
};

// Numbers of jobs are differentiated by formulas (engine/input/signal_slopes.c): nothing is frozen, so that nobody asks
// what is affine.
static const parameter_row job_rows[] = {
    REFUSED("/*/priority", "it says which job is first"),
    REFUSED("/*/max_wall_s", "it is a bound of the job's time"),
    REFUSED("/*/t_end", "it says until when the run goes, and steps are cut by it"),
    REFUSED("/*/output/dt", "it says when the run is looked at"),
    REFUSED("/*/integrator/*", "it is an option of the integrator"),
    REFUSED("/*/continuation/*", "it says how far a path is followed"),
    REFUSED("/*/at/times/*", "it says when the run is looked at"),
    REFUSED("/*/controller/**/from", "the inputs jump there"),
    REFUSED("/*/controller/**/until", "the inputs jump there"),
    REFUSED("/*/controller/**/reference/t/*", "times of references are no parameters"),
    REFUSED("/*/inputs/*/**/t/*",
            "steps of a run end where its inputs jump or bend, and derivatives hold the steps; values at "
            "these times are parameters"),
    REFUSED("/statics/initial/q/*", "an equilibrium does not depend on the first guess, or jumps with it"),

    FREE("/dynamics/initial/q/*", SCALE_ROW, 0.1),
    FREE("/dynamics/initial/qd/*", SCALE_ROW, 1),
    FREE("/linearize/initial/q/*", SCALE_ROW, 0.1),
    FREE("/linearize/initial/qd/*", SCALE_ROW, 1),
    FREE("/linearize/at/q/*", SCALE_ROW, 0.1),
    FREE("/linearize/at/qd/*", SCALE_ROW, 1),

    FROM_ZERO("/dynamics/controller/**/kp/**", SCALE_OWN, 1),
    FROM_ZERO("/dynamics/controller/**/kd/**", SCALE_OWN, 1),
    FREE("/dynamics/controller/**/reference/value/**", SCALE_ROW, 1),

    FREE("/statics/inputs/*/*", SCALE_ROW, 1),
    FREE("/*/inputs/*", SCALE_OWN, 1),
    FREE("/*/inputs/*/**/offset", SCALE_OWN, 1),
    FREE("/*/inputs/*/**/amplitude", SCALE_OWN, 1),
    FREE("/*/inputs/*/**/frequency", SCALE_OWN, 1),
    FREE("/*/inputs/*/**/phase", SCALE_TYPICAL, 1),
    FREE("/*/inputs/*/**/value/*", SCALE_ROW, 1),
    FREE("/*/inputs/*/**/coefficients/*", SCALE_ROW, 1),
    FREE("/*/inputs/*/**/of/*", SCALE_OWN, 1),
    FREE("/*/inputs/*/**/value", SCALE_OWN, 1),
};

enum { ROWS = sizeof rows / sizeof *rows, JOB_ROWS = sizeof job_rows / sizeof *job_rows };

const parameter_row *parameter_row_at(int i) { return i >= 0 && i < ROWS ? &rows[i] : NULL; }
const parameter_row *parameter_job_row_at(int i) { return i >= 0 && i < JOB_ROWS ? &job_rows[i] : NULL; }

// Behind the token that `p` begins with.
static const char *behind(const char *p) { return p + 1 + strcspn(p + 1, "/"); }

static bool fits_token(const char *pattern, const char *path) {
  size_t length = (size_t)(behind(pattern) - pattern);
  return (length == 2 && pattern[1] == '*') ||
         (length == (size_t)(behind(path) - path) && memcmp(pattern, path, length) == 0);
}

// Both stand at a '/' or at their end. Patterns hold two ** at the most, and pointers few tokens.
static bool fits(const char *pattern, const char *path) {
  static const char any[] = "/**";
  for (; *pattern; pattern = behind(pattern), path = behind(path)) {
    if (strncmp(pattern, any, sizeof any - 1) == 0) {
      for (; *path; path = behind(path))
        if (fits(pattern + sizeof any - 1, path)) return true;
      return fits(pattern + sizeof any - 1, path);
    }
    if (!*path || !fits_token(pattern, path)) return false;
  }
  return !*path;
}

static const parameter_row *find(const parameter_row *list, int count, const char *pointer) {
  for (int i = 0; i < count; i++)
    if (fits(list[i].pattern, pointer)) return &list[i];
  return NULL;
}

const parameter_row *parameter_row_find(const char *pointer) { return find(rows, ROWS, pointer); }
const parameter_row *parameter_job_row_find(const char *pointer) { return find(job_rows, JOB_ROWS, pointer); }
