// The command line as data: every sub-command declares its options in a table, one parser reads them all.
#ifndef TENDRIL_CLIENT_OPTIONS_H
#define TENDRIL_CLIENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
  OPTION_LIMIT = 16,
  POSITIONAL_LIMIT = 256,
  GIVEN_LIMIT = 64, ///< options with a value on one command line
  EXIT_OK = 0,
  EXIT_FAILED = 1, ///< the job, the server's consent, or writing
  EXIT_USAGE = 2,
  EXIT_UNREACHABLE = 3,
  EXIT_INTERRUPTED = 130,
  EXIT_CLOSED = 141 ///< nobody reads the output any more: main ends by SIGPIPE
};

typedef struct option_row {
  const char *name;     ///< "output", written --output
  char letter;          ///< 'o' for -o, 0 for none
  const char *argument; ///< "FILE", or words to choose from, "npz|json|csv", as the help shows it; NULL for a switch
  const char *help;
} option_row;

typedef struct options {
  const option_row *rows;              ///< ends with a row without name
  const char *value[2 * OPTION_LIMIT]; ///< by row; a switch that was given holds ""
  const char *positional[POSITIONAL_LIMIT];
  int count; ///< of positionals
  struct {
    int row;
    const char *value;
  } given[GIVEN_LIMIT]; ///< options with a value, in their order
  int given_count;
} options;

/// Reads argv[0 … argc) against `rows`. Options and positionals may be mixed; after "--" everything is positional.
/// On error prints one line to stderr and returns false.
bool options_parse(options *out, const option_row *rows, int argc, char **argv);
/// Value number `n`, from 0, of an option that may be given several times; NULL behind the last.
const char *options_nth(const options *parsed, const char *name, int n);
/// The value of --name, the last one given; NULL when it was not given.
const char *options_get(const options *parsed, const char *name);
/// Whether the command knows --name.
bool options_has(const options *parsed, const char *name);
/// The value of --name as a whole number in [low, high], `otherwise` when not given; false (and a line) when it is
/// not one.
bool options_integer(const options *parsed, const char *name, long low, long high, long otherwise, long *value);
void options_print(FILE *to, const option_row *rows);

#endif
