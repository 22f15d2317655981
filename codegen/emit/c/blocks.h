/* Loops over rows in whole blocks. */
#ifndef WADI_CODEGEN_EMIT_C_BLOCKS_H
#define WADI_CODEGEN_EMIT_C_BLOCKS_H

#include "codegen/emit/c_like/expression.h"

/** Whether a round of a loop with scope `s` may do its instruction `i` once more: it computes a value, or stores what no round reads. */
bool wadi_c_may_repeat(const wadi_c_writer *w, const wadi_lscope *s, const wadi_linst *i);

/** How many rounds a block of the loop has, if its last block may begin earlier and do some rounds once more; 0: it may not, or that is not worth it. */
int wadi_c_block_of(const wadi_c_writer *w, const wadi_linst *loop);

/** Begins the loop in blocks of n rounds, two levels further inside, up to the value of its variable. Behind the round come two ends of blocks, and what is done instead if there are fewer
 *  rounds than n, or many more. */
void wadi_c_block_open(wadi_c_writer *w, const wadi_linst *loop, int n, int level);

#endif
