/* Checks that what is bound to a plan is what the plan declares: number and types of fields, ranks, constant and named
 * extents. Equal names mean equal extents over all inputs and streams of a run; the first array fixes the value. */
#include <string.h>

#include "base/error.h"
#include "sched/run/state.h"

static bool same_fields(const wadi_plan_slot *p, int fields, const wadi_type *type) {
    if (p->fields != fields) return false;
    for (int f = 0; f < fields; f++) {
        if (p->type[f] != type[f]) return false;
    }
    return true;
}

static wadi_status check_type(const wadi_plan_slot *p, const char *name, int rank, int fields,
                              const wadi_type *type, wadi_error *err) {
    if (p->rank != rank) {
        return wadi_fail(err, WADI_SHAPE, "%s: rank %d, but the program takes rank %d", name, rank,
                         p->rank);
    }
    if (same_fields(p, fields, type)) return WADI_OK;
    if (fields == 1 && p->fields == 1) {
        return wadi_fail(err, WADI_TYPE, "%s: %s, but the program takes %s", name,
                         wadi_type_name(type[0]), wadi_type_name(p->type[0]));
    }
    return wadi_fail(err, WADI_TYPE, "%s: %d fields, and not the %d fields the program takes", name,
                     fields, p->fields);
}

static wadi_named_extent *find_extent(wadi_run *x, const char *name) {
    for (size_t i = 0; i < x->extents.n; i++) {
        if (strcmp(x->extents.at[i].name, name) == 0) return &x->extents.at[i];
    }
    return NULL;
}

/* One extent of an array called `who` against its declaration. */
static wadi_status check_extent(wadi_run *x, const wadi_plan_extent *want, const char *who, int d,
                                int64_t extent, wadi_error *err) {
    if (want->value >= 0 && want->value != extent) {
        return wadi_fail(err, WADI_SHAPE, "%s: extent %d is %lld, but the program declares %lld",
                         who, d, (long long)extent, (long long)want->value);
    }
    if (want->name == NULL) return WADI_OK;
    wadi_named_extent *known = find_extent(x, want->name);
    if (known == NULL) {
        const wadi_named_extent fresh = {want->name, extent, who};
        if (!wadi_vec_push(&x->extents, fresh)) {
            return wadi_fail(err, WADI_MEMORY, "named extents: out of memory");
        }
        return WADI_OK;
    }
    if (known->value == extent) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE, "%s: extent %d is %lld, but \"%s\" is %lld in %s", who, d,
                     (long long)extent, want->name, (long long)known->value, known->by);
}

wadi_status wadi_run_bind_input(wadi_run *x, const wadi_plan_input *input, const wadi_array *a,
                                wadi_error *err) {
    const wadi_plan_slot *p = &x->plan->slots[input->slot];
    WADI_TRY(check_type(p, input->name, a->rank, a->fields, a->type, err));
    if (wadi_shape_values(a->rank, a->shape) < 0) {
        return wadi_fail(err, WADI_SHAPE, "%s: a negative or too large extent", input->name);
    }
    WADI_TRY(wadi_array_check_columns(input->name, a, err));
    const size_t known = x->extents.n;
    wadi_status status = WADI_OK;
    for (int d = 0; d < a->rank && status == WADI_OK; d++)
        status = check_extent(x, &input->extent[d], input->name, d, a->shape[d], err);
    if (status == WADI_OK && x->given == NULL)
        status = wadi_slots_bind_array(&x->slots, input->slot, a, err);
    if (status != WADI_OK) x->extents.n = known; /* what is refused fixes no name */
    return status;
}

wadi_status wadi_run_bind_source(const wadi_plan *plan, const wadi_plan_source *want,
                                 const wadi_source *source, wadi_error *err) {
    if (source->parts < 0) return WADI_OK; /* an empty stream that never said what it is made of */
    if (source->parts != want->nslots) {
        return wadi_fail(err, WADI_TYPE, "%s: elements of %d arrays, but the program takes %d",
                         want->name, source->parts, want->nslots);
    }
    for (int i = 0; i < want->nslots; i++) {
        const wadi_part *part = &source->part[i];
        WADI_TRY(check_type(&plan->slots[want->slots[i]], want->name, part->rank, part->fields,
                            part->type, err));
        for (int d = 0; part->fixed && want->extent != NULL && d < part->rank; d++) {
            const int64_t value = want->extent[i][d].value;
            if (value < 0 || value == part->shape[d]) continue;
            return wadi_fail(err, WADI_SHAPE,
                             "%s: extent %d is %lld, but the program declares %lld", want->name, d,
                             (long long)part->shape[d], (long long)value);
        }
    }
    return WADI_OK;
}

/* Extents of one component, element by element where they can differ. */
static wadi_status check_component(wadi_run *x, const wadi_plan_source *want, int i,
                                   const wadi_chunk_component *c, int64_t count, int64_t *out_bad,
                                   wadi_error *err) {
    const bool irregular = c->layout == WADI_LAYOUT_IRREGULAR;
    for (int d = 0; want->extent != NULL && d < c->rank; d++) {
        const wadi_plan_extent *e = &want->extent[i][d];
        if (e->value < 0 && e->name == NULL) continue;
        for (int64_t s = 0; s < (irregular ? count : 1); s++) {
            const int64_t extent = irregular ? c->shapes[s * c->rank + d] : c->shape[d];
            const wadi_status status = check_extent(x, e, want->name, d, extent, err);
            if (status == WADI_OK) continue;
            if (s < *out_bad) *out_bad = s;
            return status;
        }
    }
    return WADI_OK;
}

static wadi_status check_part(wadi_run *x, const wadi_plan_source *want, int i,
                              const wadi_chunk_component *c, int64_t count, int64_t *out_bad,
                              wadi_error *err) {
    *out_bad = count;
    WADI_TRY(
        check_type(&x->plan->slots[want->slots[i]], want->name, c->rank, c->fields, c->type, err));
    return check_component(x, want, i, c, count, out_bad, err);
}

wadi_status wadi_run_check_chunk(wadi_run *x, const wadi_plan_source *want, const wadi_chunk *chunk,
                                 int component, int64_t *out_bad, wadi_error *err) {
    for (int i = 0; i < want->nslots; i++)
        WADI_TRY(
            check_part(x, want, i, &chunk->component[component + i], chunk->count, out_bad, err));
    return WADI_OK;
}

wadi_status wadi_run_bind_chunk(wadi_run *x, const wadi_plan_source *want, const wadi_chunk *chunk,
                                int component, int64_t *out_bad, wadi_error *err) {
    for (int i = 0; i < want->nslots; i++) {
        const wadi_chunk_component *c = &chunk->component[component + i];
        WADI_TRY(check_part(x, want, i, c, chunk->count, out_bad, err));
        WADI_TRY(
            wadi_slots_bind_component(&x->slots, want->slots[i], c, chunk->count, out_bad, err));
    }
    return WADI_OK;
}
