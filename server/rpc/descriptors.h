// The contract as it is compiled into the server: files of api/, their services and symbols.
#ifndef SERVER_RPC_DESCRIPTORS_H
#define SERVER_RPC_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

enum { DESCRIPTORS_MAX = 16 };

typedef struct descriptor_file descriptor_file;

/// Files in the order of their dependencies.
int descriptors_count(void);
const descriptor_file *descriptors_at(int i);
/// By the name of the file ("tendril/v1/jobs.proto"), or by a symbol in it ("tendril.v1.Jobs.Watch"). NULL: unknown.
const descriptor_file *descriptors_by_name(const char *name);
const descriptor_file *descriptors_by_symbol(const char *symbol);
/// The bytes of its FileDescriptorProto.
const void *descriptor_bytes(const descriptor_file *file, size_t *size);
/// Marks a file and all that it needs.
void descriptor_mark(const descriptor_file *file, bool marks[DESCRIPTORS_MAX]);

/// Full names of all services. False when `i` is beyond the last.
bool descriptors_service(int i, char name[128]);
bool descriptors_has_service(const char *name);

#endif
