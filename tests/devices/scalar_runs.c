#include "tests/devices/scalar_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/emit/c_like/device.h"
#include "codegen/emit/c_like/scalar.h"
#include "codegen/rt_embed.h"
#include "sched/cuda/driver.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt_embed.h"
#include "sched/opencl/driver.h"
#include "sched/opencl/image.h"

enum { MOST = 64 << 20 };

wadi_gpu_driver *scalar_runs_opencl(void) {
    static wadi_opencl_machines machines;
    wadi_gpu_driver *d = NULL;
    wadi_error err = {0};
    if (machines.at == NULL &&
        (wadi_opencl_entries_load(WADI_OPENCL_LIBRARY, &machines.cl, &err) != WADI_OK ||
         wadi_opencl_look(&machines, &wadi_opencl_images_ops, &err) != WADI_OK))
        return NULL;
    for (int i = 0; i < machines.n && d == NULL; i++) {
        wadi_opencl_machine *m = &machines.at[i];
        if (m->unusable[0] != '\0' || !m->fp64 || !m->rounds_divide) continue;
        if (wadi_opencl_driver_open(m, MOST, &d, &err) != WADI_OK) fail_msg("%s", err.msg);
    }
    return d;
}

wadi_gpu_driver *scalar_runs_cuda(void) {
    wadi_gpu_driver *d = NULL;
    return wadi_cuda_driver_open(0, &d, NULL) == WADI_OK ? d : NULL;
}

/* ---- text ---- */

enum {
    ARRAYS = DEVICE_ARGS + 2
}; /* arguments, distances, columns: their addresses are where the call has its slots */

static void write_array(wadi_text *out, const char *type, const char *name, int at) {
    wadi_text_addf(out, "    WADI_GLOBAL %s *const %s = WADI_AT(w, %s, at[%d]);\n", type, name,
                   type, at);
}

static void write_kernel(const scalar_cases *c, wadi_text *out) {
    const bool truth = c->type == WADI_BOOL;
    const char *stored = truth ? "uint8_t" : wadi_c_type(c->type), *test = truth ? " != 0" : "";
    wadi_text_add(out, "WADI_KERNEL(scalars) {\n    WADI_ITEM\n"
                       "    WADI_GLOBAL uint64_t *const at = WADI_AT(w, uint64_t, call.slot);\n");
    write_array(out, stored, "a", 0);
    write_array(out, stored, "b", 1);
    write_array(out, stored, "c", 2);
    write_array(out, "int32_t", "distance", 3);
    write_array(out, "uint8_t", "out", 4);
    wadi_text_add(out, "    for (int64_t i = w->item; i < call.n; i += w->items) {\n");
    wadi_text_addf(out,
                   "    const %s x = a[i]%s, y = b[i]%s, z = c[i]%s;\n"
                   "    const int32_t d = distance[i];\n",
                   wadi_c_type(c->type), test, test, test);
    scalar_cases_write(c, "WADI_GLOBAL", out);
    wadi_text_add(out, "    }\n}\n");
}

const wadi_dialect scalar_runs_opencl_c = {wadi_embed_opencl, wadi_embed_scalar_opencl, false};
const wadi_dialect scalar_runs_cuda_c = {wadi_embed_cuda, wadi_embed_scalar_cuda, false};

char *scalar_runs_text(const scalar_cases *c, const wadi_dialect *d) {
    wadi_text text = {0}, kernel = {0};
    write_kernel(c, &kernel);
    wadi_text_addf(&text, "/* %s: key0 */\n%s%s%s", WADI_IMAGE_KEY, d->front, wadi_embed_call,
                   wadi_embed_item);
    assert_true(wadi_c_device_scalars(d->words, wadi_text_str(&kernel), true, &text));
    wadi_text_add(&text, wadi_text_str(&kernel));
    wadi_text_fini(&kernel);
    char *taken = wadi_text_take(&text);
    assert_non_null(taken);
    return taken;
}

/* ---- running ---- */

static uint64_t address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static void *taken(wadi_gpu_driver *d, size_t bytes) {
    void *memory = d->ops->take(d, bytes);
    assert_non_null(memory);
    return memory;
}

static void *array_of(wadi_gpu_driver *d, const wadi_scalar *values, size_t *bytes) {
    const size_t size = (size_t)wadi_type_size(values[0].type);
    *bytes = DEVICE_ELEMENTS * size;
    char *host = test_malloc(*bytes);
    for (size_t i = 0; i < DEVICE_ELEMENTS; i++) wadi_scalar_store(values[i], host + i * size);
    void *memory = taken(d, *bytes);
    d->ops->put(d, memory, host, *bytes);
    test_free(host);
    return memory;
}

static void launch(wadi_gpu_driver *d, wadi_code kernel, const scalar_cases *c, char *columns) {
    const size_t all = scalar_cases_column(c, c->n);
    size_t bytes[ARRAYS] = {0, 0, 0, 0, all};
    void *array[ARRAYS];
    uint64_t at[ARRAYS];
    wadi_error err = {0};
    for (int k = 0; k < DEVICE_ARGS; k++) array[k] = array_of(d, c->arg[k], &bytes[k]);
    array[3] = array_of(d, c->distance, &bytes[3]);
    array[4] = taken(d, all);
    for (int k = 0; k < ARRAYS; k++) at[k] = address(array[k]);
    void *table = taken(d, sizeof at);
    d->ops->put(d, table, at, sizeof at);
    const wadi_gpu_call call = {.n = DEVICE_ELEMENTS, .step = 1, .slot = address(table)};
    d->ops->launch(d, kernel, 4, &call);
    d->ops->get(d, columns, array[4], all);
    if (d->ops->wait(d, &err) != WADI_OK) fail_msg("%s", err.msg);
    d->ops->give(d, table, sizeof at);
    for (int k = 0; k < ARRAYS; k++) d->ops->give(d, array[k], bytes[k]);
}

void scalar_runs_on(wadi_gpu_driver *d, const char *text, const scalar_cases *c, char *columns) {
    wadi_image image = {.bytes = (char *)(uintptr_t)text, .n = strlen(text) + 1, .fd = -1};
    wadi_kernels kernels = {0};
    wadi_code kernel = {0};
    wadi_error err = {0};
    if (d->images->load(d->images, &image, "key0", &kernels, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    if (d->images->find(&kernels, "scalars", &kernel, &err) != WADI_OK) fail_msg("%s", err.msg);
    launch(d, kernel, c, columns);
    d->images->unload(&kernels);
}
