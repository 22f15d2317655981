/* The text in front of kernels in C. */
#include "codegen/emit/c/prelude.h"

#include <string.h>

#include "codegen/emit/c_like/pick.h"
#include "codegen/rt_embed.h"

bool wadi_c_prelude(const char *kernels, bool has_complex, wadi_text *out) {
    const char *const texts[] = {wadi_embed_scalar, wadi_embed_elementary, wadi_embed_complex,
                                 wadi_embed_complex_functions};
    wadi_text functions;
    wadi_text_init(&functions);
    wadi_text_add(out, wadi_embed_kernel);
    wadi_text_add(out, wadi_embed_work);
    const bool fine = wadi_c_pick(texts, has_complex ? 4 : 2, kernels, &functions);
    if (fine && strstr(wadi_text_str(&functions), "WADI_LANES"))
        wadi_text_add(out, wadi_embed_lanes);
    if (strstr(kernels, "wadi_stream(")) wadi_text_add(out, wadi_embed_stream);
    if (strstr(kernels, "wadi_place_")) wadi_text_add(out, wadi_embed_place);
    if (strstr(kernels, "wadi_row_order ")) wadi_text_add(out, wadi_embed_order);
    if (fine) wadi_text_add(out, wadi_text_str(&functions));
    wadi_text_fini(&functions);
    return fine && !out->failed;
}
