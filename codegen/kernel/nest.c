/* Loop nests: every element of a result, computed and stored.
 *
 * If checks can be decided in front of the innermost loop, that loop is written in two versions. A loop whose body is straight
 * code is marked as independent: no iteration reads what another writes. */
#include "codegen/kernel/nest.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/lockstep.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/kernel/split.h"

/* ---- loops over all dimensions ---- */

/* An array that is being filled. */
typedef struct filling {
    const wadi_bind *bind;
    int rank, fields;
    const wadi_lv *extent, *pointer;
} filling;

typedef struct nest {
    int rank;
    const wadi_lv *extent;
    wadi_lv from, below; /* the part of the innermost dimension */
    wadi_lv ix[WADI_MAX_RANK];
    wadi_nest_body body;
    void *env;
    const filling *fold; /* a fold, several rows of which may be reduced together; or NULL */
} nest;

static const char *const loop_names[WADI_MAX_RANK] = {"i0", "i1", "i2", "i3",
                                                      "i4", "i5", "i6", "i7"};

static wadi_lv rows_together(wadi_lower *l, nest *n);
static void store_element(wadi_lower *l, void *env, const wadi_lv *ix);

/* The same elements, one for each lane of a group at a time. */
static void by_lanes(wadi_lower *l, nest *n) {
    wadi_lanes open;
    const wadi_lv i = wadi_lanes_each(l, n->from, n->below, "i", &open);
    n->ix[n->rank - 1] = l->position.ix[n->rank - 1] = i;
    n->body(l, n->env, n->ix);
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
}

/* Whether each lane computes an element of its own. Not if elements are reductions: then all lanes reduce one together, unless only
 * the results of blocks are left to combine. */
static bool is_for_lanes(const wadi_lower *l, const nest *n) {
    return wadi_lower_has_lanes(l) &&
           (!n->fold || wadi_skeleton_of(l->y, n->fold->bind)->elements == NULL ||
            l->loc[n->fold->bind->results[0]].kind == WADI_LOC_PARTS);
}

static void each_element(wadi_lower *l, void *env, wadi_lv i) {
    nest *n = env;
    n->ix[n->rank - 1] = l->position.ix[n->rank - 1] = i;
    n->body(l, n->env, n->ix);
}

/* ---- elements read at indices that data decides ---- */

enum {
    STRIP = 1024
}; /* rounds whose checks are made ahead: what they read twice stays in the nearest cache */

typedef struct strip {
    nest *n;
    wadi_lv from, below;
} strip;

static void one_strip(wadi_lower *l, void *env) {
    const strip *s = env;
    each_element(l, s->n, wadi_lb_for(&l->b, s->from, s->below, 1, "i"));
    wadi_lb_end(&l->b);
}

static bool may_fault(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++) {
        if (s->inst[i]->kind == WADI_L_FAULT) return true;
        for (int k = 0; k < 2; k++)
            if (s->inst[i]->block[k] && may_fault(s->inst[i]->block[k])) return true;
    }
    return false;
}

/* The loop in strips, if there are indices that can be checked ahead of a strip, so that the rest becomes SIMD code. Only for elements that are
 * stored one by one. */
static bool in_strips(wadi_lower *l, nest *n) {
    wadi_lb *b = &l->b;
    const wadi_loop_version *v = l->checking.version;
    if (n->body != store_element || b->interior || l->checking.ahead || (v && !v->fast))
        return false;
    wadi_lscope *aside = wadi_lb_aside(b);
    strip s = {.n = n, .from = wadi_lb_for(b, n->from, n->below, STRIP, "strip")};
    s.below = wadi_lb_bin(b, WADI_SOP_MIN, n->below,
                          wadi_lb_bin(b, WADI_SOP_ADD, s.from, wadi_lb_i64(b, STRIP)));
    const bool ahead = wadi_lower_long_ahead(l, one_strip, &s);
    wadi_lb_end(b);
    wadi_lb_aside_end(b, aside);
    if (ahead) wadi_lb_merge(b, aside);
    return ahead;
}

static void innermost(wadi_lower *l, void *env) {
    nest *n = env;
    if (is_for_lanes(l, n)) {
        by_lanes(l, n);
        return;
    }
    const wadi_lv from = n->fold ? rows_together(l, n) : n->from;
    wadi_lscope *aside = wadi_lb_aside(&l->b);
    const wadi_linst *most =
        wadi_lower_split(l, from, n->below, n->extent[n->rank - 1],
                         n->rank == 1 ? "i" : loop_names[n->rank - 1], each_element, n);
    wadi_lb_aside_end(&l->b, aside);
    /* strips would undo the split: a border has few rounds, so what can fault only there is checked there */
    if (from == n->from && most->block[0] && may_fault(most->block[0]) && in_strips(l, n)) return;
    wadi_lb_merge(&l->b, aside);
    wadi_lower_lockstep(l);
}

static void loops(wadi_lower *l, nest *n, int d) {
    wadi_lb *b = &l->b;
    if (d == n->rank - 1) {
        wadi_lower_versions(l, innermost, n);
        return;
    }
    n->ix[d] = wadi_lb_for(b, wadi_lb_i64(b, 0), n->extent[d], 1, loop_names[d]);
    l->position.ix[d] = n->ix[d];
    loops(l, n, d + 1);
    wadi_lb_end(b);
}

static void run_nest(wadi_lower *l, int rank, const wadi_lv *extent, wadi_nest_body body, void *env,
                     const filling *fold) {
    if (l->b.failed || l->status) return;
    if (rank == 0) {
        body(l, env, NULL);
        return;
    }
    nest n = {.rank = rank,
              .extent = extent,
              .from = wadi_lb_i64(&l->b, 0),
              .below = extent[rank - 1],
              .body = body,
              .env = env,
              .fold = fold};
    const wadi_lower_position before = wadi_lower_in_array(l, rank, extent);
    loops(l, &n, 0);
    l->position = before;
}

void wadi_lower_nest(wadi_lower *l, int rank, const wadi_lv *extent, wadi_nest_body body,
                     void *env) {
    run_nest(l, rank, extent, body, env, NULL);
}

/* ---- storing elements ---- */

static filling filling_of(const wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                          const wadi_lv *pointer) {
    const wadi_array_type *t = wadi_type_of(l, bind->results[0]);
    return (filling){bind, t->rank, t->elem.fields, extent, pointer};
}

static void store_element(wadi_lower *l, void *env, const wadi_lv *ix) {
    const filling *f = env;
    wadi_lv x[WADI_MAX_FIELDS];
    for (int k = 0; k < f->fields; k++) x[k] = wadi_lb_i64(&l->b, 0);
    wadi_lower_element(l, f->bind, ix, x);
    if (wadi_lower_only_checks(l)) return;
    const wadi_lv at = wadi_lower_linear(l, f->rank, f->extent, ix);
    wadi_lanes alone;
    wadi_lanes_alone(l, &alone);
    for (int k = 0; k < f->fields; k++) wadi_lb_store(&l->b, f->pointer[k], at, x[k]);
    wadi_lanes_end(l, &alone);
}

/* A loop over rows reduced together, if their elements need no checks: a fault could otherwise be reported for the wrong row. */
static bool tried_together(wadi_lower *l, nest *n, int rows) {
    wadi_lb *b = &l->b;
    const filling *f = n->fold;
    wadi_lv x[WADI_MAX_FIELDS], ix[WADI_MAX_RANK];
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    memcpy(ix, n->ix, sizeof ix);
    for (int k = 0; k < WADI_MAX_FIELDS; k++) x[k] = wadi_lb_i64(b, 0);
    const wadi_lv i = wadi_lb_for(
        b, n->from, wadi_lb_bin(b, WADI_SOP_SUB, n->below, wadi_lb_i64(b, rows - 1)), rows, "row");
    ix[n->rank - 1] = l->position.ix[n->rank - 1] = i;
    wadi_skeleton_of(l->y, f->bind)->elements(l, f->bind, ix, rows, x);
    for (int row = 0; row < rows; row++) {
        ix[n->rank - 1] = wadi_lb_bin(b, WADI_SOP_ADD, i, wadi_lb_i64(b, row));
        const wadi_lv at = wadi_lower_linear(l, f->rank, f->extent, ix);
        for (int k = 0; k < f->fields; k++)
            wadi_lb_store(b, f->pointer[k], at, x[row * f->fields + k]);
    }
    wadi_lb_end(b);
    const bool harmless = wadi_lower_tried(l, &trial);
    if (harmless) wadi_lb_merge(b, trial.aside);
    return harmless;
}

/* Returns where the loop over single rows starts: after the rows that are reduced together, if there are any. */
static wadi_lv rows_together(wadi_lower *l, nest *n) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = n->fold->bind;
    const wadi_skeleton_row *row = wadi_skeleton_of(l->y, bind);
    const int rows = row->together ? row->together(l, bind) : 1;
    int64_t from = 0, below = 0;
    const bool known = wadi_lb_is_const(b, n->from, &from) && wadi_lb_is_const(b, n->below, &below);
    const bool parts = l->loc[bind->results[0]].kind == WADI_LOC_PARTS;
    if (rows == 1 || parts || l->checking.trial || (known && below - from < rows)) return n->from;
    if (!tried_together(l, n, rows)) return n->from;
    const wadi_lv rest = wadi_lb_bin(
        b, WADI_SOP_REM, wadi_lb_bin(b, WADI_SOP_SUB, n->below, n->from), wadi_lb_i64(b, rows));
    return wadi_lb_range(b, wadi_lb_bin(b, WADI_SOP_SUB, n->below, rest), n->from, WADI_LV_NONE);
}

/* One row of the result, by the `row` or `part` of its skeleton. */
static void each_row(wadi_lower *l, void *env, const wadi_lv *ix) {
    const filling *f = env;
    const wadi_skeleton_row *row = wadi_skeleton_of(l->y, f->bind);
    if (row->row)
        row->row(l, f->bind, f->extent, f->pointer, ix);
    else
        row->part(l, f->bind, f->extent, f->pointer, ix, wadi_lb_i64(&l->b, 0),
                  f->extent[f->rank - 1]);
}

void wadi_lower_fill_elements(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer) {
    filling f = filling_of(l, bind, extent, pointer);
    run_nest(l, f.rank, extent, store_element, &f, &f);
}

void wadi_lower_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer) {
    filling f = filling_of(l, bind, extent, pointer);
    const wadi_skeleton_row *row = wadi_skeleton_of(l->y, bind);
    if (row->fill)
        row->fill(l, bind, extent, pointer);
    else if (row->row || row->part)
        wadi_lower_nest(l, f.rank - 1, extent, each_row, &f);
    else if (!row->tiles || !row->tiles(l, bind, extent, pointer))
        wadi_lower_fill_elements(l, bind, extent, pointer);
}

void wadi_lower_fill_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix, wadi_lv from,
                         wadi_lv below) {
    const wadi_skeleton_row *row = wadi_skeleton_of(l->y, bind);
    if (row->part) {
        row->part(l, bind, extent, pointer, outer_ix, from, below);
        return;
    }
    filling f = filling_of(l, bind, extent, pointer);
    nest n = {.rank = f.rank,
              .extent = extent,
              .from = from,
              .below = below,
              .body = store_element,
              .env = &f,
              .fold = &f};
    const wadi_lower_position before = wadi_lower_in_array(l, f.rank, extent);
    for (int d = 0; d + 1 < f.rank; d++) n.ix[d] = l->position.ix[d] = outer_ix[d];
    wadi_lower_versions(l, innermost, &n);
    l->position = before;
}

/* The outer indices of row number `row`, each known to lie in its dimension. */
void wadi_lower_row_index(wadi_lower *l, wadi_lv row, int outer, const wadi_lv *extent,
                          wadi_lv *ix) {
    for (int d = outer - 1; d >= 0; d--) {
        const wadi_lv i = d > 0 ? wadi_lb_bin(&l->b, WADI_SOP_REM, row, extent[d]) : row;
        ix[d] = wadi_lb_range(&l->b, i, wadi_lb_i64(&l->b, 0),
                              wadi_lb_bin(&l->b, WADI_SOP_SUB, extent[d], wadi_lb_i64(&l->b, 1)));
        if (d > 0) row = wadi_lb_bin(&l->b, WADI_SOP_QUOT, row, extent[d]);
    }
}

void wadi_lower_nest_row(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *outer_ix,
                         wadi_nest_body body, void *env) {
    nest n = {.rank = rank,
              .extent = extent,
              .from = wadi_lb_i64(&l->b, 0),
              .below = extent[rank - 1],
              .body = body,
              .env = env};
    const wadi_lower_position before = wadi_lower_in_array(l, rank, extent);
    for (int d = 0; d + 1 < rank; d++) n.ix[d] = l->position.ix[d] = outer_ix[d];
    wadi_lower_versions(l, innermost, &n);
    l->position = before;
}

/* ---- copies ---- */

typedef struct copying {
    wadi_val v;
    const wadi_array_type *t;
    const wadi_lv *extent, *pointer;
} copying;

static void copy_element(wadi_lower *l, void *env, const wadi_lv *ix) {
    const copying *c = env;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lower_read(l, c->v, ix, x);
    const wadi_lv at = wadi_lower_linear(l, c->t->rank, c->extent, ix);
    for (int f = 0; f < c->t->elem.fields; f++) wadi_lb_store(&l->b, c->pointer[f], at, x[f]);
}

void wadi_lower_copy(wadi_lower *l, wadi_val v, const wadi_lv *extent, const wadi_lv *pointer) {
    v = wadi_lower_resolve(l, v);
    copying c = {v, wadi_type_of(l, v), extent, pointer};
    const wadi_vloc_kind kind = l->loc[v].kind;
    if (l->status || l->b.failed) return;
    if (c.t->rank == 0 || (kind != WADI_LOC_SLOT && kind != WADI_LOC_MEMORY)) {
        wadi_lower_nest(l, c.t->rank, extent, copy_element, &c);
        return;
    }
    const wadi_lv size = wadi_lower_size(l, c.t->rank, extent);
    for (int f = 0; f < c.t->elem.fields; f++)
        (void)wadi_lb_act(&l->b, WADI_L_COPY, 3,
                          (const wadi_lv[]){pointer[f], wadi_lower_pointer(l, v, f), size});
}
