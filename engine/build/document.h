// The document that a model was frozen from, kept with it: what asks how good a discretisation is builds a finer twin
// from it.
#ifndef TENDRIL_BUILD_DOCUMENT_H
#define TENDRIL_BUILD_DOCUMENT_H

#include "model/block.h"
#include "tendril/spec.h"

/// A deep copy of a checked spec in memory of the list; NULL when there is not enough. O(size of the document).
const td_model_spec *td_document_copy(td_block **blocks, const td_model_spec *spec);

#endif
