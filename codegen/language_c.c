/* C as a language of kernels: written by codegen/emit/c, compiled by the system's compiler to a shared object. */
#include "base/error.h"
#include "base/file.h"
#include "base/outfile.h"
#include "codegen/build/cc.h"
#include "codegen/emit/c/c.h"
#include "codegen/targets.h"

#include <stdio.h>

enum { PATH_ROOM = 1024 };

static void identify(const wadi_image_builder *b, wadi_text *out) {
    wadi_text_addf(out, "%s\n%s\n%s\n", b->path, b->stamp, b->cpu);
    for (const char *const *flag = wadi_cc_flags(b->fast); *flag; flag++)
        wadi_text_addf(out, "%s\n", *flag);
    wadi_text_addf(out, "%s\n", b->target->flag);
}

static wadi_status write_source(const char *source, const char *key, const char *path,
                                wadi_error *err) {
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    wadi_text t = {0};
    wadi_text_addf(&t, "%s\nconst char %s[] = \"%s\";\n", source, WADI_IMAGE_KEY, key);
    const wadi_status status = t.failed ? wadi_fail(err, WADI_MEMORY, "kernels: out of memory")
                                        : wadi_outfile_put(path, t.at, t.n, &options, err);
    wadi_text_fini(&t);
    return status;
}

static wadi_status build(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err) {
    char c_file[PATH_ROOM], so_file[PATH_ROOM];
    snprintf(c_file, sizeof c_file, "%s/kernel.c", folder);
    snprintf(so_file, sizeof so_file, "%s/kernel.so", folder);
    WADI_TRY(write_source(source, key, c_file, err));
    WADI_TRY(wadi_cc_compile(b, c_file, so_file, folder, gently, err));
    if (!wadi_file_exists(so_file))
        return wadi_fail(err, WADI_COMPILE, "the compiler %s reports success but has made nothing",
                         b->path);
    *out = (wadi_image){.fd = -1};
    return wadi_file_read(so_file, &out->bytes, &out->n, err);
}

static const char gives_up[] =
    "a product and the sum it goes into may round once\n"
    "quotients may be products with a reciprocal: an error of up to 2 units in the last place\n"
    "zeros may lose their sign";

const wadi_language wadi_language_c = {"C", wadi_emit_c, wadi_cc_find, identify, build, gives_up};
