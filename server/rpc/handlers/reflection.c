// grpc.reflection.v1 and v1alpha: the same messages on the wire, answered with the descriptors that the server carries.
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "rpc/descriptors.h"
#include "rpc/methods.h"

#include <grpc/status.h>
#include <stdio.h>

typedef Grpc__Reflection__V1__ServerReflectionRequest request;
typedef Grpc__Reflection__V1__ServerReflectionResponse response;

// The file and all that it needs.
static void send_files(rpc_call *c, response *r, const descriptor_file *file) {
  Grpc__Reflection__V1__FileDescriptorResponse files = GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
  ProtobufCBinaryData bytes[DESCRIPTORS_MAX];
  bool marks[DESCRIPTORS_MAX] = {false};
  descriptor_mark(file, marks);
  bytes[files.n_file_descriptor_proto++].data = (uint8_t *)descriptor_bytes(file, &bytes[0].len); // the asked one first
  for (int i = 0; i < descriptors_count(); i++)
    if (marks[i] && descriptors_at(i) != file) {
      ProtobufCBinaryData *b = &bytes[files.n_file_descriptor_proto++];
      b->data = (uint8_t *)descriptor_bytes(descriptors_at(i), &b->len);
    }
  files.file_descriptor_proto = bytes;
  r->message_response_case =
      GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
  r->file_descriptor_response = &files;
  rpc_send(c, &r->base);
}

static void send_services(rpc_call *c, response *r) {
  enum { SERVICES_MAX = 32 };
  char names[SERVICES_MAX][128];
  Grpc__Reflection__V1__ServiceResponse services[SERVICES_MAX], *list[SERVICES_MAX];
  Grpc__Reflection__V1__ListServiceResponse all = GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
  for (; all.n_service < SERVICES_MAX && descriptors_service((int)all.n_service, names[all.n_service]);
       all.n_service++) {
    grpc__reflection__v1__service_response__init(&services[all.n_service]);
    services[all.n_service].name = names[all.n_service];
    list[all.n_service] = &services[all.n_service];
  }
  all.service = list;
  r->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
  r->list_services_response = &all;
  rpc_send(c, &r->base);
}

static void send_error(rpc_call *c, response *r, int code, const char *what) {
  char text[256];
  Grpc__Reflection__V1__ErrorResponse error = GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;
  snprintf(text, sizeof text, code == GRPC_STATUS_NOT_FOUND ? "there is no %.200s" : "%.200s", what);
  error.error_code = code;
  error.error_message = text;
  r->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
  r->error_response = &error;
  rpc_send(c, &r->base);
}

static void send_found(rpc_call *c, response *r, const descriptor_file *file, const char *what) {
  if (file)
    send_files(c, r, file);
  else
    send_error(c, r, GRPC_STATUS_NOT_FOUND, what);
}

void rpc_reflect(rpc_call *c, const ProtobufCMessage *message) {
  request *m = (request *)message; // of v1 or v1alpha: the same fields at the same places
  response r = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
  if (!m) {
    rpc_finish(c);
    return;
  }
  request copy = *m;
  copy.base.descriptor = &grpc__reflection__v1__server_reflection_request__descriptor;
  copy.base.n_unknown_fields = 0;
  r.valid_host = m->host;
  r.original_request = &copy;
  switch (m->message_request_case) {
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
    send_found(c, &r, descriptors_by_name(m->file_by_filename), m->file_by_filename);
    break;
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
    send_found(c, &r, descriptors_by_symbol(m->file_containing_symbol), m->file_containing_symbol);
    break;
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
    send_services(c, &r);
    break;
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
    copy.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST__NOT_SET;
    send_error(c, &r, GRPC_STATUS_NOT_FOUND, "extension: the contract has none");
    break;
  default:
    send_error(c, &r, GRPC_STATUS_INVALID_ARGUMENT, "the request asks for nothing");
  }
}
