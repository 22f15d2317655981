/* Scalar functions in device C: C99 that OpenCL C 1.2 and CUDA C take as well. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_DEVICE_H
#define WADI_CODEGEN_EMIT_C_LIKE_DEVICE_H

#include <stdbool.h>

#include "base/text.h"

/** Appends to `out` the words of a dialect (`words`, such as wadi_embed_scalar_cuda), and the functions for scalars that `kernels` needs, a
 *  text whose scalar operations were written for WADI_C_DEVICE (scalar.h). The types int8_t to uint64_t and bool stand in front of it. `has_complex`: whether complex numbers occur.
 *  It defines WADI_FN, what small functions of device C begin with. false: out of memory. */
bool wadi_c_device_scalars(const char *words, const char *kernels, bool has_complex,
                           wadi_text *out);

#endif
