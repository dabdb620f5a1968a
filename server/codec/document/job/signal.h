// Input signals of a job document. Internal to this folder.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_SIGNAL_H
#define TENDRIL_CODEC_DOCUMENT_JOB_SIGNAL_H

#include "codec/json/field.h"
#include "tendril/input.h"

/// A number or an object with `type`, into a td_signal_spec.
td_status read_signal(reader *r, const json_t *value, void *out_td_signal_spec);

#endif
