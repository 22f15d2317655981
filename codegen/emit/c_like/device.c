/* Scalar functions in device C: the words of the dialect, then the functions that are needed. */
#include "codegen/emit/c_like/device.h"

#include "codegen/emit/c_like/pick.h"
#include "codegen/rt_embed.h"

bool wadi_c_device_scalars(const char *words, const char *kernels, bool has_complex,
                           wadi_text *out) {
    const char *const texts[] = {wadi_embed_scalar_device, wadi_embed_elementary_device,
                                 wadi_embed_complex_device, wadi_embed_complex_functions_device};
    wadi_text_add(out, words);
    return wadi_c_pick(texts, has_complex ? 4 : 2, kernels, out);
}
