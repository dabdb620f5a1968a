// Numbers of jobs that are tensions of tendons, which are not negative.
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_TENSION_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_TENSION_H

#include "codec/json/place.h"
#include <jansson.h>
#include <stdbool.h>

/// Whether a number is one in which the tension of a tendon is affine: a value, amplitude, offset, coefficient, in sums and
/// products, too.
/// @param channel  out: the tendon's, of every place that is in an input
bool codec_parameter_bends_tension(const json_t *model, const char *place, char channel[JSON_TOKEN_SIZE]);
/// @param place  of a number below /job, "/job/inputs/cable/value/3"
bool codec_parameter_is_tension(const json_t *model, const json_t *job, const char *place);

#endif
