// A temporary file that nobody can find, and that goes with the last descriptor.
#ifndef TENDRIL_API_NAMELESS_FILE_H
#define TENDRIL_API_NAMELESS_FILE_H

/// Opens one to read and write, in `folder` (NULL: in TMPDIR, else /tmp). -1 with errno: there is no room, or no such
/// folder.
int nameless_file(const char *folder);

/// Where those without a folder are: TMPDIR, else /tmp.
const char *nameless_folder(void);

#endif
