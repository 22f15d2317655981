/* compact and partition: an element goes where the count of the elements kept before it says.
 *
 * The loop has no branches that depend on data: an element that is not kept is written too, and the next one overwrites it. A
 * count that is too small or too large never leads outside the result; it is a fault at the end. Blocks of a row may be placed
 * by different workers: a block that keeps nothing after its last place does not touch the next block's place. */
#include "codegen/kernel/compact.h"

#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

typedef struct placing {
    const wadi_kept_part *p;
    int rank, fields;
    wadi_lv n, start; /* elements of the row; of partition, where those not kept begin */
    wadi_lv kept;     /* variable: how many the row has kept so far */
} placing;

/* Whether element i of the row is kept; out: its fields, and then those of the other arrays. */
static wadi_lv keeps(wadi_lower *l, const wadi_bind *bind, const wadi_lv *outer_ix, wadi_lv i,
                     wadi_lv *out) {
    wadi_lv keep = num(l, 0), ix[WADI_MAX_RANK];
    const int rank = wadi_type_of(l, bind->args[1])->rank;
    if (rank > 1) memcpy(ix, outer_ix, (size_t)(rank - 1) * sizeof *ix);
    ix[rank - 1] = i;
    for (int k = 1, n = 0; k < bind->nargs; k++) {
        wadi_lower_read(l, bind->args[k], ix, out + n);
        n += wadi_type_of(l, bind->args[k])->elem.fields;
    }
    wadi_lower_apply(l, bind->funs[0], out, &keep);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &keep);
}

static wadi_lv row_length(wadi_lower *l, const wadi_bind *bind) {
    const wadi_val a = bind->args[1];
    return wadi_lower_extent(l, a, wadi_type_of(l, a)->rank - 1);
}

/* Loop variable over part of the row; each index lies in it. */
static wadi_lv each(wadi_lower *l, const wadi_bind *bind, wadi_lv from, wadi_lv below) {
    const wadi_lv last = bin(l, WADI_SOP_SUB, row_length(l, bind), num(l, 1));
    return wadi_lb_range(&l->b, wadi_lb_for(&l->b, from, below, 1, "i"), num(l, 0), last);
}

/* ---- counts ---- */

void wadi_lower_expect_count(wadi_lower *l, const wadi_bind *bind, wadi_lv count, wadi_lv kept) {
    wadi_lb_if(&l->b, bin(l, WADI_SOP_NE, count, kept));
    wadi_lower_fault(
        l, WADI_FAULT_SHAPE,
        wadi_layout_place(l->y, bind->op->name, "the count and the elements kept", bind->loc),
        count, kept);
    wadi_lb_end(&l->b);
}

wadi_lv wadi_lower_kept_count(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *ix) {
    wadi_lv count = extent[0];
    if (bind->op->skeleton == WADI_SKEL_PARTITION) wadi_lower_read(l, bind->args[0], ix, &count);
    return count;
}

typedef struct counting {
    const wadi_bind *bind;
    const wadi_lv *ix;
    wadi_lv from, below, sum;
} counting;

static void build_count(wadi_lower *l, void *env) {
    const counting *c = env;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS];
    const wadi_lv keep = keeps(l, c->bind, c->ix, each(l, c->bind, c->from, c->below), x);
    wadi_lb_set(b, c->sum, bin(l, WADI_SOP_ADD, wadi_lb_get(b, c->sum), keep));
    wadi_lb_end(b);
}

wadi_lv wadi_lower_count_kept(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                              wadi_lv below) {
    counting c = {bind, ix, from, below, wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "sum")};
    if (!l->status && !l->b.failed) wadi_lower_versions(l, build_count, &c);
    return wadi_lb_get(&l->b, c.sum);
}

/* ---- places ---- */

static void build_compact(wadi_lower *l, void *env) {
    const placing *c = env;
    const wadi_kept_part *p = c->p;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS];
    const wadi_lv keep = keeps(l, p->bind, p->ix, each(l, p->bind, p->from, p->below), x);
    const wadi_lv at = wadi_lb_get(b, c->kept);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, at, p->limit));
    for (int f = 0; f < c->fields; f++) wadi_lb_store(b, p->pointer[f], at, x[f]);
    wadi_lb_end(b);
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, at, keep));
    wadi_lb_end(b);
}

/* i elements have been placed, so the next of the others goes to start + i - kept. Which of the two places it is is
 * computed without a branch: the data decides, and no processor guesses it. */
static wadi_lv place(wadi_lower *l, const placing *c, wadi_lv i, wadi_lv kept, wadi_lv one) {
    const wadi_lv other = bin(l, WADI_SOP_SUB, bin(l, WADI_SOP_ADD, c->start, i), kept);
    const wadi_lv mask = wadi_lb_prim(&l->b, WADI_SOP_NEG, WADI_I64, 1, &one);
    const wadi_lv step = bin(l, WADI_SOP_AND, bin(l, WADI_SOP_SUB, kept, other), mask);
    const wadi_lv to = bin(l, WADI_SOP_ADD, other, step);
    return bin(l, WADI_SOP_MIN, to, bin(l, WADI_SOP_SUB, c->n, num(l, 1)));
}

static void build_partition(wadi_lower *l, void *env) {
    const placing *c = env;
    const wadi_kept_part *p = c->p;
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_PARAMS];
    if (c->rank > 1) memcpy(ix, p->ix, (size_t)(c->rank - 1) * sizeof *ix);
    const wadi_lv i = each(l, p->bind, p->from, p->below);
    const wadi_lv keep = keeps(l, p->bind, p->ix, i, x), kept = wadi_lb_get(b, c->kept);
    ix[c->rank - 1] = place(l, c, i, kept, keep);
    const wadi_lv at = wadi_lower_linear(l, c->rank, p->extent, ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(b, p->pointer[f], at, x[f]);
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, kept, keep));
    wadi_lb_end(b);
}

wadi_lv wadi_lower_place_kept(wadi_lower *l, const wadi_kept_part *p) {
    const wadi_array_type *t = wadi_type_of(l, p->bind->results[0]);
    const bool is_partition = p->bind->op->skeleton == WADI_SKEL_PARTITION;
    wadi_lb *b = &l->b;
    placing c = {.p = p, .rank = t->rank, .fields = t->elem.fields, .n = row_length(l, p->bind)};
    c.start = bin(l, WADI_SOP_MAX, num(l, 0), bin(l, WADI_SOP_MIN, p->count, c.n)); /* 0..n */
    c.kept = wadi_lb_var(b, WADI_I64, false, p->before, "kept");
    if (!l->status && !b->failed)
        wadi_lower_versions(l, is_partition ? build_partition : build_compact, &c);
    return wadi_lb_get(b, c.kept);
}

static void whole_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                      const wadi_lv *pointer, const wadi_lv *ix) {
    const wadi_lv count = wadi_lower_kept_count(l, bind, extent, ix), zero = num(l, 0);
    const wadi_kept_part p = {.bind = bind,
                              .extent = extent,
                              .pointer = pointer,
                              .ix = ix,
                              .from = zero,
                              .below = row_length(l, bind),
                              .before = zero,
                              .limit = count,
                              .count = count};
    wadi_lower_expect_count(l, bind, count, wadi_lower_place_kept(l, &p));
}

void wadi_lower_compact(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer) {
    if (!l->status && !l->b.failed) whole_row(l, bind, extent, pointer, NULL);
}

void wadi_lower_partition_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix) {
    if (!l->status && !l->b.failed) whole_row(l, bind, extent, pointer, outer_ix);
}
