// The server as a whole: owns every part, starts them in order, stops them in reverse.
#ifndef SERVER_APP_H
#define SERVER_APP_H

#include "base/config.h"

typedef struct app app;

enum { APP_MESSAGE_SIZE = 512 };

/// NULL with one sentence in `message`; *exit_code is then 2 for bad configuration, 1 otherwise.
app *app_start(const config *c, char message[APP_MESSAGE_SIZE], int *exit_code);
/// Seconds since it had a job last.
double app_idle_s(const app *a);
/// "127.0.0.1:41213"; NULL: not served.
const char *app_http_address(const app *a);
/// HTTPS.
bool app_is_encrypted(const app *a);
/// The same for gRPC; NULL when it is not served.
const char *app_grpc_address(const app *a);
/// SIGHUP: opens the log's file anew, and takes the certificate and key that their files hold now. What is wrong with
/// them is logged, and the old ones stay.
void app_reload(app *a, const config *c);
/// New work is refused from here on; running jobs are queued again, replies in progress are finished, the store closed.
void app_stop(app *a);

#endif
