// What the user reads: errors and notes on stderr, one line each. Text that came from a server is made safe for a
// terminal.
#ifndef TENDRIL_CLIENT_SAY_H
#define TENDRIL_CLIENT_SAY_H

#include <stddef.h>

/// "tendril: …" on stderr.
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// "…" on stderr: what the program is doing.
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Copies text with control characters replaced by '?', so that no reply can send escape sequences to a terminal.
const char *say_safe(char *out, size_t size, const char *text);

/// Allocation that ends the program with a sentence when memory is exhausted; never returns NULL.
void *must_alloc(size_t size);
void *must_realloc(void *block, size_t size);
char *must_copy(const char *text);
/// A formatted string; the caller frees it.
char *must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
