// What is odd in a document that passed every rule, but may be meant: a warning each, with the value and what to do.
#ifndef TENDRIL_SPEC_ODD_H
#define TENDRIL_SPEC_ODD_H

#include "spec/place.h"
#include "tendril/spec.h"

/// oddities.c: warns of what is odd in a spec that passed every rule.
void td_spec_remark(const td_model_spec *spec, const td_place *root);
/// odd_numbers.c: of numbers that only beside others are odd.
void td_spec_remark_numbers(const td_model_spec *spec, const td_place *root);
/// odd_weight.c: what gravity would do; mass [links] kg, 0 of reduced bodies; reach m, of the robot at most.
void td_spec_remark_weight(const td_model_spec *spec, const td_place *root, const double *mass, double reach);
/// odd_twice.c: what is in the document twice.
void td_spec_remark_twice(const td_model_spec *spec, const td_place *root, const double *mass);
/// odd_rods.c: what is odd in a rod, by its own numbers; gravity m/s^2.  @return its mass, kg
double td_spec_remark_rod(const td_place *body, const td_rod_spec *rod, double gravity);
/// The least EI, N m^2 … EA, N, by strain component of a rod that passed its checks; 0: not given.
double td_spec_rod_stiffness(const td_rod_spec *rod, int component);
/// odd_numbers.c: a load of this size, N m and N (per metre when per length), that its rod would not stand.
void td_spec_remark_wrench(const td_place *at, const td_model_spec *spec, const td_load_spec *load, double moment,
                           double force);
void td_spec_remark_waves(const td_place *at, double young, double density, const char *what);
/// odd_numbers.c: a tendon that runs far from its rod, whose robot has rods of `robot` m in all.
void td_spec_remark_reach(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                          const td_routing_spec *routing, double robot);
/// Rods whose flat sections touch as if they were round, and bodies that touch nothing.
void td_spec_remark_touch(const td_model_spec *spec, const td_place *root);
/// odd_tendons.c
void td_spec_remark_tendons(const td_model_spec *spec, const td_place *root);

#endif
