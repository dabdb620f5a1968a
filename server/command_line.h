// What the commands of tendrild (token, backup, …) share: how their words are read, and how they say what they do and
// find.
#ifndef SERVER_COMMAND_LINE_H
#define SERVER_COMMAND_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { COMMAND_DONE = 0, COMMAND_REFUSED = 1, COMMAND_USAGE = 2 };

/// "--name VALUE" or "--name=VALUE" at argv[*i], which moves past it. False when it is another word, or the last.
bool command_flag(char **argv, int argc, int *i, const char *flag, const char **value);
/// Text for a terminal: what a damaged file has put in is no UTF-8, then bytes beyond ASCII, and control characters,
/// become "?".
void command_printable(char *text);
/// Once a second to standard error, on a terminal over the line before. total 0: nobody knows.
void command_progress(const char *what, int64_t done, int64_t total);
/// A line to standard output, made printable: what is wrong, and where.
void command_finding(const char *place, const char *what);
/// -h or --help among the words.
bool command_asks_for_help(int argc, char **argv);

#endif
