// The worker's two ways of life.
#ifndef SERVER_WORKER_SERVED_H
#define SERVER_WORKER_SERVED_H

/// Under a server: takes one job from the socket, answers with progress and the result, returns the exit code.
int worker_serve(int parent_pid, int memory_mb, int nice);
/// Alone: `tendril-worker --local MODEL JOB -o OUT`. 0 done, 1 the job failed or OUT cannot be written, 2 bad usage or
/// documents.
int worker_local(const char *model_path, const char *job_path, const char *out_path);

#endif
