/* Libraries of OpenCL that cannot be used, each in its own way, for tests of what people are told (tests/cli/opencl_test.sh). DOUBLE_NONE: it
 * has no platform. DOUBLE_OLD: it lacks a function. DOUBLE_ABORTS and DOUBLE_HANGS: it does so when asked for platforms. Otherwise it
 * has two devices: one without double precision, and one that has it and whose every further call fails. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(default)

enum { FAILS = -30, OUT_OF_RESOURCES = -5 };

#define FAILING(name)    \
    int32_t name(void);  \
    int32_t name(void) { \
        return FAILS;    \
    }
/* What makes something: the code comes back by the last of so many arguments. */
#define MAKING(name, ...)                   \
    void *name(__VA_ARGS__, int32_t *code); \
    void *name(__VA_ARGS__, int32_t *code)

FAILING(clReleaseCommandQueue)
FAILING(clReleaseMemObject)
FAILING(clBuildProgram)
FAILING(clGetProgramBuildInfo)
FAILING(clReleaseProgram)
FAILING(clReleaseKernel)
FAILING(clSetKernelArg)
FAILING(clEnqueueNDRangeKernel)
FAILING(clEnqueueWriteBuffer)
FAILING(clEnqueueReadBuffer)
FAILING(clEnqueueCopyBuffer)
FAILING(clFlush)
#ifndef DOUBLE_OLD
FAILING(clFinish)
#endif
FAILING(clWaitForEvents)
FAILING(clGetEventInfo)
FAILING(clGetEventProfilingInfo)
FAILING(clReleaseEvent)

MAKING(clCreateContext, const intptr_t *properties, uint32_t n, const void *devices, void *notify,
       void *self) {
    (void)properties, (void)n, (void)devices, (void)notify, (void)self;
    *code = OUT_OF_RESOURCES;
    return NULL;
}

MAKING(clCreateCommandQueue, void *context, void *device, uint64_t properties) {
    (void)context, (void)device, (void)properties;
    *code = FAILS;
    return NULL;
}

MAKING(clCreateBuffer, void *context, uint64_t flags, size_t bytes, void *host) {
    (void)context, (void)flags, (void)bytes, (void)host;
    *code = FAILS;
    return NULL;
}

MAKING(clCreateProgramWithSource, void *context, uint32_t n, const char **texts,
       const size_t *lengths) {
    (void)context, (void)n, (void)texts, (void)lengths;
    *code = FAILS;
    return NULL;
}

MAKING(clCreateKernel, void *program, const char *name) {
    (void)program, (void)name;
    *code = FAILS;
    return NULL;
}

/* ---- platforms and devices ---- */

enum { DEVICES = 2 };
static char devices[DEVICES]; /* their addresses are what counts */

int32_t clGetPlatformIDs(uint32_t room, void **out, uint32_t *n);
int32_t clGetPlatformIDs(uint32_t room, void **out, uint32_t *n) {
#ifdef DOUBLE_ABORTS
    abort();
#endif
#ifdef DOUBLE_HANGS
    for (;;) (void)pause();
#endif
#ifdef DOUBLE_NONE
    if (n != NULL) *n = 0;
    (void)room, (void)out;
    return -1001;
#else
    if (n != NULL) *n = 1;
    if (room > 0) out[0] = devices;
    return 0;
#endif
}

int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **out, uint32_t *n);
int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **out, uint32_t *n) {
    (void)platform, (void)type;
    if (n != NULL) *n = DEVICES;
    for (uint32_t i = 0; i < room && i < DEVICES; i++) out[i] = &devices[i];
    return 0;
}

static int32_t tell(const void *from, size_t bytes, size_t room, void *out, size_t *size) {
    if (size != NULL) *size = bytes;
    if (out == NULL) return 0;
    if (room < bytes) return FAILS;
    memcpy(out, from, bytes);
    return 0;
}

static int32_t tell_text(const char *text, size_t room, void *out, size_t *size) {
    return tell(text, strlen(text) + 1, room, out, size);
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *out, size_t *size);
int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *out, size_t *size) {
    const uint64_t memory = UINT64_C(3) << 30;
    const size_t group = 256, arguments = 4096;
    const uint32_t yes = 1;
    const int first = device == devices;
    switch (what) {
    case 0x1004:
        return tell(&group, sizeof group, room, out, size);
    case 0x1017:
        return tell(&arguments, sizeof arguments, room, out, size);
    case 0x1010:
    case 0x101f:
        return tell(&memory, sizeof memory, room, out, size);
    case 0x1002:
    case 0x1026:
    case 0x1027:
    case 0x1028:
        return tell(&yes, sizeof yes, room, out, size);
    case 0x102b:
        return tell_text(first ? "Narrow" : "Broken", room, out, size);
    case 0x102d:
        return tell_text("1.5", room, out, size);
    case 0x102f:
        return tell_text("OpenCL 1.2 double", room, out, size);
    case 0x1030:
        return tell_text(first ? "cl_khr_int64_base_atomics"
                               : "cl_khr_fp64 cl_khr_int64_base_atomics",
                         room, out, size);
    default:
        return FAILS;
    }
}
