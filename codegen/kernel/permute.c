/* permute: the defaults, then every element of the source combined into its target, in the order of the source. */
#include "codegen/kernel/lower.h"

#include <string.h>

typedef struct permuting {
    const wadi_bind *bind;
    const wadi_array_type *to, *from;
    const wadi_lv *extent, *pointer; /* of the result */
} permuting;

static void combine_at(wadi_lower *l, const permuting *p, const wadi_lv *x, const wadi_lv *target) {
    wadi_lb *b = &l->b;
    const int fields = p->to->elem.fields;
    wadi_lv args[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS];
    for (int d = 0; d < p->to->rank; d++)
        (void)wadi_lower_in_range(l, target[d], p->extent[d], p->bind->op->name, p->bind->loc);
    const wadi_lv at = wadi_lower_linear(l, p->to->rank, p->extent, target);
    memcpy(args, x, (size_t)fields * sizeof *args);
    for (int f = 0; f < fields; f++) args[fields + f] = wadi_lb_fresh(b, p->pointer[f], at);
    wadi_lower_apply(l, p->bind->funs[0], args, out);
    for (int f = 0; f < fields; f++) wadi_lb_store(b, p->pointer[f], at, out[f]);
}

static void element(wadi_lower *l, void *env, const wadi_lv *ix) {
    const permuting *p = env;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], args[WADI_MAX_PARAMS], target[1 + WADI_MAX_RANK];
    int64_t keep = 0;
    int n = p->from->rank;
    if (n > 0) memcpy(args, ix, (size_t)n * sizeof *args);
    for (int k = 2; k < p->bind->nargs; k++) { /* where it goes depends on these */
        wadi_lower_read(l, p->bind->args[k], ix, args + n);
        n += wadi_type_of(l, p->bind->args[k])->elem.fields;
    }
    wadi_lower_apply(l, p->bind->funs[1], args, target);
    const bool always = wadi_lb_is_const(b, target[0], &keep) && keep;
    if (!always) wadi_lb_if(b, target[0]);
    wadi_lower_read(l, p->bind->args[1], ix, x);
    combine_at(l, p, x, target + 1);
    if (!always) wadi_lb_end(b);
}

static void copy_default(wadi_lower *l, void *env, const wadi_lv *ix) {
    const permuting *p = env;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lower_read(l, p->bind->args[0], ix, x);
    const wadi_lv at = wadi_lower_linear(l, p->to->rank, p->extent, ix);
    for (int f = 0; f < p->to->elem.fields; f++) wadi_lb_store(&l->b, p->pointer[f], at, x[f]);
}

void wadi_lower_permute(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer) {
    permuting p = {bind, wadi_type_of(l, bind->args[0]), wadi_type_of(l, bind->args[1]), extent,
                   pointer};
    wadi_lv source[WADI_MAX_RANK];
    if (l->status || l->b.failed) return;
    /* the defaults may lie there already */
    if (!wadi_lower_lies_in(l, bind->results[0], bind->args[0]))
        wadi_lower_nest(l, p.to->rank, extent, copy_default, &p);
    wadi_lower_extents(l, bind->args[1], source);
    wadi_lower_nest(l, p.from->rank, source, element, &p);
}

/* ---- a part of a vector ---- */

typedef struct portion {
    permuting p;
    wadi_lv n, from, below;
} portion;

static void build_portion(wadi_lower *l, void *env) {
    portion *at = env;
    wadi_lb *b = &l->b;
    const wadi_lv i = wadi_lb_for(b, at->from, at->below, 1, "i");
    const wadi_lv last = wadi_lb_bin(b, WADI_SOP_SUB, at->n, wadi_lb_i64(b, 1));
    const wadi_lv ix = wadi_lb_range(b, i, wadi_lb_i64(b, 0), last);
    l->nest_ix[0] = ix;
    element(l, &at->p, &ix);
    wadi_lb_end(b);
}

void wadi_lower_permute_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below) {
    portion at = {
        {bind, wadi_type_of(l, bind->args[0]), wadi_type_of(l, bind->args[1]), extent, pointer},
        WADI_LV_NONE,
        from,
        below};
    if (l->status || l->b.failed) return;
    at.n = wadi_lower_extent(l, bind->args[1], 0);
    l->nest_rank = 1;
    l->nest_extent[0] = at.n;
    wadi_lower_versions(l, build_portion, &at);
    l->nest_rank = -1;
}
