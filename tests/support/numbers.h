// The numbers of a robot under construction that derivatives by parameters are taken of.
#ifndef TENDRIL_TEST_NUMBERS_H
#define TENDRIL_TEST_NUMBERS_H

#include "support/tree.h"
#include "tendril/parameters.h"

enum { NUMBERS_MAX = 512 };

typedef struct tree_number {
  char name[48];
  double *at, *also; ///< where it stands; the entry that symmetry ties to it, NULL
  td_se3 *pose;      ///< not NULL: the number is an angle, 0 as it stands, that turns this pose about its x axis
  double R[9];       ///< of the pose
} tree_number;

typedef struct tree_numbers {
  tree *t;
  size_t count;
  tree_number number[NUMBERS_MAX];
  td_parameter parameter[NUMBERS_MAX];
} tree_numbers;

/// All numbers of the robot, one or two of each vector; what it borrows of constant arrays is copied, once for all
/// robots of a program.
void tree_numbers_of(tree *t, tree_numbers *numbers);
/// Keeps those whose `linear` is that (1, 0).
void tree_numbers_keep(tree_numbers *numbers, bool linear);
/// Keeps every so many'th.
void tree_numbers_sample(tree_numbers *numbers, size_t every);
/// Drops those whose name has the word in it.
void tree_numbers_without(tree_numbers *numbers, const char *word);
/// td_parameter_freeze of them; context: the tree_numbers.
td_status tree_numbers_freeze(void *context, size_t index, double value, td_model **model, td_error *err);

#endif
