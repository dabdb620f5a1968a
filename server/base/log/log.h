// Logs: one JSON object per line on stderr. {"time", "level", "event", …fields}.
//
//   log_write(LOG_LEVEL_INFO, "request", LOG_S("method", "GET"), LOG_I("status", 200));
//
// A line is written by one write(2) that never waits, so lines of several threads never mix and a stderr that nobody
// reads holds up nothing (`lines_lost` tells how many it did not take). Values are escaped; a line longer than the
// buffer loses its last fields, never its syntax. What a thread works on (a request, a job) is its scope, and stands in
// every line that it writes.
#ifndef SERVER_BASE_LOG_LOG_H
#define SERVER_BASE_LOG_LOG_H

#include "base/id.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum log_level {
  LOG_LEVEL_DEBUG,
  LOG_LEVEL_INFO,
  LOG_LEVEL_WARNING,
  LOG_LEVEL_ERROR,
  LOG_LEVEL_COUNT
} log_level;

typedef struct log_field {
  const char *name;
  enum { LOG_STRING, LOG_INTEGER, LOG_NUMBER } type;
  const char *string;
  int64_t integer;
  double number;
} log_field;

#define LOG_S(field, value) ((log_field){.name = (field), .type = LOG_STRING, .string = (value)})
#define LOG_I(field, value) ((log_field){.name = (field), .type = LOG_INTEGER, .integer = (int64_t)(value)})
#define LOG_F(field, value) ((log_field){.name = (field), .type = LOG_NUMBER, .number = (value)})
#define log_write(level, event, ...)                                                                                   \
  log_fields((level), (event), (const log_field[]){__VA_ARGS__},                                                       \
             sizeof((const log_field[]){__VA_ARGS__}) / sizeof(log_field))

enum { LOG_REQUEST_ID_SIZE = 65 };
typedef struct log_scope {
  char request_id[LOG_REQUEST_ID_SIZE], job[ID_SIZE]; ///< "": none
} log_scope;
/// This thread works on `scope` from now on (NULL: on nothing in particular); returns what it was before.
log_scope log_enter(const log_scope *scope);
log_scope log_current(void);

/// What begins with this and goes on in so many hexadecimal digits is a token, or the start of one: never written,
/// wherever it turns up (a path, a quoted value).
#define LOG_SECRET "tendril_"
enum { LOG_SECRET_DIGITS = 16 };

void log_fields(log_level level, const char *event, const log_field *fields, unsigned long count);
/// Lines below `level` are dropped.
void log_set_level(log_level level);
const char *log_level_name(log_level level);
/// Lines go to the end of this file instead of stderr, which workers share: it is made when missing. Again with the
/// same name: it is opened anew, after somebody has moved it away. False with errno, and nothing changes.
bool log_to_file(const char *path);

#endif
