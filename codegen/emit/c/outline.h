/* Making functions of loop nests. */
#ifndef WADI_CODEGEN_EMIT_C_OUTLINE_H
#define WADI_CODEGEN_EMIT_C_OUTLINE_H

#include "base/vec.h"
#include "codegen/emit/c_like/names.h"

/** A loop nest and the values from around it that it reads. */
typedef struct wadi_c_nest {
    const wadi_linst *loop;
    const char *about; /* the note in front of it, or NULL */
    const char *array; /* name of the first array it writes */
    WADI_VEC(wadi_lv) params;
} wadi_c_nest;

/** Whether statement `p` of scope `s` is a nest that can be a function: it is inside the loop over a chunk's elements and writes
 *  arrays only. The caller frees out->params. Also false when out of memory. */
bool wadi_c_outline(const wadi_lfun *f, const wadi_c_names *names, const wadi_lscope *s, int p,
                    wadi_c_nest *out);

#endif
