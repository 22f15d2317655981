/* Home and workers that meet over ports. */
#include <stddef.h>

#include "sched/work/dispatch.h"
#include "tests/simulate/way.h"

const char *way_address(void) {
    return "tcp://127.0.0.1:1";
}

bool way_was_there(void) {
    return true;
}

int way_most_items(int workers) {
    return workers * WADI_DISPATCH_AHEAD;
}

int way_scale(void) {
    return 1;
}

int64_t way_lost_s(void) {
    return 200;
}

int way_pause_s(void) {
    return 10;
}

int64_t way_requests(void) {
    return 0;
}

int64_t way_requests_most(void) {
    return 0;
}

const char *way_harm(void) {
    return NULL;
}
