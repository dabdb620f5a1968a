// Vectors of SUNDIALS with operations at the CPU's level: its own serial ones, as distributions build them, use half of
// the narrowest registers.
#ifndef TENDRIL_INTEGRATE_MULTISTEP_VECTOR_H
#define TENDRIL_INTEGRATE_MULTISTEP_VECTOR_H

#include <nvector/nvector_serial.h>

/// A serial vector (N_VGetArrayPointer, N_VSetArrayPointer, N_VDestroy as ever) whose operations, and those of what is
/// cloned from it, are ours. NULL: no memory.
N_Vector td_vector_new(int size, SUNContext context);
/// The same without data: N_VSetArrayPointer before use.
N_Vector td_vector_new_view(int size, SUNContext context);

#endif
