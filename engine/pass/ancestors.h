// What an element's columns have to do with those of its ancestors.
#ifndef TENDRIL_PASS_ANCESTORS_H
#define TENDRIL_PASS_ANCESTORS_H

#include "body/body.h"

/// The blocks between an element's columns (ws->wrench) and all its ancestors' (ws->kept), both above and below the
/// diagonal.
void td_ancestor_blocks(const td_model *m, td_workspace *ws, const td_element *e, td_columns what);

#endif
