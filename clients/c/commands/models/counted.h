// What a model has, in one line.
#ifndef TENDRIL_CLIENT_COUNTED_H
#define TENDRIL_CLIENT_COUNTED_H

#include "commands/command.h"

/// "14 coordinates, 2 input channels: pan, lift": names from the last reply, as many as are read in a line.
void print_counted(const session *s, const tendril_model *model);

#endif
