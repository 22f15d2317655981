/* A short row of a filter is gone through once: its elements are stored where the result will lie, one after the other, and how many have been kept is known at
 * the end.
 *
 * The ends of loops over rows of differing lengths are foreseen badly. If the elements lie side by side in a slot and the predicate cannot fault, they are
 * taken WIDTH bytes at a time: so many as there are, and nothing behind the row is read. What is kept of them is placed by one store, for which
 * there must be room. A row of few elements has one round then, however many they are. Processors that cannot do that take the form for one element. */
#include "codegen/kernel/compact.h"

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

enum { WIDTH = WADI_PLACE_BYTES };

/* A row whose elements lie side by side. */
typedef struct beside {
    wadi_lv n, pointer, from; /* element i is at pointer[from + i] */
    wadi_lv fine;             /* whether all of them are in the array; NONE: they are */
} beside;

/* ---- where the elements lie ---- */

/* A vector in a slot. What the kernel itself has just stored is not taken so: a processor waits before it loads a vector over several stores. */
static bool is_in_slot(const wadi_lower *l, wadi_val v) {
    const wadi_vloc *at = &l->loc[v];
    return wadi_type_of(l, v)->rank == 1 && at->kind == WADI_LOC_SLOT && !at->windowed &&
           at->slot != l->y->counted;
}

/* Whether the function does nothing but add, subtract and multiply numbers that are at hand, which never faults. */
static bool is_sum(const wadi_fun *f) {
    for (int i = 0; i < f->body->ninsts; i++) {
        const wadi_sop op = f->body->insts[i]->op;
        if (op != WADI_SOP_ADD && op != WADI_SOP_SUB && op != WADI_SOP_MUL &&
            op != WADI_SOP_CONST && op != WADI_SOP_THE && op != WADI_SOP_EXTENT)
            return false;
    }
    return f->body->nparams == 1 && f->body->nyields == 1;
}

/* How often parameter 0 is read for v, at most twice. */
static int reads(const wadi_fun *f, wadi_sval v) {
    if (v == f->body->params[0]) return 1;
    const wadi_sinst *i = wadi_sblock_maker(f->body, v);
    int n = 0;
    for (int k = 0; i && k < i->nargs && n < 2; k++) n += reads(f, i->args[k]);
    return n < 2 ? n : 2;
}

/* Whether v is parameter 0 plus something that does not depend on it. */
static bool is_moved(const wadi_fun *f, wadi_sval v) {
    if (v == f->body->params[0]) return true;
    const wadi_sinst *i = wadi_sblock_maker(f->body, v);
    return i && i->op == WADI_SOP_ADD && reads(f, v) == 1 &&
           (is_moved(f, i->args[0]) || is_moved(f, i->args[1]));
}

/* A piece of a vector in a slot. */
static bool is_piece(wadi_lower *l, const wadi_bind *bind, beside *out) {
    if (!bind->op->picks || bind->nfuns != 1 || !is_sum(bind->funs[0])) return false;
    if (!is_moved(bind->funs[0], bind->funs[0]->body->yields[0])) return false;
    const wadi_val array = wadi_lower_resolve(l, bind->args[0]);
    if (!is_in_slot(l, array)) return false;
    const wadi_lv zero = num(l, 0), all = wadi_lower_extent(l, array, 0);
    wadi_lower_apply(l, bind->funs[0], &zero, &out->from);
    out->pointer = wadi_lower_pointer(l, array, 0);
    out->fine = bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_GE, out->from, zero),
                    bin(l, WADI_SOP_LE, out->from, bin(l, WADI_SOP_SUB, all, out->n)));
    return true;
}

static bool find(wadi_lower *l, wadi_val v, wadi_lv n, beside *out) {
    v = wadi_lower_resolve(l, v);
    *out = (beside){.n = n, .from = num(l, 0), .fine = WADI_LV_NONE};
    if (wadi_type_of(l, v)->rank != 1) return false;
    if (is_in_slot(l, v)) {
        out->pointer = wadi_lower_pointer(l, v, 0);
        return true;
    }
    const wadi_value *value = &l->m->values[v];
    return l->loc[v].kind == WADI_LOC_NONE && value->def == WADI_DEF_BIND &&
           is_piece(l, value->bind, out);
}

/* ---- several at a time ---- */

/* Begins a loop over those of a round that there are. The C writer writes it as one call. */
static wadi_lv each_taken(wadi_lower *l, wadi_lv count) {
    const wadi_lv t = wadi_lb_for(&l->b, num(l, 0), count, 1, "t");
    if (l->b.failed) return t;
    l->b.scope->owner->placing = l->b.scope->owner->brief = true;
    return t;
}

static void place_rounds(wadi_lower *l, const wadi_bind *bind, const beside *row, wadi_lv room,
                         wadi_lv kept) {
    wadi_lb *b = &l->b;
    const wadi_type type = wadi_lb_type(b, room);
    const int lanes = WIDTH / wadi_type_size(type);
    const wadi_lv values = wadi_lb_lanes(b, type, lanes, "taken");
    const wadi_lv flags = wadi_lb_lanes(b, WADI_U8, lanes, "keep");
    const wadi_lv first = wadi_lb_for(b, num(l, 0), row->n, lanes, "first");
    if (!b->failed) b->scope->owner->brief = true;
    const wadi_lv count = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, row->n, first), num(l, lanes));
    const wadi_lv from = wadi_lb_advance(b, row->pointer, bin(l, WADI_SOP_ADD, row->from, first));
    const wadi_lv taken = each_taken(l, count);
    wadi_lb_put(b, values, taken, wadi_lb_load(b, from, taken, NULL));
    wadi_lb_end(b);
    const wadi_lv lane = wadi_lb_for(b, num(l, 0), num(l, lanes), 1, "lane");
    if (!b->failed) b->scope->owner->independent = true;
    const wadi_lv x = wadi_lb_lane(b, values, lane);
    wadi_lv keep = num(l, 0);
    wadi_lower_apply(l, bind->funs[0], &x, &keep);
    wadi_lb_put(b, flags, lane, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_U8, 1, &keep));
    wadi_lb_end(b);
    const wadi_lv placed = each_taken(l, count), at = wadi_lb_get(b, kept);
    wadi_lb_store(b, room, at, wadi_lb_lane(b, values, placed));
    const wadi_lv one = wadi_lb_lane(b, flags, placed);
    const wadi_lv more = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &one);
    wadi_lb_set(b, kept, bin(l, WADI_SOP_ADD, at, more));
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static bool suits(wadi_lower *l, const wadi_bind *bind) {
    const wadi_elem *e = &wadi_type_of(l, bind->args[1])->elem;
    const int size = wadi_type_size(e->type[0]);
    return bind->nargs == 2 && e->fields == 1 && (size == 4 || size == 8) && !l->y->grouped;
}

/* The code for several at a time, written aside; NULL: it is not for this filter. */
static wadi_lscope *several(wadi_lower *l, const wadi_bind *bind, wadi_lv room, wadi_lv kept,
                            beside *row) {
    const wadi_lv n = wadi_lower_extent(l, bind->args[1], 0);
    wadi_trial trial;
    if (!suits(l, bind) || !find(l, bind->args[1], n, row)) return NULL;
    wadi_lower_try(l, &trial);
    place_rounds(l, bind, row, room, kept);
    return wadi_lower_tried(l, &trial) && !l->b.failed ? trial.aside : NULL;
}

/* ---- one after the other ---- */

static void place_each(wadi_lower *l, const wadi_bind *bind, wadi_val ones, wadi_lv room,
                       wadi_lv kept) {
    wadi_lb *b = &l->b;
    const wadi_lv n = wadi_lower_extent(l, bind->args[1], 0);
    const wadi_lv each = wadi_lb_for(b, num(l, 0), n, 1, "i");
    const wadi_lv i = wadi_lb_range(b, each, num(l, 0), bin(l, WADI_SOP_SUB, n, num(l, 1)));
    wadi_lv keep, x;
    wadi_lower_read(l, ones, &i, &keep);
    wadi_lower_read(l, bind->args[1], &i, &x);
    const wadi_lv at = wadi_lb_get(b, kept);
    wadi_lb_store(b, room, at, x);
    keep = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &keep);
    wadi_lb_set(b, kept, bin(l, WADI_SOP_ADD, at, keep));
    if (!b->failed && b->scope->owner != NULL) b->scope->owner->brief = true;
    wadi_lb_end(b);
}

wadi_lv wadi_lower_place_short(wadi_lower *l, const wadi_bind *bind, wadi_val ones, wadi_lv room) {
    wadi_lb *b = &l->b;
    const wadi_lv kept = wadi_lb_var(b, WADI_I64, false, num(l, 0), "kept");
    beside row;
    wadi_lscope *const at_once = several(l, bind, room, kept, &row);
    if (at_once == NULL) {
        place_each(l, bind, ones, room, kept);
        return wadi_lb_get(b, kept);
    }
    wadi_lscope *const one_by_one = wadi_lb_aside(b);
    place_each(l, bind, ones, room, kept);
    wadi_lb_aside_end(b, one_by_one);
    if (b->failed || l->status) return kept;
    wadi_lb_choose(b, row.fine != WADI_LV_NONE ? row.fine : wadi_lb_bool(b, true), at_once,
                   one_by_one);
    at_once->owner->placing = true;
    return wadi_lb_get(b, kept);
}
