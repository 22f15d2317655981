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
    bool strip; /* it is a strip of the loop, whose bounds are two more arguments (WADI_C_STRIP) */
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
/** Whether loop `loop`, which runs in strips, is worth a form without its bulky branches. A round that would take one is left: a function
 *  of the nest *out takes the strip from that round on. It must do no harm to begin a round twice, and nothing may pass from a round to
 *  the next one. The caller calls wadi_c_nest_fini if it is true. Also false when out of memory. */
bool wadi_c_has_rest(const wadi_lfun *f, const wadi_c_names *names, const wadi_linst *loop,
                     wadi_c_nest *out);
/** Whether branch `i` is one of two versions, and a bulky branch is in the one that hardly ever faults. */
bool wadi_c_guards_bulky(const wadi_linst *i);
void wadi_c_nest_fini(wadi_c_nest *nest);

#endif
