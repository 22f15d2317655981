/* Opening, compiling, and closing again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/gpu/gpu.h"
#include "sched/gpu/rt_embed.h"
#include "tests/sched/gpu_bench.h"

static void compile(gpu_bench *b, const char *name) {
    static char text[1 << 15];
    wadi_text t = {0};
    wadi_error err = {0};
    gpu_host_text(name, text, sizeof text);
    wadi_text_addf(&t, "/* %s: tests */\n%s%s%s%s", WADI_IMAGE_KEY, gpu_host_dialect(),
                   wadi_embed_call, wadi_embed_item, text);
    const wadi_image image = {.bytes = t.at, .n = t.n + 1, .fd = -1};
    if (gpu_host_images.load(&gpu_host_images, &image, "tests", &b->kernels, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_text_fini(&t);
}

void gpu_bench_open(gpu_bench *b, int64_t memory, const char *kernels) {
    *b = (gpu_bench){0};
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &b->buffers, NULL), WADI_OK);
    const wadi_device_options o = {.buffers = b->buffers, .keep_bytes = 1 << 24};
    b->driver = gpu_host_create(GPU_UNITS, memory);
    assert_int_equal(wadi_gpu_open(b->driver, &o, &b->device, NULL), WADI_OK);
    if (kernels != NULL) compile(b, kernels);
}

void gpu_bench_begin(gpu_bench *b, int nslots, const wadi_plan_slot *slots, int64_t first,
                     int64_t count) {
    b->plan = (wadi_plan){.nslots = nslots, .slots = slots};
    assert_int_equal(wadi_slots_init(&b->slots, &b->plan, b->buffers, b->device->residence, NULL),
                     WADI_OK);
    const wadi_device_work work = {.slots = &b->slots, .first = first, .count = count};
    assert_true(b->device->ops->begin(b->device, &work));
}

void gpu_bench_end(gpu_bench *b) {
    b->device->ops->end(b->device);
    wadi_slots_fini(&b->slots);
}

void gpu_bench_close(gpu_bench *b) {
    gpu_host_images.unload(&b->kernels);
    b->device->ops->destroy(b->device);
    assert_int_equal(wadi_buffers_used(b->buffers), 0);
    wadi_buffers_release(b->buffers);
}

wadi_code gpu_bench_code(const gpu_bench *b, const char *name) {
    wadi_code code = {0};
    assert_int_equal(gpu_host_images.find(&b->kernels, name, &code, NULL), WADI_OK);
    return code;
}

wadi_fault gpu_bench_launch(const gpu_bench *b, const char *name, int64_t count, int64_t n) {
    wadi_launch l = {.code = gpu_bench_code(b, name), .count = count, .n = n};
    b->device->ops->launch(b->device, &l);
    return l.fault;
}

void *gpu_bench_block(const gpu_bench *b, const void *bytes, int64_t n) {
    void *block = wadi_buffers_get(b->device->residence->blocks, n);
    assert_non_null(block);
    if (bytes != NULL)
        wadi_residence_put(b->device->residence, wadi_buffers_address(block), bytes, n);
    return block;
}

void gpu_bench_get(const gpu_bench *b, void *to, const void *from, int64_t n) {
    wadi_residence_get(b->device->residence, to, from, n);
}

void gpu_bench_fill(gpu_bench *b, int slot, const void *values, int64_t n) {
    assert_true(wadi_slots_room_for_columns(&b->slots, slot, n));
    wadi_residence_put(b->device->residence, b->slots.slot[slot].col[0], values,
                       n * wadi_type_size(wadi_slots_plan(&b->slots, slot)->type[0]));
}

/* ---- for a group of tests ---- */

gpu_bench gpu_bench_shared;

int gpu_bench_setup(void **state) {
    (void)state;
    gpu_bench_open(&gpu_bench_shared, INT64_C(64) << 20, "tests/sched/gpu_kernels.h");
    return 0;
}

int gpu_bench_teardown(void **state) {
    (void)state;
    gpu_bench_close(&gpu_bench_shared);
    return 0;
}
