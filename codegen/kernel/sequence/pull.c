/* Sequences within an element that are asked for their elements: code like the interpreter's cursors
 * (operators/interp/carry.c).
 *
 * A cursor is variables before the loop and two pieces of code. The first decides whether there is another element, computing
 * as little as it can. The second gives the element; it follows the first in the same round or is not run. The code that
 * computes an argument's elements, with everything below it, is written once, or twice if elements are dropped before the
 * first. So code does not multiply along a chain. Zips ask their arguments in order, so none is computed beyond the end of
 * another. */
#include "codegen/kernel/sequence/pull.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/read.h"

/* ---- boxes ---- */

/* `more_rank`: the rank of a box minus the rank of a component of the sequence. */
static wadi_box *new_boxes(wadi_lower *l, const wadi_pull_cursor *c, int more_rank) {
    const int n = wadi_pull_components(l, c);
    wadi_box *x = WADI_NEW_N(l->y->arena, wadi_box, (size_t)n + 1);
    if (!x) l->b.failed = true;
    for (int i = 0; x && i < n; i++) {
        const wadi_array_type *t = &wadi_pull_types(l, c->s)[i];
        const int rank = t->rank + more_rank;
        for (int f = 0; f < t->elem.fields; f++)
            x[i].field[f] =
                wadi_lb_var(&l->b, t->elem.type[f], rank > 0, WADI_LV_NONE, "component");
        for (int d = 0; d < rank; d++) x[i].extent[d] = wadi_pull_number(l, num(l, 0), "extent");
    }
    return x;
}

static void put(wadi_lower *l, const wadi_pull_cursor *c, int more_rank, const wadi_vloc *at) {
    for (int i = 0; i < wadi_pull_components(l, c); i++) {
        const wadi_array_type *t = &wadi_pull_types(l, c->s)[i];
        for (int f = 0; f < t->elem.fields; f++)
            wadi_lb_set(&l->b, c->kept[i].field[f], at[i].field[f]);
        for (int d = 0; d < t->rank + more_rank; d++)
            wadi_lb_set(&l->b, c->kept[i].extent[d], at[i].extent[d]);
    }
}

static wadi_vloc get(wadi_lower *l, const wadi_pull_cursor *c, int i, int more_rank) {
    const wadi_array_type *t = &wadi_pull_types(l, c->s)[i];
    const int rank = t->rank + more_rank;
    wadi_vloc at = {.kind = rank > 0 ? WADI_LOC_MEMORY : WADI_LOC_SCALAR, .own_extents = rank > 0};
    for (int f = 0; f < t->elem.fields; f++) at.field[f] = wadi_lb_get(&l->b, c->kept[i].field[f]);
    for (int d = 0; d < rank; d++) at.extent[d] = wadi_inner_extent(l, c->kept[i].extent[d]);
    return at;
}

/* ---- chains in which element i is computed from i ---- */

static void start_indexed(wadi_lower *l, wadi_pull_cursor *c) {
    if (!wadi_inner_length(l, c->s, &c->n)) l->b.failed = true;
    c->at = wadi_pull_number(l, num(l, 0), "at");
}

static wadi_lv more_indexed(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    (void)in;
    return bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), c->n);
}

static wadi_inner_element next_indexed(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    (void)in;
    const wadi_lv last = bin(l, WADI_SOP_SUB, c->n, num(l, 1));
    const wadi_lv i = wadi_lb_fact(&l->b, wadi_lb_get(&l->b, c->at), num(l, 0), last);
    wadi_pull_add(l, c->at, 1);
    return wadi_inner_at(l, c->s, i);
}

static const wadi_pulling by_number = {start_indexed, more_indexed, next_indexed};

/* ---- map, of one sequence or several ---- */

static wadi_lv more_mapped(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_lv first = wadi_pull_more(l, in, &c->from[0]);
    if (c->nfrom == 1) return first;
    const wadi_lv all = wadi_pull_flag(l, first, "all");
    for (int i = 1; i < c->nfrom; i++) {
        wadi_lb_if(&l->b, wadi_lb_get(&l->b, all));
        wadi_lb_set(&l->b, all, wadi_pull_more(l, in, &c->from[i]));
        wadi_lb_end(&l->b);
    }
    return wadi_lb_get(&l->b, all);
}

static wadi_inner_element next_mapped(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_block *r = c->bind->blocks[0];
    wadi_inner_element from[WADI_MAX_PARAMS];
    int first = 0;
    for (int i = 0; i < c->nfrom; i++) from[i] = wadi_pull_next(l, in, &c->from[i]);
    if (wadi_pull_failed(l)) return wadi_inner_new(l, c->s);
    for (int i = 0; i < c->nfrom; i++)
        first = wadi_inner_params(l, r, first, c->from[i].s, &from[i]);
    return wadi_inner_run(l, c->s, r);
}

/* ---- filter: searches for the next element that passes, and keeps it ---- */

static void start_filter(wadi_lower *l, wadi_pull_cursor *c) {
    c->some = wadi_pull_flag(l, wadi_lb_bool(&l->b, false), "found");
    c->kept = new_boxes(l, c, 0);
}

static void look_at(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c,
                    const wadi_inner_element *e) {
    const wadi_block *r = c->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_lv passes = WADI_LV_NONE;
    (void)wadi_inner_params(l, r, 0, c->from->s, e);
    wadi_inner_compute(l, r, &values);
    if (wadi_pull_failed(l)) return;
    wadi_lower_read(l, r->yields[0], NULL, &passes);
    wadi_give_back(l, &values);
    wadi_lb_if(&l->b, passes);
    put(l, c, 0, e->at);
    wadi_lb_set(&l->b, c->some, wadi_lb_bool(&l->b, true));
    wadi_inner_keep(l, in, in->around); /* the round around uses it */
    wadi_lb_end(&l->b);
}

static wadi_lv more_filter(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_inner search = wadi_inner_start(l, in);
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &search);
    wadi_lb_leave_unless(&l->b, wadi_pull_not(l, wadi_lb_get(&l->b, c->some)));
    wadi_lb_leave_unless(&l->b, wadi_pull_more(l, &search, c->from));
    const wadi_inner_element e = wadi_pull_next(l, &search, c->from);
    if (!wadi_pull_failed(l)) look_at(l, &search, c, &e);
    wadi_inner_close(l, &search);
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, c->some);
}

static wadi_inner_element next_filter(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    wadi_inner_element e = wadi_inner_new(l, c->s);
    (void)in;
    for (int i = 0; i < e.n; i++) e.at[i] = get(l, c, i, 0);
    wadi_lb_set(&l->b, c->some, wadi_lb_bool(&l->b, false));
    return e;
}

/* ---- expand: the arrays that are cut into slices stay in memory, since slices may be used later ---- */

static void start_expand(wadi_lower *l, wadi_pull_cursor *c) {
    c->at = wadi_pull_number(l, num(l, 0), "slice");
    c->end = wadi_pull_number(l, num(l, 0), "slices");
    c->kept = new_boxes(l, c, 1);
}

static wadi_lv slices_left(wadi_lower *l, const wadi_pull_cursor *c) {
    const wadi_lv at = wadi_lb_get(&l->b, c->at);
    return bin(l, WADI_SOP_LT, at, wadi_lb_get(&l->b, c->end));
}

static wadi_lv more_expand(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    wadi_lb *b = &l->b;
    wadi_lb_repeat(b);
    wadi_lb_leave_unless(b, wadi_pull_not(l, slices_left(l, c)));
    wadi_lb_leave_unless(b, wadi_pull_more(l, in, c->from));
    const wadi_inner_element e = wadi_pull_next(l, in, c->from);
    const wadi_vloc *whole = wadi_pull_failed(l) ? NULL : wadi_inner_wholes(l, c->bind, &e);
    if (whole) {
        put(l, c, 1, whole);
        wadi_lb_set(b, c->end, wadi_inner_slices(l, c->bind, whole));
        wadi_lb_set(b, c->at, num(l, 0));
        wadi_inner_keep(l, in, NULL);
    }
    wadi_lb_end(b);
    return slices_left(l, c);
}

static wadi_inner_element next_expand(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    wadi_inner_element e = wadi_inner_new(l, c->s);
    const wadi_lv j = wadi_lb_get(&l->b, c->at);
    (void)in;
    for (int i = 0; i < e.n; i++) {
        const wadi_vloc whole = get(l, c, i, 1);
        wadi_inner_slice(l, &whole, &e.type[i], j, &e.at[i]);
    }
    wadi_pull_add(l, c->at, 1);
    return e;
}

/* ---- pick ---- */

static bool leaves_out(wadi_seq_pick pick) {
    return pick.first || pick.step;
}

static void start_pick(wadi_lower *l, wadi_pull_cursor *c) {
    const wadi_seq_pick pick = c->bind->op->seq.pick;
    if (pick.most) {
        c->n = wadi_lower_scalar(l, c->bind->args[pick.most]);
        c->at = wadi_pull_number(l, num(l, 0), "taken");
    }
    if (pick.step) c->hop = wadi_inner_at_least_1(l, c->bind, pick.step, "the step");
    if (leaves_out(pick)) {
        const wadi_lv first =
            pick.first ? wadi_lower_scalar(l, c->bind->args[pick.first]) : num(l, 0);
        c->end = wadi_pull_number(l, first, "to_drop");
    }
}

/* Whether there is another element after those that are dropped before the next one. */
static wadi_lv more_dropped(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_inner skip = wadi_inner_start(l, in);
    const wadi_lv some = wadi_pull_flag(l, wadi_lb_bool(&l->b, false), "some");
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &skip);
    wadi_lb_set(&l->b, some, wadi_pull_more(l, &skip, c->from));
    wadi_lb_leave_unless(&l->b, wadi_lb_get(&l->b, some));
    wadi_lb_leave_unless(&l->b, bin(l, WADI_SOP_GT, wadi_lb_get(&l->b, c->end), num(l, 0)));
    (void)wadi_pull_next(l, &skip, c->from);
    wadi_pull_add(l, c->end, -1);
    wadi_inner_close(l, &skip);
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, some);
}

static wadi_lv more_pick(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_seq_pick pick = c->bind->op->seq.pick;
    if (!pick.most) return more_dropped(l, in, c);
    const wadi_lv some =
        wadi_pull_flag(l, bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), c->n), "some");
    wadi_lb_if(&l->b, wadi_lb_get(&l->b, some));
    wadi_lb_set(&l->b, some,
                leaves_out(pick) ? more_dropped(l, in, c) : wadi_pull_more(l, in, c->from));
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, some);
}

static wadi_inner_element next_pick(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_seq_pick pick = c->bind->op->seq.pick;
    if (pick.most) wadi_pull_add(l, c->at, 1);
    if (pick.step) wadi_lb_set(&l->b, c->end, bin(l, WADI_SOP_SUB, c->hop, num(l, 1)));
    return wadi_pull_next(l, in, c->from);
}

/* ---- scan ---- */

static void start_scan(wadi_lower *l, wadi_pull_cursor *c) {
    c->state = wadi_inner_state(c->bind);
    wadi_round_state_start(l, &c->state);
}

static wadi_inner_element next_scan(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_inner_element e = wadi_pull_next(l, in, c->from);
    if (wadi_pull_failed(l)) return wadi_inner_new(l, c->s);
    return wadi_inner_step(l, in, &c->state, c->bind, &e);
}

/* ---- by form ---- */

static wadi_lv more_of_argument(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    return wadi_pull_more(l, in, c->from);
}

static void start_nothing(wadi_lower *l, wadi_pull_cursor *c) {
    (void)l;
    (void)c;
}

static const wadi_pulling map = {start_nothing, more_mapped, next_mapped},
                          pick = {start_pick, more_pick, next_pick},
                          filter = {start_filter, more_filter, next_filter},
                          expand = {start_expand, more_expand, next_expand},
                          scan = {start_scan, more_of_argument, next_scan};

static const wadi_pulling *const kinds[] = {
    [WADI_SEQ_MAP] = &map,
    [WADI_SEQ_PICK] = &pick,
    [WADI_SEQ_FILTER] = &filter,
    [WADI_SEQ_EXPAND] = &expand,
    [WADI_SEQ_SCAN] = &scan,
    [WADI_SEQ_WINDOWS] = &wadi_pull_windows,
    [WADI_SEQ_BATCH] = &wadi_pull_batch,
};

static const wadi_pulling *kind_of(const wadi_lower *l, wadi_val s) {
    const wadi_seq_form form = l->m->values[s].bind->op->seq.form;
    if (wadi_inner_is_indexed(l, s)) return &by_number;
    return form < sizeof kinds / sizeof *kinds ? kinds[form] : NULL;
}

/* Arguments are opened first, as the interpreter does. */
static void open_cursor(wadi_lower *l, wadi_val s, wadi_pull_cursor *c) {
    const wadi_bind *b = l->m->values[s].bind;
    *c = (wadi_pull_cursor){.kind = kind_of(l, s), .bind = b, .s = s};
    if (!c->kind) {
        wadi_lower_fail(l, b->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        b->op->name);
        return;
    }
    c->from = WADI_NEW_N(l->y->arena, wadi_pull_cursor, (size_t)b->nargs + 1);
    if (!c->from) l->b.failed = true;
    for (int i = 0; c->kind != &by_number && i < b->nargs && !wadi_pull_failed(l); i++)
        if (l->m->values[b->args[i]].type.is_seq) open_cursor(l, b->args[i], &c->from[c->nfrom++]);
    if (!wadi_pull_failed(l)) c->kind->start(l, c);
}

void wadi_inner_pull(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker taker, void *env) {
    wadi_pull_cursor c;
    open_cursor(l, s, &c);
    if (wadi_pull_failed(l)) return;
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, in);
    if (in->alive != WADI_LV_NONE) wadi_lb_leave_unless(&l->b, wadi_lb_get(&l->b, in->alive));
    wadi_lb_leave_unless(&l->b, wadi_pull_more(l, in, &c));
    const wadi_inner_element e = wadi_pull_next(l, in, &c);
    if (!wadi_pull_failed(l)) taker(l, env, &e);
    wadi_inner_close(l, in);
    wadi_lb_end(&l->b);
}
