// tendril completion: a script for bash or zsh that completes commands, options and their words. Everything in it comes
// from the table of commands, so a new command or option needs nothing here. Files are completed by the shell, ids of jobs
// and names by asking the server that TENDRIL_URL names, for two seconds at most.
#include "base/say.h"
#include "commands/command.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Words to choose from, "npz|json|csv", with blanks instead; "" where it names anything else, as "ID|RESULT.npz".
static const char *choices(const char *argument, char out[128]) {
  bool words = argument && strchr(argument, '|') && islower((unsigned char)*argument);
  snprintf(out, 128, "%s", words ? argument : "");
  for (char *at = out; *at; ++at)
    if (*at == '|') *at = ' ';
  return out;
}

// The list whose first column has what a command is about, "jobs list"; "" where that is a file, or nothing.
static const char *asked(const command *c, char out[64]) {
  const char *a = c->arguments;
  bool job = strstr(a, "ID") != NULL, model = strncmp(a, "MODEL ", 6) == 0, name = strstr(a, "NAME") != NULL;
  snprintf(out, 64, "%s", job ? "jobs list" : model ? "models list" : name && !c->group ? c->name : "");
  if (name && c->group) snprintf(out, 64, "%s list", c->group);
  return out;
}

static bool takes_file(const command *c) { return strchr(c->arguments, '.') != NULL; }

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

// Whether command i is the first of its group, so that each group is told once.
static bool begins_group(const command *const *list, int i) {
  for (int k = 0; k < i; ++k)
    if (same(list[k]->group, list[i]->group)) return false;
  return list[i]->group != NULL;
}

// "models | jobs | token": a pattern of the shell.
static void print_groups(const command *const *list) {
  const char *between = "";
  for (int i = 0; list[i]; ++i)
    if (begins_group(list, i)) printf("%s%s", between, list[i]->group), between = " | ";
}

// ------------------------------------------------------------------------------------------------ bash

static void bash_group(const command *const *list, const char *group) {
  printf("  '%s') words='", group);
  for (int i = 0; list[i]; ++i)
    if (same(list[i]->group, group)) printf("%s ", list[i]->name);
  printf("--help' ;;\n");
}

static void bash_first_words(const command *const *list) {
  printf("  '') words='");
  for (int i = 0; list[i]; ++i) {
    if (begins_group(list, i)) printf("%s ", list[i]->group);
    if (!list[i]->group) printf("%s ", list[i]->name);
  }
  printf("help --help --version' ;;\n");
}

static void bash_option_names(const option_row *rows) {
  for (const option_row *row = rows; row->name; ++row) {
    printf(" --%s", row->name);
    if (row->letter) printf(" -%c", row->letter);
  }
}

// What follows an option that takes a value: its words, else files.
static void bash_option_values(const option_row *rows) {
  for (const option_row *row = rows; row->name; ++row) {
    char words[128];
    if (!row->argument) continue;
    printf("    --%s", row->name);
    if (row->letter) printf(" | -%c", row->letter);
    printf(") options= asked= words='%s' ;;\n", choices(row->argument, words));
  }
}

static void bash_command(const session *s, const command *c) {
  char words[128], list[64];
  printf("  '%s%s%s')\n    words='%s' asked='%s' files='%s' options='", c->group ? c->group : "", c->group ? " " : "",
         c->name, choices(c->arguments, words), asked(c, list), takes_file(c) ? "yes" : "");
  bash_option_names(c->options);
  bash_option_names(s->common);
  printf("'\n    case $prev in\n");
  bash_option_values(c->options);
  bash_option_values(s->common);
  printf("    esac ;;\n");
}

static void print_bash(const session *s) {
  printf("# Completion of tendril for bash, made by `tendril completion bash`.\n"
         "_tendril() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path= words= options= asked= files= "
         "i word\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case $word in\n"
         "    -u | --url) ((i++)); continue ;;\n"
         "    -* | help) continue ;;\n"
         "    esac\n"
         "    path=${path:+$path }$word\n"
         "    case $path in\n    ");
  print_groups(s->commands);
  printf(") ;;\n    *) break ;;\n    esac\n  done\n  case $path in\n");
  bash_first_words(s->commands);
  for (int i = 0; s->commands[i]; ++i)
    if (begins_group(s->commands, i)) bash_group(s->commands, s->commands[i]->group);
  for (int i = 0; s->commands[i]; ++i) bash_command(s, s->commands[i]);
  printf("  esac\n"
         "  if [[ $cur == -* ]]; then\n    words=\"$words $options\" asked=\n  fi\n"
         "  if [[ $asked ]]; then\n"
         "    words=$(timeout 2 \"${COMP_WORDS[0]}\" $asked 2> /dev/null | awk 'NR > 1 && $1 ~ "
         "/^[A-Za-z0-9][A-Za-z0-9_.-]*$/ { print $1 }')\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  if [[ $asked && $files ]]; then\n"
         "    compopt -o filenames 2> /dev/null\n"
         "    COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o bashdefault -o default -F _tendril tendril\n");
}

// ------------------------------------------------------------------------------------------------ zsh

// Inside of '…' and of a description, where colons and brackets mean something.
static void zsh_text(const char *text) {
  for (; *text; ++text) {
    if (strchr(":[]\\", *text)) putchar('\\');
    if (*text == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*text);
  }
}

static void zsh_entry(const char *name, const char *text) {
  printf("      '%s:", name);
  zsh_text(text);
  printf("'\n");
}

// Words, or files.
static void zsh_values(const char *argument) {
  char words[128];
  if (*choices(argument, words))
    printf(":(%s)", words);
  else
    printf(":_files");
}

static void zsh_options(const option_row *rows) {
  for (const option_row *row = rows; row->name; ++row) {
    printf(" \\\n      ");
    if (row->letter)
      printf("'(-%c --%s)'{-%c,--%s}", row->letter, row->name, row->letter, row->name);
    else
      printf("--%s", row->name);
    printf("'[");
    zsh_text(row->help);
    printf("]");
    if (row->argument) putchar(':'), zsh_text(row->argument), zsh_values(row->argument);
    printf("'");
  }
}

static void zsh_first_words(const command *const *list) {
  printf("  '')\n    list=(\n");
  for (int i = 0; list[i]; ++i) {
    char text[96];
    snprintf(text, sizeof text, "commands about %s", list[i]->group ? list[i]->group : "");
    if (begins_group(list, i)) zsh_entry(list[i]->group, text);
    if (!list[i]->group) zsh_entry(list[i]->name, list[i]->summary);
  }
  zsh_entry("help", "explain a command");
  printf("    )\n    _describe command list ;;\n");
}

static void zsh_group(const command *const *list, const char *group) {
  printf("  '%s')\n    list=(\n", group);
  for (int i = 0; list[i]; ++i)
    if (same(list[i]->group, group)) zsh_entry(list[i]->name, list[i]->summary);
  printf("    )\n    _describe command list ;;\n");
}

static void zsh_command(const session *s, const command *c) {
  char list[64];
  printf("  '%s%s%s')\n    _arguments -s", c->group ? c->group : "", c->group ? " " : "", c->name);
  zsh_options(c->options);
  zsh_options(s->common);
  printf(" \\\n      '*: ");
  if (*asked(c, list))
    printf(":{_tendril_names %s%s}", list, takes_file(c) ? "; _files" : "");
  else
    zsh_values(c->arguments);
  printf("' ;;\n");
}

static void print_zsh(const session *s) {
  printf("#compdef tendril\n"
         "# Completion of tendril for zsh, made by `tendril completion zsh`.\n"
         "_tendril_names() {\n"
         "  compadd -- ${(f)\"$(timeout 2 tendril $@ 2> /dev/null | awk 'NR > 1 && $1 ~ /^[A-Za-z0-9][A-Za-z0-9_.-]*$/ "
         "{ print $1 }')\"}\n"
         "}\n"
         "_tendril() {\n"
         "  local chosen= word\n  local -a list\n  integer i\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    word=$words[i]\n"
         "    case $word in\n"
         "    -u | --url) ((i++)); continue ;;\n"
         "    -* | help) continue ;;\n"
         "    esac\n"
         "    chosen=${chosen:+$chosen }$word\n"
         "    case $chosen in\n    ");
  print_groups(s->commands);
  printf(") ;;\n    *) break ;;\n    esac\n  done\n"
         "  (( i < CURRENT )) && { shift $(( i - 1 )) words; (( CURRENT -= i - 1 )) }\n"
         "  case $chosen in\n");
  zsh_first_words(s->commands);
  for (int i = 0; s->commands[i]; ++i)
    if (begins_group(s->commands, i)) zsh_group(s->commands, s->commands[i]->group);
  for (int i = 0; s->commands[i]; ++i) zsh_command(s, s->commands[i]);
  printf("  esac\n}\n"
         "if [[ $funcstack[1] == _tendril ]]; then _tendril \"$@\"; else compdef _tendril tendril; fi\n");
}

// ------------------------------------------------------------------------------------------------ command

static int run(session *s, const options *o) {
  const char *shell = o->positional[0];
  if (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
    return say_error("there are scripts for bash and zsh, not for '%s'", shell), EXIT_USAGE;
  if (*shell == 'b')
    print_bash(s);
  else
    print_zsh(s);
  return EXIT_OK;
}

const command command_completion = {
    .name = "completion",
    .arguments = "bash|zsh",
    .summary = "print a script that completes commands and options in your shell",
    .help = "The Debian package installs both. Otherwise, for this shell, or in ~/.bashrc or ~/.zshrc (after "
            "compinit) for every one:\n\n"
            "  source <(tendril completion bash)\n  source <(tendril completion zsh)\n\n"
            "Ids of jobs and names are those of the server that TENDRIL_URL names.\n\n"
            "To keep it as a file:\n\n"
            "  tendril completion bash > ~/.local/share/bash-completion/completions/tendril",
    .least = 1,
    .most = 1,
    .offline = true,
    .run = run};
