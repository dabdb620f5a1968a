// Atomic sums. A take adds first and looks then, so two of them may refuse each other where one would have fitted: the
// caller is told to come again in any case.
#include "base/share/budget.h"

#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SMALL_PART = 8, BESIDES_PART = 2, FADE_PART = 32, PATH_SIZE = 1024, HEAPS_LEAST = 2, HEAPS_MOST = 16 };
static const uint64_t TRIM_BYTES = UINT64_C(32) << 20;

// Eighths of the budget that an account may have.
static const unsigned shares[BUDGET_ACCOUNT_COUNT] = {
    [BUDGET_BODIES] = 4,  [BUDGET_PARSING] = 4, [BUDGET_MODELS] = 3, [BUDGET_EVALUATIONS] = 5,
    [BUDGET_REPLIES] = 5, [BUDGET_CALLS] = 4,   [BUDGET_PARKED] = 2};

static _Atomic uint64_t budget, total, used[BUDGET_ACCOUNT_COUNT], refused[BUDGET_ACCOUNT_COUNT];
static _Atomic uint64_t besides, given, given_at_trim;
static _Atomic(budget_reclaim *) reclaim;
static void *_Atomic reclaim_context;

// By itself the allocator would soon keep blocks of up to 32 MiB in its arenas when they are freed.
void budget_set(uint64_t bytes) {
  atomic_store(&budget, bytes);
  atomic_store(&besides, 0);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (bytes > 0) mallopt(M_MMAP_THRESHOLD, BUDGET_SMALL_BYTES);
  if (bytes > 0) mallopt(M_ARENA_MAX, cores < HEAPS_LEAST ? HEAPS_LEAST : cores > HEAPS_MOST ? HEAPS_MOST : (int)cores);
}

uint64_t budget_bytes(void) { return atomic_load(&budget); }
uint64_t budget_used(budget_account a) { return atomic_load(&used[a]); }
uint64_t budget_refused(budget_account a) { return atomic_load(&refused[a]); }

void budget_on_full(budget_reclaim *function, void *context) {
  atomic_store(&reclaim_context, context);
  atomic_store(&reclaim, function);
}

static uint64_t share_of(budget_account a) {
  assert(a < BUDGET_ACCOUNT_COUNT && shares[a] > 0);
  return budget_bytes() / 8 * shares[a];
}

// What is left of an amount for takes that are not small.
static uint64_t without_reserve(uint64_t bytes) { return bytes - bytes / SMALL_PART; }

uint64_t budget_most(budget_account a) { return budget_bytes() ? without_reserve(share_of(a)) : UINT64_MAX; }

static bool take(budget_account a, uint64_t bytes) {
  bool is_small = bytes <= BUDGET_SMALL_BYTES;
  uint64_t all = budget_bytes(), share = share_of(a);
  uint64_t in_account = atomic_fetch_add(&used[a], bytes) + bytes;
  uint64_t in_all = atomic_fetch_add(&total, bytes) + bytes + atomic_load(&besides);
  if (all == 0) return true;
  if (in_account <= (is_small ? share : without_reserve(share)) && in_all <= (is_small ? all : without_reserve(all)))
    return true;
  atomic_fetch_sub(&used[a], bytes);
  atomic_fetch_sub(&total, bytes);
  return false;
}

bool budget_try(budget_account a, uint64_t bytes) { return bytes <= budget_most(a) && take(a, bytes); }

budget_answer budget_take(budget_account a, uint64_t bytes) {
  if (bytes > budget_most(a)) return atomic_fetch_add(&refused[a], 1), BUDGET_NEVER;
  if (take(a, bytes)) return BUDGET_TAKEN;
  budget_reclaim *function = atomic_load(&reclaim);
  if (function) function(atomic_load(&reclaim_context), bytes);
  if (function && take(a, bytes)) return BUDGET_TAKEN;
  atomic_fetch_add(&refused[a], 1);
  return BUDGET_FULL;
}

void budget_count(budget_account a, int64_t bytes) {
  if (bytes < 0) {
    budget_give(a, (uint64_t)-bytes);
    return;
  }
  atomic_fetch_add(&used[a], (uint64_t)bytes);
  atomic_fetch_add(&total, (uint64_t)bytes);
}

void budget_give(budget_account a, uint64_t bytes) {
  uint64_t before = atomic_fetch_sub(&used[a], bytes);
  assert(before >= bytes); // nobody gives back more than was taken
  (void)before;
  atomic_fetch_sub(&total, bytes);
  atomic_fetch_add(&given, bytes);
}

void budget_trim(void) {
  uint64_t now = atomic_load(&given);
  if (now - atomic_load(&given_at_trim) < TRIM_BYTES) return;
  atomic_store(&given_at_trim, now);
  malloc_trim(0);
}

// Resident bytes of this process; 0 when that cannot be read.
static uint64_t resident(void) {
  char line[128];
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, line, sizeof line - 1);
  close(fd);
  unsigned long long pages = 0;
  line[n > 0 ? n : 0] = '\0';
  return sscanf(line, "%*u %llu", &pages) == 1 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

// What was taken and has not been written to is counted and not resident, and hides as much of the rest: the largest
// look counts, and fades.
void budget_look(void) {
  uint64_t all = resident(), counted = atomic_load(&total) - atomic_load(&used[BUDGET_PARKED]),
           most = budget_bytes() / BESIDES_PART;
  uint64_t rest = all > counted ? all - counted : 0, before = atomic_load(&besides);
  uint64_t faded = before - before / FADE_PART;
  rest = rest > faded ? rest : faded;
  atomic_store(&besides, rest < most ? rest : most);
}

uint64_t budget_besides(void) { return atomic_load(&besides); }

// ------------------------------------------------------------------------------------------------------------- machine

static uint64_t read_number(const char *path) {
  unsigned long long bytes = 0;
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%llu", &bytes) != 1) bytes = 0; // "max"
  fclose(file);
  return bytes;
}

// The strictest limit from a group up to the root of its hierarchy.
static uint64_t strictest(const char *folder, const char *group, const char *name, uint64_t bytes) {
  char path[PATH_SIZE], at[PATH_SIZE];
  snprintf(at, sizeof at, "%s", group);
  for (;;) {
    if (snprintf(path, sizeof path, "%s%s/%s", folder, strcmp(at, "/") == 0 ? "" : at, name) < (int)sizeof path) {
      uint64_t limit = read_number(path);
      if (limit > 0 && limit < bytes) bytes = limit;
    }
    char *slash = strrchr(at, '/');
    if (!slash) return bytes;
    *slash = '\0';
  }
}

uint64_t budget_machine_bytes(const char *root) {
  char path[PATH_SIZE], line[PATH_SIZE], folder[PATH_SIZE];
  uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *groups = fopen(path, "re");
  while (groups && fgets(line, sizeof line, groups)) { // "0::/a/b", "4:memory:/a/b"
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    bool second = group == controllers + 1, memory = strncmp(controllers, ":memory:", 8) == 0;
    snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
    if (second || memory) bytes = strictest(folder, group + 1, second ? "memory.max" : "memory.limit_in_bytes", bytes);
  }
  if (groups) fclose(groups);
  return bytes;
}
