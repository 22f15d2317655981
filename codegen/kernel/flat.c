/* Schedule flat: value by value over the whole chunk, in units of work that are alike however ragged the chunk is.
 *
 * A unit is a piece of at most 4096 elements of one row (the innermost dimension) of one element's result, so a single
 * huge vector is shared among workers as well as many small ones. A reduction is done in two steps: a table of the
 * results of its blocks, which are units, then the combination of each row's blocks in order; that is the same tree as
 * elsewhere. A scan takes three: the last of each block's own scan, the carries from block to block, and the results of
 * the blocks; one worker carries from block to block as it goes and does without the first two. Permutations take an
 * element per unit. Branches and loops: flat_levels.c; sequences within elements: flat_nested.c.
 */
#include "codegen/kernel/flat.h"

#include <string.h>

#include "base/error.h"
#include "operators/reduce_tree.h"

enum { UNIT = WADI_FOLD_BLOCK };

/* ---- steps ---- */

wadi_status wadi_flat_no_memory(const wadi_flat *c) {
    return wadi_fail(c->y->err, WADI_MEMORY, "out of memory while making kernels");
}

const int *wadi_flat_one_slot(wadi_flat *c, int slot) {
    int *p = WADI_NEW(c->y->keep, int);
    if (p) *p = slot;
    return p;
}

const char *wadi_flat_name(wadi_flat *c, const wadi_bind *bind, const char *what) {
    const char *hint = c->y->m->values[bind->results[0]].name;
    if (hint) hint = wadi_identifier(c->y->arena, hint);
    return wadi_arena_printf(c->y->keep, "%s_%s_%s%u_%s", c->body->name, bind->op->name,
                             hint ? hint : "v", bind->results[0], what);
}

wadi_status wadi_flat_push(wadi_flat *c, wadi_plan_step step) {
    if (step.nslots > 0 && !step.slots) return wadi_flat_no_memory(c);
    step.level = c->level;
    return wadi_vec_push(&c->steps, step) ? WADI_OK : wadi_flat_no_memory(c);
}

wadi_status wadi_flat_slot(wadi_flat *c, const char *name, wadi_slot_kind kind,
                           const wadi_array_type *t, int *out_slot) {
    wadi_plan_slot slot = {
        .name = name, .kind = kind, .level = c->level, .rank = t->rank, .fields = t->elem.fields};
    memcpy(slot.type, t->elem.type, sizeof slot.type);
    memcpy(slot.field, t->elem.name, sizeof slot.field);
    *out_slot = (int)c->y->slots.n;
    return wadi_vec_push(&c->y->slots, slot) ? WADI_OK : wadi_flat_no_memory(c);
}

/* ---- kernels ---- */

void wadi_flat_start(wadi_flat *c, wadi_lower *l, const char *name) {
    wadi_lower_init(l, c->y, name ? name : "kernel", c->known);
    if (l->b.failed) return;
    l->level = c->level;
    for (wadi_val v = 0; v < c->y->m->nvalues; v++)
        if (c->parts[v] >= 0 && l->loc[v].kind == WADI_LOC_NONE)
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_PARTS, .slot = c->parts[v]};
}

static wadi_lv argument(wadi_lower *l, int which) {
    return wadi_lb_leaf(&l->b, WADI_L_ARG, -1, which, WADI_LV_NONE);
}

void wadi_flat_each_element(wadi_lower *l) {
    const wadi_lv begin = argument(l, 0), end = argument(l, 1);
    l->s = wadi_lb_for(&l->b, begin, end, 1, "s");
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv pieces_of(wadi_lower *l, wadi_lv n, int64_t piece) {
    return bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_ADD, n, num(l, piece - 1)), num(l, piece));
}

/* How a binding's work is cut. */
typedef enum cut {
    CUT_PIECES,  /* row, piece of the row */
    CUT_PARTS,   /* row of the result, block of the reduced row */
    CUT_ROWS,    /* row of the source */
    CUT_LASTS,   /* row, block of the scanned row but the last: the table of a scan */
    CUT_CARRIES, /* row of that table */
    CUT_BLOCKS,  /* row, block of the scanned row */
    CUT_OWN,     /* as the skeleton's own file says */
    CUT_RECORDS, /* so many rows of the source, of spread */
    CUT_ELEMENTS /* stream element */
} cut;

typedef struct target {
    const wadi_bind *bind;
    int slot, rank;
    cut how;
    int64_t piece;   /* elements of a row in one unit, for CUT_PIECES */
    const char *tag; /* in the names of its kernels, or NULL */
    int table;       /* of a scan, for CUT_BLOCKS; for CUT_OWN */
    const wadi_cut *own;
} target;

static const char *target_name(wadi_flat *c, const target *t, const char *what) {
    if (!t->tag) return wadi_flat_name(c, t->bind, what);
    return wadi_flat_name(c, t->bind, wadi_arena_printf(c->y->arena, "%s_%s", t->tag, what));
}

/* Extents of what the kernel writes; a table of parts has one more. */
static void target_extents(wadi_lower *l, const target *t, wadi_lv *extent) {
    wadi_lower_extents(l, t->bind->results[0], extent);
    if (t->how == CUT_OWN && t->own->extents) t->own->extents(l, t->bind, extent);
    if (t->how == CUT_PARTS)
        extent[t->rank - 1] = pieces_of(l, wadi_lower_row_length(l, t->bind), UNIT);
    if (t->how == CUT_LASTS || t->how == CUT_CARRIES) {
        const wadi_lv blocks = pieces_of(l, wadi_lower_row_length(l, t->bind), WADI_SCAN_BLOCK);
        const wadi_lv carries = bin(l, WADI_SOP_SUB, blocks, num(l, 1));
        extent[t->rank - 1] = bin(l, WADI_SOP_MAX, carries, num(l, 0));
    }
}

static void shape_body(wadi_lower *l, const target *t, bool irregular) {
    wadi_lv extent[WADI_MAX_RANK];
    target_extents(l, t, extent);
    for (int d = 0; d < t->rank && !l->b.failed && !l->status; d++) {
        wadi_linst *set = wadi_lb_act(&l->b, WADI_L_SETSHAPE, irregular ? 2 : 1,
                                      (const wadi_lv[]){extent[d], l->s});
        set->slot = t->slot;
        set->index = d;
    }
}

static wadi_status shape_step(wadi_flat *c, const target *t, int place) {
    wadi_lower l;
    const char *name = target_name(c, t, "shape");
    const bool irregular = c->y->slots.at[t->slot].kind == WADI_SLOT_IRREGULAR;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        if (irregular) wadi_flat_each_element(&l);
        if (irregular)
            wadi_lower_checks(&l, t->bind); /* in front of the memory that is asked for */
        else
            wadi_lower_shape_checks(&l, t->bind->results[0]);
        shape_body(&l, t, irregular);
        if (irregular) wadi_lb_end(&l.b);
    }
    WADI_TRY(wadi_lower_fini(&l, c->out));
    return wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_SHAPE,
                                              .kernel = name,
                                              .nslots = 1,
                                              .slots = wadi_flat_one_slot(c, t->slot),
                                              .place = place});
}

/* Rows of records, and how many make a unit: about UNIT values, at least one row. */
static void record_rows(wadi_lower *l, const target *t, wadi_lv *rows, wadi_lv *each) {
    const wadi_array_type *source = wadi_type_of(l, t->bind->args[0]);
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, t->bind->args[0], extent);
    *rows = *each = num(l, 1);
    if (source->rank == 0) return;
    *rows = wadi_lower_size(l, source->rank - 1, extent);
    const wadi_lv values =
        bin(l, WADI_SOP_MUL, extent[source->rank - 1], num(l, source->elem.fields));
    const wadi_lv fit =
        bin(l, WADI_SOP_QUOT, num(l, UNIT), bin(l, WADI_SOP_MAX, values, num(l, 1)));
    *each = bin(l, WADI_SOP_MAX, fit, num(l, 1));
}

/* Rows and pieces per row. */
static void units_of(wadi_lower *l, const target *t, const wadi_lv *extent, wadi_lv *rows,
                     wadi_lv *pieces) {
    *pieces = num(l, 1);
    *rows = wadi_lower_size(l, t->rank > 0 ? t->rank - 1 : 0, extent);
    if (t->how == CUT_PIECES && t->rank > 0) *pieces = pieces_of(l, extent[t->rank - 1], t->piece);
    if (t->how == CUT_PARTS || t->how == CUT_LASTS) *pieces = extent[t->rank - 1];
    if (t->how == CUT_CARRIES) *pieces = bin(l, WADI_SOP_MIN, extent[t->rank - 1], num(l, 1));
    if (t->how == CUT_BLOCKS) {
        *pieces = pieces_of(l, wadi_lower_row_length(l, t->bind), WADI_SCAN_BLOCK);
        if (t->bind->nargs == 2) *pieces = bin(l, WADI_SOP_MAX, *pieces, num(l, 1));
    }
    if (t->how == CUT_ELEMENTS) *rows = num(l, 1);
    if (t->how == CUT_OWN) *pieces = t->own->pieces(l, t->bind, extent);
    if (t->how != CUT_RECORDS) return;
    wadi_lv each;
    record_rows(l, t, rows, &each);
    const wadi_lv more = bin(l, WADI_SOP_ADD, *rows, bin(l, WADI_SOP_SUB, each, num(l, 1)));
    *rows = bin(l, WADI_SOP_QUOT, more, each);
}

/* There is one element, whose units are all there are: no kernel has to look for it. */
static bool is_alone(const wadi_flat *c) {
    return !c->body->stream && c->level == 0;
}

/* The checks of the binding are made here, once per element. */
static wadi_status units_kernel(wadi_flat *c, const target *t, const char *name) {
    wadi_lower l;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        wadi_lv extent[WADI_MAX_RANK], rows, pieces;
        if (is_alone(c))
            l.s = num(&l, 0);
        else
            wadi_flat_each_element(&l);
        wadi_lower_checks(&l, t->bind);
        target_extents(&l, t, extent);
        units_of(&l, t, extent, &rows, &pieces);
        (void)wadi_lb_act(&l.b, WADI_L_SETUNIT, 2,
                          (const wadi_lv[]){bin(&l, WADI_SOP_MUL, rows, pieces), l.s});
        if (!is_alone(c)) wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

/* Opens the loop over the units of the only element. */
static wadi_lv each_unit_alone(wadi_lower *l) {
    const wadi_lv begin = argument(l, 0), end = argument(l, 1);
    const wadi_lv u = wadi_lb_for(&l->b, begin, end, 1, "unit");
    l->s = num(l, 0);
    wadi_lb_inst(&l->b, u)->nonneg = true;
    return wadi_lb_range(&l->b, u, num(l, 0), WADI_LV_NONE);
}

/* Opens the loop over units and finds the element of each. Returns the unit's number within it. */
static wadi_lv each_unit(wadi_lower *l) {
    wadi_lb *b = &l->b;
    wadi_lv begin = argument(l, 0);
    wadi_linst *segment = wadi_lb_act(b, WADI_L_SEGMENT, 1, &begin);
    segment->nonneg = true;
    segment->bits = WADI_EXTENT_BITS;
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, segment->self, "element");
    const wadi_lv u = wadi_lb_for(b, begin, argument(l, 1), 1, "unit");
    wadi_lb_repeat(b);
    const wadi_lv at = wadi_lb_get(b, var), next = bin(l, WADI_SOP_ADD, at, num(l, 1));
    wadi_linst *until = wadi_lb_inst(b, wadi_lb_leaf(b, WADI_L_UNIT, -1, 0, next));
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GE, u, until->self));
    wadi_lb_set(b, var, next);
    wadi_lb_end(b);
    l->s = wadi_lb_name(b, wadi_lb_get(b, var), "s");
    wadi_lb_inst(b, l->s)->nonneg = true;
    wadi_lb_inst(b, l->s)->bits = WADI_EXTENT_BITS;
    wadi_lv local = bin(l, WADI_SOP_SUB, u, wadi_lb_leaf(b, WADI_L_UNIT, -1, 0, l->s));
    wadi_lb_inst(b, local)->nonneg = true;
    return wadi_lb_range(b, local, num(l, 0), WADI_LV_NONE);
}

/* The outer index that row number `row` stands for; each is known to lie in its dimension. */
void wadi_lower_row_index(wadi_lower *l, wadi_lv row, int outer, const wadi_lv *extent,
                          wadi_lv *ix) {
    for (int d = outer - 1; d >= 0; d--) {
        const wadi_lv i = d > 0 ? bin(l, WADI_SOP_REM, row, extent[d]) : row;
        ix[d] = wadi_lb_range(&l->b, i, num(l, 0), bin(l, WADI_SOP_SUB, extent[d], num(l, 1)));
        if (d > 0) row = bin(l, WADI_SOP_QUOT, row, extent[d]);
    }
}

static void pointers(wadi_lower *l, const target *t, int slot, wadi_lv *pointer) {
    const wadi_val v = t->bind->results[0];
    const wadi_vloc before = l->loc[v];
    l->loc[v] = (wadi_vloc){.kind = WADI_LOC_SLOT, .slot = slot};
    for (int f = 0; f < l->y->slots.at[slot].fields; f++) pointer[f] = wadi_lower_pointer(l, v, f);
    l->loc[v] = before;
}

static void store(wadi_lower *l, const target *t, const wadi_lv *pointer, wadi_lv at,
                  const wadi_lv *x) {
    const int fields = wadi_type_of(l, t->bind->results[0])->elem.fields;
    for (int f = 0; f < fields; f++) wadi_lb_store(&l->b, pointer[f], at, x[f]);
}

/* A rank-0 value in a regular slot stands at the element's number. */
static void unit_scalar(wadi_lower *l, const target *t, const wadi_lv *pointer) {
    wadi_lv x[WADI_MAX_FIELDS];
    const bool regular = l->y->slots.at[t->slot].kind == WADI_SLOT_REGULAR;
    for (int f = 0; f < WADI_MAX_FIELDS; f++) x[f] = num(l, 0);
    wadi_lower_element(l, t->bind, NULL, x);
    store(l, t, pointer, regular ? l->s : num(l, 0), x);
}

static void unit_records(wadi_lower *l, const target *t, const wadi_lv *extent,
                         const wadi_lv *pointer, wadi_lv local) {
    wadi_lv rows, each;
    record_rows(l, t, &rows, &each);
    const wadi_lv from = bin(l, WADI_SOP_MUL, local, each);
    const wadi_lv below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, each), rows);
    wadi_lower_spread_rows(l, t->bind, extent, pointer, from, below);
}

/* Part `piece` of row `ix` of a scan. */
static void unit_scan(wadi_lower *l, const target *t, const wadi_lv *extent, const wadi_lv *pointer,
                      const wadi_lv *ix, wadi_lv piece, const wadi_scan_chain *chain) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    wadi_scan_table table = {extent, pointer};
    if (t->how == CUT_LASTS) wadi_lower_scan_last(l, t->bind, &table, ix, piece);
    if (t->how == CUT_CARRIES) wadi_lower_scan_carries(l, t->bind, &table, ix);
    if (t->how != CUT_BLOCKS) return;
    target_extents(l, &(target){.bind = t->bind, .rank = t->rank, .how = CUT_LASTS}, entries);
    pointers(l, t, t->table, entry);
    table = (wadi_scan_table){entries, entry};
    wadi_lower_scan_block(l, t->bind, extent, pointer, &table, ix, piece, chain);
}

static void unit_own(wadi_lower *l, const target *t, const wadi_lv *extent, const wadi_lv *pointer,
                     const wadi_lv *ix, wadi_lv piece, wadi_lv pieces) {
    wadi_lv entry[WADI_MAX_FIELDS];
    if (t->table >= 0) pointers(l, t, t->table, entry);
    t->own->unit(l, &(wadi_unit){t->bind, extent, pointer, ix, piece, pieces, entry});
}

static void unit_body(wadi_lower *l, const target *t, wadi_lv local, const wadi_scan_chain *chain) {
    wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS], ix[WADI_MAX_RANK], rows, pieces;
    target_extents(l, t, extent);
    units_of(l, t, extent, &rows, &pieces);
    pointers(l, t, t->slot, pointer);
    if (l->status || l->b.failed) return;
    if (t->how == CUT_ELEMENTS) {
        wadi_lower_fill(l, t->bind, extent, pointer);
        return;
    }
    if (t->how == CUT_RECORDS) {
        unit_records(l, t, extent, pointer, local);
        return;
    }
    if (t->rank == 0) {
        unit_scalar(l, t, pointer);
        return;
    }
    const wadi_lv piece = bin(l, WADI_SOP_REM, local, pieces);
    wadi_lower_row_index(l, bin(l, WADI_SOP_QUOT, local, pieces), t->rank - 1, extent, ix);
    if (t->how == CUT_OWN) {
        unit_own(l, t, extent, pointer, ix, wadi_lb_range(&l->b, piece, num(l, 0), WADI_LV_NONE),
                 pieces);
    } else if (t->how == CUT_LASTS || t->how == CUT_CARRIES || t->how == CUT_BLOCKS) {
        unit_scan(l, t, extent, pointer, ix, wadi_lb_range(&l->b, piece, num(l, 0), WADI_LV_NONE),
                  chain);
    } else if (t->how == CUT_ROWS) {
        wadi_lower_row(l, t->bind, extent, pointer, ix);
    } else if (t->how == CUT_PARTS) {
        wadi_lv x[WADI_MAX_FIELDS];
        wadi_lower_fold_block(l, t->bind, ix, wadi_lb_range(&l->b, piece, num(l, 0), WADI_LV_NONE),
                              x);
        ix[t->rank - 1] = piece;
        store(l, t, pointer, wadi_lower_linear(l, t->rank, extent, ix), x);
    } else {
        const wadi_lv from = bin(l, WADI_SOP_MUL, piece, num(l, t->piece));
        const wadi_lv below =
            bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, t->piece)), extent[t->rank - 1]);
        wadi_lower_fill_row(l, t->bind, extent, pointer, ix, from, below);
    }
}

static void describe(wadi_lower *l, const wadi_bind *bind) {
    wadi_lower_at_work(l, bind->results[0]);
    const char *name = l->m->values[bind->results[0]].name;
    if (bind->loc.file)
        wadi_lb_note(&l->b, "%s: %s, %s:%d", name ? name : "value", bind->op->name, bind->loc.file,
                     bind->loc.line);
    else
        wadi_lb_note(&l->b, "%s: %s", name ? name : "value", bind->op->name);
}

static wadi_status main_kernel(wadi_flat *c, const target *t, const char *name) {
    wadi_lower l;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        describe(&l, t->bind);
        wadi_scan_chain chain;
        if (t->how == CUT_BLOCKS) wadi_lower_scan_chain(&l, t->bind, &chain);
        unit_body(&l, t, is_alone(c) ? each_unit_alone(&l) : each_unit(&l), &chain);
        wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

static wadi_status run_step(wadi_flat *c, const target *t, int place) {
    const char *name = target_name(c, t, "run");
    const char *units = target_name(c, t, "units");
    if (!name || !units) return wadi_flat_no_memory(c);
    WADI_TRY(units_kernel(c, t, units));
    WADI_TRY(main_kernel(c, t, name));
    return wadi_flat_push(c,
                          (wadi_plan_step){.kind = WADI_STEP_FLAT,
                                           .kernel = name,
                                           .units = units,
                                           .place = place,
                                           .several = t->how == CUT_LASTS || t->how == CUT_CARRIES,
                                           .apart = t->how == CUT_OWN && t->own->apart});
}

/* What is written into another's memory has its storage. */
static bool is_there(const wadi_flat *c, const target *t) {
    const wadi_val v = t->bind->results[0];
    return c->y->takes[v] != WADI_NONE && c->y->slot_of[v] == t->slot;
}

static wadi_status steps_for(wadi_flat *c, const target *t) {
    const int place = wadi_layout_place(c->y, t->bind->op->name, "", t->bind->loc);
    if (is_there(c, t)) return run_step(c, t, place);
    if (t->rank > 0) WADI_TRY(shape_step(c, t, place));
    WADI_TRY(wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_ALLOC,
                                                .nslots = 1,
                                                .slots = wadi_flat_one_slot(c, t->slot),
                                                .place = place}));
    return run_step(c, t, place);
}

wadi_status wadi_flat_cut(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *own,
                          const char *tag, int table, bool fresh) {
    const int place = wadi_layout_place(c->y, bind->op->name, "", bind->loc);
    const target t = {.bind = bind,
                      .slot = slot,
                      .rank = c->y->slots.at[slot].rank,
                      .how = CUT_OWN,
                      .tag = tag,
                      .table = table,
                      .own = own};
    return fresh ? steps_for(c, &t) : run_step(c, &t, place);
}

/* ---- reductions ---- */

/* Rows longer than one block, or of unknown length, are cut into blocks. */
bool wadi_flat_has_long_rows(const wadi_flat *c, wadi_val array) {
    const int rank = c->y->m->values[array].type.array[0].rank;
    const wadi_ext e = wadi_shapes_extent(c->y->shapes, array, 0, rank - 1);
    int64_t n = 0;
    return !(e != WADI_EXT_NONE && wadi_ext_is_const(c->y->shapes->extents, e, &n) && n <= UNIT);
}

static bool wants_parts(const wadi_flat *c, const wadi_bind *bind) {
    return wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]);
}

/* Short rows are reduced whole: so many of them make a unit. */
static int64_t rows_per_unit(const wadi_flat *c, const wadi_bind *bind) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const int rank = c->y->m->values[array].type.array[0].rank;
    int64_t n = 0;
    const wadi_ext e = wadi_shapes_extent(c->y->shapes, array, 0, rank - 1);
    if (e == WADI_EXT_NONE || !wadi_ext_is_const(c->y->shapes->extents, e, &n) || n <= 1)
        return UNIT;
    return n < UNIT ? UNIT / n : 1;
}

static wadi_status parts_steps(wadi_flat *c, const wadi_bind *bind) {
    const wadi_val v = bind->results[0];
    wadi_array_type table = c->y->m->values[v].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    int slot = 0;
    table.rank++;
    WADI_TRY(wadi_flat_slot(c, "parts", kind, &table, &slot));
    const target t = {bind, slot, table.rank, CUT_PARTS, UNIT, "parts", -1};
    WADI_TRY(steps_for(c, &t));
    c->parts[v] = t.slot;
    return WADI_OK;
}

/* ---- the body ---- */

static cut cut_of(wadi_skeleton skeleton) {
    switch (skeleton) {
    case WADI_SKEL_SCAN:
        return CUT_ROWS;
    case WADI_SKEL_PERMUTE:
        return CUT_ELEMENTS;
    case WADI_SKEL_SPREAD:
        return CUT_RECORDS;
    default:
        return CUT_PIECES;
    }
}

/* ---- scans ---- */

/* A table of what is carried into the blocks of rows longer than one. */
static wadi_status scan_steps(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    const wadi_array_type *t = &c->y->m->values[bind->results[0]].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *before = tag ? tag : "";
    const char *lasts = wadi_arena_printf(c->y->arena, "%slasts", before);
    const char *carries = wadi_arena_printf(c->y->arena, "%scarries", before);
    int table = 0;
    if (!lasts || !carries) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_slot(c, "carries", kind, t, &table));
    const int place = wadi_layout_place(c->y, bind->op->name, "", bind->loc);
    WADI_TRY(steps_for(c, &(target){bind, table, t->rank, CUT_LASTS, UNIT, lasts, table}));
    WADI_TRY(
        run_step(c, &(target){bind, table, t->rank, CUT_CARRIES, UNIT, carries, table}, place));
    return steps_for(c, &(target){bind, slot, t->rank, CUT_BLOCKS, UNIT, tag, table});
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    const wadi_skeleton skeleton = bind->op->skeleton;
    const wadi_val v = bind->results[0];
    target t = {bind, slot, c->y->m->values[v].type.array[0].rank, cut_of(skeleton), UNIT, tag, -1};
    if (skeleton == WADI_SKEL_FOLD && c->parts[v] < 0) t.piece = rows_per_unit(c, bind);
    if (skeleton == WADI_SKEL_SCAN && wants_parts(c, bind)) return scan_steps(c, bind, slot, tag);
    if (wadi_flat_is_segmented(c->y, bind)) return wadi_flat_segments(c, bind, slot, tag);
    if (skeleton == WADI_SKEL_COMPACT || skeleton == WADI_SKEL_PARTITION)
        return wadi_flat_compact(c, bind, slot, tag);
    if (wadi_flat_has_tables(c, bind)) return wadi_flat_permute(c, bind, slot, tag);
    if (wadi_flat_shares(c, bind)) return wadi_flat_scatter(c, bind, slot, tag);
    return steps_for(c, &t);
}

wadi_status wadi_flat_bind(wadi_flat *c, const wadi_bind *bind) {
    const wadi_skeleton skeleton = bind->op->skeleton;
    if (bind->nresults == 0) return WADI_OK;
    if (bind->op->kind == WADI_OP_SEQUENCE && !c->y->m->values[bind->results[0]].type.is_seq)
        return wadi_flat_consume(c, bind);
    if (bind->op->kind == WADI_OP_SEQUENCE || skeleton == WADI_SKEL_NONE) return WADI_OK;
    const wadi_val v = bind->results[0];
    const bool stored = wadi_is_stored(c->y, v);
    if (skeleton == WADI_SKEL_COND || skeleton == WADI_SKEL_LOOP) return wadi_flat_control(c, bind);
    if (skeleton == WADI_SKEL_FOREIGN || skeleton == WADI_SKEL_LIFTED)
        return wadi_flat_foreign(c, bind);
    if (c->known[v] && c->y->slot_of[v] >= 0) return WADI_OK;
    if (skeleton == WADI_SKEL_FOLD_SEG && wants_parts(c, bind))
        WADI_TRY(wadi_flat_fold_parts(c, bind));
    if (skeleton == WADI_SKEL_FOLD && wants_parts(c, bind)) {
        WADI_TRY(parts_steps(c, bind));
        if (!stored) c->known[v] = true;
    }
    if (!stored) return WADI_OK;
    WADI_TRY(into_slot(c, bind, c->y->slot_of[v], NULL));
    c->known[v] = true;
    return WADI_OK;
}

wadi_status wadi_flat_compute(wadi_flat *c, const wadi_bind *bind, int slot) {
    const char *tag = wadi_arena_printf(c->y->arena, "into%d", slot);
    return tag ? into_slot(c, bind, slot, tag) : wadi_flat_no_memory(c);
}

static wadi_status take_steps(wadi_flat *c, wadi_plan_version *v) {
    wadi_plan_step *steps = WADI_NEW_N(c->y->keep, wadi_plan_step, c->steps.n + 1);
    if (!steps) return wadi_flat_no_memory(c);
    if (c->steps.n > 0) memcpy(steps, c->steps.at, c->steps.n * sizeof *steps);
    *v = (wadi_plan_version){.nsteps = (int)c->steps.n, .steps = steps};
    return WADI_OK;
}

wadi_status wadi_lower_flat(wadi_layout *y, const wadi_body *body, const bool *known,
                            wadi_lmodule *out, wadi_plan_version *out_version) {
    const uint32_t n = y->m->nvalues;
    wadi_flat c = {.y = y, .body = body, .out = out};
    c.known = WADI_NEW_N(y->arena, bool, n);
    c.parts = WADI_NEW_N(y->arena, int, n);
    if (!c.known || !c.parts) return wadi_flat_no_memory(&c);
    memcpy(c.known, known, n * sizeof *c.known);
    for (uint32_t v = 0; v < n; v++) c.parts[v] = -1;
    wadi_status st = WADI_OK;
    for (int i = 0; i < body->nbinds && !st; i++) st = wadi_flat_bind(&c, body->binds[i]);
    if (!st) st = take_steps(&c, out_version);
    wadi_vec_free(&c.steps);
    return st;
}
