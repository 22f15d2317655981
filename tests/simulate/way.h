/* The way by which home and workers of a world meet: over ports (network.c), or over a server of NATS (nats/network.c). */
#ifndef TESTS_SIMULATE_WAY_H
#define TESTS_SIMULATE_WAY_H

#include <stdbool.h>
#include <stdint.h>

/* Of the job. */
const char *way_address(void);
/* Items that are under way at most. */
int way_most_items(int workers);
/* How many times larger elements may be. */
int way_scale(void);
/* A worker may have no home for so long. */
int64_t way_lost_s(void);
/* The longest pause where nobody stops. */
int way_pause_s(void);
/* Whether nothing but connections has broken in this world. */
bool way_was_there(void);
/* Requests that a server has heard in this world, and how many of each process are bearable in a second. */
int64_t way_requests(void);
int64_t way_requests_most(void);
/* Does some harm to the way, and says which; NULL: there is none. Between turns. */
const char *way_harm(void);

#endif
