/* The chunk policy of "Streaming irregular arrays" (Clifton-Everest, McDonell, Chakravarty, Keller; Haskell 2017),
 * section 5. It starts with one element, and grows while less than 80 % of the processors' time is spent on the stream. After that
 * it grows only as long as this lowers the time per element, shrinks if growing raises it, and otherwise keeps the size. Samples are
 * smoothed by weighted moving averages, and growing is twice as fast as shrinking.
 *
 * The paper speaks only of the effect of growing. After shrinking, the rule is mirrored: the size shrinks further while the time per
 * element falls, and grows again when it rises. (Taken literally, the policy would answer a success of shrinking by growing.)
 * The paper gives no values for three numbers; here they are WEIGHT, GROWTH and TOLERANCE. Time per element is elapsed time, because
 * that determines the speed of the stream. Ragged elements and slow sources mislead this policy; it does not try to be better
 * than the paper. */
#include "sched/policy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static const double TARGET = 0.8; /* utilisation, from the paper */
static const double WEIGHT = 0.3; /* the weight of the newest sample in an average */
static const double GROWTH =
    0.5; /* a step grows by this share of the size, or shrinks by half of that */
static const double TOLERANCE = 0.02; /* changes of the time per element below this are noise */
static const double LARGEST = 1e9;    /* elements */
static const double AHEAD =
    8; /* the size may be this many times that of the chunks seen: those in flight are older choices, smaller by about 1.5^4 */

typedef struct paper {
    wadi_policy base;
    double size;
    bool growing;       /* the last change was a growth */
    double utilisation; /* average */
    double per_element; /* average, ns */
    int64_t samples;
} paper;

static void destroy(wadi_policy *self) {
    free(self);
}

static double average(double old, double sample, int64_t samples) {
    return samples == 0 ? sample : old + WEIGHT * (sample - old);
}

/* A small size changes by at least one element, or rounding would undo the change. */
static double grown(double size) {
    const double step = size * GROWTH < 1 ? 1 : size * GROWTH;
    return size + step < LARGEST ? size + step : LARGEST;
}

static double shrunk(double size) {
    const double step = size * GROWTH / 2 < 1 ? 1 : size * GROWTH / 2;
    return size - step > 1 ? size - step : 1;
}

/* The newest sample is compared with the average, which lags behind. So no second average is needed. */
static void observe(wadi_policy *self, const wadi_policy_sample *s) {
    paper *p = (paper *)self;
    if (s->elements <= 0 || s->elapsed_ns <= 0) return;
    const double elapsed = (double)s->elapsed_ns;
    const double now = elapsed / (double)s->elements;
    const double before = p->samples == 0 ? now : p->per_element;
    p->utilisation = average(p->utilisation, (double)s->busy_ns / elapsed, p->samples);
    p->per_element = average(p->per_element, now, p->samples);
    const bool first = p->samples++ == 0;
    if (p->utilisation < TARGET || first) {
        p->growing = true;
    } else if (now > before * (1 + TOLERANCE)) {
        p->growing = !p->growing;
    } else if (now > before * (1 - TOLERANCE)) {
        return;
    }
    /* If chunks stay small, something else limits them (memory, the source). Growing further would only delay shrinking. */
    if (p->growing && p->size > AHEAD * (double)s->elements) return;
    p->size = p->growing ? grown(p->size) : shrunk(p->size);
}

static int64_t choose(const wadi_policy *self) {
    return (int64_t)((const paper *)self)->size;
}

static void save(const wadi_policy *self, wadi_text *out) {
    wadi_text_addf(out, "paper %lld", (long long)choose(self));
}

static wadi_status load(wadi_policy *self, const char *text, wadi_error *err) {
    long long size = 0;
    if (sscanf(text, "paper %lld", &size) != 1 || size < 1 || (double)size > LARGEST) {
        return wadi_fail(err, WADI_INVALID, "chunk policy paper: cannot read \"%s\"", text);
    }
    ((paper *)self)->size = (double)size;
    return WADI_OK;
}

static const wadi_policy_ops ops = {destroy, observe, choose, save, load};

wadi_status wadi_policy_paper_create(int64_t start, wadi_policy **out, wadi_error *err) {
    paper *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "chunk policy: out of memory");
    p->base.ops = &ops;
    p->size = start > 0 ? (double)start : 1;
    *out = &p->base;
    return WADI_OK;
}
