/* CUDA C as a language of kernels: written by codegen/emit/lanes, compiled by NVIDIA's library NVRTC for the architecture of one machine.
 * The library works in this process, so no folder is needed. It has no priority either: a thread that lowers its own cannot raise it again, and
 * options that compile faster (-Xptxas=-O1 saves a fifth for large texts) would make another image under the same key. */
#include "base/error.h"
#include "base/nvrtc.h"
#include "codegen/emit/lanes/lanes.h"
#include "codegen/rt_embed.h"
#include "codegen/targets.h"
#include "sched/gpu/rt_embed.h"

#include <stdio.h>

static wadi_status emit(const wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err) {
    const wadi_dialect d = {wadi_embed_cuda, wadi_embed_scalar_cuda, false};
    return wadi_emit_lanes(m, &d, out, out_kernels, err);
}

static wadi_status find(const wadi_target *target, wadi_image_builder *out, wadi_error *err) {
    wadi_nvrtc_about about = {0};
    WADI_TRY(wadi_nvrtc_find(&about, err));
    *out = (wadi_image_builder){.target = target};
    (void)snprintf(out->path, sizeof out->path, "%s", about.path);
    (void)snprintf(out->stamp, sizeof out->stamp, "%s", about.stamp);
    return WADI_OK;
}

static void identify(const wadi_image_builder *b, wadi_text *out) {
    wadi_text_addf(out, "CUDA C\n%s\n%s\n", b->path, b->stamp);
    for (const char *const *option = wadi_nvrtc_options(b->fast); *option; option++)
        wadi_text_addf(out, "%s\n", *option);
}

/* The module says its key by the name of a kernel that does nothing (sched/cuda/images.h). */
static wadi_status build(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err) {
    wadi_text t = {0};
    WADI_UNUSED(folder);
    WADI_UNUSED(gently);
    *out = (wadi_image){.fd = -1};
    wadi_text_addf(&t, "%s\nextern \"C\" __global__ void %s_%s() {}\n", source, WADI_IMAGE_KEY,
                   key);
    const wadi_status status = t.failed ? wadi_fail(err, WADI_MEMORY, "kernels: out of memory")
                                        : wadi_nvrtc_compile(wadi_text_str(&t), b->machine, b->fast,
                                                             &out->bytes, &out->n, err);
    wadi_text_fini(&t);
    return status;
}

static const char gives_up[] =
    "a product and the sum it goes into may round once\n"
    "quotients of f32 have an error of up to 2 units in the last place, square roots of up to 3\n"
    "numbers of f32 below 1.2e-38 count as zero";

const wadi_language wadi_language_cuda = {"CUDA C", emit,  find,  identify, build,
                                          NULL,     false, false, gives_up};
