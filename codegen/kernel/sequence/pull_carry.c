/* Cursors over windows and batches within an element; see pull.c. The meaning is that of operators/interp/carry.c. */
#include "codegen/kernel/sequence/pull.h"

#include "base/error.h"
#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

static void must_agree(wadi_lower *l, const wadi_pull_cursor *c, const char *what, wadi_lv x,
                       wadi_lv y) {
    const wadi_lv differ = bin(l, WADI_SOP_NE, x, y);
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, differ, &known) && !known) return;
    wadi_lb_if(&l->b, differ);
    wadi_lower_fault(l, WADI_FAULT_SHAPE,
                     wadi_layout_place(l->y, c->bind->op->name, what, c->bind->loc), x, y);
    wadi_lb_end(&l->b);
}

/* ---- windows: all samples so far are kept; a window is a part of them ---- */

static void start_windows(wadi_lower *l, wadi_pull_cursor *c) {
    const int n = wadi_pull_components(l, c);
    c->n = wadi_inner_at_least_1(l, c->bind, 1, "the size");
    c->hop = wadi_inner_at_least_1(l, c->bind, 2, "the hop");
    c->at = wadi_pull_number(l, num(l, 0), "begin");
    c->end = wadi_pull_number(l, num(l, 0), "ended");
    c->some = wadi_pull_flag(l, wadi_lb_bool(&l->b, false), "last_given");
    c->samples = WADI_NEW_N(l->y->arena, wadi_vector, (size_t)n + 1);
    if (!c->samples) l->b.failed = true;
    for (int i = 0; c->samples && i < n; i++) {
        const wadi_elem *elem = &wadi_pull_types(l, c->s)[i].elem;
        c->samples[i] = wadi_vector_start(l, elem->fields, elem->type, num(l, 64), false);
    }
}

static wadi_lv samples_there(wadi_lower *l, const wadi_pull_cursor *c) {
    const wadi_lv read = wadi_inner_extent(l, c->samples[0].used);
    return bin(l, WADI_SOP_SUB, read, wadi_lb_get(&l->b, c->at));
}

static wadi_lv is_full(wadi_lower *l, const wadi_pull_cursor *c) {
    return bin(l, WADI_SOP_GE, samples_there(l, c), c->n);
}

static void read_piece(wadi_lower *l, const wadi_inner *in, const wadi_pull_cursor *c,
                       const wadi_inner_element *e) {
    for (int i = 1; i < e->n; i++) {
        const wadi_lv size = wadi_lower_size(l, e->type[i].rank, e->at[i].extent);
        const wadi_lv first = wadi_lower_size(l, e->type[0].rank, e->at[0].extent);
        must_agree(l, c, wadi_lower_words(l, WADI_SAID_SAMPLES, i), size, first);
    }
    for (int i = 0; i < e->n; i++)
        wadi_vector_append(l, in, NULL, &c->samples[i], &e->at[i], &e->type[i]);
}

/* Whether samples are left that no full window has covered, with which a last window begins. */
static wadi_lv is_rest(wadi_lower *l, const wadi_pull_cursor *c) {
    const wadi_lv read = wadi_lb_get(&l->b, c->samples[0].used);
    const wadi_lv begun = bin(l, WADI_SOP_GT, read, wadi_lb_get(&l->b, c->at));
    const wadi_lv fresh = bin(l, WADI_SOP_GT, read, wadi_lb_get(&l->b, c->end));
    const wadi_lv both = bin(l, WADI_SOP_LAND, begun, fresh);
    return bin(l, WADI_SOP_LAND, both, wadi_pull_not(l, wadi_lb_get(&l->b, c->some)));
}

static wadi_lv more_windows(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_inner reading = wadi_inner_start(l, in);
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &reading);
    wadi_lb_leave_unless(&l->b, wadi_pull_not(l, is_full(l, c)));
    wadi_lb_leave_unless(&l->b, wadi_pull_more(l, &reading, c->from));
    const wadi_inner_element e = wadi_pull_next(l, &reading, c->from);
    if (!wadi_pull_failed(l)) read_piece(l, &reading, c, &e);
    wadi_inner_close(l, &reading);
    wadi_lb_end(&l->b);
    const wadi_lv full = is_full(l, c);
    if (c->bind->attrs[0] == WADI_LAST_WINDOW_DROP) return full;
    return bin(l, WADI_SOP_LOR, full, is_rest(l, c));
}

/* Appends zeros to the samples until the window is full. */
static void fill_up(wadi_lower *l, const wadi_inner *in, const wadi_pull_cursor *c, wadi_lv there) {
    wadi_lb *b = &l->b;
    const wadi_lv lacks = bin(l, WADI_SOP_SUB, c->n, there);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, lacks, num(l, 0)));
    for (int i = 0; i < wadi_pull_components(l, c); i++) {
        const wadi_vector *v = &c->samples[i];
        wadi_vector_reserve(l, in, NULL, v, lacks);
        const wadi_lv k = wadi_lb_for(b, num(l, 0), lacks, 1, "k");
        const wadi_lv at = bin(l, WADI_SOP_ADD, wadi_lb_get(b, v->used), k);
        for (int f = 0; f < v->fields; f++)
            wadi_lb_store(b, wadi_lb_get(b, v->pointer[f]), at,
                          wadi_lb_const(b, (wadi_scalar){.type = v->type[f]}));
        wadi_lb_end(b);
    }
    wadi_lb_end(b);
}

/* Where the next window begins. If the sum overflows, it begins after every possible sample. */
static void hop(wadi_lower *l, const wadi_pull_cursor *c, wadi_lv at, wadi_lv full) {
    wadi_lb *b = &l->b;
    wadi_lb_if(b, full);
    wadi_lb_set(b, c->end, bin(l, WADI_SOP_ADD, at, c->n));
    wadi_lb_end(b);
    wadi_lb_set(b, c->some, wadi_pull_not(l, full));
    const wadi_lv limit = bin(l, WADI_SOP_SUB, num(l, INT64_MAX), at);
    const wadi_lv by = bin(l, WADI_SOP_MIN, c->hop, limit);
    wadi_lb_set(b, c->at, bin(l, WADI_SOP_ADD, at, by));
}

static wadi_inner_element next_windows(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const int64_t last = c->bind->attrs[0];
    wadi_inner_element e = wadi_inner_new(l, c->s);
    const wadi_lv there = bin(l, WADI_SOP_MIN, samples_there(l, c), c->n), full = is_full(l, c);
    const wadi_lv at = wadi_lb_get(&l->b, c->at);
    if (last == WADI_LAST_WINDOW_PAD) fill_up(l, in, c, there);
    for (int i = 0; i < e.n; i++) {
        const wadi_vector *v = &c->samples[i];
        e.at[i] = (wadi_vloc){.kind = WADI_LOC_MEMORY, .own_extents = true};
        e.at[i].extent[0] = last == WADI_LAST_WINDOW_KEEP ? there : c->n;
        for (int f = 0; f < v->fields; f++)
            e.at[i].field[f] = wadi_lb_advance(&l->b, wadi_lb_get(&l->b, v->pointer[f]), at);
    }
    hop(l, c, at, full);
    return e;
}

/* ---- batch: each batch has memory of its own and is made when it is asked for ---- */

static void start_batch(wadi_lower *l, wadi_pull_cursor *c) {
    const wadi_array_type *t = wadi_pull_types(l, c->from->s);
    const int n = wadi_pull_components(l, c);
    c->n = wadi_inner_at_least_1(l, c->bind, 1, "the number of arrays");
    c->at = wadi_pull_number(l, num(l, 0), "count");
    c->samples = WADI_NEW_N(l->y->arena, wadi_vector, (size_t)n + 1);
    c->kept = WADI_NEW_N(l->y->arena, wadi_box, (size_t)n + 1);
    if (!c->samples || !c->kept) l->b.failed = true;
    for (int i = 0; i < n && !l->b.failed; i++) {
        c->samples[i] = wadi_vector_declare(l, t[i].elem.fields, t[i].elem.type);
        for (int d = 0; d < t[i].rank; d++)
            c->kept[i].extent[d] = wadi_pull_number(l, num(l, 0), "extent");
    }
}

static void start_filling(wadi_lower *l, const wadi_pull_cursor *c) {
    const wadi_array_type *t = wadi_pull_types(l, c->from->s);
    const wadi_lv none = bin(l, WADI_SOP_EQ, wadi_lb_get(&l->b, c->at), num(l, 0));
    wadi_lb_if(&l->b, none);
    for (int i = 0; i < wadi_pull_components(l, c); i++) {
        const wadi_lv few = bin(l, WADI_SOP_MIN, c->n, num(l, 64));
        wadi_vector_empty(l, &c->samples[i], t[i].rank == 0 ? few : num(l, 64));
    }
    wadi_lb_end(&l->b);
}

/* The first array of a batch sets the shape that the others must have. */
static void add(wadi_lower *l, const wadi_inner *filling, const wadi_pull_cursor *c,
                const wadi_inner_element *e) {
    wadi_lb *b = &l->b;
    const wadi_lv first = bin(l, WADI_SOP_EQ, wadi_lb_get(b, c->at), num(l, 0));
    for (int i = 0; i < e->n; i++) {
        const wadi_lv *shape = c->kept[i].extent;
        const int rank = e->type[i].rank;
        if (rank > 0) {
            wadi_lb_if(b, first);
            for (int d = 0; d < rank; d++) wadi_lb_set(b, shape[d], e->at[i].extent[d]);
            wadi_lb_else(b);
            for (int d = 0; d < rank; d++)
                must_agree(l, c, wadi_lower_words(l, WADI_SAID_FIRST, d, i), e->at[i].extent[d],
                           wadi_lb_get(b, shape[d]));
            wadi_lb_end(b);
        }
        wadi_vector_append(l, filling, filling->around, &c->samples[i], &e->at[i], &e->type[i]);
    }
    wadi_pull_add(l, c->at, 1);
}

static wadi_lv more_batch(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    const wadi_inner filling = wadi_inner_start(l, in);
    start_filling(l, c);
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &filling);
    wadi_lb_leave_unless(&l->b, bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), c->n));
    wadi_lb_leave_unless(&l->b, wadi_pull_more(l, &filling, c->from));
    const wadi_inner_element e = wadi_pull_next(l, &filling, c->from);
    if (!wadi_pull_failed(l)) add(l, &filling, c, &e);
    wadi_inner_close(l, &filling);
    wadi_lb_end(&l->b);
    return bin(l, WADI_SOP_GT, wadi_lb_get(&l->b, c->at), num(l, 0));
}

static wadi_inner_element next_batch(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    wadi_inner_element batch = wadi_inner_new(l, c->s);
    (void)in;
    for (int i = 0; i < batch.n; i++) {
        batch.at[i] = (wadi_vloc){.kind = WADI_LOC_MEMORY, .own_extents = true};
        for (int f = 0; f < c->samples[i].fields; f++)
            batch.at[i].field[f] = wadi_lb_get(&l->b, c->samples[i].pointer[f]);
        batch.at[i].extent[0] = wadi_inner_extent(l, c->at);
        for (int d = 1; d < batch.type[i].rank; d++)
            batch.at[i].extent[d] = wadi_inner_extent(l, c->kept[i].extent[d - 1]);
    }
    wadi_lb_set(&l->b, c->at, num(l, 0));
    return batch;
}

const wadi_pulling wadi_pull_windows = {start_windows, more_windows, next_windows};
const wadi_pulling wadi_pull_batch = {start_batch, more_batch, next_batch};
