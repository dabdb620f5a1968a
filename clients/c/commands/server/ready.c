// tendril ready: does the server serve, and would it keep what it is given? For scripts, containers and monitors.
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>

static int ready(session *s, const options *o) {
  tendril_error err;
  (void)o;
  if (tendril_get(s->client, "/readyz", &err) != TENDRIL_OK) return report(&err);
  if (s->json)
    print_reply(s);
  else
    printf("%s is ready\n", tendril_url(s->client));
  return EXIT_OK;
}

const command command_ready = {
    .name = "ready",
    .arguments = "",
    .summary = "ask the server whether it is ready",
    .help =
        "Exit status 0 when it is, 1 with the reason when it is not (it is stopping, its disk failed, its database is "
        "damaged),\n3 when nobody answers. Needs no token.\n\n"
        "  tendril ready\n  until tendril ready; do sleep 1; done",
    .run = ready};
