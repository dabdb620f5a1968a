// Where `-o` writes: one meaning of a path for every program of the project (`tendril`, its library, `tendril-worker
// --local`).
//
//     a regular file, or nothing there    written beside and renamed when it is whole
//     a symlink                           followed: what it leads to is replaced, where it dangles it is made
//     a FIFO, a device                    opened and written; never renamed over, never deleted
//     -, /dev/stdout, /dev/fd/N           the descriptor as it stands, wherever it leads
//
// Whoever writes gets a descriptor that can be read back, truncated and written at any place. What goes to a FIFO, a
// device or a descriptor is gathered in a nameless temporary file, so there, too, comes the whole or nothing.
#ifndef TENDRIL_API_OUTPUT_FILE_H
#define TENDRIL_API_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum output_trouble {
  OUTPUT_FAILED,  ///< it cannot be written
  OUTPUT_CLOSED,  ///< whoever read the pipe has gone
  OUTPUT_TERMINAL ///< binary, and a person would read it
} output_trouble;

typedef struct output_error {
  output_trouble trouble;
  char text[640]; ///< a sentence with the path
} output_error;

typedef struct output_file {
  int fd;              ///< to write to; -1: not open
  int direct;          ///< of the FIFO, device or descriptor that gets it in the end; -1: it is renamed
  char *path;          ///< as it was given
  char *target, *part; ///< names of the file and of what is written beside it; NULL when direct
} output_file;

/// Opens the place; a FIFO waits for its reader. `binary`: terminals are refused. False after filling *err, nothing
/// to release.
bool output_file_open(output_file *file, const char *path, bool binary, output_error *err);
/// Appends to what is there.
bool output_file_write(output_file *file, const void *bytes, size_t size, output_error *err);
/// Forgets everything that was written.
bool output_file_restart(output_file *file, output_error *err);
/// Gives the file its name, or sends it where it belongs. Closes it whatever comes; a file that failed leaves nothing
/// behind.
bool output_file_commit(output_file *file, output_error *err);
/// Closes it and takes away what was written; does nothing after a commit.
void output_file_discard(output_file *file);

/// Whether output_file_open would succeed, for who wants to know before hours of work. Waits for nobody, leaves
/// nothing behind.
bool output_file_check(const char *path, bool binary, output_error *err);
/// Whether the path names a regular file, existing or to be made, so that its extension means something.
bool output_file_is_regular(const char *path);
/// Whether the path names standard output, which then belongs to the bytes alone.
bool output_file_is_stdout(const char *path);

#endif
