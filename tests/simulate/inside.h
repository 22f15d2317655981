/* What processes and network know of each other. */
#ifndef TESTS_SIMULATE_INSIDE_H
#define TESTS_SIMULATE_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/simulate/world.h"

/* ---- processes.c ---- */

process *world_self(void);
bool world_is_dead(const process *p);
/* There is something for it to read. */
void world_poke(process *p);
/* Until then, or until it is poked. True: it was. */
bool world_wait(int64_t until_ns);

/* ---- network.c ---- */

void network_begin(int breaks);
void network_end(void);
/* When something happens there next; INT64_MAX: never. And lets it happen. */
int64_t network_next(void);
void network_happen(void);
/* All connections of the process break. */
void network_cut(process *p);

#endif
