// What a search found, in words and digits that fit a line.
#ifndef TENDRIL_CLIENT_FOUND_WORDS_H
#define TENDRIL_CLIENT_FOUND_WORDS_H

#include "tendril_client.h"
#include <stdio.h>

enum { FOUND_NAME = 64 };

/// What parameter i is called where there is little room: its name; where that is its path, the end of it that no other
/// has.
void found_name(const tendril_found *f, size_t i, char out[FOUND_NAME]);
/// A value with as many digits as its deviation leaves (NaN: five); "-" for NaN.
void found_number(char *out, size_t size, double value, double deviation);
/// The deviation of a fit, as far as the value's digits go; "held" (at its bound) or "anything" where there is none.
void found_deviation(char *out, size_t size, const tendril_parameter *p);
/// One sentence: how the search ended and what it is worth.
void found_verdict(const tendril_found *f, char *out, size_t size);
/// The whole table.
void found_print(FILE *to, const tendril_found *f);

#endif
