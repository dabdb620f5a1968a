// Identifiers that sort by time and cannot be guessed.
#ifndef SERVER_BASE_ID_H
#define SERVER_BASE_ID_H

enum { ID_SIZE = 27 };

/// 26 characters of Crockford's base 32, lower case: 48 bits of milliseconds, then 80 random bits (a ULID).
void id_make(char id[ID_SIZE]);

#endif
