// States of a job and the transitions between them: the one table that every change of state goes through.
//
//     queued -> running | cancelled
//     running -> queued (worker lost, server stopped) | succeeded | failed | cancelled
//
// Terminal states absorb.
#ifndef SERVER_STORE_STATES_H
#define SERVER_STORE_STATES_H

#include <stdbool.h>

typedef enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATE_COUNT } job_state;

/// "queued", …
const char *job_state_name(job_state state);
/// JOB_STATE_COUNT when unknown.
job_state job_state_find(const char *name);
bool job_state_terminal(job_state state);
bool job_transition_allowed(job_state from, job_state to);

#endif
