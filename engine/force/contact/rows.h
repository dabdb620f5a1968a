// The walk over rows of what touches: a link before an obstacle, two links of a pair.
#ifndef TENDRIL_FORCE_CONTACT_ROWS_H
#define TENDRIL_FORCE_CONTACT_ROWS_H

#include "model/model.h"

/// Points [first, last) of a contact, or (last 0) a pair.
typedef struct td_contact_row {
  int contact, first, last, pair;
} td_contact_row;

#define TD_CONTACT_FIRST_ROW                                                                                           \
  { .contact = -1, .pair = -1 }

/// The next row, in the order of td_contact_row_name; false: there is none.
bool td_contact_row_next(const td_model *m, td_contact_row *row);
/// The unit vector along n of td_closest, which is a little longer or shorter; 0 where axes meet.
void td_contact_normal(const double n[3], double unit[3]);

#endif
