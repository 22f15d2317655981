/* NVIDIA's driver library, libcuda.so.1, loaded when somebody first asks for it. What is declared here of its interface are facts of
 * NVIDIA's documentation of the CUDA driver API; a function is called as the library exports it, with the version at its name's end.
 *
 * WADI_CUDA_DRIVER names another file than libcuda.so.1: for tests, and for systems that have the library at an unusual place. */
#ifndef WADI_SCHED_CUDA_API_H
#define WADI_SCHED_CUDA_API_H

#include <stddef.h>

#include "wadi/status.h"

typedef int wadi_cu_result;
typedef int wadi_cu_device;
typedef unsigned long long wadi_cu_address;
typedef struct CUctx_st *wadi_cu_context;
typedef struct CUmod_st *wadi_cu_module;
typedef struct CUfunc_st *wadi_cu_function;
typedef struct CUstream_st *wadi_cu_stream;
typedef struct CUevent_st *wadi_cu_event;

/* The results that wadi tells apart; all but the first are errors. */
enum {
    WADI_CU_SUCCESS = 0,
    WADI_CU_OUT_OF_MEMORY = 2,
    WADI_CU_NO_DEVICE = 100,
    WADI_CU_NOT_FOUND = 500,
};

/* Attributes of devices, and what the attribute for the mode of computing says where programs may not compute. */
enum {
    WADI_CU_MULTIPROCESSORS = 16,
    WADI_CU_COMPUTE_MODE = 20,
    WADI_CU_MAJOR = 75,
    WADI_CU_MINOR = 76,
    WADI_CU_PROHIBITED = 2,
};

/* A stream that does not wait for the default stream of the process. */
enum { WADI_CU_NON_BLOCKING = 1 };
/* An event that only says whether it has come; and one that whoever waits for it sleeps until then. */
enum { WADI_CU_NO_TIMING = 2, WADI_CU_SLEEP = 1 };

/* X(member, exported name, parameters): every function that wadi calls. */
#define WADI_CU_CALLS(X)                                                                  \
    X(init, "cuInit", (unsigned flags))                                                   \
    X(version, "cuDriverGetVersion", (int *out))                                          \
    X(count, "cuDeviceGetCount", (int *out))                                              \
    X(device, "cuDeviceGet", (wadi_cu_device * out, int number))                          \
    X(name, "cuDeviceGetName", (char *out, int room, wadi_cu_device device))              \
    X(total, "cuDeviceTotalMem_v2", (size_t * out, wadi_cu_device device))                \
    X(attribute, "cuDeviceGetAttribute", (int *out, int which, wadi_cu_device device))    \
    X(retain, "cuDevicePrimaryCtxRetain", (wadi_cu_context * out, wadi_cu_device device)) \
    X(release, "cuDevicePrimaryCtxRelease_v2", (wadi_cu_device device))                   \
    X(push, "cuCtxPushCurrent_v2", (wadi_cu_context context))                             \
    X(pop, "cuCtxPopCurrent_v2", (wadi_cu_context * out))                                 \
    X(room, "cuMemGetInfo_v2", (size_t * out_free, size_t * out_total))                   \
    X(take, "cuMemAlloc_v2", (wadi_cu_address * out, size_t bytes))                       \
    X(give, "cuMemFree_v2", (wadi_cu_address address))                                    \
    X(take_host, "cuMemAllocHost_v2", (void **out, size_t bytes))                         \
    X(give_host, "cuMemFreeHost", (void *memory))                                         \
    X(put, "cuMemcpyHtoDAsync_v2",                                                        \
      (wadi_cu_address to, const void *from, size_t bytes, wadi_cu_stream stream))        \
    X(get, "cuMemcpyDtoHAsync_v2",                                                        \
      (void *to, wadi_cu_address from, size_t bytes, wadi_cu_stream stream))              \
    X(copy, "cuMemcpyDtoDAsync_v2",                                                       \
      (wadi_cu_address to, wadi_cu_address from, size_t bytes, wadi_cu_stream stream))    \
    X(begin_stream, "cuStreamCreate", (wadi_cu_stream * out, unsigned flags))             \
    X(end_stream, "cuStreamDestroy_v2", (wadi_cu_stream stream))                          \
    X(wait, "cuStreamSynchronize", (wadi_cu_stream stream))                               \
    X(begin_event, "cuEventCreate", (wadi_cu_event * out, unsigned flags))                \
    X(end_event, "cuEventDestroy_v2", (wadi_cu_event event))                              \
    X(record, "cuEventRecord", (wadi_cu_event event, wadi_cu_stream stream))              \
    X(wait_event, "cuStreamWaitEvent",                                                    \
      (wadi_cu_stream stream, wadi_cu_event event, unsigned flags))                       \
    X(reach_event, "cuEventSynchronize", (wadi_cu_event event))                           \
    X(load, "cuModuleLoadData", (wadi_cu_module * out, const void *image))                \
    X(unload, "cuModuleUnload", (wadi_cu_module module))                                  \
    X(function, "cuModuleGetFunction",                                                    \
      (wadi_cu_function * out, wadi_cu_module module, const char *name))                  \
    X(launch, "cuLaunchKernel",                                                           \
      (wadi_cu_function f, unsigned groups_x, unsigned groups_y, unsigned groups_z,       \
       unsigned lanes_x, unsigned lanes_y, unsigned lanes_z, unsigned shared_bytes,       \
       wadi_cu_stream stream, void **arguments, void **more))                             \
    X(fitting, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                             \
      (int *out, wadi_cu_function f, int lanes, size_t shared_bytes))                     \
    X(name_of, "cuGetErrorName", (wadi_cu_result result, const char **out))               \
    X(words_of, "cuGetErrorString", (wadi_cu_result result, const char **out))

/* The members are called as `wadi_cu->take(..)`. */
typedef struct wadi_cu_api {
#define X(member, name, parameters) wadi_cu_result(*member) parameters;
    WADI_CU_CALLS(X)
#undef X
} wadi_cu_api;

/* Loads the library at the first call; all calls tell the same. Thread-safe. Errors: WADI_UNSUPPORTED (it is not there, or it lacks
 * a function: the message has both names). */
WADI_NODISCARD wadi_status wadi_cu_open(const wadi_cu_api **out, wadi_error *err);

/* Records that `call` of the device `name` has failed, with the library's name and words for the result. Returns WADI_MEMORY if
 * the device is out of memory, else WADI_DEVICE; a device that is lost, with all its memory, is called that. */
wadi_status wadi_cu_fail(wadi_error *err, const char *name, const char *call,
                         wadi_cu_result result);
#endif
