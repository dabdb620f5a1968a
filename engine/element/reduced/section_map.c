// The table of section maps.
#include "element/reduced/section_parts.h"
#include "strain/field_column.h"
#include <stddef.h>

enum { KX = 0, KY = 1, SZ = 5, LOCAL = TD_COMPONENT_LOCAL };

static const td_section_row variable_radius = {
    .fields = 2, .component = {LOCAL, LOCAL + 1}, .map = td_variable_radius_map, .mark = td_variable_radius_mark};
static const td_section_row lvp = {.fields = 4,
                                   .component = {SZ, KX, KY, LOCAL},
                                   .map = td_lvp_map,
                                   .gradient = td_lvp_gradient,
                                   .valid = td_lvp_valid};

void td_section_mark(const td_section_row *row, double s, double length, td_section_points *point) {
  if (row->mark) row->mark(s, length, point);
}

const td_section_row *td_section_row_of(td_body_kinematics kinematics) {
  if (kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS) return &variable_radius;
  return kinematics == TD_KINEMATICS_LVP ? &lvp : NULL;
}
