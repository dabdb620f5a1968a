// How threads share processors.
#ifndef SERVER_BASE_THREAD_H
#define SERVER_BASE_THREAD_H

/// The calling thread answers others and never computes for long: when it wakes it goes before those that do. Threads
/// of a machine whose cores are all busy wait a few milliseconds at each waking otherwise, and an answer takes several.
/// No thread gets more of the processor in all by it; without Linux 6.12 nothing changes. Cheap to call again.
void thread_answers(void);

/// The calling thread computes: those that answer go before it, and get more of a processor that they share. Its
/// threads do the same. Cheap to call again.
void thread_computes(void);

/// The same, by so many steps of niceness, for a process whose work can wait, before it has threads.
void thread_works_behind(int steps);

#endif
