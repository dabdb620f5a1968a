// Numbers of jobs that are tensions of tendons, which are not negative.
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_TENSION_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_TENSION_H

#include <jansson.h>
#include <stdbool.h>

/// @param place  of a number below /job, "/job/inputs/cable/value/3"
bool codec_parameter_is_tension(const json_t *model, const json_t *job, const char *place);

#endif
