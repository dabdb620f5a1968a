// Why a job does not run though it could, in words for its owner.
#ifndef SERVER_SERVICE_JOBS_WAITING_H
#define SERVER_SERVICE_JOBS_WAITING_H

#include "codec/view/job.h"
#include "service/service.h"

/// Fills view->waiting_for of the view's row. `most`: jobs before it that are counted at most, beyond it says "or more".
void jobs_tell_waiting(service *s, job_view *view, int most);

#endif
