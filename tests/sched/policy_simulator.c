/* Runs a stream on a simulated machine: asks the policy for chunk sizes and tells it what the chunks cost. Random numbers are the
 * same in every run. */
#include "tests/sched/policy_simulator.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sched/policy_weather.h"

enum { LAG = 4, RUN = 50, MANY = 8000, FEW = 20, LOOK = 31 };

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state) {
    return ((double)(next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state) {
    return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

/* Bytes of elements [from, from + k). Sizes depend on the element, not on the cut. */
static double bytes_of(const machine *m, int64_t from, int64_t k) {
    double sum = 0;
    if (!(m->ragged > 0)) return m->bytes * (double)k;
    for (int64_t i = from; i < from + k;) {
        const int64_t end = (i / RUN + 1) * RUN < from + k ? (i / RUN + 1) * RUN : from + k;
        uint64_t state = (uint64_t)(i / RUN) * 77 + 5;
        const double size = exp(m->ragged * normal(&state) - 0.5 * m->ragged * m->ragged);
        sum += (double)(end - i) * m->bytes * size;
        i = end;
    }
    return sum < 1 ? 1 : sum;
}

static double time_of(const machine *m, int64_t from, int64_t k, double bytes, int64_t number,
                      uint64_t *state) {
    double ns = (double)k * m->element_ns, per_byte = m->byte_ns;
    if (m->cache_bytes > 0 && bytes > m->cache_bytes)
        per_byte *= 1 + m->slowdown * (1 - m->cache_bytes / bytes);
    ns += bytes * per_byte;
    if (m->change_at > 0 && from >= m->change_at) ns *= m->change;
    ns += m->latency_ns;
    if (m->period > 0 && number % m->period == m->phase) ns += m->periodic_ns;
    if (m->noise > 0) ns *= exp(m->noise * normal(state));
    if (m->heavy > 0 && uniform(state) < m->heavy) ns *= 1 + pow(uniform(state), -1 / 1.5);
    if (m->outliers && (number == 3 || number == 30 || number == 300 || number == 3000)) ns *= 100;
    return ns;
}

/* What `ns` of undisturbed time take from the time `at` on. */
static double disturbed(double at, double ns) {
    double took = 0;
    while (ns > 0) {
        const double now = at + took, period = floor(now / WEATHER_NS);
        const double slow = 0.01 * weather_percent[(int64_t)period % WEATHER_COUNT];
        const double left = (period + 1) * WEATHER_NS - now;
        if (ns * slow <= left) return took + ns * slow;
        ns -= left / slow;
        took += left + 1e-3;
    }
    return took;
}

typedef struct track {
    int64_t recent[LOOK]; /* the latest choices */
    int64_t last;
    int direction;
} track;

static int by_size(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The median of the latest choices: sizes tried in turn with another one are no change of mind. */
static int64_t meant(const track *t) {
    int64_t x[LOOK];
    memcpy(x, t->recent, sizeof x);
    qsort(x, LOOK, sizeof *x, by_size);
    return x[LOOK / 2];
}

static void follow(track *t, int64_t chosen, outcome *o) {
    t->recent[o->chunks % LOOK] = chosen;
    const int64_t size = meant(t);
    const int direction = size > t->last ? 1 : size < t->last ? -1 : 0;
    if (direction == 0) return;
    if (t->direction != 0 && direction != t->direction) o->turns++;
    t->direction = direction;
    t->last = size;
    o->settled_at = o->chunks;
}

outcome simulate(const machine *m, wadi_policy *p, int64_t elements, uint64_t seed) {
    outcome o = {0};
    int64_t queue[LAG], from = 0;
    double ended[LAG] = {0}, source = 0; /* when the latest chunks ended; the last read */
    wadi_policy_clock clock = {0};
    track t = {.last = p->ops->choose(p)};
    int64_t asked = t.last;
    for (int i = 0; i < LAG; i++) queue[i] = asked;
    while (from < elements) {
        int64_t k = queue[o.chunks % LAG];
        if (m->most > 0 && k > m->most) k = m->most;
        if (k > elements - from) k = elements - from;
        const double bytes = bytes_of(m, from, k);
        double ns = time_of(m, from, k, bytes, o.chunks, &seed);
        if (m->weather) ns = disturbed(o.total_ns, ns);
        const double read = m->read_latency_ns + m->read_ns * (double)k;
        source = fmax(source, ended[o.chunks % LAG]) + read;
        const double wait = source > o.total_ns ? source - o.total_ns + m->wake_ns : 0;
        const double step = wait + ns;
        const int64_t cost =
            wadi_policy_elapsed(&clock, (int64_t)step, (int64_t)wait, (int64_t)read);
        const wadi_policy_sample s = {.busy_ns = (int64_t)(0.9 * (double)cost),
                                      .elapsed_ns = cost,
                                      .elements = k,
                                      .bytes = m->told > 0 ? m->told * k : (int64_t)bytes};
        p->ops->observe(p, &s);
        from += k;
        o.total_ns += step;
        ended[o.chunks % LAG] = o.total_ns;
        o.size = p->ops->choose(p);
        if (!m->by_twos || o.chunks % 2 == 0) asked = o.size;
        queue[o.chunks++ % LAG] = asked;
        follow(&t, o.size, &o);
    }
    return o;
}

outcome simulate_named(const machine *m, const char *policy, int64_t start, int64_t elements,
                       uint64_t seed) {
    wadi_policy *p = NULL;
    outcome o = {0};
    if (wadi_policy_create(policy, start, &p, NULL) != WADI_OK) return o;
    o = simulate(m, p, elements, seed);
    wadi_policy_destroy(p);
    return o;
}

double best_fixed_ns(const machine *m, int64_t elements, uint64_t seed, int64_t *out_size) {
    double best = HUGE_VAL;
    for (int64_t k = 1; k <= INT64_C(1) << 26; k *= 2) {
        if (m->most == 0 && (elements / k > MANY || elements / k < FEW)) continue;
        if (m->most > 0 && (k < m->most / 4 || k >= 2 * m->most))
            continue; /* no better, the same */
        const double ns = simulate_named(m, "fixed", k, elements, seed).total_ns;
        if (ns < best && out_size != NULL) *out_size = k;
        if (ns < best) best = ns;
    }
    return best;
}
