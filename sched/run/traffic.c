/* What devices have copied, in the statistics of a run. */
#include "sched/residence.h"
#include "sched/run/state.h"

void wadi_run_add_copies(wadi_run_stats *to, const wadi_device *device) {
    if (device->residence == NULL) return;
    wadi_traffic *t = device->residence->traffic;
    to->bytes_put += atomic_load(&t->put);
    to->bytes_got += atomic_load(&t->got);
    to->bytes_between += atomic_load(&t->between);
    to->launches_shared += atomic_load(&t->shared);
    to->launches_whole += atomic_load(&t->whole);
}
