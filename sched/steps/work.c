/* The common parts of all steps: launching, reporting faults, numbering elements.
 *
 * The map of a level is a column that kernels read and a table that the host reads: one and the same if the device works in
 * host memory. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/steps/steps.h"

static const int64_t word = (int64_t)sizeof(int64_t);

wadi_status wadi_steps_no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "running a chunk: out of memory");
}

void wadi_steps_note_fault(wadi_steps *s, const wadi_fault *fault) {
    if (!wadi_steps_faulted(s)) s->job->fault = *fault;
}

void wadi_steps_launch(wadi_steps *s, wadi_launch *l) {
    s->device->ops->launch(s->device, l);
    if (l->fault.kind != WADI_FAULT_NONE) wadi_steps_note_fault(s, &l->fault);
}

/* ---- levels ---- */

static int map_of(const wadi_steps *s, int level) {
    return s->v->levels[level - 1].map;
}

static int parent_of(const wadi_steps *s, int level) {
    return s->v->levels[level - 1].parent;
}

int64_t wadi_steps_number(const wadi_steps *s, int from, int to, int64_t e) {
    while (from != to) {
        if (s->level[from].map != NULL) e = s->level[from].map[e];
        from = parent_of(s, from);
    }
    return e;
}

static void forget_map(wadi_level *l) {
    wadi_buffers_put(l->block);
    l->block = NULL;
    l->map = NULL;
}

/* The column of a level of n elements. */
static bool make_column(wadi_steps *s, int level, int64_t n) {
    const int slot = map_of(s, level);
    forget_map(&s->level[level]);
    s->level[level].elements = n;
    wadi_slots_clear(s->slots, slot);
    if (!wadi_slots_room_for_columns(s->slots, slot, n)) return false;
    s->slots->slot[slot].stride = 1;
    return true;
}

int64_t *wadi_steps_enter(wadi_steps *s, int level, int64_t n) {
    wadi_level *l = &s->level[level];
    if (!make_column(s, level, n)) return NULL;
    int64_t *map = s->slots->slot[map_of(s, level)].col[0];
    if (s->slots->residence != NULL) map = l->block = wadi_buffers_get(s->slots->buffers, n * word);
    l->map = map;
    return map;
}

void wadi_steps_entered(wadi_steps *s, int level) {
    const wadi_level *l = &s->level[level];
    if (s->slots->residence != NULL)
        wadi_residence_put_column(s->slots->residence, s->slots->slot[map_of(s, level)].col[0],
                                  l->map, l->elements * word);
}

bool wadi_steps_enter_whole(wadi_steps *s, int level, int64_t n) {
    if (!make_column(s, level, n)) return false;
    s->device->ops->iota(s->device, s->slots->slot[map_of(s, level)].col[0], n, 0);
    return true;
}

bool wadi_steps_room_for_levels(wadi_steps *s, const wadi_plan_version *v) {
    const int n = 1 + v->nlevels;
    if (n > s->level_room) {
        wadi_level *level = realloc(s->level, (size_t)n * sizeof *level);
        if (level == NULL) return false;
        s->level = level;
        memset(level + s->level_room, 0, (size_t)(n - s->level_room) * sizeof *level);
        s->level_room = n;
    }
    return true;
}

void wadi_steps_clear_levels(wadi_steps *s) {
    for (int i = 0; i < s->level_room; i++) forget_map(&s->level[i]);
}

/* ---- slots ---- */

static void mark(int n, const int *slots, bool *out) {
    for (int i = 0; i < n; i++)
        if (slots[i] >= 0) out[slots[i]] = true;
}

void wadi_steps_find_allocated(const wadi_plan_version *v, bool *out) {
    for (int i = 0; i < v->nsteps; i++) {
        const wadi_plan_step *step = &v->steps[i];
        const bool makes = step->kind == WADI_STEP_ALLOC || step->kind == WADI_STEP_SINGLE;
        if (step->control != NULL) mark(step->control->nvalues, step->control->results, out);
        if (makes) mark(step->nslots, step->slots, out);
    }
}
