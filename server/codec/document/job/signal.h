// Input signals of a job document. Internal to this folder.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_SIGNAL_H
#define TENDRIL_CODEC_DOCUMENT_JOB_SIGNAL_H

#include "codec/json/field.h"
#include "tendril/input.h"

/// A number or an object with `type`, into a td_signal_spec.
td_status read_signal(reader *r, const json_t *value, void *out_td_signal_spec);

/// The number of a signal that was read from the value at `rest` below it ("/of/1/value/3"; "" for a bare number); NULL:
/// there is none.
const double *signal_number(const td_signal_spec *signal, const char *rest);

#endif
