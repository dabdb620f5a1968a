// Files of meshes that a description of a robot names.
#ifndef TENDRIL_CLIENT_MESHES_H
#define TENDRIL_CLIENT_MESHES_H

#include <jansson.h>
#include <stdbool.h>

/// Puts the STL and OBJ files that `text`, the description at `path`, names and that are found beside it into
/// `meshes` of the request. What is not found is left to the server to tell.
bool meshes_add(json_t *request, const char *path, const char *text);

#endif
