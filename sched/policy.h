/* Chunk policies: they choose how many elements the next chunk has.
 *
 * After each step (one chunk through the compute stage), the policy observes what it cost. Whenever a source starts a new
 * chunk, the policy is asked for a size. Each policy is a file, listed in policies.c. A policy is used under the run's lock,
 * so it needs no thread safety of its own. Afterwards the memory budget (budget.h) caps every choice. */
#ifndef WADI_SCHED_POLICY_H
#define WADI_SCHED_POLICY_H

#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

/* One step. Utilisation is busy_ns / elapsed_ns: processors' time spent on the stream (reading, computing, writing) against
 * time passed since the step before, both per processor. elapsed_ns 0: the time is not known, or says nothing, since kernels
 * were compiled on the way. */
typedef struct wadi_policy_sample {
    int64_t busy_ns, elapsed_ns;
    int64_t elements, bytes;
} wadi_policy_sample;

typedef struct wadi_policy wadi_policy;

typedef struct wadi_policy_ops {
    void (*destroy)(wadi_policy *self);
    void (*observe)(wadi_policy *self, const wadi_policy_sample *sample);
    /* Elements of the next chunk, at least 1. Pure: asking twice gives the same answer. */
    int64_t (*choose)(const wadi_policy *self);
    /* What was learned, as one line of readable text without its end. */
    void (*save)(const wadi_policy *self, wadi_text *out);
    /* Starts from what save wrote. Errors: WADI_INVALID, and the policy is unchanged. */
    wadi_status (*load)(wadi_policy *self, const char *text, wadi_error *err);
} wadi_policy_ops;

struct wadi_policy {
    const wadi_policy_ops *ops;
};

typedef struct wadi_policy_row {
    const char *name;
    const char *about; /* one line */
    /* start: elements of the first chunk, 0 for the policy's own choice */
    wadi_status (*create)(int64_t start, wadi_policy **out, wadi_error *err);
} wadi_policy_row;

/* The table, ended by a row without a name. */
extern const wadi_policy_row wadi_policies[];

/* name NULL: the first of the table. Errors: WADI_INVALID when there is no such policy; the message lists those there are. */
WADI_NODISCARD wadi_status wadi_policy_find(const char *name, const wadi_policy_row **out,
                                            wadi_error *err);
/* The same, and makes one. */
WADI_NODISCARD wadi_status wadi_policy_create(const char *name, int64_t start, wadi_policy **out,
                                              wadi_error *err);
void wadi_policy_destroy(wadi_policy *p); /* NULL is fine */

/* policy_probe.c, policy_paper.c, policy_fixed.c */
WADI_NODISCARD wadi_status wadi_policy_probe_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);
WADI_NODISCARD wadi_status wadi_policy_paper_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);
WADI_NODISCARD wadi_status wadi_policy_fixed_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);

#endif
