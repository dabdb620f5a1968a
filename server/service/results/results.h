// What jobs have computed, as archives and as text, whole or in part.
#ifndef SERVER_SERVICE_RESULTS_H
#define SERVER_SERVICE_RESULTS_H

#include "codec/result/result.h"
#include "service/service.h"

typedef struct result_query { ///< as in the query string; NULL: absent
  const char *fields, *from, *to, *stride, *partial;
} result_query;

typedef struct result_file { ///< an archive
  int fd;                    ///< to be closed (results_close), or handed over
  int64_t size;
  char sha256[DIGEST_HEX_SIZE]; ///< of its bytes
  struct result_source *source; ///< of bytes that are not there yet (results_bring); NULL: all are
} result_file;

/// Opens the archive of a job that succeeded, checked against the size and checksum that were stored with the job. A
/// result that is missing or damaged is a fault (result_lost), and the job says so from then on.
/// With partial=1, of a job that has not succeeded (yet), the rows up to its last checkpoint, put together in an
/// unlinked file: the same bytes for the same checkpoint.
bool results_open(service *s, const auth_caller *who, const char *id, const result_query *query, result_file *file,
                  fault *f);
/// Bytes of it are about to be read: fetches those that are elsewhere, and checks them. It may wait for a database.
bool results_bring(result_file *file, int64_t first, int64_t count, fault *f);
/// Its descriptor, for what needs no more than is there; the caller closes it.
int results_hand_over(result_file *file);
void results_close(result_file *file);
/// What of it is wanted. `part` borrows from the query.
bool results_part(const result_query *query, codec_result_part *part, fault *f);
/// The strong ETag, with quotes, of that part in that form.
enum { RESULT_TAG_SIZE = DIGEST_HEX_SIZE + 2 };
void results_tag(const result_file *file, const result_query *query, media form, char tag[RESULT_TAG_SIZE]);
/// Puts an archive of the part, in an unlinked file, in the place of `file`, which is closed in any case.
bool results_cut(service *s, const codec_result_part *part, result_file *file, fault *f);
/// The part as text, MEDIA_JSON or MEDIA_CSV. Closes `file`. NULL with a fault.
codec_result *results_read(const codec_result_part *part, media form, result_file *file, fault *f);
/// That text in an unlinked file, of which ranges can be sent. Takes the result over.
bool results_spool(service *s, codec_result *result, result_file *file, fault *f);

#endif
