// URLs of databases, whose passwords are printed nowhere.
#ifndef SERVER_BASE_URL_H
#define SERVER_BASE_URL_H

#include <stdbool.h>
#include <stddef.h>

#define URL_EXPECTED "not a URL of a PostgreSQL database: postgresql://user@host/database"
/// True for postgresql://… and postgres://…, as libpq knows them: in small letters.
bool url_of_database(const char *text);
/// What may be shown of a text that was to be a URL, but is none: less than a password may stand in.
void url_mistaken(const char *text, char *out, size_t size);
/// True when a URL has a password: user:PASSWORD@host, or password=… (sslpassword=…) among its parameters.
bool url_has_password(const char *url);
/// The URL without it.
void url_without_password(const char *url, char *out, size_t size);
/// Takes out of a message about a URL with a password what stands between quotes, which may be a piece of it: all but its
/// user, host, port and database, and folders of sockets.
void url_blank_quotes(char *message, const char *url);

#endif
