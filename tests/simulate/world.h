/* A world for ports of links, work queues and runs: processes that take turns, a clock that jumps to what happens next, a network and a disk, all by
 * one seed. They stand in for libzmq (sched/transport/zmq/library.h), for threads (base/thread.h) and for the folder of a saved run
 * (base/kept_folder.h), so all above is the real thing.
 *
 * A message takes its time; messages of one connection keep their order. A connection breaks by chance, and with it goes what is under
 * way. Its ends hear of that at different times, before or after the last messages. Descriptors are used again at once. */
#ifndef TESTS_SIMULATE_WORLD_H
#define TESTS_SIMULATE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct process process;

/* Those of the first to the last one; tells: what happens is to be told. */
typedef struct world_seeds {
    uint64_t first, last;
    bool tells;
} world_seeds;

/* WADI_SEED=N: that one, which tells; WADI_SEEDS=N: 1 to N; WADI_SEEDS=A-B: A to B; otherwise 1 to the usual number. */
world_seeds world_seeds_of(uint64_t usual);

/* Begins and ends a world. What happens in it depends on the seed alone. */
void world_begin(uint64_t seed, int breaks /* connections that break, at most */);
void world_end(void);
/* A number below n, by chance. Only of processes, and between turns. */
int world_chance(int n);
int64_t world_now(void); /* ns */

/* Starts a process: `run` in a thread of its own, which has the turn only when the others wait. */
process *world_start(void (*run)(void *env), void *env);
/* Whether it has ended. If so, it is gone. */
bool world_has_ended(process *p);
/* From now on nothing of what it sends leaves it, and all its waits fail. It still has to come to its end. */
void world_kill(process *p);
/* It does nothing for so long. What comes for it waits. */
void world_stop(process *p, int64_t ns);
/* Of the process that has the turn: whether it was killed, so nothing that it does counts any more. */
bool world_am_dead(void);
/* Lets others have the turn for so long. */
void world_sleep(int64_t ns);
/* From now on one saving in so many finds no room; 0: none. A new world has room. */
void world_fill_disk(int one_in_so_many);
/* Whether a run is saved. */
bool world_has_state(void);
/* Gives the turn to whoever is next; false: nobody will ever have it again. */
bool world_turn(void);

#endif
