/* compact and partition: the place of an element is the number of elements kept before it.
 *
 * The loop has no branches that depend on data: an element that is not kept is written too, and the next one overwrites it. A
 * count that is too small or too large never leads outside the result; it is a fault at the end. Blocks of a row may be placed
 * by different workers: a block that keeps nothing after its last place does not touch the next block's place. */
#include "codegen/kernel/compact.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/tile.h"

enum { STRETCH = 256 }; /* what is computed of it stays in the nearest cache */

typedef struct placing {
    const wadi_kept_part *p;
    int rank, fields;
    wadi_lv n, start; /* elements of the row; for partition, where the elements not kept begin */
    wadi_lv kept;     /* variable: how many the row has kept so far */
} placing;

/* Whether element i of the row is kept. out: its fields, then the fields of the other arrays' elements. */
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

/* Opens the loop over [from, below) of the row and returns its variable, known to lie in the row. */
static wadi_lv each(wadi_lower *l, const wadi_bind *bind, wadi_lv from, wadi_lv below) {
    const wadi_lv last = bin(l, WADI_SOP_SUB, row_length(l, bind), num(l, 1));
    return wadi_lb_range(&l->b, wadi_lb_for(&l->b, from, below, 1, "i"), num(l, 0), last);
}

wadi_lv wadi_lower_keeps(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                         wadi_lv below, wadi_lv *out_i, wadi_lv *out) {
    *out_i = each(l, bind, from, below);
    return keeps(l, bind, ix, *out_i, out);
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

static void add(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                wadi_lv *out) {
    WADI_UNUSED(env);
    *out = bin(l, WADI_SOP_ADD, *acc, *x);
}

/* `zero` is room for that. */
static wadi_taking adding(wadi_lower *l, wadi_lv *zero) {
    static const wadi_type type = WADI_I64;
    *zero = num(l, 0);
    return (wadi_taking){1, &type, zero, add, NULL};
}

/* Each lane counts on its own, then the counts are added. */
static void build_count_by_lanes(wadi_lower *l, void *env) {
    const counting *c = env;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS], zero, sums;
    const wadi_taking take = adding(l, &zero);
    wadi_lanes open;
    wadi_taking_declare(l, &take, "sums", &sums);
    wadi_lb_put(b, sums, wadi_lanes_all(l, &open), zero);
    wadi_lanes_end(l, &open);
    const wadi_lv last = bin(l, WADI_SOP_SUB, row_length(l, c->bind), num(l, 1));
    const wadi_lv i = wadi_lanes_each(l, c->from, c->below, "i", &open);
    const wadi_lv keep = keeps(l, c->bind, c->ix, wadi_lb_range(b, i, zero, last), x);
    wadi_lb_put(b, sums, open.lane, bin(l, WADI_SOP_ADD, wadi_lb_lane(b, sums, open.lane), keep));
    wadi_lanes_end(l, &open);
    wadi_taking_join(l, &take, &sums);
    wadi_lb_set(b, c->sum, wadi_lb_lane(b, sums, zero));
}

void wadi_lower_sum_counts(wadi_lower *l, wadi_lv pointer, wadi_lv first, wadi_lv n) {
    wadi_lv zero;
    const wadi_taking take = adding(l, &zero);
    wadi_taking_scan_memory(l, &take, &pointer, first, n);
}

wadi_lv wadi_lower_count_kept(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                              wadi_lv below) {
    const wadi_build build = wadi_lower_has_lanes(l) ? build_count_by_lanes : build_count;
    counting c = {bind, ix, from, below, wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "sum")};
    if (!l->status && !l->b.failed) wadi_lower_versions(l, build, &c);
    return wadi_lb_get(&l->b, c.sum);
}

/* ---- places ---- */

/* One element after the other. */
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

/* ---- places of many: stretches of elements are computed in a loop that becomes SIMD code, then placed several at a time ---- */

typedef struct stretch {
    const placing *c;
    wadi_lv keep, x[WADI_MAX_FIELDS]; /* lanes: 1 if the element is kept; its fields */
    wadi_lv from, below;
} stretch;

static void build_stretch(wadi_lower *l, void *env) {
    const stretch *s = env;
    const wadi_kept_part *p = s->c->p;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS];
    const wadi_lv i = each(l, p->bind, s->from, s->below), at = bin(l, WADI_SOP_SUB, i, s->from);
    const wadi_lv keep = keeps(l, p->bind, p->ix, i, x);
    wadi_lb_put(b, s->keep, at, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_U8, 1, &keep));
    for (int f = 0; f < s->c->fields; f++) wadi_lb_put(b, s->x[f], at, x[f]);
    wadi_lb_end(b);
}

static void place_stretch(wadi_lower *l, const stretch *s) {
    const placing *c = s->c;
    wadi_lb *b = &l->b;
    const wadi_lv t = wadi_lb_for(b, num(l, 0), bin(l, WADI_SOP_SUB, s->below, s->from), 1, "t");
    if (!b->failed) b->scope->owner->placing = true;
    const wadi_lv at = wadi_lb_get(b, c->kept);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, at, c->p->limit));
    for (int f = 0; f < c->fields; f++)
        wadi_lb_store(b, c->p->pointer[f], at, wadi_lb_lane(b, s->x[f], t));
    wadi_lb_end(b);
    const wadi_lv one = wadi_lb_lane(b, s->keep, t);
    const wadi_lv more = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &one);
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, at, more));
    wadi_lb_end(b);
}

static void compact_stretches(wadi_lower *l, const placing *c) {
    const wadi_kept_part *p = c->p;
    const wadi_elem *e = &wadi_type_of(l, p->bind->results[0])->elem;
    wadi_lb *b = &l->b;
    stretch s = {.c = c, .keep = wadi_lb_lanes(b, WADI_U8, STRETCH, "keep")};
    for (int f = 0; f < c->fields; f++) s.x[f] = wadi_lb_lanes(b, e->type[f], STRETCH, "value");
    s.from = wadi_lb_for(b, p->from, p->below, STRETCH, "from");
    s.below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, s.from, num(l, STRETCH)), p->below);
    wadi_lower_versions(l, build_stretch, &s);
    place_stretch(l, &s);
    wadi_lb_end(b);
}

/* Where element i goes. `kept` elements before it were kept, so the next kept element goes to place `kept`, and the next of the
 * others to start + i - kept. The choice is computed without a branch, because a branch that depends on data is predicted
 * badly. */
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

/* ---- places, by lanes: as many elements at a time, placed by the scan of what they keep ---- */

typedef struct placing_lanes {
    const placing *c;
    wadi_lv keep, sum, spare, x[WADI_MAX_FIELDS]; /* [lane] */
} placing_lanes;

/* What the lanes read, from element `first` on: nothing behind the part. */
static void read_lanes(wadi_lower *l, const placing_lanes *s, wadi_lv first) {
    const wadi_kept_part *p = s->c->p;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open), i = bin(l, WADI_SOP_ADD, first, lane);
    wadi_lb_put(b, s->sum, lane, num(l, 0));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, p->below));
    const wadi_lv last = bin(l, WADI_SOP_SUB, s->c->n, num(l, 1));
    const wadi_lv keep = keeps(l, p->bind, p->ix, wadi_lb_range(b, i, num(l, 0), last), x);
    wadi_lb_put(b, s->sum, lane, keep);
    wadi_lb_put(b, s->keep, lane, keep);
    for (int f = 0; f < s->c->fields; f++) wadi_lb_put(b, s->x[f], lane, x[f]);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void store_lanes(wadi_lower *l, const placing_lanes *s, wadi_lv first, wadi_lv before) {
    const placing *c = s->c;
    const wadi_kept_part *p = c->p;
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK];
    wadi_lanes open;
    const bool is_partition = p->bind->op->skeleton == WADI_SKEL_PARTITION;
    if (c->rank > 1) memcpy(ix, p->ix, (size_t)(c->rank - 1) * sizeof *ix);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, p->below, first);
    const wadi_lv lane =
        wadi_lanes_first(l, bin(l, WADI_SOP_MIN, rest, num(l, WADI_GROUP_LANES)), &open);
    const wadi_lv keep = wadi_lb_lane(b, s->keep, lane);
    const wadi_lv upto = bin(l, WADI_SOP_ADD, before, wadi_lb_lane(b, s->sum, lane));
    wadi_lv at = bin(l, WADI_SOP_SUB, upto, keep);
    if (is_partition) {
        ix[c->rank - 1] = place(l, c, bin(l, WADI_SOP_ADD, first, lane), at, keep);
        at = wadi_lower_linear(l, c->rank, p->extent, ix);
    } else {
        wadi_lb_if(b, bin(l, WADI_SOP_NE, keep, num(l, 0)));
        wadi_lb_if(b, bin(l, WADI_SOP_LT, at, p->limit));
    }
    for (int f = 0; f < c->fields; f++)
        wadi_lb_store(b, p->pointer[f], at, wadi_lb_lane(b, s->x[f], lane));
    for (int k = 0; k < 2 && !is_partition; k++) wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void build_by_lanes(wadi_lower *l, void *env) {
    const placing *c = env;
    const wadi_array_type *t = wadi_type_of(l, c->p->bind->results[0]);
    wadi_lb *b = &l->b;
    wadi_lv zero;
    const wadi_taking take = adding(l, &zero);
    placing_lanes s = {.c = c};
    wadi_taking_declare(l, &take, "keep", &s.keep);
    wadi_taking_declare(l, &take, "sum", &s.sum);
    wadi_taking_declare(l, &take, "spare", &s.spare);
    for (int f = 0; f < c->fields; f++)
        s.x[f] = wadi_lb_lanes(b, t->elem.type[f], WADI_GROUP_LANES, "x");
    const wadi_lv first = wadi_lb_for(b, c->p->from, c->p->below, WADI_GROUP_LANES, "first");
    const wadi_lv before = wadi_lb_get(b, c->kept);
    read_lanes(l, &s, first);
    wadi_taking_scan(l, &take, &s.sum, &s.spare);
    store_lanes(l, &s, first, before);
    const wadi_lv all = wadi_lb_lane(b, s.sum, num(l, WADI_GROUP_LANES - 1));
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, before, all));
    wadi_lb_end(b);
}

wadi_lv wadi_lower_place_kept(wadi_lower *l, const wadi_kept_part *p) {
    const wadi_array_type *t = wadi_type_of(l, p->bind->results[0]);
    const bool is_partition = p->bind->op->skeleton == WADI_SKEL_PARTITION;
    wadi_lb *b = &l->b;
    placing c = {.p = p, .rank = t->rank, .fields = t->elem.fields, .n = row_length(l, p->bind)};
    c.start = bin(l, WADI_SOP_MAX, num(l, 0), bin(l, WADI_SOP_MIN, p->count, c.n)); /* 0..n */
    c.kept = wadi_lb_var(b, WADI_I64, false, p->before, "kept");
    wadi_build build = is_partition ? build_partition : build_compact;
    if (wadi_lower_has_lanes(l)) build = build_by_lanes;
    if (l->status || b->failed) return wadi_lb_get(b, c.kept);
    if (p->many && build == build_compact)
        compact_stretches(l, &c);
    else
        wadi_lower_versions(l, build, &c);
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
