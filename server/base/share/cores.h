// How many cores this process may use.
#ifndef SERVER_BASE_SHARE_CORES_H
#define SERVER_BASE_SHARE_CORES_H

/// Those that it may run on (taskset, a cpuset), and no more than its control group has time of (a container's CPU
/// limit), rounded up; 1 at least. As it was when this was first asked.
int cores_here(void);
/// The time that control groups allow, in cores; INFINITY: no bound. `groups`: what /proc/self/cgroup says, `mount`:
/// where the groups' files are (/sys/fs/cgroup). Of both versions of groups, at every level above the process.
double cores_of_groups(const char *groups, const char *mount);

#endif
