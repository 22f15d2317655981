/* Sequences within an element that are asked for their elements: code like the interpreter's cursors (operators/interp_carry.c).
 *
 * A cursor is variables that stand in front of the loop and two pieces of code: whether there is another element, computing as
 * little as tells, and the element itself, which comes behind the first in the same round or not at all. Each of the two
 * calls those of the arguments a fixed number of times, and at most one of them calls the second, so code grows linearly
 * with the chain. Zips ask their arguments in order, so none is computed beyond the end of another. */
#include "codegen/kernel/vector.h"

#include <string.h>

#include "base/error.h"

/* The fields of a scalar, or the pointers and extents of an array, in variables. */
typedef struct box {
    wadi_lv field[WADI_MAX_FIELDS], extent[WADI_MAX_RANK];
} box;

typedef struct cursor cursor;

typedef struct pulling {
    const char *op;
    void (*start)(wadi_lower *l, cursor *c);
    wadi_lv (*more)(wadi_lower *l, const wadi_inner *in, cursor *c); /* good in the scope at hand */
    wadi_inner_element (*next)(wadi_lower *l, const wadi_inner *in, cursor *c);
} pulling;

struct cursor {
    const pulling *kind;
    const wadi_bind *bind;
    wadi_val s;
    cursor *from; /* over the sequences among the arguments */
    int nfrom;
    wadi_lv n;    /* a number: the length, how many to take, the size of a window or a batch */
    wadi_lv hop;  /* of windows */
    wadi_lv at;   /* variable: which element, slice or sample is next; drop_seq: how many to go */
    wadi_lv some; /* variable. filter_seq: an element is kept; windows: the last has been given */
    wadi_lv end; /* variable. expand_seq: how many slices; windows: where the last full one ended */
    box *kept;   /* filter_seq, expand_seq: [components] */
    wadi_vector *samples; /* windows: [components] */
    wadi_state state;     /* scan_seq */
};

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

static wadi_lv not(wadi_lower * l, wadi_lv x) {
    return wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &x);
}

static wadi_lv counter(wadi_lower *l, wadi_lv init, const char *name) {
    return wadi_lb_var(&l->b, WADI_I64, false, init, name);
}

static wadi_lv flag(wadi_lower *l, wadi_lv init, const char *name) {
    return wadi_lb_var(&l->b, WADI_BOOL, false, init, name);
}

static void advance(wadi_lower *l, wadi_lv var, int64_t by) {
    wadi_lb_set(&l->b, var, bin(l, WADI_SOP_ADD, wadi_lb_get(&l->b, var), num(l, by)));
}

static bool bad(const wadi_lower *l) {
    return l->status || l->b.failed;
}

static wadi_lv more(wadi_lower *l, const wadi_inner *in, cursor *c) {
    return bad(l) ? wadi_lb_bool(&l->b, false) : c->kind->more(l, in, c);
}

static wadi_inner_element next(wadi_lower *l, const wadi_inner *in, cursor *c) {
    return bad(l) ? wadi_inner_new(l, c->s) : c->kind->next(l, in, c);
}

static const wadi_array_type *types(const wadi_lower *l, wadi_val s) {
    return l->m->values[s].type.array;
}

static int components(const wadi_lower *l, const cursor *c) {
    return l->m->values[c->s].type.arrays;
}

/* ---- boxes ---- */

/* `more_rank`: of the box, above that of a component of the sequence. */
static box *new_boxes(wadi_lower *l, const cursor *c, int more_rank) {
    const int n = components(l, c);
    box *x = WADI_NEW_N(l->y->arena, box, (size_t)n + 1);
    if (!x) l->b.failed = true;
    for (int i = 0; x && i < n; i++) {
        const wadi_array_type *t = &types(l, c->s)[i];
        const int rank = t->rank + more_rank;
        for (int f = 0; f < t->elem.fields; f++)
            x[i].field[f] =
                wadi_lb_var(&l->b, t->elem.type[f], rank > 0, WADI_LV_NONE, "component");
        for (int d = 0; d < rank; d++) x[i].extent[d] = counter(l, num(l, 0), "extent");
    }
    return x;
}

static void put(wadi_lower *l, const cursor *c, int more_rank, const wadi_vloc *at) {
    for (int i = 0; i < components(l, c); i++) {
        const wadi_array_type *t = &types(l, c->s)[i];
        for (int f = 0; f < t->elem.fields; f++)
            wadi_lb_set(&l->b, c->kept[i].field[f], at[i].field[f]);
        for (int d = 0; d < t->rank + more_rank; d++)
            wadi_lb_set(&l->b, c->kept[i].extent[d], at[i].extent[d]);
    }
}

static wadi_vloc get(wadi_lower *l, const cursor *c, int i, int more_rank) {
    const wadi_array_type *t = &types(l, c->s)[i];
    const int rank = t->rank + more_rank;
    wadi_vloc at = {.kind = rank > 0 ? WADI_LOC_MEMORY : WADI_LOC_SCALAR, .own_extents = rank > 0};
    for (int f = 0; f < t->elem.fields; f++) at.field[f] = wadi_lb_get(&l->b, c->kept[i].field[f]);
    for (int d = 0; d < rank; d++) at.extent[d] = wadi_inner_extent(l, c->kept[i].extent[d]);
    return at;
}

/* ---- chains in which element i is computed from i ---- */

static void start_indexed(wadi_lower *l, cursor *c) {
    if (!wadi_inner_length(l, c->s, &c->n)) l->b.failed = true;
    c->at = counter(l, num(l, 0), "at");
}

static wadi_lv more_indexed(wadi_lower *l, const wadi_inner *in, cursor *c) {
    (void)in;
    return bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), c->n);
}

static wadi_inner_element next_indexed(wadi_lower *l, const wadi_inner *in, cursor *c) {
    (void)in;
    const wadi_lv last = bin(l, WADI_SOP_SUB, c->n, num(l, 1));
    const wadi_lv i = wadi_lb_fact(&l->b, wadi_lb_get(&l->b, c->at), num(l, 0), last);
    advance(l, c->at, 1);
    return wadi_inner_at(l, c->s, i);
}

static const pulling by_number = {"", start_indexed, more_indexed, next_indexed};

/* ---- map_seq, of one sequence or several ---- */

static wadi_lv more_mapped(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_lv first = more(l, in, &c->from[0]);
    if (c->nfrom == 1) return first;
    const wadi_lv all = flag(l, first, "all");
    for (int i = 1; i < c->nfrom; i++) {
        wadi_lb_if(&l->b, wadi_lb_get(&l->b, all));
        wadi_lb_set(&l->b, all, more(l, in, &c->from[i]));
        wadi_lb_end(&l->b);
    }
    return wadi_lb_get(&l->b, all);
}

static wadi_inner_element next_mapped(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_block *r = c->bind->blocks[0];
    wadi_inner_element from[WADI_MAX_PARAMS];
    int first = 0;
    for (int i = 0; i < c->nfrom; i++) from[i] = next(l, in, &c->from[i]);
    if (bad(l)) return wadi_inner_new(l, c->s);
    for (int i = 0; i < c->nfrom; i++)
        first = wadi_inner_params(l, r, first, c->from[i].s, &from[i]);
    return wadi_inner_run(l, c->s, r);
}

/* ---- filter_seq: the next that passes is looked for, and kept ---- */

static void start_filter(wadi_lower *l, cursor *c) {
    c->some = flag(l, wadi_lb_bool(&l->b, false), "found");
    c->kept = new_boxes(l, c, 0);
}

static void look_at(wadi_lower *l, const wadi_inner *in, cursor *c, const wadi_inner_element *e) {
    const wadi_block *r = c->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_lv passes = WADI_LV_NONE;
    (void)wadi_inner_params(l, r, 0, c->from->s, e);
    wadi_inner_compute(l, r, &values);
    if (bad(l)) return;
    wadi_lower_read(l, r->yields[0], NULL, &passes);
    wadi_give_back(l, &values);
    wadi_lb_if(&l->b, passes);
    put(l, c, 0, e->at);
    wadi_lb_set(&l->b, c->some, wadi_lb_bool(&l->b, true));
    wadi_inner_keep(l, in, in->around); /* until the end of the round around, where it is used */
    wadi_lb_end(&l->b);
}

static wadi_lv more_filter(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_inner search = wadi_inner_start(l, in);
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &search);
    wadi_lb_leave_unless(&l->b, not(l, wadi_lb_get(&l->b, c->some)));
    wadi_lb_leave_unless(&l->b, more(l, &search, c->from));
    const wadi_inner_element e = next(l, &search, c->from);
    if (!bad(l)) look_at(l, &search, c, &e);
    wadi_inner_close(l, &search);
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, c->some);
}

static wadi_inner_element next_filter(wadi_lower *l, const wadi_inner *in, cursor *c) {
    wadi_inner_element e = wadi_inner_new(l, c->s);
    (void)in;
    for (int i = 0; i < e.n; i++) e.at[i] = get(l, c, i, 0);
    wadi_lb_set(&l->b, c->some, wadi_lb_bool(&l->b, false));
    return e;
}

/* ---- expand_seq: what is being cut up stays where it is, since slices may be kept by others ---- */

static void start_expand(wadi_lower *l, cursor *c) {
    c->at = counter(l, num(l, 0), "slice");
    c->end = counter(l, num(l, 0), "slices");
    c->kept = new_boxes(l, c, 1);
}

static wadi_lv slices_left(wadi_lower *l, const cursor *c) {
    return bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), wadi_lb_get(&l->b, c->end));
}

static wadi_lv more_expand(wadi_lower *l, const wadi_inner *in, cursor *c) {
    wadi_lb *b = &l->b;
    wadi_lb_repeat(b);
    wadi_lb_leave_unless(b, not(l, slices_left(l, c)));
    wadi_lb_leave_unless(b, more(l, in, c->from));
    const wadi_inner_element e = next(l, in, c->from);
    const wadi_vloc *whole = bad(l) ? NULL : wadi_inner_wholes(l, c->bind, &e);
    if (whole) {
        put(l, c, 1, whole);
        wadi_lb_set(b, c->end, wadi_inner_slices(l, c->bind, whole));
        wadi_lb_set(b, c->at, num(l, 0));
        wadi_inner_keep(l, in, NULL);
    }
    wadi_lb_end(b);
    return slices_left(l, c);
}

static wadi_inner_element next_expand(wadi_lower *l, const wadi_inner *in, cursor *c) {
    wadi_inner_element e = wadi_inner_new(l, c->s);
    const wadi_lv j = wadi_lb_get(&l->b, c->at);
    (void)in;
    for (int i = 0; i < e.n; i++) {
        const wadi_vloc whole = get(l, c, i, 1);
        wadi_inner_slice(l, &whole, &e.type[i], j, &e.at[i]);
    }
    advance(l, c->at, 1);
    return e;
}

/* ---- take_seq and drop_seq ---- */

static void start_take(wadi_lower *l, cursor *c) {
    c->n = wadi_lower_scalar(l, c->bind->args[1]);
    c->at = counter(l, num(l, 0), "taken");
}

static wadi_lv more_take(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_lv some = flag(l, bin(l, WADI_SOP_LT, wadi_lb_get(&l->b, c->at), c->n), "some");
    wadi_lb_if(&l->b, wadi_lb_get(&l->b, some));
    wadi_lb_set(&l->b, some, more(l, in, c->from));
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, some);
}

static wadi_inner_element next_take(wadi_lower *l, const wadi_inner *in, cursor *c) {
    advance(l, c->at, 1);
    return next(l, in, c->from);
}

static void start_drop(wadi_lower *l, cursor *c) {
    c->at = counter(l, wadi_lower_scalar(l, c->bind->args[1]), "to_drop");
}

static wadi_lv more_drop(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_inner skip = wadi_inner_start(l, in);
    const wadi_lv some = flag(l, wadi_lb_bool(&l->b, false), "some");
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &skip);
    wadi_lb_set(&l->b, some, more(l, &skip, c->from));
    wadi_lb_leave_unless(&l->b, wadi_lb_get(&l->b, some));
    wadi_lb_leave_unless(&l->b, bin(l, WADI_SOP_GT, wadi_lb_get(&l->b, c->at), num(l, 0)));
    (void)next(l, &skip, c->from);
    advance(l, c->at, -1);
    wadi_inner_close(l, &skip);
    wadi_lb_end(&l->b);
    return wadi_lb_get(&l->b, some);
}

/* ---- scan_seq ---- */

static void start_scan(wadi_lower *l, cursor *c) {
    c->state = wadi_inner_state(c->bind);
    wadi_state_start(l, &c->state);
}

static wadi_inner_element next_scan(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_inner_element e = next(l, in, c->from);
    if (bad(l)) return wadi_inner_new(l, c->s);
    return wadi_inner_step(l, in, &c->state, c->bind, &e);
}

/* ---- numbers that must be at least 1 ---- */

static wadi_lv at_least_1(wadi_lower *l, const cursor *c, int arg, const char *what) {
    const wadi_lv n = wadi_lower_scalar(l, c->bind->args[arg]);
    const wadi_lv less = bin(l, WADI_SOP_LT, n, num(l, 1));
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, less, &known) && !known) return n;
    wadi_lb_if(&l->b, less);
    wadi_lower_fault(l, WADI_FAULT_COUNT,
                     wadi_layout_place(l->y, c->bind->op->name, what, c->bind->loc), n, n);
    wadi_lb_end(&l->b);
    return wadi_lb_range(&l->b, n, num(l, 1), WADI_LV_NONE);
}

static void must_agree(wadi_lower *l, const cursor *c, const char *what, wadi_lv x, wadi_lv y) {
    const wadi_lv differ = bin(l, WADI_SOP_NE, x, y);
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, differ, &known) && !known) return;
    wadi_lb_if(&l->b, differ);
    wadi_lower_fault(l, WADI_FAULT_SHAPE,
                     wadi_layout_place(l->y, c->bind->op->name, what, c->bind->loc), x, y);
    wadi_lb_end(&l->b);
}

/* ---- windows: all samples so far are kept, windows are places in them ---- */

static void start_windows(wadi_lower *l, cursor *c) {
    const int n = components(l, c);
    c->n = at_least_1(l, c, 1, "the size");
    c->hop = at_least_1(l, c, 2, "the hop");
    c->at = counter(l, num(l, 0), "begin");
    c->end = counter(l, num(l, 0), "ended");
    c->some = flag(l, wadi_lb_bool(&l->b, false), "last_given");
    c->samples = WADI_NEW_N(l->y->arena, wadi_vector, (size_t)n + 1);
    if (!c->samples) l->b.failed = true;
    for (int i = 0; c->samples && i < n; i++) {
        const wadi_elem *elem = &types(l, c->s)[i].elem;
        c->samples[i] = wadi_vector_start(l, elem->fields, elem->type, num(l, 64), false);
    }
}

static wadi_lv samples_there(wadi_lower *l, const cursor *c) {
    const wadi_lv read = wadi_inner_extent(l, c->samples[0].used);
    return bin(l, WADI_SOP_SUB, read, wadi_lb_get(&l->b, c->at));
}

static wadi_lv is_full(wadi_lower *l, const cursor *c) {
    return bin(l, WADI_SOP_GE, samples_there(l, c), c->n);
}

static void read_piece(wadi_lower *l, const wadi_inner *in, const cursor *c,
                       const wadi_inner_element *e) {
    for (int i = 1; i < e->n; i++) {
        const wadi_lv size = wadi_lower_size(l, e->type[i].rank, e->at[i].extent);
        must_agree(l, c, "samples of two components", size,
                   wadi_lower_size(l, e->type[0].rank, e->at[0].extent));
    }
    for (int i = 0; i < e->n; i++)
        wadi_vector_append(l, in, NULL, &c->samples[i], &e->at[i], &e->type[i]);
}

/* Samples that no full window has covered and a last window may begin with. */
static wadi_lv is_rest(wadi_lower *l, const cursor *c) {
    const wadi_lv read = wadi_lb_get(&l->b, c->samples[0].used);
    const wadi_lv begun = bin(l, WADI_SOP_GT, read, wadi_lb_get(&l->b, c->at));
    const wadi_lv new = bin(l, WADI_SOP_GT, read, wadi_lb_get(&l->b, c->end));
    return bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_LAND, begun, new),
               not(l, wadi_lb_get(&l->b, c->some)));
}

static wadi_lv more_windows(wadi_lower *l, const wadi_inner *in, cursor *c) {
    const wadi_inner reading = wadi_inner_start(l, in);
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &reading);
    wadi_lb_leave_unless(&l->b, not(l, is_full(l, c)));
    wadi_lb_leave_unless(&l->b, more(l, &reading, c->from));
    const wadi_inner_element e = next(l, &reading, c->from);
    if (!bad(l)) read_piece(l, &reading, c, &e);
    wadi_inner_close(l, &reading);
    wadi_lb_end(&l->b);
    const wadi_lv full = is_full(l, c);
    if (c->bind->attrs[0] == WADI_LAST_WINDOW_DROP) return full;
    return bin(l, WADI_SOP_LOR, full, is_rest(l, c));
}

/* Zeros behind the samples, as many as a window lacks. */
static void fill_up(wadi_lower *l, const wadi_inner *in, const cursor *c, wadi_lv there) {
    wadi_lb *b = &l->b;
    const wadi_lv lacks = bin(l, WADI_SOP_SUB, c->n, there);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, lacks, num(l, 0)));
    for (int i = 0; i < components(l, c); i++) {
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

/* Where the next window begins: beyond any sample when that is no number any more. */
static void hop(wadi_lower *l, const cursor *c, wadi_lv at, wadi_lv full) {
    wadi_lb *b = &l->b;
    wadi_lb_if(b, full);
    wadi_lb_set(b, c->end, bin(l, WADI_SOP_ADD, at, c->n));
    wadi_lb_end(b);
    wadi_lb_set(b, c->some, not(l, full));
    const wadi_lv limit = bin(l, WADI_SOP_SUB, num(l, INT64_MAX), at);
    const wadi_lv by = bin(l, WADI_SOP_MIN, c->hop, limit);
    wadi_lb_set(b, c->at, bin(l, WADI_SOP_ADD, at, by));
}

static wadi_inner_element next_windows(wadi_lower *l, const wadi_inner *in, cursor *c) {
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

/* ---- batch: each in memory of its own ---- */

typedef struct filling {
    cursor *c;
    wadi_inner in;
    wadi_lv count;                   /* variable */
    wadi_vector *values;             /* [components] */
    wadi_lv (*first)[WADI_MAX_RANK]; /* [components] variables: the shape of the first array */
} filling;

static void start_batch(wadi_lower *l, cursor *c) {
    c->n = at_least_1(l, c, 1, "the number of arrays");
}

static void start_filling(wadi_lower *l, const wadi_inner *in, filling *k) {
    const wadi_array_type *t = types(l, k->c->from->s);
    const int n = components(l, k->c);
    k->in = wadi_inner_start(l, in);
    k->count = counter(l, num(l, 0), "count");
    k->values = WADI_NEW_N(l->y->arena, wadi_vector, (size_t)n + 1);
    k->first = wadi_arena_alloc(l->y->arena, sizeof *k->first * ((size_t)n + 1));
    if (!k->values || !k->first) l->b.failed = true;
    for (int i = 0; i < n && !l->b.failed; i++) {
        const wadi_lv room =
            t[i].rank == 0 ? bin(l, WADI_SOP_MIN, k->c->n, num(l, 64)) : num(l, 64);
        k->values[i] = wadi_vector_start(l, t[i].elem.fields, t[i].elem.type, room, false);
        for (int d = 0; d < t[i].rank; d++) k->first[i][d] = counter(l, num(l, 0), "extent");
    }
}

static void add(wadi_lower *l, const filling *k, const wadi_inner_element *e) {
    wadi_lb *b = &l->b;
    const wadi_lv count = wadi_lb_get(b, k->count);
    for (int i = 0; i < e->n; i++) {
        if (e->type[i].rank > 0) {
            wadi_lb_if(b, bin(l, WADI_SOP_EQ, count, num(l, 0)));
            for (int d = 0; d < e->type[i].rank; d++)
                wadi_lb_set(b, k->first[i][d], e->at[i].extent[d]);
            wadi_lb_else(b);
            for (int d = 0; d < e->type[i].rank; d++)
                must_agree(l, k->c, "", e->at[i].extent[d], wadi_lb_get(b, k->first[i][d]));
            wadi_lb_end(b);
        }
        wadi_vector_append(l, &k->in, k->in.around, &k->values[i], &e->at[i], &e->type[i]);
    }
    advance(l, k->count, 1);
}

/* The first array of a batch has been asked for; whether there is another one to be added. */
static wadi_lv wants_another(wadi_lower *l, const filling *k) {
    wadi_lb *b = &l->b;
    const wadi_lv count = wadi_lb_get(b, k->count);
    const wadi_lv go = flag(l, bin(l, WADI_SOP_LT, count, k->c->n), "go");
    const wadi_lv ask = bin(l, WADI_SOP_GT, count, num(l, 0));
    wadi_lb_if(b, bin(l, WADI_SOP_LAND, wadi_lb_get(b, go), ask));
    wadi_lb_set(b, go, more(l, &k->in, k->c->from));
    wadi_lb_end(b);
    return wadi_lb_get(b, go);
}

static wadi_inner_element next_batch(wadi_lower *l, const wadi_inner *in, cursor *c) {
    filling k = {.c = c};
    wadi_inner_element batch = wadi_inner_new(l, c->s);
    start_filling(l, in, &k);
    if (bad(l)) return batch;
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, &k.in);
    wadi_lb_leave_unless(&l->b, wants_another(l, &k));
    const wadi_inner_element e = next(l, &k.in, c->from);
    if (!bad(l)) add(l, &k, &e);
    wadi_inner_close(l, &k.in);
    wadi_lb_end(&l->b);
    for (int i = 0; i < batch.n; i++) {
        batch.at[i] = (wadi_vloc){.kind = WADI_LOC_MEMORY, .own_extents = true};
        for (int f = 0; f < k.values[i].fields; f++)
            batch.at[i].field[f] = wadi_lb_get(&l->b, k.values[i].pointer[f]);
        batch.at[i].extent[0] = wadi_inner_extent(l, k.count);
        for (int d = 1; d < batch.type[i].rank; d++)
            batch.at[i].extent[d] = wadi_inner_extent(l, k.first[i][d - 1]);
    }
    return batch;
}

/* ---- by operator ---- */

static wadi_lv more_of_argument(wadi_lower *l, const wadi_inner *in, cursor *c) {
    return more(l, in, c->from);
}

static wadi_inner_element next_of_argument(wadi_lower *l, const wadi_inner *in, cursor *c) {
    return next(l, in, c->from);
}

static void start_nothing(wadi_lower *l, cursor *c) {
    (void)l;
    (void)c;
}

static const pulling kinds[] = {
    {"map_seq", start_nothing, more_mapped, next_mapped},
    {"filter_seq", start_filter, more_filter, next_filter},
    {"expand_seq", start_expand, more_expand, next_expand},
    {"take_seq", start_take, more_take, next_take},
    {"drop_seq", start_drop, more_drop, next_of_argument},
    {"scan_seq", start_scan, more_of_argument, next_scan},
    {"windows", start_windows, more_windows, next_windows},
    {"batch", start_batch, more_of_argument, next_batch},
};

static const pulling *kind_of(const wadi_lower *l, wadi_val s) {
    if (wadi_inner_is_indexed(l, s)) return &by_number;
    const char *op = l->m->values[s].bind->op->name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].op, op) == 0) return &kinds[i];
    return NULL;
}

/* Arguments are opened first, as the interpreter does. */
static void open_cursor(wadi_lower *l, wadi_val s, cursor *c) {
    const wadi_bind *b = l->m->values[s].bind;
    *c = (cursor){.kind = kind_of(l, s), .bind = b, .s = s};
    if (!c->kind) {
        wadi_lower_fail(l, b->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        b->op->name);
        return;
    }
    c->from = WADI_NEW_N(l->y->arena, cursor, (size_t)b->nargs + 1);
    if (!c->from) l->b.failed = true;
    for (int i = 0; c->kind != &by_number && i < b->nargs && !bad(l); i++)
        if (l->m->values[b->args[i]].type.is_seq) open_cursor(l, b->args[i], &c->from[c->nfrom++]);
    if (!bad(l)) c->kind->start(l, c);
}

void wadi_inner_pull(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env) {
    cursor c;
    open_cursor(l, s, &c);
    if (bad(l)) return;
    wadi_lb_repeat(&l->b);
    wadi_inner_open(l, in);
    if (in->alive != WADI_LV_NONE) wadi_lb_leave_unless(&l->b, wadi_lb_get(&l->b, in->alive));
    wadi_lb_leave_unless(&l->b, more(l, in, &c));
    const wadi_inner_element e = next(l, in, &c);
    if (!bad(l)) take(l, env, &e);
    wadi_inner_close(l, in);
    wadi_lb_end(&l->b);
}
