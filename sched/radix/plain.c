/* The engine for every processor. */
#include "sched/radix/engine_body.h"

const wadi_radix_engine wadi_radix_plain = {sort_row, rank_row, choose_row};
