/* Stretches: stages of a stream of which a worker elsewhere computes all for each chunk of the first. Between them are only changes that take each
 * element by itself (wadi_change_facts.each), so what comes of a chunk depends on nothing but the chunk; home numbers it in its turn.
 *
 * A stream may have several: what is between them has an order, and stays at home.
 *
 * A stage with a state for each key may be a stretch of its own, a keyed one: its items are elements of some keys, with the states of these (shards.h). */
#ifndef WADI_SCHED_RUN_STRETCH_H
#define WADI_SCHED_RUN_STRETCH_H

#include "sched/change/change.h"
#include "sched/plan.h"

enum { WADI_STRETCHES = 8, WADI_STRETCH_STAGES = 16 };

typedef struct wadi_stretch {
    int n;
    int stage
        [WADI_STRETCH_STAGES]; /* rising. Items are chunks for the first; each other reads one of those before it */
    bool keyed; /* the states of its one stage change there, too */
} wadi_stretch;

typedef struct wadi_stretch_list {
    int n;
    wadi_stretch at[WADI_STRETCHES]; /* by their first stages; they share none */
} wadi_stretch_list;

/* What chunks of a stage have taken at home. */
typedef struct wadi_stretch_weight {
    int64_t ns, in_bytes, out_bytes;
} wadi_stretch_weight;

/* What the states of a stage that has some for each key have taken at home. */
typedef struct wadi_keyed_weight {
    int64_t ns, chunks, elements;
    int64_t in_bytes, state_bytes; /* of the elements; of the states of their keys */
    int64_t most;                  /* elements of the shard that has most of each chunk */
} wadi_keyed_weight;

/* Whether the keys of a stage may be parted among workers, whatever it takes. */
bool wadi_stretch_can_be_keyed(const wadi_plan *plan, const wadi_plan_stage *p);
/* Whether home gains by that. of: its states; weight: its body. */
bool wadi_stretch_pays_keyed(const wadi_plan_stage *p, const wadi_keyed_weight *of,
                             const wadi_stretch_weight *weight);

/* The longest ones, of those stages that are `usable`. Each has a body, or is keyed, as those stages are that `keyed` has (NULL: none). */
void wadi_stretch_find(const wadi_plan *plan, const wadi_plan_stream *s, const bool *usable,
                       const bool *keyed, wadi_stretch_list *out);
/* Keyed ones stay. Leaves of each other stretch what home gains most by, if that does not compute it and sends and takes its bytes instead; and leaves out those
 * by which home gains nothing, but for the one by which it gains most, if none is keyed. weight: of all stages. */
void wadi_stretch_choose(const wadi_plan_stream *s, const wadi_stretch_weight *weight,
                         wadi_stretch_list *inout);
/* Whether this is one, from wherever it comes. */
bool wadi_stretch_is_one(const wadi_plan *plan, const wadi_plan_stream *s, const wadi_stretch *t);
bool wadi_stretch_has(const wadi_stretch *t, int stage);
/* Whether an end, or a stage that is not of the stretch, reads the results of the stage. */
bool wadi_stretch_gives(const wadi_plan_stream *s, const wadi_stretch *t, int stage);

/* Which components of its input number `input` the change of stage p takes: those of its parts, and a test behind them. out: [2 * WADI_MAX_PARTS + 1].
 * Returns how many. */
int wadi_stretch_takes(const wadi_plan_stream *s, const wadi_plan_stage *p, int input, int *out);

#endif
