/* The library of OpenCL, whose calls fail when they are told to: every call goes on to libOpenCL.so.1, and those that WADI_OPENCL_DOUBLE names fail
 * instead (settings.h: "fail=clFinish:3:-5", "lost=200", "hang=clFinish:2"). A device that is lost stays so: all that uses it fails. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/devices/doubles/settings.h"

enum { OUT_OF_RESOURCES = -5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static int is_lost;

/* The code that a call fails with; 0: it goes on. */
static int code_of(const char *name) {
    int lost = 0;
    pthread_mutex_lock(&lock);
    if (library == NULL) {
        settings_take(getenv("WADI_OPENCL_DOUBLE"));
        library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    }
    const int code = settings_call(name, &lost), hangs = settings_hangs(name);
    is_lost |= lost;
    const int fails = code != 0 ? code : is_lost || library == NULL ? OUT_OF_RESOURCES : 0;
    pthread_mutex_unlock(&lock);
    while (hangs) (void)pause();
    return fails;
}

/* A function that gives its code: parameters, then their names. */
#define TOLD(name, parameters, names)                                                              \
    __attribute__((visibility("default"))) int32_t name parameters;                                \
    int32_t name parameters {                                                                      \
        const int code = code_of(#name);                                                           \
        if (code != 0) return code;                                                                \
        int32_t(*const real) parameters = (int32_t(*) parameters)(uintptr_t)dlsym(library, #name); \
        return real names;                                                                         \
    }
/* One that makes something, whose last parameter is where its code goes. */
#define MAKING(name, parameters, names)                                                        \
    __attribute__((visibility("default"))) void *name parameters;                              \
    void *name parameters {                                                                    \
        const int failing = code_of(#name);                                                    \
        if (failing != 0) {                                                                    \
            if (code != NULL) *code = failing;                                                 \
            return NULL;                                                                       \
        }                                                                                      \
        void *(*const real)parameters = (void *(*)parameters)(uintptr_t)dlsym(library, #name); \
        return real names;                                                                     \
    }

TOLD(clGetPlatformIDs, (uint32_t room, void **out, uint32_t *n), (room, out, n))
TOLD(clGetDeviceIDs, (void *platform, uint64_t type, uint32_t room, void **out, uint32_t *n),
     (platform, type, room, out, n))
TOLD(clGetDeviceInfo, (void *device, uint32_t what, size_t room, void *out, size_t *size),
     (device, what, room, out, size))
MAKING(clCreateContext,
       (const intptr_t *properties, uint32_t n, void *const *devices, void *notify, void *self,
        int32_t *code),
       (properties, n, devices, notify, self, code))
MAKING(clCreateCommandQueue, (void *context, void *device, uint64_t properties, int32_t *code),
       (context, device, properties, code))
TOLD(clReleaseCommandQueue, (void *queue), (queue))
MAKING(clCreateBuffer, (void *context, uint64_t flags, size_t bytes, void *host, int32_t *code),
       (context, flags, bytes, host, code))
TOLD(clReleaseMemObject, (void *buffer), (buffer))
MAKING(clCreateProgramWithSource,
       (void *context, uint32_t n, const char **texts, const size_t *lengths, int32_t *code),
       (context, n, texts, lengths, code))
TOLD(clBuildProgram,
     (void *program, uint32_t n, void *const *devices, const char *options, void *notify,
      void *self),
     (program, n, devices, options, notify, self))
TOLD(clGetProgramBuildInfo,
     (void *program, void *device, uint32_t what, size_t room, void *out, size_t *size),
     (program, device, what, room, out, size))
TOLD(clReleaseProgram, (void *program), (program))
MAKING(clCreateKernel, (void *program, const char *name, int32_t *code), (program, name, code))
TOLD(clReleaseKernel, (void *kernel), (kernel))
TOLD(clSetKernelArg, (void *kernel, uint32_t index, size_t bytes, const void *value),
     (kernel, index, bytes, value))
TOLD(clEnqueueNDRangeKernel,
     (void *queue, void *kernel, uint32_t dimensions, const size_t *first, const size_t *items,
      const size_t *group, uint32_t n, void *const *after, void **out),
     (queue, kernel, dimensions, first, items, group, n, after, out))
TOLD(clEnqueueWriteBuffer,
     (void *queue, void *buffer, uint32_t blocking, size_t offset, size_t bytes, const void *from,
      uint32_t n, void *const *after, void **out),
     (queue, buffer, blocking, offset, bytes, from, n, after, out))
TOLD(clEnqueueReadBuffer,
     (void *queue, void *buffer, uint32_t blocking, size_t offset, size_t bytes, void *to,
      uint32_t n, void *const *after, void **out),
     (queue, buffer, blocking, offset, bytes, to, n, after, out))
TOLD(clEnqueueCopyBuffer,
     (void *queue, void *from, void *to, size_t from_offset, size_t to_offset, size_t bytes,
      uint32_t n, void *const *after, void **out),
     (queue, from, to, from_offset, to_offset, bytes, n, after, out))
TOLD(clFlush, (void *queue), (queue))
TOLD(clFinish, (void *queue), (queue))
TOLD(clWaitForEvents, (uint32_t n, void *const *events), (n, events))
TOLD(clGetEventInfo, (void *event, uint32_t what, size_t room, void *out, size_t *size),
     (event, what, room, out, size))
TOLD(clGetEventProfilingInfo, (void *event, uint32_t what, size_t room, void *out, size_t *size),
     (event, what, room, out, size))
TOLD(clReleaseEvent, (void *event), (event))
