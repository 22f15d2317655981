/* Long texts of C are compiled in parts, side by side: each part has the text's beginning, which all kernels share, and some of the kernels. */
#ifndef WADI_CODEGEN_BUILD_PARTS_H
#define WADI_CODEGEN_BUILD_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "codegen/build/target.h"

enum { WADI_PARTS_MAX = 16 };

/* Where a text can be cut. */
typedef struct wadi_parts {
    const char *text;
    size_t shared; /* bytes in front of the first kernel */
    int n;         /* parts; 1: it is compiled as a whole */
    bool brief;    /* it has so many kernels that compiling counts more than each of them */
    size_t begin[WADI_PARTS_MAX + 1]; /* [n + 1] where each begins, and the end of the text */
} wadi_parts;

/* Cuts the text into parts of about the same work: bytes of kernels that are functions of their own. mark: what each kernel begins with.
 * processors: no more parts than these. Pure. */
wadi_parts wadi_parts_of(const char *text, const char *mark, int processors);
/* Compiles the parts in `folder` and links them to the shared object `object`. last: what to put behind the last part. Errors: those of
 * wadi_cc_compile, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_parts_compile(const wadi_parts *p, const wadi_image_builder *cc,
                                              const char *last, const char *folder, bool gently,
                                              const char *object, wadi_error *err);

#endif
