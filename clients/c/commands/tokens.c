// tendril token create | list | delete: who may call the server. A new token is all that goes to stdout.
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <string.h>

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
                {"scope", 's', "SCOPE", "read, run or admin"},
                {"owner", 'o', "OWNER", "whose what it makes will be; whose things a read token looks at"}},
    .run = create};

typedef struct printing {
  const session *s;
  long rows;
} printing;

// When there is an answer only: a refusal has no table.
static void print_head(const printing *p) {
  if (!p->s->json && p->rows == 0) printf("%-28s %-6s %-26s %-16s %s\n", "ID", "SCOPE", "CREATED", "OWNER", "NAME");
}

static bool print_row(void *context, const tendril_token *token, const char *json) {
  printing *p = context;
  print_head(p);
  ++p->rows;
  if (p->s->json)
    printf("%s\n", json);
  else
    printf("%-28s %-6s %-26s %-16s %s\n", token->id, token->scope, token->created_at,
           *token->owner ? token->owner : "-", token->name);
  return !ferror(stdout);
}

static int list(session *s, const options *o) {
  (void)o;
  tendril_error err;
  printing p = {.s = s};
  if (tendril_token_list(s->client, print_row, &p, &err) != TENDRIL_OK) return report(&err);
  print_head(&p);
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
