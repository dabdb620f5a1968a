// The rigid part of a model document as a URDF.
#ifndef TENDRIL_CLIENT_EXPORT_URDF_H
#define TENDRIL_CLIENT_EXPORT_URDF_H

#include <jansson.h>

/// The text of the URDF; meshes of its view become files beside `path`. What has no place in a URDF is said on stderr.
/// @param path  where it is going to stand; "-": meshes are left out
/// @return the caller frees it; NULL after a line that says why
char *export_urdf(const json_t *model, const char *path);

#endif
