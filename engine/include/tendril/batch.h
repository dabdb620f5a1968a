// Many states of one robot at once: as many side by side as the CPU's registers have lanes (8, 4 or 2).
#ifndef TENDRIL_BATCH_H
#define TENDRIL_BATCH_H

#include "tendril/dynamics.h"

/// Scratch of batches of one model; one per thread.
typedef struct td_batch td_batch;

/// Whether any of the wanted quantities of this model are computed side by side: id, mass, fd and the derivatives of id
/// and fd by q, qd and qdd, of robots of rigid bodies and rods on joints of any kind, without loops, prescribed joints,
/// water, contacts, loads on bodies and sections that deform. Where not, td_evaluate is as fast.
/// @param want  [wanted] quantity indices
TD_API bool td_batch_serves(const td_model *model, const int *want, int wanted);
/// How many states are computed side by side: batches of multiples of it are the fastest.
TD_API int td_batch_lanes(void);

/// Allocates. @param batch  out; td_batch_destroy
TD_API TD_NODISCARD td_status td_batch_create(const td_model *model, td_batch **batch);
/// NULL does nothing.
TD_API void td_batch_destroy(td_batch *batch);

/// td_evaluate at many states. A state has the same bits in whatever lane, beside whatever others and in however large a
/// batch it is, one of one state included: which states go together is nobody's concern. They are td_evaluate's to
/// rounding: for what td_batch_serves names the two do not fuse the same products and sums. Ask one of them throughout
/// where bits matter.
/// @param model   that of the batch
/// @param ws      scratch of the calling thread, overwritten
/// @param states  [count], as of td_evaluate
/// @param want    [wanted] quantity indices
/// @param out     [wanted] blocks, each [count][total of td_quantity_members]
/// @param done    out: states that have answers, from the first one on
/// @return TD_OK: all have; otherwise as td_evaluate of state `done`, which has none: go on behind it for the others
/// Cost: with 4 lanes, of td_evaluate's by state: chains of joints 0.42 to 0.58, a rod 0.66 (mass) to 1 (derivatives).
/// A batch costs as its next multiple of the lanes. No allocation.
TD_API TD_NODISCARD td_status td_evaluate_batch(const td_model *model, td_batch *batch, td_workspace *ws,
                                                const td_state *states, size_t count, const int *want, int wanted,
                                                double *const *out, size_t *done, td_error *err);

#endif
