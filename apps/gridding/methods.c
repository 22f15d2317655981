/* The table of methods. */
#include "apps/gridding/methods.h"

#include <stddef.h>

const grid_method *const grid_methods[] = {
    &grid_wstack, &grid_wproj, &grid_aw, &grid_simple, &grid_direct, NULL,
};
