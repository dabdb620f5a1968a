// The rows behind element/reduced/section_map.h.
#ifndef TENDRIL_ELEMENT_SECTION_PARTS_H
#define TENDRIL_ELEMENT_SECTION_PARTS_H

#include "element/reduced/section_map.h"

void td_variable_radius_map(const td_section_points *points, const double *p, int order, td_poly y[2]);
void td_variable_radius_mark(double s, double length, td_section_points *point);
void td_lvp_map(const td_section_points *points, const double *p, int order, td_poly y[2]);
void td_lvp_gradient(const td_section_points *points, const double *p, int order, td_poly y[2], td_poly Y[4]);
bool td_lvp_valid(const td_section_points *points, const double *p);

#endif
