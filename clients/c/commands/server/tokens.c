// tendril token create | list | delete: who may call the server. A new token is all that goes to stdout.
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include <stddef.h>
#include <stdio.h>

static int create(session *s, const options *o) {
  tendril_token token;
  tendril_error err;
  const char *name = options_get(o, "name"), *scope = options_get(o, "scope"), *owner = options_get(o, "owner");
  if (!name || !scope) return say_error("create needs --name NAME and --scope read, run or admin"), EXIT_USAGE;
  if (!name_check("a token's name", name) || (owner && !name_check("an owner's name", owner))) return EXIT_USAGE;
  if (tendril_token_create_for(s->client, name, scope, owner, &token, &err) != TENDRIL_OK) return report(&err);
  if (s->json)
    print_reply(s);
  else {
    printf("%s\n", token.token);
    say_note("token \"%s\" (%s) made; it is shown this once", token.name, token.scope);
  }
  return EXIT_OK;
}

const command command_token_create = {
    .group = "token",
    .name = "create",
    .arguments = "",
    .summary = "make a token and print it",
    .help =
        "Needs an admin token in TENDRIL_TOKEN; the first one is made by `tendrild token create` while the server is\n"
        "stopped. The token is kept nowhere, so keep it yourself. read looks; run also evaluates, submits and "
        "changes;\n"
        "admin also makes and deletes tokens. What a token makes belongs to its owner, which is its name unless "
        "--owner\n"
        "says otherwise; run sees its owner's jobs and models, admin everybody's, read everybody's or --owner's.\n\n"
        "  tendril token create --name laptop --scope run > laptop.token\n"
        "  TENDRIL_TOKEN=$(cat laptop.token) tendril jobs list",
    .options = {{"name", 'n', "NAME", "what to call it, like no other token"},
                {"scope", 's', "read|run|admin", "what it may do"},
                {"owner", 'o', "OWNER", "whose what it makes will be; whose things a read token looks at"}},
    .run = create};

static const table_column columns[] = {{"ID", 26, .text = offsetof(tendril_token, id)},
                                       {"SCOPE", 5, .text = offsetof(tendril_token, scope)},
                                       {"CREATED", 24, .text = offsetof(tendril_token, created_at)},
                                       {"OWNER", 16, .text = offsetof(tendril_token, owner)},
                                       {"NAME", 0, .text = offsetof(tendril_token, name)},
                                       {0}};

static bool print_row(void *t, const tendril_token *token, const char *json) { return table_print(t, token, json); }

static int list(session *s, const options *o) {
  (void)o;
  tendril_error err;
  table t = {.columns = columns, .json = s->json};
  if (tendril_token_list(s->client, print_row, &t, &err) != TENDRIL_OK) return report(&err);
  table_end(&t);
  return EXIT_OK;
}

const command command_token_list = {.group = "token",
                                    .name = "list",
                                    .arguments = "",
                                    .summary = "list the tokens of the server, without their secrets",
                                    .help = "One line per token; with --json one JSON object per line. Needs an admin "
                                            "token.\n\n  tendril token list --json | jq -r .name",
                                    .run = list};

static int delete (session *s, const options *o) {
  tendril_error err;
  if (!name_check("a token's name or id", o->positional[0])) return EXIT_USAGE;
  tendril_status (*remove)(tendril_client *, const char *, tendril_error *) =
      options_get(o, "force") ? tendril_token_delete_by_force : tendril_token_delete;
  if (remove(s->client, o->positional[0], &err) != TENDRIL_OK) return report(&err);
  if (!s->json) printf("%s deleted\n", o->positional[0]);
  return EXIT_OK;
}

const command command_token_delete = {.group = "token",
                                      .name = "delete",
                                      .arguments = "NAME",
                                      .summary = "delete a token; the server no longer accepts it",
                                      .help = "By name or id. Needs an admin token. The last admin token needs "
                                              "--force: once it is gone, new\n"
                                              "tokens are made with `tendrild token create` while the server is "
                                              "stopped.\n\n  tendril token delete laptop",
                                      .options = {{"force", 0, NULL, "even if it is the last admin token"}},
                                      .least = 1,
                                      .most = 1,
                                      .run = delete};
