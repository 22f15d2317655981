/* The paper's computation lifted by hand: whole arrays with the visibility's number as their outermost dimension, and no stream. */
#ifndef WADI_BENCH_GRIDDING_PAPER_LIFTED_H
#define WADI_BENCH_GRIDDING_PAPER_LIFTED_H

#include "apps/gridding/aw_program.h"

/* Six transforms in the language; inputs and outputs as those of grid_aw_compile. */
WADI_NODISCARD wadi_status paper_lifted_compile(const grid_aw_form *f, wadi_exe **out,
                                                wadi_error *err);

#endif
