// `tendrild backup`, `tendrild restore`, `tendrild check`: a data folder as a whole, whether or not a server works in
// it.
#ifndef SERVER_FOLDER_COMMAND_H
#define SERVER_FOLDER_COMMAND_H

/// argv[0] is the command's name. @return the exit status: 0 done, 1 refused or damaged, 2 wrong usage
int backup_command(int argc, char **argv);
int restore_command(int argc, char **argv);
int check_command(int argc, char **argv);

#endif
