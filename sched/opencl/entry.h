/* The part of OpenCL 1.2 that wadi calls, as the Khronos specification defines it: types, numbers and functions. The library is the
 * loader that finds the drivers of a machine's vendors, libOpenCL.so.1. It is loaded when first needed, so building and
 * installing wadi needs nothing of OpenCL. */
#ifndef WADI_SCHED_OPENCL_ENTRY_H
#define WADI_SCHED_OPENCL_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

#define WADI_OPENCL_LIBRARY "libOpenCL.so.1"

/* What the library makes. */
typedef struct wadi_opencl_a_platform *wadi_opencl_platform;
typedef struct wadi_opencl_a_device *wadi_opencl_device;
typedef struct wadi_opencl_a_context *wadi_opencl_context;
typedef struct wadi_opencl_a_queue *wadi_opencl_queue;
typedef struct wadi_opencl_a_buffer *wadi_opencl_buffer;
typedef struct wadi_opencl_a_program *wadi_opencl_program;
typedef struct wadi_opencl_a_kernel *wadi_opencl_kernel;
typedef struct wadi_opencl_an_event *wadi_opencl_event;

/* Codes of errors that are treated apart; codes.c has the names of all. */
enum {
    WADI_OPENCL_SUCCESS = 0,
    WADI_OPENCL_NO_DEVICE = -1,
    WADI_OPENCL_NO_BUFFER = -4,
    WADI_OPENCL_NO_RESOURCES = -5,
    WADI_OPENCL_NO_HOST_MEMORY = -6,
    WADI_OPENCL_BUILD_FAILED = -11,
    WADI_OPENCL_BUFFER_TOO_LARGE = -61,
    WADI_OPENCL_NO_PLATFORM = -1001,
};

/* What is asked of devices. The comment says the type of the answer. */
enum {
    WADI_OPENCL_TYPE = 0x1000,           /* uint64_t: bits */
    WADI_OPENCL_UNITS = 0x1002,          /* uint32_t */
    WADI_OPENCL_GROUP_SIZE = 0x1004,     /* size_t: work items of a group, at most */
    WADI_OPENCL_LARGEST = 0x1010,        /* uint64_t: bytes of a buffer, at most */
    WADI_OPENCL_ARGUMENTS = 0x1017,      /* size_t: bytes of a kernel's arguments, at most */
    WADI_OPENCL_SINGLE_CONFIG = 0x101b,  /* uint64_t: bits */
    WADI_OPENCL_MEMORY = 0x101f,         /* uint64_t: bytes */
    WADI_OPENCL_LITTLE_ENDIAN = 0x1026,  /* uint32_t: bool */
    WADI_OPENCL_AVAILABLE = 0x1027,      /* uint32_t: bool */
    WADI_OPENCL_HAS_COMPILER = 0x1028,   /* uint32_t: bool */
    WADI_OPENCL_NAME = 0x102b,           /* text */
    WADI_OPENCL_VENDOR = 0x102c,         /* text */
    WADI_OPENCL_DRIVER_VERSION = 0x102d, /* text */
    WADI_OPENCL_VERSION = 0x102f,        /* text: "OpenCL 1.2 .." */
    WADI_OPENCL_EXTENSIONS = 0x1030,     /* text: names, separated by blanks */
    WADI_OPENCL_C_VERSION = 0x103d,      /* text: "OpenCL C 1.2 .." */
};

#define WADI_OPENCL_ALL_DEVICES UINT64_C(0xffffffff)

enum {
    WADI_OPENCL_IS_CPU = 1 << 1,        /* of TYPE */
    WADI_OPENCL_ROUNDS_DIVIDE = 1 << 7, /* of SINGLE_CONFIG: / and sqrt are correctly rounded */
    WADI_OPENCL_READ_WRITE = 1,         /* of buffers */
    WADI_OPENCL_PROFILING = 2,          /* of queues */
    WADI_OPENCL_BUILD_LOG = 0x1183,     /* of programs: text */
    WADI_OPENCL_EVENT_STATUS = 0x11d3,  /* int32_t: 0 when complete, an error below */
    WADI_OPENCL_EVENT_BEGIN = 0x1282,   /* uint64_t: ns */
    WADI_OPENCL_EVENT_END = 0x1283,     /* uint64_t: ns */
};

/* X(returns, name without "cl", arguments): every function that wadi calls. */
#define WADI_OPENCL_FUNCTIONS(X)                                                               \
    X(int32_t, GetPlatformIDs, (uint32_t room, wadi_opencl_platform * out, uint32_t * n))      \
    X(int32_t, GetDeviceIDs,                                                                   \
      (wadi_opencl_platform platform, uint64_t type, uint32_t room, wadi_opencl_device * out,  \
       uint32_t * n))                                                                          \
    X(int32_t, GetDeviceInfo,                                                                  \
      (wadi_opencl_device device, uint32_t what, size_t room, void *out, size_t *size))        \
    X(wadi_opencl_context, CreateContext,                                                      \
      (const intptr_t *properties, uint32_t n, const wadi_opencl_device *devices,              \
       void (*notify)(const char *, const void *, size_t, void *), void *self, int32_t *code)) \
    X(wadi_opencl_queue, CreateCommandQueue,                                                   \
      (wadi_opencl_context context, wadi_opencl_device device, uint64_t properties,            \
       int32_t * code))                                                                        \
    X(int32_t, ReleaseCommandQueue, (wadi_opencl_queue queue))                                 \
    X(wadi_opencl_buffer, CreateBuffer,                                                        \
      (wadi_opencl_context context, uint64_t flags, size_t bytes, void *host, int32_t *code))  \
    X(int32_t, ReleaseMemObject, (wadi_opencl_buffer buffer))                                  \
    X(wadi_opencl_program, CreateProgramWithSource,                                            \
      (wadi_opencl_context context, uint32_t n, const char **texts, const size_t *lengths,     \
       int32_t *code))                                                                         \
    X(int32_t, BuildProgram,                                                                   \
      (wadi_opencl_program program, uint32_t n, const wadi_opencl_device *devices,             \
       const char *options, void (*notify)(wadi_opencl_program, void *), void *self))          \
    X(int32_t, GetProgramBuildInfo,                                                            \
      (wadi_opencl_program program, wadi_opencl_device device, uint32_t what, size_t room,     \
       void *out, size_t *size))                                                               \
    X(int32_t, ReleaseProgram, (wadi_opencl_program program))                                  \
    X(wadi_opencl_kernel, CreateKernel,                                                        \
      (wadi_opencl_program program, const char *name, int32_t *code))                          \
    X(int32_t, ReleaseKernel, (wadi_opencl_kernel kernel))                                     \
    X(int32_t, SetKernelArg,                                                                   \
      (wadi_opencl_kernel kernel, uint32_t index, size_t bytes, const void *value))            \
    X(int32_t, EnqueueNDRangeKernel,                                                           \
      (wadi_opencl_queue queue, wadi_opencl_kernel kernel, uint32_t dimensions,                \
       const size_t *first, const size_t *items, const size_t *group, uint32_t n,              \
       const wadi_opencl_event *after, wadi_opencl_event *out))                                \
    X(int32_t, EnqueueWriteBuffer,                                                             \
      (wadi_opencl_queue queue, wadi_opencl_buffer buffer, uint32_t blocking, size_t offset,   \
       size_t bytes, const void *from, uint32_t n, const wadi_opencl_event *after,             \
       wadi_opencl_event *out))                                                                \
    X(int32_t, EnqueueReadBuffer,                                                              \
      (wadi_opencl_queue queue, wadi_opencl_buffer buffer, uint32_t blocking, size_t offset,   \
       size_t bytes, void *to, uint32_t n, const wadi_opencl_event *after,                     \
       wadi_opencl_event *out))                                                                \
    X(int32_t, EnqueueCopyBuffer,                                                              \
      (wadi_opencl_queue queue, wadi_opencl_buffer from, wadi_opencl_buffer to,                \
       size_t from_offset, size_t to_offset, size_t bytes, uint32_t n,                         \
       const wadi_opencl_event *after, wadi_opencl_event *out))                                \
    X(int32_t, Flush, (wadi_opencl_queue queue))                                               \
    X(int32_t, Finish, (wadi_opencl_queue queue))                                              \
    X(int32_t, WaitForEvents, (uint32_t n, const wadi_opencl_event *events))                   \
    X(int32_t, GetEventInfo,                                                                   \
      (wadi_opencl_event event, uint32_t what, size_t room, void *out, size_t *size))          \
    X(int32_t, GetEventProfilingInfo,                                                          \
      (wadi_opencl_event event, uint32_t what, size_t room, void *out, size_t *size))          \
    X(int32_t, ReleaseEvent, (wadi_opencl_event event))

#define WADI_OPENCL_MEMBER(returns, name, arguments) returns(*name) arguments;
typedef struct wadi_opencl_entries {
    WADI_OPENCL_FUNCTIONS(WADI_OPENCL_MEMBER)
} wadi_opencl_entries;
#undef WADI_OPENCL_MEMBER

/* Loads the library `path` and finds all functions. It stays loaded until the process ends. Errors: WADI_UNSUPPORTED (it is not installed,
 * or lacks a function; the message names it). */
WADI_NODISCARD wadi_status wadi_opencl_entries_load(const char *path, wadi_opencl_entries *out,
                                                    wadi_error *err);

/* The name of an error code as the specification writes it; NULL: it has none. */
const char *wadi_opencl_code_name(int32_t code);

/* Fails for a call of the library. who: the device, "opencl:0"; call: "clFinish". The status is WADI_MEMORY if memory is what is missing, else
 * WADI_DEVICE. */
wadi_status wadi_opencl_failed(const char *who, const char *call, int32_t code, wadi_error *err);

#endif
