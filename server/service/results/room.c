// What temporary files may take of the disk.
#include "service/results/temporary.h"

bool results_tmp_room(service *s, uint64_t bytes, fault *f) {
  return store_tmp_room(s->store, bytes) ||
         fault_set(f, PROBLEM_UNAVAILABLE, NULL,
                   "the disk has no room for a temporary file of %llu MiB next to what must be kept: ask for the whole "
                   "result, or later",
                   (unsigned long long)(bytes >> 20));
}
