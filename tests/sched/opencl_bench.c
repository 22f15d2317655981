/* Machines, images and kernels for the tests of OpenCL. */
#include "tests/sched/opencl_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/gpu/rt_embed.h"
#include "sched/opencl/image.h"

wadi_opencl_machines *opencl_bench_machines(void) {
    static wadi_opencl_machines machines;
    static bool looked; /* by main, before there are threads */
    wadi_error why = {0};
    if (!looked) {
        looked = true;
        if (wadi_opencl_entries_load(WADI_OPENCL_LIBRARY, &machines.cl, &why) != WADI_OK ||
            wadi_opencl_look(&machines, &wadi_opencl_images_ops, &why) != WADI_OK)
            fprintf(stderr, "left out: %s\n", why.msg);
    }
    for (int i = 0; i < machines.n; i++)
        if (machines.at[i].unusable[0] == '\0') return &machines;
    fprintf(stderr, "left out: no device of OpenCL that can be used\n");
    return NULL;
}

wadi_opencl_machine *opencl_bench_machine(void) {
    wadi_opencl_machines *machines = opencl_bench_machines();
    for (int i = 0; machines != NULL && i < machines->n; i++)
        if (machines->at[i].unusable[0] == '\0') return &machines->at[i];
    return NULL;
}

wadi_image opencl_bench_image(const char *kernels) {
    wadi_text t = {0};
    wadi_text_addf(&t, "/* %s: key0 */\n%s%s%s%s", WADI_IMAGE_KEY, wadi_embed_opencl,
                   wadi_embed_call, wadi_embed_item, kernels);
    const size_t n = t.n + 1;
    return (wadi_image){wadi_text_take(&t), n, -1, NULL};
}

wadi_kernels opencl_bench_load(wadi_opencl_machine *m, const char *kernels) {
    wadi_image image = opencl_bench_image(kernels);
    wadi_kernels loaded = {0};
    wadi_error err = {0};
    const wadi_status status = m->images.load(&m->images, &image, "key0", &loaded, &err);
    free(image.bytes);
    if (status != WADI_OK) fail_msg("%s", err.msg);
    return loaded;
}

wadi_code opencl_bench_find(const wadi_kernels *k, const char *name) {
    wadi_code code = {0};
    assert_int_equal(wadi_opencl_images_ops.find(k, name, &code, NULL), WADI_OK);
    assert_true(code.handle != 0);
    return code;
}
