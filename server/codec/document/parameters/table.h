// Which numbers of a model document and of a job may be parameters, by the pattern of their pointer: the one table of
// each.
//
// A pattern is a pointer whose token * stands for any one and ** for any number of them. The first row that fits a
// number says everything about it. A test walks the schema, so that every number there has a row.
// Patterns of jobs begin with the kind: "/dynamics/t_end".
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_TABLE_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_TABLE_H

#include <stdbool.h>

/// How large a number is, or what it changes: what steps of differences are measured by.
typedef enum parameter_scale {
  SCALE_TYPICAL, ///< `typical`
  SCALE_OWN,     ///< the number itself, at 0 `typical`
  SCALE_LENGTH,  ///< so, a length, m
  SCALE_ROW,     ///< the largest of the array that it stands in, `typical` when all are 0
  SCALE_ROBOT,   ///< the robot's: a place, m
  SCALE_OFFSET,  ///< the largest of its array, a twentieth of the robot at the least: a place in a section, m
  SCALE_STRAIN,  ///< of six strains the first three are curvatures, of one by the robot's length, 1/m
  SCALE_WIDTH,   ///< `width` beside it
  SCALE_KNOT     ///< the distance of the nearest knot
} parameter_scale;

/// What more a place must fulfil.
typedef enum parameter_rule {
  RULE_NONE,
  RULE_SYMMETRIC,  ///< of a symmetric matrix: what mirrors it moves along
  RULE_PLANE,      ///< an axis whose plane jumps at coordinate axes
  RULE_KNOT,       ///< stays between the knots beside it
  RULE_INNER_KNOT, ///< so, and the first and last may not move
  RULE_REFUSED     ///< no parameter: `why`
} parameter_rule;

typedef struct parameter_row {
  const char *pattern;
  parameter_scale scale;
  parameter_rule rule;
  bool affine;         ///< id, tau, loops and energies are affine in it, poses and lengths do not depend on it
  bool moves;          ///< it says where something is or how large, so that contacts and the like set in by it
  bool open;           ///< the bounds are no values
  double lower, upper; ///< infinite: none
  double typical;      ///< in the number's unit
  const char *why;     ///< RULE_REFUSED: the reason, a clause behind "it is no parameter: "
} parameter_row;

/// Rows 0, 1, …; NULL behind the last.
const parameter_row *parameter_row_at(int i);
/// The row of a number, by its pointer in the model document ("/links/0/body/length"); NULL: there is none.
const parameter_row *parameter_row_find(const char *pointer);

/// The same of jobs; `pointer` begins with the kind, "/dynamics/initial/q/0".
const parameter_row *parameter_job_row_at(int i);
const parameter_row *parameter_job_row_find(const char *pointer);

#endif
