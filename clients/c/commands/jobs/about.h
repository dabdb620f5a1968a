// What is known of one job: for people a table, as the dashboard's «About».
#ifndef TENDRIL_CLIENT_JOB_ABOUT_H
#define TENDRIL_CLIENT_JOB_ABOUT_H

#include "commands/command.h"

/// Prints the job of the last reply, a line for each thing that there is to say.
void about_print(const session *s, const tendril_job *job);
/// Says on stderr where a job that has succeeded was short of a processor most of its time.
void about_say_busy(const session *s, const tendril_job *job);
/// Says how to fetch what a job has computed that has no whole result.
void about_say_partial(const session *s, const char *id);

#endif
