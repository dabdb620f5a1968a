// A row for each bound; the store finds which one it is.
#include "service/access/bounds.h"

enum { MIB_SHIFT = 20 };

typedef struct bound {
  const char *option, *things, *remedy;
} bound;

static const bound bounds[STORE_BOUND_COUNT] = {
    [STORE_KEPT_JOBS] = {"jobs-per-owner", "jobs, those of sweeps counted",
                         "delete jobs and sweeps that are not needed any more"},
    [STORE_KEPT_SWEEPS] = {"sweeps-per-owner", "sweeps", "delete sweeps that are not needed any more"},
    [STORE_KEPT_MODELS] = {"models-per-owner", "models",
                           "delete models that are not needed any more (jobs keep theirs)"},
    [STORE_KEPT_KEYS] = {"keys-per-owner", "idempotency keys",
                         "delete jobs that were submitted with one, or submit without"},
    [STORE_KEPT_BYTES] = {"documents-mib-per-owner", "MiB of documents and rows",
                          "delete jobs and models that are not needed any more"},
    [STORE_KEPT_REVISIONS] = {"revisions-per-model", "revisions of this model",
                              "delete the model (jobs keep theirs), or take another name"},
};

bool bounds_of(const service *s, store_keep *keep) {
  *keep = s->keep;
  return auth_required(s->auth);
}

bool bounds_fault(const store_keep *keep, const char *owner, fault *f) {
  const bound *b = &bounds[keep->beyond];
  bool in_mib = keep->beyond == STORE_KEPT_BYTES;
  int64_t would = keep->would, most = keep->most[keep->beyond];
  if (in_mib) would = (would + (1 << MIB_SHIFT) - 1) >> MIB_SHIFT, most >>= MIB_SHIFT;
  return fault_set(f, PROBLEM_QUOTA_EXCEEDED, NULL, "with this %s would keep %lld %s, and %lld are the most (%s): %s",
                   *owner ? owner : "nobody's things", (long long)would, b->things, (long long)most, b->option,
                   b->remedy);
}

// Whoever takes more of the disk than an equal part ends earlier than those who take less.
static bool is_greedy(const service *s, const char *owner, int64_t *bytes, int64_t *all) {
  int64_t owners = 0;
  if (store_holding_share(s->store, owner, bytes, all, &owners) != STORE_OK || owners < 2) return false;
  return *bytes > *all / owners;
}

bool bounds_disk(const service *s, const char *owner, size_t bytes, fault *f) {
  enum { SMALL = 64 << 10 };
  int64_t mine = 0, all = 0;
  if (!*owner || store_has_reserve(s->store, bytes)) return true;
  if (bytes > SMALL)
    return fault_set(f, PROBLEM_QUOTA_EXCEEDED, NULL,
                     "the disk is nearly full, and what is left of it is for documents of at most %d KiB (these have "
                     "%zu): delete jobs that are not needed any more",
                     SMALL >> 10, bytes >> 10);
  if (!is_greedy(s, owner, &mine, &all)) return true;
  return fault_set(
      f, PROBLEM_QUOTA_EXCEEDED, NULL,
      "the disk is nearly full, and \"%s\" takes more than an equal part of what is kept (%lld KiB): what is "
      "left is for others until jobs or models are deleted that are not needed any more",
      owner, (long long)(mine >> 10));
}
