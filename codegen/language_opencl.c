/* OpenCL C as a language of kernels: written by codegen/emit/lanes. Nothing here builds it, since a device's own library does that when it
 * loads the image, which is the text and, in its last line, the key. The NUL at its end belongs to it, since the cache appends to images. */
#include "base/error.h"
#include "codegen/emit/lanes/lanes.h"
#include "codegen/rt_embed.h"
#include "codegen/targets.h"
#include "sched/gpu/rt_embed.h"

#include <stdio.h>

static wadi_status emit(const wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err) {
    const wadi_dialect d = {wadi_embed_opencl, wadi_embed_scalar_opencl, true};
    return wadi_emit_lanes(m, &d, out, out_kernels, err);
}

static wadi_status find(const wadi_target *target, wadi_image_builder *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_image_builder){.target = target};
    return WADI_OK;
}

/* The text alone decides the image, and how it begins and ends. */
static void identify(const wadi_image_builder *b, wadi_text *out) {
    wadi_text_addf(out, "OpenCL C 1.2, as text%s\n", b->fast ? ", " WADI_IMAGE_FAST : "");
}

static wadi_status build(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err) {
    wadi_text t = {0};
    WADI_UNUSED(folder);
    WADI_UNUSED(gently);
    if (b->fast) wadi_text_add(&t, "#define " WADI_IMAGE_FAST "\n");
    wadi_text_addf(&t, "%s/* %s: %s */\n", source, WADI_IMAGE_KEY, key);
    *out = (wadi_image){.n = t.n + 1, .fd = -1};
    out->bytes = wadi_text_take(&t);
    wadi_text_fini(&t);
    return out->bytes != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
}

static const char gives_up[] =
    "a product and the sum it goes into may round once, or in a way of the device's own\n"
    "quotients and square roots of f32 have an error of up to 3 units in the last place\n"
    "numbers of f32 below 1.2e-38 may count as zero, and zeros may lose their sign";

const wadi_language wadi_language_opencl = {"OpenCL C", emit,  find,  identify, build,
                                            NULL,       false, false, gives_up};
