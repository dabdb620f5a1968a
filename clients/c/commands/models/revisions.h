// Which revision of a model an argument means.
#ifndef TENDRIL_CLIENT_REVISIONS_H
#define TENDRIL_CLIENT_REVISIONS_H

#include "commands/command.h"

enum { MODEL_REFERENCE = 160 };

/// "cdm" and "cdm@3" as they are; of "cdm@3f2a" the revision whose sha256 begins so (at least four hexadecimal digits,
/// not all decimal, since those are a number), for which the server's list of revisions is asked.
/// @return EXIT_OK, or an exit status after a line that says why; of several candidates it names five
int model_reference(session *s, const char *text, char out[MODEL_REFERENCE]);

#endif
