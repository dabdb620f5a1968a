// Models frozen around parameters of requests.
#ifndef SERVER_SERVICE_NEIGHBOURS_H
#define SERVER_SERVICE_NEIGHBOURS_H

#include "service/evaluate/evaluate.h"

/// What derivatives of a model by a list of parameters need: from the shelf of the cached model, otherwise frozen now,
/// which takes its turn and at most --evaluate-seconds.
/// @param model     NULL: the model is `document`, inline
/// @param document  of an inline model
/// @param held      the model, held. One by name may have been revised since it was found: then this becomes the newer
/// @return held until cache_release_parameters; NULL with a fault, whose pointers are "/parameters/1"
cached_parameters *evaluate_neighbours(service *s, const auth_caller *who, const model_reference *model,
                                       const json_t *document, const parameter_list *list,
                                       const evaluate_audience *audience, cached_model **held, fault *f);

#endif
