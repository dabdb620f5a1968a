// What a sweep varied: names and values for titles, axes and panels.
#ifndef TENDRIL_CLIENT_VARIED_H
#define TENDRIL_CLIENT_VARIED_H

#include "plot/recording.h"

/// How many places the sweep varies, 0 for other results.
size_t varied_count(const recording *r);
/// The k-th of them as a reader calls it: "pull (N)" for /job/inputs/pull, "arm: body.length" for
/// /model/links/0/body/length.
void varied_name(const recording *r, size_t k, char *name, size_t size);
/// Its value in each row [samples], borrowed; NULL where they are not numbers.
const double *varied_values(const recording *r, size_t k);
/// Whether the places change together (mode zip), so that one of them tells of all.
bool varied_together(const recording *r);
/// The places that changed alike, all in one: "upper, lower: body.material.young (Pa)" where every job had the same value
/// in each, else the name of the first.
void varied_axis(const recording *r, char *name, size_t size);
/// " over pull (N) and arm: body.length" at the end of `line`; nothing for other results.
void varied_tell(const recording *r, char *line, size_t size);

#endif
