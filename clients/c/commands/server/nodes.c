// tendril nodes [list] | drain | resume: the servers that run the jobs of one database.
#include "base/table.h"
#include "commands/command.h"
#include <stddef.h>
#include <stdio.h>

static void slots_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%d", ((const tendril_node *)row)->slots);
}

static void running_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%lld", (long long)((const tendril_node *)row)->running);
}

static const table_column columns[] = {{"NAME", 24, .text = offsetof(tendril_node, name)},
                                       {"STATE", 8, .text = offsetof(tendril_node, state)},
                                       {"RUNNING", -7, .cell = running_cell},
                                       {"SLOTS", -5, .cell = slots_cell},
                                       {"CPU LEVEL", 10, .text = offsetof(tendril_node, cpu_level)},
                                       {"HEARD OF", 24, .text = offsetof(tendril_node, heartbeat_at)},
                                       {"HOST", 0, .text = offsetof(tendril_node, host)},
                                       {0}};

static bool print_row(void *t, const tendril_node *node, const char *json) { return table_print(t, node, json); }

static int list(session *s, const options *o) {
  (void)o;
  tendril_error err;
  table t = {.columns = columns, .json = s->json};
  if (tendril_node_list(s->client, print_row, &t, &err) != TENDRIL_OK) return report(&err);
  table_end(&t);
  return EXIT_OK;
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
                                        "for 12 s, its jobs are others'. RUNNING may be more than "
                                        "SLOTS: jobs whose results are being kept leave their slots to others.\n\n  "
                                        "tendril nodes list",
                                    .run = list};

const command command_nodes_drain = {.group = "nodes",
                                     .name = "drain",
                                     .arguments = "NAME",
                                     .summary = "let a node take no more jobs",
                                     .help = "By name or id. When this returns it takes no more. Jobs that it runs go "
                                             "on to their end; SIGTERM makes it hand "
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
