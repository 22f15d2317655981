/* The table. */
#include "apps/gridding/methods.h"

#include <stddef.h>

const grid_method *const grid_methods[] = {
    &grid_direct,
    NULL,
};
