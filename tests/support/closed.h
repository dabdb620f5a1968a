// Robots with loops and prescribed joints for the law tests: every loop joint, ends on rods, bodies and the world,
// dependent rows, floating bases, water. Built with support/tree.h; no robot is closed at the random states it is
// tested at.
#ifndef TENDRIL_TEST_CLOSED_H
#define TENDRIL_TEST_CLOSED_H

#include "support/tree_state.h"

size_t closed_count(void);
const char *closed_name(size_t i);
void closed_make(size_t i, tree *t);
/// Runs `law` on every robot at q of 0.4 and 1e-3.
void closed_each(void (*law)(tree_state *s));

/// Loop rows and prescribed coordinates of the state's model.
int closed_rows(const tree_state *s);
int closed_multipliers(const tree_state *s);
/// 1 on free coordinates, 0 on prescribed ones: out [n].
void closed_mask(const tree_state *s, double *out);
/// The state with Baumgarte's time constant 0.1 s.
td_state closed_state(const tree_state *s);

#endif
