/* Simulated machines, on which chunk policies run a stream without waiting. */
#ifndef WADI_TESTS_SCHED_POLICY_SIMULATOR_H
#define WADI_TESTS_SCHED_POLICY_SIMULATOR_H

#include <stdbool.h>

#include "sched/policy.h"

/* A chunk of k elements and b bytes takes
 *     latency_ns + k * element_ns + b * byte_ns * (1 + slowdown * the share of b beyond cache_bytes)
 * divided by what noise gives. A source that reads does that beside it, as many chunks ahead as may be under way, and takes
 * read_latency_ns + k * read_ns for a chunk. Whoever waits for it needs wake_ns to wake up. */
typedef struct machine {
    double latency_ns, element_ns, byte_ns;
    double cache_bytes, slowdown; /* cache_bytes 0: no knee */
    double noise;                 /* standard deviation of the logarithm of the time */
    double heavy; /* probability of a chunk that takes a time from a Pareto law of index 1.5 more */
    bool outliers;     /* chunks 3, 30, 300 and 3000 take 100 times as long */
    double bytes;      /* of an element, on average */
    double ragged;     /* elements' sizes are lognormal with this deviation, in runs of 50 */
    int64_t change_at; /* element from which on element_ns and byte_ns are `change` times as much */
    double change;
    bool weather; /* slowed down from time to time, as recorded in policy_weather.h */
    int64_t told; /* bytes of an element that the policy hears of; 0: the true ones */
    int64_t most; /* elements in a chunk at most: what a memory budget does; 0: no bound */
    double read_latency_ns, read_ns, wake_ns;
    bool by_twos;       /* the source asks for the size of two chunks at a time */
    int period, phase;  /* chunks number phase, phase + period, phase + 2 period, ... */
    double periodic_ns; /* take so much more, as they wake another thread up; period 0: none do */
} machine;

typedef struct outcome {
    double total_ns;
    int64_t chunks;
    int turns; /* changes of direction of the size chosen in most chunks, after the first growth */
    int64_t settled_at; /* chunk after which the size did not change any more */
    int64_t size;       /* the last one chosen */
} outcome;

/* Runs `elements` elements. Several chunks are under way: a size chosen is seen LAG chunks later. */
outcome simulate(const machine *m, wadi_policy *p, int64_t elements, uint64_t seed);
outcome simulate_named(const machine *m, const char *policy, int64_t start, int64_t elements,
                       uint64_t seed);
/* The least time of all fixed sizes that are powers of two and make a sensible number of chunks. out_size may be NULL. */
double best_fixed_ns(const machine *m, int64_t elements, uint64_t seed, int64_t *out_size);

#endif
