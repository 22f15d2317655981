/* Which worlds a test is of. */
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/world.h"

world_seeds world_seeds_of(uint64_t usual) {
    const char *one = getenv("WADI_SEED"), *some = getenv("WADI_SEEDS");
    world_seeds s = {.first = 1, .last = usual};
    const char *dash = some != NULL ? strchr(some, '-') : NULL;
    if (dash != NULL) s.first = strtoull(some, NULL, 10);
    if (some != NULL) s.last = strtoull(dash != NULL ? dash + 1 : some, NULL, 10);
    if (one != NULL) s = (world_seeds){strtoull(one, NULL, 10), strtoull(one, NULL, 10), true};
    return s;
}
