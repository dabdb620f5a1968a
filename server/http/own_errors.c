// «No other error body exists» must hold for requests that libmicrohttpd rejects itself, and it offers no hook for their
// bodies. It does queue them through its own public function, called through the dynamic symbol table, so this
// definition in the program takes precedence there (as a program's malloc does) and hands on to the library's.
// tests/integration/test_raw_http.py holds it to that: a library that called itself directly would fail it.
//
// Invariant: responses of ours always have a Content-Type or no body and a status below 400.
#include "http/own_errors.h"
#include "base/id.h"
#include "codec/problem.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef enum MHD_Result queue_function(struct MHD_Connection *, unsigned int, struct MHD_Response *);

static queue_function *library_function(void) {
  static queue_function *_Atomic found;
  if (!found) {
    void *symbol = dlsym(RTLD_NEXT, "MHD_queue_response");
    found = *(queue_function **)&symbol; // ISO C has no cast from object to function pointers
  }
  return found;
}

static const struct {
  unsigned status;
  problem_code code;
  const char *detail;
} own_errors[] = {
    {MHD_HTTP_BAD_REQUEST, PROBLEM_INVALID_ARGUMENT, "the request is not well-formed HTTP"},
    {MHD_HTTP_CONTENT_TOO_LARGE, PROBLEM_TOO_LARGE, "the request or its chunks are too large"},
    {MHD_HTTP_URI_TOO_LONG, PROBLEM_TOO_LARGE, "the address of the request is too long"},
    {MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, PROBLEM_TOO_LARGE, "the header section of the request is too long"},
    {MHD_HTTP_NOT_IMPLEMENTED, PROBLEM_INVALID_ARGUMENT, "the request uses a transfer coding that is not supported"},
    {MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED, PROBLEM_INVALID_ARGUMENT, "the request is not HTTP/1.1 or HTTP/1.0"},
    {0, PROBLEM_INTERNAL, "the request could not be handled"}, // the last row is for every other status
};

static struct MHD_Response *problem_response(unsigned *status) {
  size_t row = 0, size = 0;
  char request_id[ID_SIZE];
  while (own_errors[row].status != *status && own_errors[row].status != 0) row++;
  id_make(request_id);
  char *body = codec_problem_write(own_errors[row].code, own_errors[row].detail, NULL, request_id, &size);
  struct MHD_Response *response = body ? MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE) : NULL;
  if (!response) return free(body), NULL;
  *status = (unsigned)codec_problem_row(own_errors[row].code)->http;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/problem+json");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, "X-Request-Id", request_id);
  return response;
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status,
                                   struct MHD_Response *response) {
  bool ours = status < 400 || MHD_get_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE);
  struct MHD_Response *problem = ours ? NULL : problem_response(&status);
  enum MHD_Result result = library_function()(connection, status, problem ? problem : response);
  if (problem) MHD_destroy_response(problem);
  return result;
}
