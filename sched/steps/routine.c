/* Library routines over whole slots.
 *
 * A regular slot is one batch; the share of each worker is one call. The elements of an irregular slot are sorted by shape.
 * Each group of one shape is a batch, and a table says where its problems begin. Dimensions outside a problem count as batch
 * in both. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/steps/steps.h"

/* Problems [first, first of the next group) have one shape, that of element `element`. */
typedef struct group {
    int64_t first, element;
} group;

typedef struct batch {
    wadi_slots *slots;
    const wadi_plan_step *step;
    int arrays;
    int slot[WADI_CALL_ARRAYS];
    int64_t problems;
    int64_t *start; /* [arrays][problems]; NULL: evenly spaced */
    group *group;   /* [groups + 1] */
    int64_t groups;
} batch;

static const int64_t *shape_of(const batch *b, int k, int64_t element) {
    const wadi_slots *slots = b->slots;
    const wadi_plan_slot *p = wadi_slots_plan(slots, b->slot[k]);
    const int64_t at = p->kind == WADI_SLOT_IRREGULAR ? element * p->rank : 0;
    return slots->slot[b->slot[k]].shape + at;
}

static int64_t start_of(const batch *b, int k, int64_t element) {
    const wadi_slots *slots = b->slots;
    const wadi_slot *s = &slots->slot[b->slot[k]];
    switch (wadi_slots_plan(slots, b->slot[k])->kind) {
    case WADI_SLOT_IRREGULAR:
        return s->offset[element];
    case WADI_SLOT_REGULAR:
        return element * s->stride;
    case WADI_SLOT_ONCE:
        break;
    }
    return 0;
}

static int rank_of(const batch *b, int k) {
    return wadi_slots_plan(b->slots, b->slot[k])->rank;
}

static int64_t product(const int64_t *shape, int from, int to) {
    int64_t n = 1;
    for (int d = from; d < to; d++) n *= shape[d];
    return n;
}

/* Problems of one element: what stands outside of the innermost dimensions; -1: not the same for all arrays. */
static int64_t lead_of(const batch *b, int64_t element) {
    const int dims = b->step->call->dims;
    const int64_t n = product(shape_of(b, 0, element), 0, rank_of(b, 0) - dims);
    for (int k = 1; k < b->arrays; k++) {
        if (product(shape_of(b, k, element), 0, rank_of(b, k) - dims) != n) return -1;
    }
    return n;
}

static int64_t inner_of(const batch *b, int k, int64_t element) {
    const int rank = rank_of(b, k);
    return product(shape_of(b, k, element), rank - b->step->call->dims, rank);
}

/* ---- batches ---- */

/* All elements alike and one after another: no table is needed. */
static bool is_even(const batch *b, int64_t count, int64_t lead) {
    const wadi_slots *slots = b->slots;
    for (int k = 0; k < b->arrays; k++) {
        const wadi_slot *s = &slots->slot[b->slot[k]];
        const wadi_slot_kind kind = wadi_slots_plan(slots, b->slot[k])->kind;
        if (kind == WADI_SLOT_IRREGULAR && count > 1) return false;
        if (kind == WADI_SLOT_ONCE && count > 1) return false;
        if (kind == WADI_SLOT_REGULAR && count > 1 && s->stride != lead * inner_of(b, k, 0))
            return false;
    }
    return true;
}

static int compare(const batch *b, int64_t x, int64_t y) {
    for (int k = 0; k < b->arrays; k++) {
        const int from = rank_of(b, k) - b->step->call->dims;
        const int64_t *sx = shape_of(b, k, x), *sy = shape_of(b, k, y);
        for (int d = from; d < rank_of(b, k); d++) {
            if (sx[d] != sy[d]) return sx[d] < sy[d] ? -1 : 1;
        }
    }
    return 0;
}

/* Stable merge sort of elements by shape; a chunk in which neighbours are alike is sorted already. */
static void sort(const batch *b, int64_t *order, int64_t *spare, int64_t n) {
    if (n < 2) return;
    const int64_t half = n / 2;
    sort(b, order, spare, half);
    sort(b, order + half, spare, n - half);
    if (compare(b, order[half - 1], order[half]) <= 0) return;
    memcpy(spare, order, (size_t)half * sizeof *spare);
    for (int64_t i = 0, j = half, to = 0; i < half; to++) {
        if (j < n && compare(b, order[j], spare[i]) < 0) {
            order[to] = order[j++];
        } else {
            order[to] = spare[i++];
        }
    }
}

static bool fill_tables(batch *b, const int64_t *order, int64_t count) {
    b->start = malloc((size_t)(b->problems * b->arrays + 1) * sizeof *b->start);
    b->group = malloc((size_t)(count + 1) * sizeof *b->group);
    if (b->start == NULL || b->group == NULL) return false;
    int64_t p = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t s = order[i], lead = lead_of(b, s);
        if (i == 0 || compare(b, order[i - 1], s) != 0) {
            b->group[b->groups++] = (group){p, s};
        }
        for (int k = 0; k < b->arrays; k++) {
            const int64_t first = start_of(b, k, s), size = inner_of(b, k, s);
            for (int64_t j = 0; j < lead; j++) b->start[k * b->problems + p + j] = first + j * size;
        }
        p += lead;
    }
    b->group[b->groups] = (group){p, 0};
    return true;
}

/* Fills the batch; false when out of memory. Leads that do not agree are left to the routine's own checks: no problem
 * is then described, and the language's own computation finds what is wrong. */
static bool describe(batch *b, int64_t count, bool *out_fits) {
    *out_fits = true;
    for (int64_t s = 0; s < count; s++) {
        const int64_t lead = lead_of(b, s);
        *out_fits = *out_fits && lead >= 0;
        b->problems += lead;
        if (s == 0 && lead >= 0 && is_even(b, count, lead)) {
            b->problems = lead * count;
            return true;
        }
    }
    if (!*out_fits) return true;
    int64_t *order = malloc((size_t)(2 * count + 1) * sizeof *order);
    if (order == NULL) return false;
    for (int64_t i = 0; i < count; i++) order[i] = i;
    sort(b, order, order + count, count);
    const bool fine = fill_tables(b, order, count);
    free(order);
    return fine;
}

/* Problems [begin, end) of one shape, that of `element`. */
static void call(const batch *b, int64_t element, int64_t begin, int64_t end, wadi_call *to) {
    const wadi_plan_call *c = b->step->call;
    const wadi_slots *slots = b->slots;
    *to = (wadi_call){
        .routine = c->routine, .count = end - begin, .nin = c->nin, .nout = b->arrays - c->nin};
    for (int k = 0; k < b->arrays; k++) {
        const wadi_plan_slot *p = wadi_slots_plan(slots, b->slot[k]);
        const int64_t *shape = shape_of(b, k, element) + p->rank - c->dims;
        wadi_call_array *a = &to->array[k];
        a->type = (int32_t)p->type[0];
        a->rank = c->dims;
        for (int d = 0; d < c->dims; d++) a->shape[d] = shape[d];
        a->distance = inner_of(b, k, element);
        a->data = slots->slot[b->slot[k]].col[0];
        if (b->start != NULL)
            a->start = b->start + k * b->problems + begin;
        else
            a->data = (char *)a->data +
                      (start_of(b, k, 0) + begin * a->distance) * wadi_type_size(p->type[0]);
    }
}

/* See wadi_device_calls. */
static void describe_call(const void *self, int64_t begin, int64_t end, wadi_call *out) {
    const batch *b = self;
    if (b->start == NULL) {
        call(b, 0, begin, end, out);
        return;
    }
    int64_t low = 0, high = b->groups; /* the group that `begin` is in */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (b->group[middle].first <= begin)
            low = middle;
        else
            high = middle;
    }
    const int64_t next = b->group[low + 1].first;
    call(b, b->group[low].element, begin, next < end ? next : end, out);
}

wadi_status wadi_step_foreign(wadi_steps *s, const wadi_plan_step *step, wadi_error *err) {
    const int64_t count = wadi_steps_count(s, step->level);
    wadi_device *d = s->device;
    batch b = {.slots = s->slots, .step = step, .arrays = step->call->nin + step->nslots};
    bool fits = d->ops->routine != NULL;
    for (int k = 0; k < b.arrays; k++)
        b.slot[k] = k < step->call->nin ? step->reads[k] : step->slots[k - step->call->nin];
    const bool fine = !fits || count == 0 || describe(&b, count, &fits);
    const wadi_device_calls problems = {b.problems, describe_call, &b};
    if (fine && fits && b.problems > 0) fits = d->ops->routine(d, &problems);
    const wadi_fault declined = {.kind = WADI_FAULT_DECLINED, .place = step->place, .linear = -1};
    if (fine && !fits) wadi_steps_note_fault(s, &declined);
    free(b.start);
    free(b.group);
    return fine ? WADI_OK : wadi_steps_no_memory(err);
}
