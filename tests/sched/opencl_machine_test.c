/* Which machines OpenCL has, by a library that is made up: what it says of them, why some cannot be used, and what happens when its calls
 * fail. No real library is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/gpu/rt/call.h"
#include "sched/opencl/driver.h"
#include "sched/opencl/image.h"

/* ---- a library with a few devices; each line below changes one answer of a good one ---- */

typedef struct made_up {
    const char *name, *version, *extensions;
    uint64_t config;
    uint32_t available, compiler, little;
    size_t group, arguments;
} made_up;

static const made_up good = {"  Good device \n",
                             "OpenCL 1.2 made up",
                             "cl_khr_fp64 cl_khr_int64_base_atomics",
                             WADI_OPENCL_ROUNDS_DIVIDE,
                             1,
                             1,
                             1,
                             256,
                             1024};
static made_up devices[8];
static uint32_t platforms = 1, devices_of[2];
static int32_t answer; /* of clGetPlatformIDs */

static int32_t get_platforms(uint32_t room, wadi_opencl_platform *out, uint32_t *n) {
    if (n != NULL) *n = platforms;
    for (uint32_t i = 0; i < room; i++) out[i] = (wadi_opencl_platform)&devices_of[i];
    return answer;
}

static int32_t get_devices(wadi_opencl_platform platform, uint64_t type, uint32_t room,
                           wadi_opencl_device *out, uint32_t *n) {
    const uint32_t which = (uint32_t)((uint32_t *)platform - devices_of);
    assert_int_equal(type, WADI_OPENCL_ALL_DEVICES);
    if (devices_of[which] == 0) return WADI_OPENCL_NO_DEVICE;
    if (n != NULL) *n = devices_of[which];
    for (uint32_t i = 0; i < room; i++)
        out[i] = (wadi_opencl_device)&devices[which == 0 ? i : devices_of[0] + i];
    return 0;
}

static int32_t tell(const void *from, size_t bytes, size_t room, void *out, size_t *size) {
    if (size != NULL) *size = bytes;
    if (out == NULL) return 0;
    if (room < bytes) return -30;
    memcpy(out, from, bytes);
    return 0;
}

#define TELL(value) tell(&(value), sizeof(value), room, out, size)
#define TELL_TEXT(text) tell((text), strlen(text) + 1, room, out, size)

static int32_t get_info(wadi_opencl_device device, uint32_t what, size_t room, void *out,
                        size_t *size) {
    const made_up *d = (const made_up *)device;
    const uint64_t memory = UINT64_C(8) << 30, largest = UINT64_C(2) << 30;
    const uint32_t units = 24;
    switch (what) {
    case WADI_OPENCL_UNITS:
        return TELL(units);
    case WADI_OPENCL_GROUP_SIZE:
        return TELL(d->group);
    case WADI_OPENCL_LARGEST:
        return TELL(largest);
    case WADI_OPENCL_ARGUMENTS:
        return TELL(d->arguments);
    case WADI_OPENCL_SINGLE_CONFIG:
        return TELL(d->config);
    case WADI_OPENCL_MEMORY:
        return TELL(memory);
    case WADI_OPENCL_LITTLE_ENDIAN:
        return TELL(d->little);
    case WADI_OPENCL_AVAILABLE:
        return TELL(d->available);
    case WADI_OPENCL_HAS_COMPILER:
        return TELL(d->compiler);
    case WADI_OPENCL_NAME:
        return TELL_TEXT(d->name);
    case WADI_OPENCL_VENDOR:
        return TELL_TEXT("Nobody");
    case WADI_OPENCL_DRIVER_VERSION:
        return TELL_TEXT("7.5");
    case WADI_OPENCL_VERSION:
        return TELL_TEXT(d->version);
    case WADI_OPENCL_EXTENSIONS:
        return TELL_TEXT(d->extensions);
    default:
        return -30; /* the version of the language is not told */
    }
}

static wadi_opencl_machines looked(void) {
    wadi_opencl_machines m = {.cl = {.GetPlatformIDs = get_platforms,
                                     .GetDeviceIDs = get_devices,
                                     .GetDeviceInfo = get_info}};
    assert_int_equal(wadi_opencl_look(&m, &wadi_opencl_images_ops, NULL), WADI_OK);
    return m;
}

static int make_up(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) devices[i] = good;
    platforms = 1;
    devices_of[0] = 8;
    devices_of[1] = 0;
    answer = 0;
    return 0;
}

/* ---- looking ---- */

static void a_machine_says_what_it_is(void **state) {
    (void)state;
    devices[1].config = 0;
    devices[2].extensions = "cl_khr_fp64x xcl_khr_int64_base_atomics";
    devices[3].extensions = "a cl_khr_int64_base_atomics b";
    wadi_opencl_machines m = looked();
    assert_int_equal(m.n, 8);
    assert_string_equal(m.at[0].name, "opencl:0");
    assert_string_equal(m.at[7].name, "opencl:7");
    assert_string_equal(m.at[0].product, "Good device");
    assert_string_equal(m.at[0].vendor, "Nobody");
    assert_string_equal(m.at[0].driver, "7.5");
    assert_string_equal(m.at[0].version, "OpenCL 1.2 made up");
    assert_string_equal(m.at[0].language, "");
    assert_string_equal(m.at[0].unusable, "");
    assert_int_equal(m.at[0].units, 24);
    assert_int_equal(m.at[0].memory, INT64_C(8) << 30);
    assert_int_equal(m.at[0].largest, INT64_C(2) << 30);
    assert_true(m.at[0].rounds_divide && !m.at[1].rounds_divide);
    assert_true(m.at[0].fp64 && m.at[0].atomics64);
    assert_true(!m.at[2].fp64 && !m.at[2].atomics64);
    assert_true(!m.at[3].fp64 && m.at[3].atomics64);
    free(m.at);
}

static void a_machine_that_cannot_be_used_says_why(void **state) {
    (void)state;
    devices[0].version = "OpenCL 1.1 old";
    devices[1].available = 0;
    devices[2].compiler = 0;
    devices[3].little = 0;
    devices[4].group = WADI_GPU_LANES - 1;
    devices[5].arguments = sizeof(wadi_gpu_call);
    devices[6].version = "CL 2";
    devices[7].version = "OpenCL 3.0 new";
    devices[7].group = WADI_GPU_LANES;
    devices[7].arguments = sizeof(wadi_gpu_call) + sizeof(void *);
    static const char *const why[] = {"OpenCL 1.2", "available", "compiler",  "byte order",
                                      "groups",     "arguments", "OpenCL 1.2"};
    wadi_opencl_machines m = looked();
    for (int i = 0; i < 7; i++) {
        wadi_opencl_context context;
        wadi_error err = {0};
        assert_non_null(strstr(m.at[i].unusable, why[i]));
        assert_int_equal(wadi_opencl_context_of(&m.at[i], &context, &err), WADI_UNSUPPORTED);
        assert_non_null(strstr(err.msg, why[i]));
        assert_non_null(strstr(err.msg, m.at[i].name));
    }
    assert_string_equal(m.at[7].unusable, "");
    free(m.at);
}

static void platforms_follow_each_other(void **state) {
    (void)state;
    platforms = 2;
    devices_of[0] = 1;
    devices_of[1] = 2;
    devices[2].name = "Last";
    wadi_opencl_machines m = looked();
    assert_int_equal(m.n, 3);
    assert_string_equal(m.at[2].product, "Last");
    assert_string_equal(m.at[2].name, "opencl:2");
    free(m.at);
    devices_of[0] = 0;
    m = looked();
    assert_int_equal(m.n, 2);
    free(m.at);
}

static void no_platform_is_no_machine(void **state) {
    (void)state;
    wadi_opencl_machines m = {.cl = {.GetPlatformIDs = get_platforms}};
    wadi_error err = {0};
    platforms = 0;
    assert_int_equal(wadi_opencl_look(&m, &wadi_opencl_images_ops, NULL), WADI_OK);
    assert_int_equal(m.n, 0);
    answer = WADI_OPENCL_NO_PLATFORM;
    assert_int_equal(wadi_opencl_look(&m, &wadi_opencl_images_ops, NULL), WADI_OK);
    answer = WADI_OPENCL_NO_HOST_MEMORY;
    assert_int_equal(wadi_opencl_look(&m, &wadi_opencl_images_ops, &err), WADI_MEMORY);
    assert_non_null(strstr(err.msg, "clGetPlatformIDs failed: CL_OUT_OF_HOST_MEMORY"));
}

static void codes_have_names(void **state) {
    (void)state;
    wadi_error err = {0};
    assert_string_equal(wadi_opencl_code_name(0), "CL_SUCCESS");
    assert_string_equal(wadi_opencl_code_name(-61), "CL_INVALID_BUFFER_SIZE");
    assert_null(wadi_opencl_code_name(-20));
    assert_int_equal(wadi_opencl_failed("opencl:3", "clFinish", -5, &err), WADI_DEVICE);
    assert_string_equal(err.msg, "opencl:3: clFinish failed: CL_OUT_OF_RESOURCES");
    assert_int_equal(wadi_opencl_failed("opencl:3", "clFlush", -9999, &err), WADI_DEVICE);
    assert_string_equal(err.msg, "opencl:3: clFlush failed with code -9999");
    assert_int_equal(wadi_opencl_failed("opencl:3", "clCreateBuffer", -4, &err), WADI_MEMORY);
}

static void a_library_that_is_none_is_named(void **state) {
    (void)state;
    wadi_opencl_entries entries;
    wadi_error err = {0};
    assert_int_equal(wadi_opencl_entries_load("libNotThere.so.7", &entries, &err),
                     WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "libNotThere.so.7"));
    assert_int_equal(wadi_opencl_entries_load("libc.so.6", &entries, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "clGetPlatformIDs"));
}

/* ---- a driver over calls that fail ---- */

static int buffers_tried, finished, released, events_alive, enqueued, fail_at;
static size_t room_there;
static int32_t failure, event_status;
static const char *kept[1000]; /* what writes that do not block read later */
static int written;
static int place;

static wadi_opencl_context
create_context(const intptr_t *properties, uint32_t n, const wadi_opencl_device *device,
               void (*notify)(const char *, const void *, size_t, void *), void *self,
               int32_t *code) {
    (void)properties, (void)n, (void)device, (void)notify, (void)self;
    *code = 0;
    return (wadi_opencl_context)&place;
}

static wadi_opencl_queue create_queue(wadi_opencl_context c, wadi_opencl_device d,
                                      uint64_t properties, int32_t *code) {
    (void)c, (void)d;
    assert_int_equal(properties, WADI_OPENCL_PROFILING);
    *code = 0;
    return (wadi_opencl_queue)&place;
}

static wadi_opencl_buffer create_buffer(wadi_opencl_context c, uint64_t flags, size_t bytes,
                                        void *host, int32_t *code) {
    (void)c, (void)host;
    assert_int_equal(flags, WADI_OPENCL_READ_WRITE);
    buffers_tried++;
    *code = bytes <= room_there ? 0 : failure;
    return bytes <= room_there ? (wadi_opencl_buffer)&place : NULL;
}

static int32_t release_queue(wadi_opencl_queue q) {
    (void)q;
    return ++released, 0;
}

static int32_t release_buffer(wadi_opencl_buffer b) {
    (void)b;
    return ++released, 0;
}

static int32_t release_event(wadi_opencl_event e) {
    (void)e;
    return --events_alive, 0;
}

static int32_t finish(wadi_opencl_queue q) {
    (void)q;
    return ++finished, 0;
}

/* The command with the number fail_at fails. */
static int32_t queue_one(wadi_opencl_event *out) {
    if (++enqueued == fail_at) return failure;
    *out = (wadi_opencl_event)&place;
    return ++events_alive, 0;
}

static int32_t write_buffer(wadi_opencl_queue q, wadi_opencl_buffer b, uint32_t blocking, size_t at,
                            size_t bytes, const void *from, uint32_t n,
                            const wadi_opencl_event *after, wadi_opencl_event *out) {
    (void)q, (void)b, (void)at, (void)bytes, (void)n, (void)after;
    if (!blocking && written < 1000) kept[written++] = from;
    return queue_one(out);
}

static int32_t read_buffer(wadi_opencl_queue q, wadi_opencl_buffer b, uint32_t blocking, size_t at,
                           size_t bytes, void *to, uint32_t n, const wadi_opencl_event *after,
                           wadi_opencl_event *out) {
    (void)q, (void)b, (void)at, (void)n, (void)after;
    assert_int_equal(blocking, 1);
    memset(to, 9, bytes);
    return queue_one(out);
}

static int32_t copy_buffer(wadi_opencl_queue q, wadi_opencl_buffer from, wadi_opencl_buffer to,
                           size_t a, size_t b, size_t bytes, uint32_t n,
                           const wadi_opencl_event *after, wadi_opencl_event *out) {
    (void)q, (void)from, (void)to, (void)a, (void)b, (void)bytes, (void)n, (void)after;
    return queue_one(out);
}

static int32_t wait_for_events(uint32_t n, const wadi_opencl_event *e) {
    assert_int_equal(n, 1);
    assert_non_null(e[0]);
    return 0;
}

static int32_t event_info(wadi_opencl_event e, uint32_t what, size_t room, void *out,
                          size_t *size) {
    (void)e;
    assert_int_equal(what, WADI_OPENCL_EVENT_STATUS);
    return TELL(event_status);
}

/* Each command takes 100 ns. */
static int32_t event_time(wadi_opencl_event e, uint32_t what, size_t room, void *out,
                          size_t *size) {
    const uint64_t ns = what == WADI_OPENCL_EVENT_BEGIN ? 500 : 600;
    (void)e;
    return TELL(ns);
}

static wadi_opencl_machines with_driver(void) {
    buffers_tried = finished = released = events_alive = enqueued = fail_at = 0;
    room_there = SIZE_MAX;
    failure = WADI_OPENCL_NO_BUFFER;
    event_status = written = 0;
    wadi_opencl_machines m = looked();
    m.cl.CreateContext = create_context;
    m.cl.CreateCommandQueue = create_queue;
    m.cl.ReleaseCommandQueue = release_queue;
    m.cl.CreateBuffer = create_buffer;
    m.cl.ReleaseMemObject = release_buffer;
    m.cl.EnqueueWriteBuffer = write_buffer;
    m.cl.EnqueueReadBuffer = read_buffer;
    m.cl.EnqueueCopyBuffer = copy_buffer;
    m.cl.Finish = finish;
    m.cl.WaitForEvents = wait_for_events;
    m.cl.GetEventInfo = event_info;
    m.cl.GetEventProfilingInfo = event_time;
    m.cl.ReleaseEvent = release_event;
    return m;
}

static void the_buffer_is_as_large_as_it_can_be(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[0].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 0, &d, NULL), WADI_OK);
    assert_int_equal(d->memory, m.at[0].largest);
    d->ops->destroy(d);
    assert_int_equal(released, 2);
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 20, &d, NULL), WADI_OK);
    assert_int_equal(d->memory, 1 << 20);
    d->ops->destroy(d);
    room_there = 3 << 20;
    buffers_tried = 0;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 16 << 20, &d, NULL), WADI_OK);
    assert_int_equal(d->memory, 2 << 20);
    assert_int_equal(buffers_tried, 4);
    d->ops->destroy(d);
    free(m.at);
}

static void a_machine_without_memory_is_not_opened(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[0].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    wadi_error err = {0};
    room_there = 0;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 20, &d, &err), WADI_MEMORY);
    assert_string_equal(err.msg,
                        "opencl:0: clCreateBuffer failed: CL_MEM_OBJECT_ALLOCATION_FAILURE");
    assert_int_equal(released, 1);
    failure = -34;
    buffers_tried = 0;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 20, &d, &err), WADI_DEVICE);
    assert_int_equal(buffers_tried, 1);
    free(m.at);
}

static void the_first_failure_is_kept_and_calls_behind_it_do_nothing(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[5].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    wadi_error err = {0};
    char bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(wadi_opencl_driver_open(&m.at[5], 1 << 20, &d, NULL), WADI_OK);
    void *at = d->ops->take(d, 64), *other = d->ops->take(d, 64);
    fail_at = 2;
    failure = WADI_OPENCL_NO_RESOURCES;
    d->ops->put(d, at, bytes, 8);
    assert_int_equal(d->ops->wait(d, NULL), WADI_OK);
    d->ops->copy(d, other, at, 8);
    d->ops->get(d, bytes, at, 8);
    for (int i = 0; i < 8; i++) assert_int_equal(bytes[i], 0);
    d->ops->put(d, at, bytes, 8);
    assert_int_equal(enqueued, 2);
    assert_int_equal(d->ops->wait(d, &err), WADI_DEVICE);
    assert_string_equal(err.msg, "opencl:5: clEnqueueCopyBuffer failed: CL_OUT_OF_RESOURCES");
    assert_int_equal(d->ops->wait(d, NULL), WADI_DEVICE);
    d->ops->destroy(d);
    assert_int_equal(events_alive, 0);
    free(m.at);
}

static void a_command_that_fails_later_is_told_by_wait(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[0].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 20, &d, NULL), WADI_OK);
    char *at = d->ops->take(d, 64);
    event_status = -14;
    d->ops->copy(d, at + 32, at, 8);
    assert_int_equal(d->ops->wait(d, &err), WADI_DEVICE);
    assert_non_null(strstr(err.msg, "opencl:0: a command failed"));
    d->ops->destroy(d);
    free(m.at);
}

/* What is written later is what was given, though the caller has changed its bytes. */
static void small_writes_do_not_wait_and_are_not_lost(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[0].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 24, &d, NULL), WADI_OK);
    enum { BYTES = 9000, CALLS = 29 /* of 2^18 bytes in all */, LARGE = (1 << 14) + 1 };
    char *at = d->ops->take(d, LARGE);
    static char bytes[LARGE];
    for (int round = 0; round < 2; round++) {
        written = 0;
        for (int i = 0; i < CALLS; i++) {
            memset(bytes, i + 1, BYTES);
            d->ops->put(d, at, bytes, BYTES);
        }
        assert_int_equal(written, CALLS);
        for (int i = 0; i < CALLS; i++)
            for (size_t k = 0; k < BYTES; k++) assert_int_equal(kept[i][k], i + 1);
        d->ops->put(d, at, bytes, BYTES); /* waits: there is no more room */
        assert_int_equal(written, CALLS);
        assert_int_equal(events_alive, 0);
    }
    d->ops->put(d, at, bytes, LARGE);
    assert_int_equal(written, CALLS);
    assert_int_equal(d->ops->wait(d, NULL), WADI_OK);
    d->ops->destroy(d);
    free(m.at);
}

static void time_of_all_commands_counts(void **state) {
    (void)state;
    wadi_opencl_machines m = with_driver();
    m.at[0].cl = &m.cl;
    wadi_gpu_driver *d = NULL;
    assert_int_equal(wadi_opencl_driver_open(&m.at[0], 1 << 20, &d, NULL), WADI_OK);
    char *at = d->ops->take(d, 64), byte;
    for (int i = 0; i < 500; i++) d->ops->copy(d, at + 32, at, 8);
    assert_true(events_alive < 100);
    d->ops->get(d, &byte, at, 1);
    assert_int_equal(byte, 9);
    assert_int_equal(d->ops->busy_ns(d), 501 * 100);
    assert_int_equal(events_alive, 0);
    assert_int_equal(d->ops->wait(d, NULL), WADI_OK);
    d->ops->destroy(d);
    free(m.at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_machine_says_what_it_is, make_up),
        cmocka_unit_test_setup(a_machine_that_cannot_be_used_says_why, make_up),
        cmocka_unit_test_setup(platforms_follow_each_other, make_up),
        cmocka_unit_test_setup(no_platform_is_no_machine, make_up),
        cmocka_unit_test(codes_have_names),
        cmocka_unit_test(a_library_that_is_none_is_named),
        cmocka_unit_test_setup(the_buffer_is_as_large_as_it_can_be, make_up),
        cmocka_unit_test_setup(a_machine_without_memory_is_not_opened, make_up),
        cmocka_unit_test_setup(the_first_failure_is_kept_and_calls_behind_it_do_nothing, make_up),
        cmocka_unit_test_setup(a_command_that_fails_later_is_told_by_wait, make_up),
        cmocka_unit_test_setup(small_writes_do_not_wait_and_are_not_lost, make_up),
        cmocka_unit_test_setup(time_of_all_commands_counts, make_up),
    };
    return cmocka_run_group_tests_name("opencl_machine", tests, NULL, NULL);
}
