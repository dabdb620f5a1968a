// The transition table of jobs. Every writer asks it before it changes a row.
#include "store/states.h"

#include <string.h>

static const struct {
  const char *name;
  unsigned next; // bit set of allowed successors
} states[JOB_STATE_COUNT] = {
    [JOB_QUEUED] = {"queued", 1u << JOB_RUNNING | 1u << JOB_CANCELLED},
    [JOB_RUNNING] = {"running", 1u << JOB_QUEUED | 1u << JOB_SUCCEEDED | 1u << JOB_FAILED | 1u << JOB_CANCELLED},
    [JOB_SUCCEEDED] = {"succeeded", 0},
    [JOB_FAILED] = {"failed", 0},
    [JOB_CANCELLED] = {"cancelled", 0},
};

const char *job_state_name(job_state state) { return state < JOB_STATE_COUNT ? states[state].name : "unknown"; }

job_state job_state_find(const char *name) {
  int i = 0;
  while (i < JOB_STATE_COUNT && strcmp(states[i].name, name) != 0) i++;
  return (job_state)i;
}

bool job_state_terminal(job_state state) { return states[state].next == 0; }

bool job_transition_allowed(job_state from, job_state to) { return (states[from].next & 1u << to) != 0; }
