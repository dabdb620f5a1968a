// Which job an argument means.
#ifndef TENDRIL_CLIENT_JOB_IDS_H
#define TENDRIL_CLIENT_JOB_IDS_H

#include "commands/command.h"

/// The id that `text` is, or that it begins: at least four characters that no other job's id begins with. A whole id is
/// taken as it is; a part asks the server's list (the hours or seconds that the part leaves open).
/// @return EXIT_OK, or an exit status after a line that says why; of several candidates it names five
int job_id(session *s, const char *text, char id[TENDRIL_ID_SIZE]);

/// What the help of commands says of ids.
#define ID_HELP                                                                                                        \
  "An id may be cut: at least four characters that no other job's id begins with (ids begin with their time; ten "     \
  "\ncharacters nearly always do).\n"

#endif
