/* What processes and network know of each other. */
#ifndef TESTS_SIMULATE_INSIDE_H
#define TESTS_SIMULATE_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/simulate/world.h"

/* ---- processes.c ---- */

/* The process that has the turn. */
process *world_self(void);
bool world_is_dead(const process *p);
/* There is something for it to read. */
void world_poke(process *p);
/* Until then, until it is poked, or until the descriptor can be read (-1: none). True: before that time. */
bool world_wait(int64_t until_ns, int fd);
/* A further thread of the process that has the turn. world_has_ended is told of it, too. */
process *world_start_thread(void (*run)(void *env), void *env);
/* Until then, or until somebody says that there is news of that thing. Of one's own process: whether it is dead does not matter. */
bool world_block(const void *what, int64_t until_ns);
void world_wake(const void *what, bool everyone);

/* ---- threads.c ---- */

/* From now on threads of wadi are threads of processes. */
void threads_begin(void);

/* ---- folder.c ---- */

/* Nothing is saved. */
void folder_begin(void);

/* ---- network.c ---- */

void network_begin(int breaks);
void network_end(void);
/* When something happens there next; INT64_MAX: never. And lets it happen. */
int64_t network_next(void);
void network_happen(void);
/* All connections of the process break. */
void network_cut(process *p);

#endif
