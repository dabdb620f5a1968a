// Archives between the files of this room: results.c (parts), whole.c (of jobs that succeeded), and in unlinked files
// partial.c (of jobs that have not succeeded), sweep_result.c, room.c.
#ifndef SERVER_SERVICE_TEMPORARY_H
#define SERVER_SERVICE_TEMPORARY_H

#include "service/results/results.h"

/// False, with a fault, when a temporary file of about so many bytes would take the room of what is to be kept.
bool results_tmp_room(service *s, uint64_t bytes, fault *f);
/// The result of a job that succeeded. The job goes with the file where that is fetched later, and is empty then.
bool results_open_whole(service *s, store_job *job, result_file *file, fault *f);
/// The rows up to the last checkpoint of a job, as an archive in an unlinked file.
bool results_open_prefix(service *s, const store_job *job, result_file *file, fault *f);
/// What the jobs of a sweep have so far, stacked into an archive in an unlinked file.
bool results_open_sweep(service *s, const store_job *sweep, result_file *file, fault *f);

#endif
