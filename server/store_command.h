// tendrild store …: migrate, copy, check.
#ifndef SERVER_STORE_COMMAND_H
#define SERVER_STORE_COMMAND_H

/// argv[0] is "store". Returns the status that the program ends with.
int store_command(int argc, char **argv);

#endif
