/* OpenCL C as a language of kernels: written by codegen/emit/lanes. Nothing here builds it, since a device's own library does that when it
 * loads the image, which is the text and, in its last line, the key. The NUL at its end belongs to it, since the cache appends to images. */
#include "base/error.h"
#include "codegen/emit/lanes/lanes.h"
#include "codegen/targets.h"

#include <stdio.h>

static wadi_status find(const wadi_target *target, wadi_image_builder *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_image_builder){.target = target};
    return WADI_OK;
}

/* The text alone decides the image, and how it ends. */
static void identify(const wadi_image_builder *b, wadi_text *out) {
    WADI_UNUSED(b);
    wadi_text_add(out, "OpenCL C 1.2, as text\n");
}

static wadi_status build(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err) {
    wadi_text t = {0};
    WADI_UNUSED(b);
    WADI_UNUSED(folder);
    WADI_UNUSED(gently);
    wadi_text_addf(&t, "%s/* %s: %s */\n", source, WADI_IMAGE_KEY, key);
    *out = (wadi_image){.n = t.n + 1, .fd = -1};
    out->bytes = wadi_text_take(&t);
    wadi_text_fini(&t);
    return out->bytes != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
}

const wadi_language wadi_language_opencl = {"OpenCL C", wadi_emit_opencl, find, identify, build};
