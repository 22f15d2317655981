/* C as a language of kernels: written by codegen/emit/c, compiled by the system's compiler to a shared object. */
#include "base/error.h"
#include "base/file.h"
#include "base/thread.h"
#include "codegen/build/cc.h"
#include "codegen/build/parts.h"
#include "codegen/build/vectors.h"
#include "codegen/emit/c/c.h"
#include "codegen/targets.h"

#include <stdio.h>

enum { PATH_ROOM = 1024, LAST_ROOM = 256 };

static void identify(const wadi_image_builder *b, wadi_text *out) {
    wadi_text_addf(out, "%s\n%s\n%s\n", b->path, b->stamp, b->cpu);
    for (const char *const *flag = wadi_cc_flags(b->fast); *flag; flag++)
        wadi_text_addf(out, "%s\n", *flag);
    for (const char *const *flag = wadi_cc_brief_flags(); *flag; flag++)
        wadi_text_addf(out, "%s\n", *flag);
    wadi_text_addf(out, "%s\n", b->target->flag);
}

static wadi_status build(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err) {
    char so_file[PATH_ROOM], last[LAST_ROOM];
    const wadi_parts parts = wadi_parts_of(source, WADI_C_KERNEL_BEGINS, wadi_thread_processors());
    snprintf(last, sizeof last, "\nconst char %s[] = \"%s\";\n", WADI_IMAGE_KEY, key);
    snprintf(so_file, sizeof so_file, "%s/kernel.so", folder);
    WADI_TRY(wadi_parts_compile(&parts, b, last, folder, gently, so_file, err));
    if (!wadi_file_exists(so_file))
        return wadi_fail(err, WADI_COMPILE, "the compiler %s reports success but has made nothing",
                         b->path);
    *out = (wadi_image){.fd = -1};
    return wadi_file_read(so_file, &out->bytes, &out->n, err);
}

static wadi_status vectors(const wadi_image_builder *b, const char *source, wadi_text *out,
                           wadi_error *err) {
    return wadi_vectors_write(b, source, WADI_C_KERNEL_BEGINS, out, err);
}

static const char gives_up[] =
    "a product and the sum it goes into may round once\n"
    "quotients may be products with a reciprocal: an error of up to 2 units in the last place\n"
    "zeros may lose their sign";

const wadi_language wadi_language_c = {"C",     wadi_emit_c, wadi_cc_find, identify, build,
                                       vectors, true,        true,         gives_up};
