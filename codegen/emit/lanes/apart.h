/* What memory a pointer leads to, and whether the rounds of a loop store in different places of it. */
#ifndef WADI_CODEGEN_EMIT_LANES_APART_H
#define WADI_CODEGEN_EMIT_LANES_APART_H

#include "codegen/loop/loop.h"

/** The instruction that made the pointer; the same for all pointers to one column. WADI_LV_NONE: not known. */
wadi_lv wadi_c_apart_root(const wadi_lfun *f, wadi_lv pointer);
/** Whether what `store` in the loop `lanes` by lanes writes, neither another lane nor another round of `rounds` around them writes or
 *  loads again. false also if that cannot be seen. */
bool wadi_c_apart(const wadi_lfun *f, const wadi_linst *rounds, const wadi_linst *lanes,
                  const wadi_linst *store);

#endif
