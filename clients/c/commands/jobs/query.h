// Which part of a result is asked for.
#ifndef TENDRIL_CLIENT_QUERY_H
#define TENDRIL_CLIENT_QUERY_H

#include "commands/command.h"

/// --fields, --from, --stride, --partial and the last time, whose option is called `until`. False after a line that says
/// what is wrong.
bool query_read(const options *o, const char *until, tendril_result_query *query);
/// Says what is odd about the run, which whoever fetches its numbers may not have seen. An answer that fails takes
/// nothing from them.
void query_tell_warnings(session *s, const char *id);

#endif
