/* What a run is expected to do with each body: schedule and chunk, by the cost rule (sched/schedules.c), and why. */
#include "exe/expect.h"

#include "codegen/given.h"
#include "exe/exe.h"
#include "sched/policy.h"
#include "sched/run/stretch.h"
#include "sched/schedules.h"
#include "sched/sizes.h"
#include "sched/steps/choose.h"

enum { MANY = 1 << 20, WORKERS = 2, HUGE = 1 << 24 };
enum { STEP = 16 }; /* how much a chunk of the default policy grows at a time, at most */

/* The schedules for a chunk with more elements than workers, and for one with fewer that are large. */
static void expect_stage(const wadi_plan_body *b, int forced, wadi_text *t) {
    const wadi_schedule many = wadi_choose_schedule(b, forced, false, MANY, MANY, WORKERS);
    const wadi_schedule few = wadi_choose_schedule(b, forced, false, 1, HUGE, WORKERS);
    wadi_text_addf(t, "%s: %s", b->name, wadi_schedules[many].name);
    if (forced >= 0)
        wadi_text_add(t, ", as it is asked for or as it is the only one\n");
    else if (b->rank0 && b->offers[WADI_SCHEDULE_ACROSS])
        wadi_text_add(t, ": all that it stores are scalars, so elements are the lanes\n");
    else if (b->lifted)
        wadi_text_add(t, ": what it calls works on whole chunks\n");
    else if (few != many)
        wadi_text_addf(
            t,
            ": what an element makes stays in the cache of its worker; %s for chunks of fewer "
            "elements than\n    workers, if what each goes through is too large for a cache, or if "
            "such have taken a millisecond\n",
            wadi_schedules[few].name);
    else
        wadi_text_add(t, ": it offers no other that is better\n");
}

static void expect_arrays(const wadi_plan_body *b, int forced, wadi_text *t) {
    const wadi_schedule s = wadi_choose_schedule(b, forced, true, 1, HUGE, WORKERS);
    wadi_text_addf(
        t, "%s: %s%s\n", b->name, wadi_schedules[s].name,
        forced >= 0 ? ", as it is asked for or as it is the only one"
        : s == WADI_SCHEDULE_FLAT
            ? ": whole arrays are one element, which only this schedule shares among workers"
            : ": it offers no other that is better");
}

/* The body of a scan with a state for each key. */
static void expect_keyed(const wadi_plan *p, const wadi_plan_stage *g, wadi_text *t) {
    wadi_text_addf(t, "%s: %s: a state for each key, at home; workers elsewhere %s\n",
                   p->bodies[g->scan.body].name,
                   g->scan.carried ? "one kernel takes the elements of a chunk in order"
                                   : "one element after the other",
                   wadi_stretch_can_be_keyed(p, g)
                       ? "share its keys if a step takes longer than\n    its bytes"
                       : "do not share its keys");
}

static void expect_stream(const wadi_plan *p, const wadi_plan_stream *s, int forced, wadi_text *t) {
    for (int i = 0; i < s->nstages; i++) {
        const wadi_plan_fold *scan = wadi_plan_stage_fold(&s->stages[i]);
        if (scan != NULL && scan->keyed) expect_keyed(p, &s->stages[i], t);
        if (s->stages[i].body >= 0) expect_stage(&p->bodies[s->stages[i].body], forced, t);
    }
}

/* ---- chunks ---- */

/* How many values dimension d of a source's component has: declared, or given by its name or that of the component (xs.0). */
static bool extent_of(const wadi_plan_extent *e, const char *slot, int d, const char *extents,
                      int64_t *out) {
    *out = e->value;
    if (e->value >= 0) return true;
    wadi_text name = {0};
    if (e->name)
        wadi_text_add(&name, e->name);
    else
        wadi_text_addf(&name, "%s.%d", slot ? slot : "", d);
    const bool found = !name.failed && wadi_given_extent(extents, wadi_text_str(&name), out);
    wadi_text_fini(&name);
    return found;
}

/* Adds what an element of the source takes. False: extents are missing. */
static bool add_bytes(const wadi_plan *p, const wadi_plan_source *s, const char *extents,
                      double *bytes) {
    for (int k = 0; k < s->nslots; k++) {
        const wadi_plan_slot *slot = &p->slots[s->slots[k]];
        double size = (double)wadi_plan_slot_width(slot);
        int64_t values = 0;
        for (int d = 0; d < slot->rank; d++) {
            if (!extent_of(&s->extent[k][d], slot->name, d, extents, &values)) return false;
            size *= (double)values;
        }
        *bytes += size;
    }
    return true;
}

/* Bytes of the sources of an element. False: extents are missing. */
static bool bytes_read(const wadi_plan *p, const wadi_plan_stream *s, const char *extents,
                       double *bytes) {
    bool known = true;
    for (int i = 0; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].nsources; k++)
            if (!s->stages[i].sources[k].counter)
                known = known && add_bytes(p, &s->stages[i].sources[k], extents, bytes);
    return known;
}

/* Adds the bytes of a slot that goes to a sink: of a scalar, or of a component of a source that passes through. */
static bool add_given(const wadi_plan *p, const wadi_plan_stream *s, int slot, const char *extents,
                      double *bytes) {
    const wadi_plan_slot *of = &p->slots[slot];
    for (int i = 0; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].nsources; k++)
            for (int c = 0; c < s->stages[i].sources[k].nslots; c++) {
                const wadi_plan_source *from = &s->stages[i].sources[k];
                if (from->slots[c] != slot) continue;
                const wadi_plan_source one = {
                    .nslots = 1, .slots = &slot, .extent = &from->extent[c]};
                return add_bytes(p, &one, extents, bytes);
            }
    *bytes += (double)wadi_plan_slot_width(of);
    return of->rank == 0;
}

/* Bytes that sinks get for an element. False: extents are missing. */
static bool bytes_given(const wadi_plan *p, const wadi_plan_stream *s, const char *extents,
                        double *bytes) {
    bool known = true;
    for (int i = 0; i < s->nends; i++) {
        const wadi_plan_end *e = &s->ends[i];
        for (int k = 0; e->kind == WADI_END_SINK && k < e->nfrom; k++)
            known =
                add_given(p, s, s->stages[e->stage].results[e->from[k]], extents, bytes) && known;
    }
    return known;
}

/* The size that earlier runs have settled at; 0: none is known. */
static int64_t learned(const wadi_plan *p, int phase) {
    wadi_policy *policy = NULL;
    int64_t size = 0;
    if (!wadi_sizes_wanted() || !wadi_sizes_known(p)) return 0;
    if (wadi_policy_create(NULL, 0, &policy, NULL) != WADI_OK) return 0;
    if (wadi_sizes_load(p, phase, wadi_policies[0].name, policy))
        size = policy->ops->choose(policy);
    wadi_policy_destroy(policy);
    return size;
}

/* How far the chunks of a stream grow in large steps: it is known where it is known what an element of its sources takes. */
static void expect_growth(const wadi_plan *p, const wadi_plan_stream *s, const char *extents,
                          wadi_text *t) {
    double read = 0, given = 0;
    if (!bytes_read(p, s, extents, &read) || read <= 0) {
        wadi_text_add(t, "chunk: grows from one element while that makes elements cheaper, and the "
                         "memory of a run bounds it: no run has\n    learned a size yet, and what "
                         "an element takes is not known without --extents\n");
        return;
    }
    int64_t goal_bytes = 0;
    const bool all = bytes_given(p, s, extents, &given);
    const int64_t goal = wadi_policy_goal(read + (all ? given : 0), &goal_bytes);
    wadi_text_add(t, "chunk: ");
    for (int64_t n = 1; n < goal; n *= STEP)
        wadi_text_addf(t, "%lld%s", (long long)n, n * STEP < goal ? ", " : " and ");
    wadi_text_addf(
        t,
        "%lld element%s at first%s: no run has learned a size yet, and a chunk of %lld bytes is "
        "large enough\n"
        "    for its fixed costs (an element reads %.0f and gives %s%.0f); then it doubles while "
        "that "
        "makes elements\n    cheaper by 3 %%, and settles at the smallest size that costs "
        "no more; the memory of a run bounds it\n",
        (long long)goal, goal == 1 ? "" : "s", all || goal == 1 ? "" : ", or fewer",
        (long long)goal_bytes, read, all ? "" : "more than ", given);
}

static void expect_chunk(const wadi_plan *p, int phase, const char *extents, wadi_text *t) {
    const int64_t size = learned(p, phase);
    if (size > 0)
        wadi_text_addf(t,
                       "chunk: begins with %lld elements, where earlier runs have settled "
                       "(WADI_LEARN=off does without); a neighbour that\n    proves cheaper "
                       "takes its place\n",
                       (long long)size);
    else
        expect_growth(p, &p->phases[phase].stream, extents, t);
}

void wadi_exe_foresee(const wadi_exe *exe, int forced, const char *extents, wadi_text *t) {
    const wadi_plan *p = exe->plan;
    bool streams = false;
    wadi_text_add(t, "\n== expected ==\n\n");
    for (int i = 0; i < p->nphases; i++) {
        const wadi_plan_phase *phase = &p->phases[i];
        streams = streams || phase->is_stream;
        if (phase->is_stream)
            expect_stream(p, &phase->stream, forced, t);
        else
            expect_arrays(&p->bodies[phase->body], forced, t);
    }
    if (streams && forced < 0)
        wadi_text_add(t, "after a quarter of a second of work, each body's other schedules are "
                         "measured, and the fastest stays\n");
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream) expect_chunk(p, i, extents, t);
}
