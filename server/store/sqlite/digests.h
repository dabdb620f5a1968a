// What the digests of rows are of, in SQL (database/row_digest.c).
#ifndef SERVER_STORE_SQLITE_DIGESTS_H
#define SERVER_STORE_SQLITE_DIGESTS_H

#define STORE_JOB_DIGEST(owner)                                                                                        \
  "row_digest(id, kind, priority, model_name, model_revision, model_sha256, document, document_base, labels, "         \
  "retry_of, " owner ")"
#define STORE_KEY_DIGEST(owner) "row_digest(" owner ", key, sha256, job)"
#define STORE_TOKEN_DIGEST(deleted) "row_digest(id, name, scope, sha256, created_ms, " deleted ", owner)"
#define STORE_EVENT_DIGEST "row_digest(e.job, e.seq, e.time_ms, e.attempt, e.type, e.data)"

#endif
