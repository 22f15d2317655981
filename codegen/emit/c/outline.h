/* Making functions of loop nests. */
#ifndef WADI_CODEGEN_EMIT_C_OUTLINE_H
#define WADI_CODEGEN_EMIT_C_OUTLINE_H

#include "base/vec.h"
#include "codegen/emit/c_like/names.h"

typedef WADI_VEC(wadi_lv) wadi_c_values;

/** A loop nest and the values from around it that it reads. */
typedef struct wadi_c_nest {
    const wadi_linst *head; /* its loop, or a branch around it */
    const char *about;      /* the note in front of it, or NULL */
    const char *array;      /* name of the first array it writes, or of the first variable */
    wadi_c_values params;
    wadi_c_values changed; /* variables from around it that it sets; they are in params too */
} wadi_c_nest;

/** Whether the kernel has so many nests for each element that a C compiler takes long over it as one function. */
bool wadi_c_has_many_nests(const wadi_lfun *f);

/** Whether the memory of this pointer or lane array is reached only through it. */
bool wadi_c_is_apart(const wadi_linst *i);

/** Whether statement `p` of scope `s` is a nest that can be a function: it is inside the loop over a chunk's elements and writes
 *  arrays only. If there are `many`, it may also set variables and lane arrays from around it, and be a branch with one loop in it. The
 *  caller calls wadi_c_nest_fini if it is true. Also false when out of memory. */
bool wadi_c_outline(const wadi_lfun *f, const wadi_c_names *names, const wadi_lscope *s, int p,
                    bool many, wadi_c_nest *out);
void wadi_c_nest_fini(wadi_c_nest *nest);

#endif
