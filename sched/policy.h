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

/* What one step cost. busy_ns is the processor time spent on the stream (reading, computing, writing), and elapsed_ns what
 * wadi_policy_elapsed says, both per processor. So busy_ns / elapsed_ns is the utilisation. elapsed_ns is 0 if the time is not
 * known, or says nothing because kernels were compiled meanwhile. */
typedef struct wadi_policy_sample {
    int64_t busy_ns, elapsed_ns;
    int64_t elements, bytes;
} wadi_policy_sample;

/* What chunks have lost between source and rest, on average. */
typedef struct wadi_policy_clock {
    double lost_ns;
} wadi_policy_clock;

/* The time of a chunk: that of the slower one of the source, which read it in read_ns, and of the rest of the stream; and what chunks lose
 * between them on average, when the one waits for the other to wake up. The rest took the step_ns since the step before, but for the
 * waited_ns that it had to wait for the source. The time from step to step alone would not do. Where the source is the slower one, that is
 * the time in which the chunk was read and how much longer it was computed than the one before; of chunks of two sizes in turn, the small
 * ones would seem the cheaper ones, however small they are. */
int64_t wadi_policy_elapsed(wadi_policy_clock *c, int64_t step_ns, int64_t waited_ns,
                            int64_t read_ns);

typedef struct wadi_policy wadi_policy;

typedef struct wadi_policy_ops {
    void (*destroy)(wadi_policy *self);
    void (*observe)(wadi_policy *self, const wadi_policy_sample *sample);
    /* Elements of the next chunk, at least 1. Pure: asking twice gives the same answer. */
    int64_t (*choose)(const wadi_policy *self);
    /* Writes what was learned as one line of readable text, without the end of the line. */
    void (*save)(const wadi_policy *self, wadi_text *out);
    /* Starts from what save has written. Errors: WADI_INVALID; the policy is then unchanged. */
    wadi_status (*load)(wadi_policy *self, const char *text, wadi_error *err);
} wadi_policy_ops;

struct wadi_policy {
    const wadi_policy_ops *ops;
};

typedef struct wadi_policy_row {
    const char *name;
    const char *about; /* one line */
    /* start: elements of the first chunk; 0: the policy chooses */
    wadi_status (*create)(int64_t start, wadi_policy **out, wadi_error *err);
} wadi_policy_row;

/* The table, ended by a row without a name. */
extern const wadi_policy_row wadi_policies[];

/* Finds the row; name NULL: the first of the table. Errors: WADI_INVALID if there is no such policy; the message lists the names. */
WADI_NODISCARD wadi_status wadi_policy_find(const char *name, const wadi_policy_row **out,
                                            wadi_error *err);
/* Finds the row and makes a policy. */
WADI_NODISCARD wadi_status wadi_policy_create(const char *name, int64_t start, wadi_policy **out,
                                              wadi_error *err);
void wadi_policy_destroy(wadi_policy *p); /* NULL is fine */

/* Elements to which the default policy lets chunks grow in large steps, if an element reads and gives so many bytes; and the bytes of such a
 * chunk. From there on each size must prove cheaper than the one before. */
int64_t wadi_policy_goal(double bytes, int64_t *out_bytes);

/* policy_probe.c, policy_paper.c, policy_fixed.c */
WADI_NODISCARD wadi_status wadi_policy_probe_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);
WADI_NODISCARD wadi_status wadi_policy_paper_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);
WADI_NODISCARD wadi_status wadi_policy_fixed_create(int64_t start, wadi_policy **out,
                                                    wadi_error *err);

#endif
