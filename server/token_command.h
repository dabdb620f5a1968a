// tendrild token …: tokens of a data folder whose server is stopped.
#ifndef SERVER_TOKEN_COMMAND_H
#define SERVER_TOKEN_COMMAND_H

/// argv[0] is "token". Returns the exit status: 0 done, 1 refused (a name that is taken or unknown), 2 wrong usage or
/// folder.
int token_command(int argc, char **argv);
/// argv[0] is "adopt": gives the jobs and models of one owner to another, in a data folder whose server is stopped. As
/// above.
int adopt_command(int argc, char **argv);

#endif
