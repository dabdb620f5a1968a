// Evaluate requests and replies as protobuf messages (api/tendril/v1/dynamics.proto).
#ifndef TENDRIL_CODEC_EVALUATE_MESSAGE_H
#define TENDRIL_CODEC_EVALUATE_MESSAGE_H

#include "codec/evaluate/evaluate.h"
#include "tendril/v1/dynamics.pb-c.h"

/// Reads a batch. Its states borrow their numbers from the message. After any return call codec_evaluate_fini.
TD_NODISCARD td_status codec_evaluate_read_request(const Tendril__V1__EvaluateRequest *message, codec_evaluate *request,
                                                   td_error *err);
/// Reads what a stream begins with: a request with room for one state. After any return call codec_evaluate_fini.
TD_NODISCARD td_status codec_evaluate_read_setup(const Tendril__V1__EvaluateSetup *message, codec_evaluate *request,
                                                 td_error *err);
/// Puts the numbers of one message (borrowed) into the one state of such a request; pointers then name its members
/// ("/q").
TD_NODISCARD td_status codec_evaluate_read_state(const Tendril__V1__State *message, codec_evaluate *request,
                                                 td_error *err);

/// The messages of a reply, in its memory and borrowing its numbers: [state_count], in order. NULL when memory is
/// short. Filled once; after states were evaluated again, codec_reply_refresh.
Tendril__V1__StateReply **codec_reply_messages(const codec_reply *reply);
/// What is odd, [*count] in the reply's memory, pointing into its list; fewer when there is not enough memory, NULL and
/// 0: nothing.
Tendril__V1__Warning **codec_reply_warnings(const codec_reply *reply, size_t *count);
/// What columns of derivatives are by, [*count]; NULL and 0: nothing, or not enough memory.
Tendril__V1__Parameter **codec_reply_parameters(const codec_reply *reply, size_t *count);
/// What state i has now: its values or its error.
void codec_reply_refresh(const codec_reply *reply, size_t i, Tendril__V1__StateReply *message);

#endif
