// tendril nodes [list] | drain | resume: the servers that run the jobs of one database.
#include "commands/command.h"

#include <stdio.h>
#include <string.h>

typedef struct printing {
  const session *s;
  long rows;
} printing;

static void print_head(const printing *p) {
  if (!p->s->json && p->rows == 0)
    printf("%-24s %-9s %7s %6s %-12s %-24s %s\n", "NAME", "STATE", "RUNNING", "SLOTS", "CPU LEVEL", "HEARD OF", "HOST");
}

static bool print_row(void *context, const tendril_node *node, const char *json) {
  printing *p = context;
  print_head(p);
  ++p->rows;
  if (p->s->json)
    printf("%s\n", json);
  else
    printf("%-24s %-9s %7lld %6d %-12s %-24s %s\n", node->name, node->state, (long long)node->running, node->slots,
           node->cpu_level, node->heartbeat_at, node->host);
  return !ferror(stdout);
}

static int list(session *s, const options *o) {
  (void)o;
  tendril_error err;
  printing p = {.s = s};
  return tendril_node_list(s->client, print_row, &p, &err) == TENDRIL_OK ? EXIT_OK : report(&err);
}

static int set(session *s, const options *o, bool drains) {
  tendril_error err;
  tendril_node node;
  if (!name_check("a node's name or id", o->positional[0])) return EXIT_USAGE;
  if (tendril_node_drain(s->client, o->positional[0], drains, &node, &err) != TENDRIL_OK) return report(&err);
  if (s->json)
    print_reply(s);
  else
    printf("%s is %s, %lld of its jobs go on\n", node.name, node.state, (long long)node.running);
  return EXIT_OK;
}

static int drain(session *s, const options *o) { return set(s, o, true); }
static int resume(session *s, const options *o) { return set(s, o, false); }

const command command_nodes_list = {.group = "nodes",
                                    .name = "list",
                                    .arguments = "",
                                    .summary = "list the servers that run the jobs, and what each has",
                                    .help =
                                        "One line per node; with --json one JSON object per line. lost: not heard of "
                                        "for 12 s, its jobs are others'.\n\n  tendril nodes list",
                                    .run = list};

const command command_nodes_drain = {.group = "nodes",
                                     .name = "drain",
                                     .arguments = "NAME",
                                     .summary = "let a node take no more jobs",
                                     .help =
                                         "By name or id. Jobs that it runs go on to their end; SIGTERM makes it hand "
                                         "them on at their next\ncheckpoint instead. Needs an admin token where "
                                         "there are tokens.\n\n  tendril nodes drain lab-3",
                                     .least = 1,
                                     .most = 1,
                                     .run = drain};

const command command_nodes_resume = {.group = "nodes",
                                      .name = "resume",
                                      .arguments = "NAME",
                                      .summary = "let a node that was drained take jobs again",
                                      .help = "By name or id.\n\n  tendril nodes resume lab-3",
                                      .least = 1,
                                      .most = 1,
                                      .run = resume};
