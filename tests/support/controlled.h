// Robots with motors and tendons, and controllers for them, for the tests of controllers.
#ifndef TENDRIL_TEST_CONTROLLED_H
#define TENDRIL_TEST_CONTROLLED_H

#include "tendril/control.h"

/// Three revolute joints with motors m1, m2, m3 and rigid links under gravity; n = 3.
td_model *controlled_arm(void);
/// A motor, a rod (arm) with tendons t1, t2, t3 and a pcc body (tail) with tendons t4, t5 through material points, one
/// more, t6, along both with a straight stretch; n = 9.
td_model *controlled_mixed(void);
/// One pcc body hanging, tendons t1, t2, t3 at 120 degrees; n = 3.
td_model *controlled_pcc(void);
/// One lvp body (bending two ways, elongation), tendons t1, t2, t3; n = 3.
td_model *controlled_lvp(void);

/// A four-bar (crank, coupler, rocker; loop back to the base) with a motor on the crank, on a base that the channel
/// `spin` turns as prescribed; n = 4. Its bars close at q = (0, 0, pi/2, pi/2).
td_model *controlled_fourbar(void);
/// What these two are made from.
const char *controlled_mixed_document(void);
const char *controlled_fourbar_document(void);

/// A controller with one kp and kd for all channels and a reference without knots yet.
td_controller_spec controlled_law(td_controller_type type, const char *const *channels, size_t count,
                                  td_reference_space space);
/// Gives it knots t [knots] with rows value [knots][width].
void controlled_reference(td_controller_spec *law, size_t knots, const double *t, const double *value, size_t width);

#endif
