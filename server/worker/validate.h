// Documents judged without a server and without running them: what `tendril validate` prints.
#ifndef SERVER_WORKER_VALIDATE_H
#define SERVER_WORKER_VALIDATE_H

#include <stdbool.h>

/// `tendril-worker --validate [--json] FILE…`: checks model and job documents as a server does when they come in. 0 all
/// are good (warnings are no errors), 1 some are not, 2 a file cannot be read.
int worker_validate(int count, const char *const *paths, bool as_json);

#endif
