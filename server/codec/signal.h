// Input signals of a job document. Internal to codec/job.c.
#ifndef TENDRIL_CODEC_SIGNAL_H
#define TENDRIL_CODEC_SIGNAL_H

#include "codec/field.h"
#include "tendril/solve.h"

/// A number or an object with `type`, into a td_signal_spec.
td_status read_signal(reader *r, const json_t *value, void *out_td_signal_spec);

#endif
