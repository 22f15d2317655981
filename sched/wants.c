/* The kernels that a run needs whatever its data are. A kernel that is made and never run costs more than one that is made
 * late. So the body of a stage is listed if its elements are known to be small, whatever their number; a body that might see a
 * few large elements is not. */
#include "sched/wants.h"

#include "sched/change/change.h"
#include "sched/plan/words.h"
#include "sched/steps/choose.h"

typedef struct listing {
    const wadi_plan *plan;
    int force, n;
    wadi_want *out;
} listing;

/* Lists the body if its schedule does not depend on the data. bytes: the most that an element can have; -1: not known. */
static void list(listing *l, int body, bool main_block, int64_t bytes) {
    if (body < 0) return;
    const wadi_plan_body *b = &l->plan->bodies[body];
    const int64_t many = INT32_MAX, most = bytes < 0 ? INT64_MAX : bytes;
    const wadi_schedule s = wadi_choose_schedule(b, l->force, main_block, many, 0, 1);
    if (s != wadi_choose_schedule(b, l->force, main_block, 1, most, INT32_MAX)) return;
    for (int i = 0; i < l->n; i++)
        if (l->out[i].body == body) return;
    l->out[l->n++] = (wadi_want){body, {.schedule = s}};
}

/* The bytes of a part, if the program declares all its extents; -1: not known. */
static int64_t part_bytes(const wadi_plan *p, int slot, const wadi_plan_extent *extent) {
    const wadi_plan_slot *s = &p->slots[slot];
    int64_t bytes = wadi_plan_slot_width(s);
    for (int d = 0; d < s->rank; d++) {
        if (!extent || extent[d].value < 0 || extent[d].value > INT32_MAX) return -1;
        if (extent[d].value > 0 && bytes > INT32_MAX) return -1;
        bytes *= extent[d].value;
    }
    return bytes;
}

static int64_t sum(int64_t a, int64_t b) {
    return a < 0 || b < 0 ? -1 : a + b;
}

static int64_t element_bytes(const wadi_plan *p, const wadi_plan_stage *g) {
    const bool reads = wadi_change_about(g->change)->reads;
    int64_t bytes = 0;
    for (int k = 0; reads && k < g->nsources; k++)
        for (int i = 0; !g->sources[k].counter && i < g->sources[k].nslots; i++)
            bytes = sum(bytes, part_bytes(p, g->sources[k].slots[i], g->sources[k].extent[i]));
    for (int i = 0; !reads && i < g->nparts; i++)
        bytes = sum(bytes, part_bytes(p, g->parts[i], NULL));
    return bytes;
}

static void list_stream(listing *l, const wadi_plan_stream *s) {
    for (int i = 0; i < s->nstages; i++) {
        const wadi_plan_stage *g = &s->stages[i];
        if (wadi_change_about(g->change)->folds) list(l, g->scan.body, false, 0);
        list(l, g->body, false, element_bytes(l->plan, g));
    }
    for (int i = 0; i < s->nends; i++) {
        const wadi_plan_end *e = &s->ends[i];
        const int slots = wadi_plan_fold_slots(e->kind);
        if (slots > 0) list(l, e->fold.body, slots > 1, 0);
    }
}

int wadi_plan_wants(const wadi_plan *plan, int force, wadi_want *out) {
    listing l = {.plan = plan, .force = force, .out = out};
    for (int i = 0; i < plan->nphases; i++) {
        if (plan->phases[i].is_stream)
            list_stream(&l, &plan->phases[i].stream);
        else
            list(&l, plan->phases[i].body, true, 0);
    }
    return l.n;
}

static int stage_of(const wadi_plan_stream *s, int body) {
    int i = 0;
    while (i < s->nstages && s->stages[i].body != body) i++;
    return i;
}

int wadi_plan_followers(const wadi_plan *plan, int body, int *out) {
    int n = 0;
    for (int i = 0; i < plan->nphases; i++) {
        const wadi_plan_stream *s = &plan->phases[i].stream;
        if (!plan->phases[i].is_stream) continue;
        for (int k = stage_of(s, body) + 1; k < s->nstages; k++)
            if (s->stages[k].body >= 0 && s->stages[k].body != body) out[n++] = s->stages[k].body;
    }
    return n;
}
