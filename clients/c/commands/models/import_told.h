// What a server says of an import, as one reads it at a terminal: FILE:LINE first, options where the request has keys.
#ifndef TENDRIL_CLIENT_IMPORT_TOLD_H
#define TENDRIL_CLIENT_IMPORT_TOLD_H

#include "commands/command.h"

/// A line for each remark: the first place that it is about, which others, and what became of it.
void import_say_remarks(const char *path, const json_t *remarks);
/// Why an import was refused; the exit status for it.
int import_report(const tendril_error *err, const options *o);

#endif
