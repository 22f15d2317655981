/* Which stages go together. The longest stretches follow from the plan alone; what of them pays is decided by what the stages have taken. */
#include "sched/run/stretch.h"

#include <string.h>

/* Home's time for a byte of an item or an answer: it is written, summed up for a check, sent, and read. */
static const double byte_ns = 1;

/* ---- one ---- */

bool wadi_stretch_has(const wadi_stretch *t, int stage) {
    for (int i = 0; i < t->n; i++)
        if (t->stage[i] == stage) return true;
    return false;
}

bool wadi_stretch_gives(const wadi_plan_stream *s, const wadi_stretch *t, int stage) {
    for (int i = 0; i < s->nends; i++)
        if (s->ends[i].stage == stage) return true;
    for (int i = stage + 1; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].ninputs; k++)
            if (s->stages[i].inputs[k] == stage && !wadi_stretch_has(t, i)) return true;
    return false;
}

/* Whether another stage of the stretch reads it. */
static bool is_read(const wadi_plan_stream *s, const wadi_stretch *t, int stage) {
    for (int i = 0; i < t->n; i++) {
        const wadi_plan_stage *p = &s->stages[t->stage[i]];
        if (i > 0 && p->inputs[0] == stage) return true;
    }
    return false;
}

static bool fits(const wadi_plan_stage *p) {
    return p->nparts <= WADI_MAX_PARTS && p->nresults <= 2 * WADI_MAX_PARTS;
}

/* Whether elements of the stage before it can go on to it at a worker. */
static bool can_follow(const wadi_plan *plan, const wadi_plan_stage *p) {
    return fits(p) && p->ninputs == 1 && wadi_change_about(p->change)->each &&
           (p->body < 0 || plan->bodies[p->body].index_slot < 0);
}

static bool can_begin(const wadi_plan_stage *p) {
    return fits(p) && p->body >= 0;
}

/* Numbers of elements are not known to whoever has some of them. */
bool wadi_stretch_can_be_keyed(const wadi_plan *plan, const wadi_plan_stage *p) {
    const wadi_plan_fold *f = &p->scan;
    return wadi_change_about(p->change)->keys && fits(p) && p->ninputs == 1 &&
           f->nparts <= WADI_MAX_PARTS && f->nstate <= WADI_MAX_PARTS &&
           plan->bodies[f->body].index_slot < 0 &&
           (p->body < 0 || plan->bodies[p->body].index_slot < 0);
}

bool wadi_stretch_is_one(const wadi_plan *plan, const wadi_plan_stream *s, const wadi_stretch *t) {
    if (t->n < 1 || t->n > WADI_STRETCH_STAGES) return false;
    if (t->keyed)
        return t->n == 1 && t->stage[0] >= 0 && t->stage[0] < s->nstages &&
               wadi_stretch_can_be_keyed(plan, &s->stages[t->stage[0]]);
    for (int i = 0; i < t->n; i++) {
        const int stage = t->stage[i];
        if (stage < 0 || stage >= s->nstages) return false;
        const wadi_plan_stage *p = &s->stages[stage];
        wadi_stretch before = *t;
        before.n = i;
        const bool follows = i > 0 && stage > t->stage[i - 1] && can_follow(plan, p) &&
                             wadi_stretch_has(&before, p->inputs[0]);
        if (i == 0 ? !can_begin(p) : !follows) return false;
    }
    return true;
}

static void drop(wadi_stretch *t, int i) {
    memmove(t->stage + i, t->stage + i + 1, (size_t)(t->n - i - 1) * sizeof t->stage[0]);
    t->n--;
}

/* ---- the longest ---- */

static wadi_stretch *followed_by(const wadi_plan *plan, const wadi_plan_stage *p,
                                 wadi_stretch_list *all) {
    for (int i = 0; i < all->n && can_follow(plan, p); i++)
        if (!all->at[i].keyed && wadi_stretch_has(&all->at[i], p->inputs[0]) &&
            all->at[i].n < WADI_STRETCH_STAGES)
            return &all->at[i];
    return NULL;
}

/* What a last stage without a body leaves out is all that it saves, and nothing if what it reads travels anyway. */
static void drop_idle(const wadi_plan_stream *s, wadi_stretch *t) {
    for (int i = t->n - 1; i > 0; i--) {
        const wadi_plan_stage *p = &s->stages[t->stage[i]];
        if (p->body < 0 && !is_read(s, t, t->stage[i]) && wadi_stretch_gives(s, t, p->inputs[0]))
            drop(t, i);
    }
}

void wadi_stretch_find(const wadi_plan *plan, const wadi_plan_stream *s, const bool *usable,
                       const bool *keyed, wadi_stretch_list *out) {
    *out = (wadi_stretch_list){.n = 0};
    for (int i = 0; i < s->nstages; i++) {
        const wadi_plan_stage *p = &s->stages[i];
        if (!usable[i]) continue;
        const bool is_keyed = keyed != NULL && keyed[i] && wadi_stretch_can_be_keyed(plan, p);
        wadi_stretch *t = is_keyed ? NULL : followed_by(plan, p, out);
        if (is_keyed && out->n < WADI_STRETCHES)
            out->at[out->n++] = (wadi_stretch){.n = 1, .stage = {i}, .keyed = true};
        else if (t != NULL)
            t->stage[t->n++] = i;
        else if (can_begin(p) && out->n < WADI_STRETCHES)
            out->at[out->n++] = (wadi_stretch){.n = 1, .stage = {i}};
    }
    for (int i = 0; i < out->n; i++) drop_idle(s, &out->at[i]);
}

/* ---- what pays ---- */

/* What home saves, less what it does instead. */
static double gain(const wadi_plan_stream *s, const wadi_stretch_weight *w, const wadi_stretch *t) {
    double ns = -byte_ns * (double)w[t->stage[0]].in_bytes;
    for (int i = 0; i < t->n; i++) {
        const wadi_stretch_weight *of = &w[t->stage[i]];
        ns += (double)of->ns;
        if (wadi_stretch_gives(s, t, t->stage[i])) ns -= byte_ns * (double)of->out_bytes;
    }
    return ns;
}

/* Of an element of a keyed stage: what home does to part it from the others, and to put it back into their order. */
static const double element_ns = 40;
/* What the largest shard may have of the elements: it is computed by one worker after the other. */
static const double most_of_shard = 0.75;

bool wadi_stretch_pays_keyed(const wadi_plan_stage *p, const wadi_keyed_weight *of,
                             const wadi_stretch_weight *weight) {
    const bool last = wadi_change_about(p->change)->last;
    const double saved = (double)of->ns + (last ? 0 : (double)weight->ns);
    const double bytes =
        (double)of->in_bytes + 2 * (double)of->state_bytes + (last ? 0 : (double)weight->out_bytes);
    return of->elements > 0 && (double)of->most <= most_of_shard * (double)of->elements &&
           saved > byte_ns * bytes + element_ns * (double)of->elements;
}

/* Whether what is left without stage number i is a stretch. */
static bool can_drop(const wadi_plan_stream *s, const wadi_stretch *t, int i) {
    if (t->n == 1) return false;
    if (i > 0) return !is_read(s, t, t->stage[i]);
    for (int k = 2; k < t->n; k++)
        if (s->stages[t->stage[k]].inputs[0] == t->stage[0]) return false;
    return can_begin(&s->stages[t->stage[1]]);
}

/* Leaves out the first stage, or one behind which there is none, as long as that helps. */
static void improve(const wadi_plan_stream *s, const wadi_stretch_weight *w, wadi_stretch *t) {
    for (bool better = true; better;) {
        better = false;
        for (int i = t->n - 1; i >= 0 && !better; i--) {
            wadi_stretch less = *t;
            if (!can_drop(s, t, i)) continue;
            drop(&less, i);
            better = gain(s, w, &less) > gain(s, w, t);
            if (better) *t = less;
        }
    }
}

void wadi_stretch_choose(const wadi_plan_stream *s, const wadi_stretch_weight *weight,
                         wadi_stretch_list *inout) {
    double of[WADI_STRETCHES];
    int best = 0, n = 0;
    bool keyed = false;
    for (int i = 0; i < inout->n; i++) {
        keyed = keyed || inout->at[i].keyed;
        if (!inout->at[i].keyed) improve(s, weight, &inout->at[i]);
        of[i] = gain(s, weight, &inout->at[i]);
        if (of[i] > of[best]) best = i;
    }
    for (int i = 0; i < inout->n; i++)
        if (inout->at[i].keyed || (i == best && !keyed) || of[i] > 0) inout->at[n++] = inout->at[i];
    inout->n = n;
}

/* ---- what a change takes ---- */

int wadi_stretch_takes(const wadi_plan_stream *s, const wadi_plan_stage *p, int input, int *out) {
    const wadi_change_facts *about = wadi_change_about(p->change);
    const int nfrom = about->folds ? p->scan.nparts : p->nparts;
    const int *from = about->folds ? p->scan.from : p->from;
    int first = 0, n = 0;
    for (int k = 0; k < input; k++) first += s->stages[p->inputs[k]].nresults;
    const int end = first + s->stages[p->inputs[input]].nresults;
    for (int i = 0; i < nfrom; i++)
        if (from[i] >= first && from[i] < end) out[n++] = from[i] - first;
    if (about->tests) out[n++] = p->test;
    return n;
}
