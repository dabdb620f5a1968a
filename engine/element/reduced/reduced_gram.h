// Masses and stiffnesses of a Ritz body's modes at rest, by one more Gauss point than asked about.
#ifndef TENDRIL_ELEMENT_REDUCED_GRAM_H
#define TENDRIL_ELEMENT_REDUCED_GRAM_H

#include "tendril/spec.h"

/// Whether n Gauss points along each direction of a mesh's elements are enough: with n + 1 no motion that the modes can
/// make has another mass or mean square of its gradient by more than 3e-4. Large meshes are judged by 64 of their
/// elements. n < TD_MESH_POINTS_MOST. True, too, where there is not enough memory.
bool td_reduced_mesh_is_fine(const td_reduced_spec *spec, int n);

#endif
