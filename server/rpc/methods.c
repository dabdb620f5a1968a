// The rows of the lines in methods.h.
#include "rpc/methods.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
#include "tendril/v1/dynamics.pb-c.h"
#include "tendril/v1/jobs.pb-c.h"
#include "tendril/v1/models.pb-c.h"

const rpc_method rpc_methods[] = {
#define LINE(path, ID, request, name, flags, is_short, end)                                                            \
  {path, &operations[OPERATION_##ID], &request##__descriptor, rpc_##name, flags, is_short, end},
    RPC_METHODS(LINE)
#undef LINE
};
const int rpc_method_count = sizeof rpc_methods / sizeof *rpc_methods;
