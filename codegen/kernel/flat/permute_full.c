/* Schedule flat of permute where the last of the elements that meet is kept, and the source is as long as the result, as in a radix sort: workers send
 * parts of the source, whatever their order. Each element notes that its place is reached. If all places are in the end, no two elements have met: there
 * are as many elements as places. So the result is that of the source's order, and no default is left in it. Else one worker makes it anew, in order.
 *
 * Elements that meet are not expected. The first few parts look for them, and if there are any, the others are left to that worker at once. A single
 * worker goes in order from the start, and neither writes nor reads notes.
 *
 * Two tables of bytes: the notes, one for each place, and the marks: whether the parts were sent, whether elements of the first parts have met, and for
 * each piece of the places whether all of it is reached. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/split.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"

enum {
    LEAST = 1 << 17, /* elements, for which sharing them is worth its steps */
    PART = 1 << 14,  /* elements of a part */
    FIRST = 4,       /* parts that look for elements that meet */
    PIECE = 1 << 16  /* places that a worker looks through */
};

enum { SENT, AGAIN, MARKS /* the first of a piece */ };

static wadi_lv length(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_extent(l, bind->results[0], 0);
}

/* `count` if the vector is long, else 0. */
static wadi_lv if_long(wadi_lower *l, const wadi_bind *bind, wadi_lv count) {
    const wadi_lv is_long = bin(l, WADI_SOP_GE, length(l, bind), num(l, LEAST));
    return wadi_lb_select(&l->b, WADI_I64, is_long, count, num(l, 0));
}

static wadi_lv pieces_of(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, length(l, bind), PIECE);
}

static wadi_lv byte(wadi_lower *l, uint64_t bits) {
    return wadi_lb_const(&l->b, (wadi_scalar){.type = WADI_U8, .bits = bits});
}

/* A table that the unit reads: 0 the notes, 1 the marks. */
static wadi_lv table_of(wadi_lower *l, const wadi_unit *u, int which) {
    wadi_unit of = *u;
    wadi_lv pointer;
    of.table += which;
    wadi_flat_table(l, &of, &pointer);
    return pointer;
}

static wadi_lv end_of(wadi_lower *l, wadi_lv from, int64_t piece, wadi_lv n) {
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, piece)), n);
}

/* ---- notes and marks ---- */

static void note_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[0] = if_long(l, bind, length(l, bind));
}

static void mark_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[0] = if_long(l, bind, bin(l, WADI_SOP_ADD, pieces_of(l, bind), num(l, MARKS)));
}

static wadi_lv pieces_of_table(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(bind);
    return wadi_flat_pieces_of(l, extent[0], PIECE);
}

static void empty_piece(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv from = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, PIECE));
    const wadi_lv i = wadi_lb_for(&l->b, from, end_of(l, from, PIECE, u->extent[0]), 1, "i");
    wadi_lb_store(&l->b, u->pointer[0], i, byte(l, 0));
    wadi_lower_mark_innermost(l);
    wadi_lb_end(&l->b);
}

/* ---- the elements ---- */

static wadi_lv first_parts(wadi_lower *l, const wadi_bind *bind) {
    return if_long(l, bind, num(l, FIRST));
}

static wadi_lv other_parts(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv all = wadi_flat_pieces_of(l, length(l, bind), PART);
    return if_long(l, bind, bin(l, WADI_SOP_SUB, all, num(l, FIRST)));
}

static void send_part(wadi_lower *l, const wadi_unit *u, wadi_lv part, wadi_lv again) {
    const wadi_met met = {.reached = table_of(l, u, 0), .again = again};
    const wadi_lv from = bin(l, WADI_SOP_MUL, part, num(l, PART));
    const wadi_lv below = end_of(l, from, PART, length(l, u->bind));
    wadi_lower_permute_part(l, u->bind, u->extent, u->pointer, from, below, &met);
}

static void send_first(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv again = wadi_lb_advance(&l->b, table_of(l, u, 1), num(l, AGAIN));
    send_part(l, u, wadi_flat_piece(l, u), again);
}

static void send_other(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const wadi_lv marks = table_of(l, u, 1);
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, wadi_lb_fresh(b, marks, num(l, AGAIN)), byte(l, 0)));
    send_part(l, u, bin(l, WADI_SOP_ADD, wadi_flat_piece(l, u), num(l, FIRST)), WADI_LV_NONE);
    wadi_lb_store(b, marks, num(l, SENT), byte(l, 1));
    wadi_lb_end(b);
}

/* ---- whether all places are reached ---- */

static wadi_lv pieces_if_long(wadi_lower *l, const wadi_bind *bind) {
    return if_long(l, bind, pieces_of(l, bind));
}

static wadi_lv mark_of(wadi_lower *l, wadi_lv piece) {
    return bin(l, WADI_SOP_ADD, piece, num(l, MARKS));
}

static void look_through(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const wadi_lv piece = wadi_flat_piece(l, u), notes = table_of(l, u, 0);
    const wadi_lv from = bin(l, WADI_SOP_MUL, piece, num(l, PIECE));
    const wadi_lv all = wadi_lb_var(b, WADI_U8, false, byte(l, 1), "all");
    const wadi_lv i = wadi_lb_for(b, from, end_of(l, from, PIECE, length(l, u->bind)), 1, "i");
    const wadi_lv reached = wadi_lb_fresh(b, notes, i);
    wadi_lb_set(b, all, bin(l, WADI_SOP_AND, wadi_lb_get(b, all), reached));
    wadi_lb_end(b);
    wadi_lb_store(b, u->pointer[0], mark_of(l, piece), wadi_lb_get(b, all));
}

/* ---- the result ---- */

static wadi_lv one(wadi_lower *l, const wadi_bind *bind) {
    WADI_UNUSED(bind);
    return num(l, 1);
}

static void in_order_if_needed(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const wadi_lv marks = table_of(l, u, 1);
    const wadi_lv done = wadi_lb_var(b, WADI_U8, false, byte(l, 0), "done");
    wadi_lb_if(b, bin(l, WADI_SOP_GE, length(l, u->bind), num(l, LEAST)));
    wadi_lb_set(b, done, wadi_lb_fresh(b, marks, num(l, SENT)));
    const wadi_lv piece = wadi_lb_for(b, num(l, 0), pieces_of(l, u->bind), 1, "piece");
    const wadi_lv reached = wadi_lb_fresh(b, marks, mark_of(l, piece));
    wadi_lb_set(b, done, bin(l, WADI_SOP_AND, wadi_lb_get(b, done), reached));
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, wadi_lb_get(b, done), byte(l, 0)));
    wadi_lower_permute(l, u->bind, u->extent, u->pointer);
    wadi_lb_end(b);
}

/* ---- the steps ---- */

static const wadi_cut of_notes = {.extents = note_extents,
                                  .pieces = pieces_of_table,
                                  .unit = empty_piece,
                                  .each = PIECE,
                                  .several = true};
static const wadi_cut of_marks = {
    .extents = mark_extents, .pieces = pieces_of_table, .unit = empty_piece, .each = PIECE};
static const wadi_cut of_first = {
    .rows = first_parts, .unit = send_first, .whole = true, .several = true, .uncounted = true};
static const wadi_cut of_others = {
    .rows = other_parts, .unit = send_other, .whole = true, .several = true, .uncounted = true};
static const wadi_cut of_looks = {
    .rows = pieces_if_long, .unit = look_through, .whole = true, .several = true};
static const wadi_cut of_result = {.rows = one, .unit = in_order_if_needed, .whole = true};

static const char *named(wadi_flat *c, const char *tag, const char *name) {
    return wadi_arena_printf(c->y->arena, "%s%s", tag ? tag : "", name);
}

wadi_status wadi_flat_permute_full(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    const wadi_array_type bytes = {.rank = 1, .elem = wadi_elem_scalar(WADI_U8)};
    const char *noting = named(c, tag, "notes"), *marking = named(c, tag, "marks");
    const char *first = named(c, tag, "first"), *others = named(c, tag, "parts"),
               *looking = named(c, tag, "reached");
    int notes = -1, marks = -1;
    if (!noting || !marking || !first || !others || !looking) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_slot(c, "notes", WADI_SLOT_ONCE, &bytes, &notes));
    WADI_TRY(wadi_flat_slot(c, "marks", WADI_SLOT_ONCE, &bytes, &marks));
    WADI_TRY(wadi_flat_cut(c, bind, notes, &of_notes, noting, -1, true));
    WADI_TRY(wadi_flat_cut(c, bind, marks, &of_marks, marking, -1, true));
    WADI_TRY(wadi_flat_storage(c, bind, slot, &of_result, tag));
    WADI_TRY(wadi_flat_cut(c, bind, slot, &of_first, first, notes, false));
    WADI_TRY(wadi_flat_cut(c, bind, slot, &of_others, others, notes, false));
    WADI_TRY(wadi_flat_cut(c, bind, marks, &of_looks, looking, notes, false));
    return wadi_flat_cut(c, bind, slot, &of_result, tag, notes, false);
}

static bool keeps_last(const wadi_fun *f) {
    for (int k = 0; k < f->body->nyields; k++)
        if (f->body->yields[k] != f->body->params[k]) return false;
    return true;
}

bool wadi_flat_permute_is_full(wadi_flat *c, const wadi_bind *bind) {
    const wadi_val from = bind->args[1], to = bind->results[0];
    const wadi_value *v = c->y->m->values;
    int64_t known = 0;
    if (c->y->grouped || c->body->stream || v[from].type.array[0].rank != 1 ||
        v[to].type.array[0].rank != 1 || !wadi_flat_has_long_rows(c, from) ||
        !keeps_last(bind->funs[0]) || wadi_flat_permute_is_in_place(c, bind))
        return false;
    const wadi_ext n = wadi_shapes_extent(c->y->shapes, from, 0, 0);
    const wadi_ext places = wadi_shapes_extent(c->y->shapes, to, 0, 0);
    if (n == WADI_EXT_NONE || places == WADI_EXT_NONE ||
        !wadi_ext_same(c->y->shapes->extents, n, places))
        return false;
    if (wadi_ext_is_const(c->y->shapes->extents, n, &known) && known < LEAST) return false;
    return wadi_flat_tells(c, bind, wadi_lower_permute_keeps_all);
}
