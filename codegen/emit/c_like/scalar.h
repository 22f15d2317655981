/* Scalar types, constants and operations as C expressions. */
#ifndef WADI_CODEGEN_EMIT_C_SCALAR_H
#define WADI_CODEGEN_EMIT_C_SCALAR_H

#include "base/text.h"
#include "codegen/loop/loop.h"

/** Which C the text is for. */
typedef enum wadi_c_for {
    WADI_C_HOST, /* gcc and clang, with wrapping integers: WADI_FN of codegen/rt/work.h, builtins */
    WADI_C_DEVICE /* device C: nothing but what OpenCL C 1.2 and CUDA C have as well (device.h) */
} wadi_c_for;

const char *wadi_c_type(wadi_type t);
/** Prints a constant exactly: a float in hexadecimal, unless a short decimal number is equal to it. */
void wadi_c_constant(wadi_text *out, wadi_c_for c, wadi_scalar value);

/** Prints a cast in front of `x` if `x` and `y` are both constants: in C, digits alone may have another type. */
void wadi_c_say_type(wadi_text *out, const wadi_lfun *f, wadi_lv x, wadi_lv y);

/** Whether the primitive is a function that has a near form (graph/elementary/trigonometric.h). */
bool wadi_c_has_near(const wadi_linst *i);

typedef void (*wadi_c_write)(void *env, wadi_lv v);
/** Prints the primitive `i`. Its arguments are printed by `operand` between operators, and by `plain` between commas. */
void wadi_c_prim(wadi_text *out, wadi_c_for c, const wadi_lfun *f, const wadi_linst *i,
                 wadi_c_write operand, wadi_c_write plain, void *env);

#endif
