/* Schedule flat: value by value over the whole chunk, in units of equal work however ragged the chunk is.
 *
 * A unit is a piece of at most 4096 elements of one row (the innermost dimension) of one element's result. So workers share a
 * single huge vector as well as many small ones. Skeletons whose work cannot be cut like this have steps of their own, in the
 * other files of this folder. This file turns a cut into kernels and steps, and decides what is stored in which slot. */
#include "codegen/kernel/flat/flat.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/kernel/work.h"
#include "codegen/loop/reach.h"

enum { UNIT = WADI_FLAT_UNIT };

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
    const wadi_lowered of = {
        .name = name ? name : "kernel", .known = c->known, .level = c->level, .parts = c->parts};
    wadi_lower_init(l, c->y, &of);
}

bool wadi_flat_tells(wadi_flat *c, const wadi_bind *bind,
                     bool (*ask)(wadi_lower *l, const wadi_bind *bind)) {
    wadi_lower l;
    wadi_lmodule none = {0};
    wadi_flat_start(c, &l, "trial");
    const bool told = !l.b.failed && ask(&l, bind);
    return wadi_lower_fini(&l, &none) == WADI_OK && told;
}

static wadi_lv argument(wadi_lower *l, int which) {
    return wadi_lb_leaf(&l->b, WADI_L_ARG, -1, which, WADI_LV_NONE);
}

void wadi_flat_each_element(wadi_lower *l) {
    const wadi_lv begin = argument(l, 0), end = argument(l, 1);
    l->s = wadi_lb_for(&l->b, begin, end, 1, "s");
}

wadi_lv wadi_flat_pieces_of(wadi_lower *l, wadi_lv n, int64_t piece) {
    return bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_ADD, n, num(l, piece - 1)), num(l, piece));
}

wadi_lv wadi_flat_pieces_but_last(wadi_lower *l, wadi_lv n, int64_t piece) {
    const wadi_lv others = bin(l, WADI_SOP_SUB, wadi_flat_pieces_of(l, n, piece), num(l, 1));
    return bin(l, WADI_SOP_MAX, others, num(l, 0));
}

/* The slot that a step fills, and how the work is cut into units. */
typedef wadi_flat_part target;

static int rank_of(const wadi_lower *l, const target *t) {
    return l->y->slots.at[t->slot].rank;
}

static const char *target_name(wadi_flat *c, const target *t, const char *what) {
    if (!t->tag) return wadi_flat_name(c, t->bind, what);
    return wadi_flat_name(c, t->bind, wadi_arena_printf(c->y->arena, "%s_%s", t->tag, what));
}

/* Extents of what the kernel writes. */
static void target_extents(wadi_lower *l, const target *t, wadi_lv *extent) {
    wadi_lower_extents(l, t->bind->results[0], extent);
    if (t->cut->extents) t->cut->extents(l, t->bind, extent);
}

static void shape_body(wadi_lower *l, const target *t, bool irregular) {
    wadi_lv extent[WADI_MAX_RANK];
    target_extents(l, t, extent);
    for (int d = 0; d < rank_of(l, t) && !l->b.failed && !l->status; d++) {
        wadi_linst *set = wadi_lb_act(&l->b, WADI_L_SETSHAPE, irregular ? 2 : 1,
                                      (const wadi_lv[]){extent[d], l->s});
        set->slot = t->slot;
        set->index = d;
    }
}

/* Whether the chunk is one element. It has all the units, so no kernel has to search for the element of a unit. */
static bool is_alone(const wadi_flat *c) {
    return !c->body->stream && c->level == 0;
}

/* What the kernel that was made last touches. Only where the chunk is one element, units are pieces of one array. */
static wadi_plan_touches touches(const wadi_flat *c, const target *t, bool by_units) {
    const int rank = c->y->slots.at[t->slot].rank;
    wadi_reach_units units = {.target = t->slot, .rank = rank, .whole = t->cut->whole};
    if (by_units && is_alone(c) && rank > 0)
        units.piece = t->cut->each > 0 ? t->cut->each : WADI_REACH_FIND;
    return wadi_reach_of(c->out->funs[c->out->nfuns - 1], &units, c->y->keep);
}

static wadi_status shape_step(wadi_flat *c, const target *t, int place) {
    wadi_lower l;
    const char *name = target_name(c, t, "shape");
    const bool irregular = c->y->slots.at[t->slot].kind == WADI_SLOT_IRREGULAR;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        if (irregular) wadi_flat_each_element(&l);
        if (irregular)
            wadi_lower_checks(&l, t->bind); /* before memory is allocated */
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
                                              .place = place,
                                              .touches = touches(c, t, false)});
}

/* The number of rows, and of pieces per row. */
static void units_of(wadi_lower *l, const target *t, const wadi_lv *extent, wadi_lv *rows,
                     wadi_lv *pieces) {
    *pieces = num(l, 1);
    const int rank = rank_of(l, t);
    *rows = wadi_lower_size(l, rank > 0 ? rank - 1 : 0, extent);
    if (rank > 0 && t->cut->pieces) *pieces = t->cut->pieces(l, t->bind, extent);
    if (t->cut->rows) *rows = t->cut->rows(l, t->bind);
}

/* The kernel that counts the units of each element. It also makes the checks of the bindings, once per element. */
static wadi_status units_kernel(wadi_flat *c, int n, const target *t, const char *name) {
    wadi_lower l;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        wadi_lv extent[WADI_MAX_RANK], rows, pieces;
        if (is_alone(c))
            l.s = num(&l, 0);
        else
            wadi_flat_each_element(&l);
        for (int k = 0; k < n; k++) wadi_lower_checks(&l, t[k].bind);
        target_extents(&l, t, extent);
        units_of(&l, t, extent, &rows, &pieces);
        (void)wadi_lb_act(&l.b, WADI_L_SETUNIT, 2,
                          (const wadi_lv[]){bin(&l, WADI_SOP_MUL, rows, pieces), l.s});
        if (!is_alone(c)) wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

/* Opens the loop over units: one after the other, or by groups. */
static wadi_lv units(wadi_lower *l, bool grouped) {
    const wadi_lv begin = argument(l, 0), end = argument(l, 1);
    const wadi_lv u = wadi_lb_for(&l->b, begin, end, 1, "unit");
    if (grouped && !l->b.failed) l->b.scope->owner->by = WADI_BY_GROUPS;
    l->position.in_group = grouped;
    return u;
}

/* Opens the loop over the units of the only element. */
static wadi_lv each_unit_alone(wadi_lower *l, bool grouped) {
    const wadi_lv u = units(l, grouped);
    l->s = num(l, 0);
    wadi_lb_inst(&l->b, u)->nonneg = true;
    return wadi_lb_range(&l->b, u, num(l, 0), WADI_LV_NONE);
}

/* The element that the unit belongs to. */
static wadi_lv segment_of(wadi_lower *l, wadi_lv unit) {
    wadi_linst *segment = wadi_lb_act(&l->b, WADI_L_SEGMENT, 1, &unit);
    segment->nonneg = true;
    segment->bits = WADI_EXTENT_BITS;
    return segment->self;
}

/* The number of unit `u` within element l->s. */
static wadi_lv number_within(wadi_lower *l, wadi_lv u) {
    const wadi_lv local = bin(l, WADI_SOP_SUB, u, wadi_lb_leaf(&l->b, WADI_L_UNIT, -1, 0, l->s));
    wadi_lb_inst(&l->b, local)->nonneg = true;
    return wadi_lb_range(&l->b, local, num(l, 0), WADI_LV_NONE);
}

/* Opens the loop over units by groups, each of which looks for its element. Returns the unit's number within it. */
static wadi_lv each_unit_by_groups(wadi_lower *l) {
    const wadi_lv u = units(l, true);
    l->s = wadi_lb_name(&l->b, segment_of(l, u), "s");
    return number_within(l, u);
}

/* Opens the loop over units and finds the element of each. Returns the unit's number within it. */
static wadi_lv each_unit(wadi_lower *l) {
    wadi_lb *b = &l->b;
    const wadi_lv first = segment_of(l, argument(l, 0));
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, first, "element");
    const wadi_lv u = units(l, false);
    wadi_lb_repeat(b);
    const wadi_lv at = wadi_lb_get(b, var), next = bin(l, WADI_SOP_ADD, at, num(l, 1));
    wadi_linst *until = wadi_lb_inst(b, wadi_lb_leaf(b, WADI_L_UNIT, -1, 0, next));
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GE, u, until->self));
    wadi_lb_set(b, var, next);
    wadi_lb_end(b);
    l->s = wadi_lb_name(b, wadi_lb_get(b, var), "s");
    wadi_lb_inst(b, l->s)->nonneg = true;
    wadi_lb_inst(b, l->s)->bits = WADI_EXTENT_BITS;
    return number_within(l, u);
}

/* Opens the loop over units. If something is carried from unit to unit, they run in order. */
static wadi_lv open_units(const wadi_flat *c, wadi_lower *l, const wadi_cut *cut) {
    const bool grouped = c->y->grouped && !cut->carried;
    if (is_alone(c)) return each_unit_alone(l, grouped);
    return grouped ? each_unit_by_groups(l) : each_unit(l);
}

static void pointers(wadi_lower *l, const wadi_bind *bind, int slot, wadi_lv *pointer) {
    const wadi_val v = bind->results[0];
    const wadi_vloc before = l->loc[v];
    l->loc[v] = (wadi_vloc){.kind = WADI_LOC_SLOT, .slot = slot};
    for (int f = 0; f < l->y->slots.at[slot].fields; f++) pointer[f] = wadi_lower_pointer(l, v, f);
    l->loc[v] = before;
}

/* A rank-0 value in a regular slot is stored at the element's number. */
static void unit_scalar(wadi_lower *l, const target *t, const wadi_lv *pointer) {
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes alone;
    const bool regular = l->y->slots.at[t->slot].kind == WADI_SLOT_REGULAR;
    for (int f = 0; f < WADI_MAX_FIELDS; f++) x[f] = num(l, 0);
    wadi_lower_element(l, t->bind, NULL, x);
    wadi_lanes_alone(l, &alone);
    for (int f = 0; f < wadi_type_of(l, t->bind->results[0])->elem.fields; f++)
        wadi_lb_store(&l->b, pointer[f], regular ? l->s : num(l, 0), x[f]);
    wadi_lanes_end(l, &alone);
}

void wadi_flat_table(wadi_lower *l, const wadi_unit *u, wadi_lv *out) {
    pointers(l, u->bind, u->table, out);
}

/* The bindings that share the loop of a part, and pointers to what they write. */
static void joined(wadi_lower *l, const target *t, const wadi_bind **binds, wadi_lv *pointer) {
    for (int k = 0, at = 0; k < t->together; k++) {
        binds[k] = t[k].bind;
        pointers(l, t[k].bind, t[k].slot, pointer + at);
        at += l->y->slots.at[t[k].slot].fields;
    }
}

/* Where unit `local` of an element lies: the row, and the piece of it. */
static void find_piece(wadi_lower *l, const target *t, wadi_lv local, wadi_unit *u, wadi_lv *ix) {
    u->piece = local;
    if (t->cut->whole || rank_of(l, t) == 0) return;
    u->piece = bin(l, WADI_SOP_REM, local, u->pieces);
    wadi_lower_row_index(l, bin(l, WADI_SOP_QUOT, local, u->pieces), rank_of(l, t) - 1, u->extent,
                         ix);
}

/* `local`: the unit's number among the units of its element. `first`: a part by whose rows it was cut; a row of this part may have
 * fewer pieces. */
static void unit_body(wadi_lower *l, const target *first, const target *t, wadi_lv local,
                      const void *carried) {
    wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS], ix[WADI_MAX_RANK], rows, own;
    const wadi_bind *binds[WADI_MAX_FIELDS];
    wadi_unit u = {.bind = t->bind,
                   .count = t->together,
                   .binds = binds,
                   .extent = extent,
                   .pointer = pointer,
                   .ix = ix,
                   .table = t->table,
                   .carried = carried};
    target_extents(l, first, extent);
    units_of(l, first, extent, &rows, &u.pieces);
    joined(l, t, binds, pointer);
    if (l->status || l->b.failed) return;
    if (!t->cut->whole && rank_of(l, t) == 0) {
        unit_scalar(l, t, pointer);
        return;
    }
    find_piece(l, first, local, &u, ix);
    if (t != first) target_extents(l, t, extent);
    if (t != first) units_of(l, t, extent, &rows, &own);
    const bool fewer = t != first && own != u.pieces;
    if (fewer) wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, u.piece, own));
    wadi_lanes alone = {.before = l->position};
    if (!t->cut->lanes) wadi_lanes_alone(l, &alone);
    t->cut->unit(l, &u);
    wadi_lanes_end(l, &alone);
    if (fewer) wadi_lb_end(&l->b);
}

/* ---- pieces of rows: the cut of skeletons that have none of their own ---- */

void wadi_flat_unit_of(wadi_lower *l, const wadi_unit *u, int64_t piece) {
    const int rank = wadi_type_of(l, u->bind->results[0])->rank;
    const wadi_lv from = bin(l, WADI_SOP_MUL, u->piece, num(l, piece));
    const wadi_lv below =
        bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, piece)), u->extent[rank - 1]);
    wadi_lower_fill_row(l, u->bind, u->extent, u->pointer, u->ix, from, below);
}

static wadi_lv row_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return wadi_flat_pieces_of(l, extent[wadi_type_of(l, bind->results[0])->rank - 1], UNIT);
}

static void row_piece(wadi_lower *l, const wadi_unit *u) {
    wadi_flat_unit_of(l, u, UNIT);
}

const wadi_cut wadi_flat_pieces_cut = {
    .pieces = row_pieces, .unit = row_piece, .each = UNIT, .lanes = true};

wadi_status wadi_flat_pieces(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    return wadi_flat_cut(c, bind, slot, &wadi_flat_pieces_cut, tag, -1, true);
}

/* ---- kernels and steps ---- */

static void describe(wadi_lower *l, const wadi_bind *bind) {
    wadi_lower_at_work(l, bind->results[0]);
    const char *name = l->m->values[bind->results[0]].name;
    if (bind->loc.file)
        wadi_lb_note(&l->b, "%s: %s, %s:%d", name ? name : "value", bind->op->name, bind->loc.file,
                     bind->loc.line);
    else
        wadi_lb_note(&l->b, "%s: %s", name ? name : "value", bind->op->name);
}

static wadi_status main_kernel(wadi_flat *c, int n, const target *t, const char *name) {
    wadi_lower l;
    const void *carried[WADI_MAX_FIELDS] = {NULL};
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        for (int k = 0; k < n; k++) {
            describe(&l, t[k].bind);
            if (t[k].cut->carried) carried[k] = t[k].cut->carried(&l, t[k].bind);
        }
        const wadi_lv local = open_units(c, &l, t->cut);
        for (int k = 0; k < n; k++) {
            wadi_lower_at_work(&l, t[k].bind->results[0]);
            if (t[k].together > 0) unit_body(&l, t, &t[k], local, carried[k]);
        }
        wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

/* ---- one value for each element of the stream: no units ---- */

/* Whether the lanes of a group share what the kernel does. */
static bool shares_lanes(const wadi_lfun *f) {
    for (uint32_t v = 0; v < f->n; v++) {
        const wadi_linst *i = f->inst[v];
        if (i->kind != WADI_L_FOR || i->by != WADI_BY_LANES) continue;
        const wadi_linst *rounds = f->inst[i->args[1]];
        if (rounds->kind != WADI_L_CONST || rounds->imm.bits != 1) return true;
    }
    return false;
}

static bool groups_gain(wadi_flat *c, const target *t) {
    wadi_lower l;
    wadi_lmodule none = {0};
    bool gain = false;
    wadi_flat_start(c, &l, "trial");
    if (!l.b.failed) {
        unit_body(&l, t, t, open_units(c, &l, t->cut), NULL);
        wadi_lb_end(&l.b);
        gain = !l.b.failed && shares_lanes(l.b.fun);
    }
    return wadi_lower_fini(&l, &none) == WADI_OK && gain;
}

/* Whether a range of elements is the best share of the work: each has one value, which one lane computes. */
static bool is_by_elements(wadi_flat *c, int n, const target *t) {
    if (n > 1 || t->cut->whole || t->cut->carried || c->y->slots.at[t->slot].rank > 0) return false;
    return !(c->y->grouped && groups_gain(c, t));
}

static bool note_work(wadi_flat *c, int n, const target *t, wadi_plan_step *step) {
    if (t->cut->uncounted) return true;
    const wadi_bind **binds = WADI_NEW_N(c->y->arena, const wadi_bind *, (size_t)n + 1);
    for (int k = 0; binds && k < n; k++) binds[k] = t[k].bind;
    return binds && wadi_lower_note_work(c->y, n, binds, false, step);
}

static wadi_status element_step(wadi_flat *c, const target *t, int place) {
    wadi_lower l;
    wadi_lv pointer[WADI_MAX_FIELDS];
    const char *name = target_name(c, t, "run");
    if (!name) return wadi_flat_no_memory(c);
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        describe(&l, t->bind);
        wadi_flat_each_element(&l);
        if (is_alone(c)) l.s = num(&l, 0);
        wadi_lower_checks(&l, t->bind);
        pointers(&l, t->bind, t->slot, pointer);
        if (!l.status && !l.b.failed) unit_scalar(&l, t, pointer);
        wadi_lb_end(&l.b);
    }
    WADI_TRY(wadi_lower_fini(&l, c->out));
    wadi_plan_step step = {
        .kind = WADI_STEP_RUN, .kernel = name, .place = place, .touches = touches(c, t, false)};
    if (!note_work(c, 1, t, &step)) return wadi_flat_no_memory(c);
    return wadi_flat_push(c, step);
}

/* The name of a value that is written into the slot of another one; NULL: it has its own, or no name. */
static const char *name_in_place(wadi_flat *c, const target *t) {
    const wadi_val v = t->bind->results[0];
    const char *name = c->y->m->values[v].name;
    if (c->y->takes[v] == WADI_NONE || c->y->slot_of[v] != t->slot || !name) return NULL;
    const char *own = wadi_arena_strdup(c->y->keep, name);
    if (!own) c->y->failed = true;
    return own;
}

static wadi_status run_step(wadi_flat *c, int n, const target *t, int place) {
    if (is_by_elements(c, n, t)) return element_step(c, t, place);
    const char *name = target_name(c, t, n > 1 ? "all" : "run");
    const char *units = target_name(c, t, "units");
    if (!name || !units) return wadi_flat_no_memory(c);
    WADI_TRY(units_kernel(c, n, t, units));
    const wadi_plan_touches units_touch = touches(c, t, false);
    WADI_TRY(main_kernel(c, n, t, name));
    wadi_plan_step step = {.kind = WADI_STEP_FLAT,
                           .kernel = name,
                           .units = units,
                           .place = place,
                           .touches = touches(c, t, true),
                           .units_touch = units_touch,
                           .serial = t->cut->in_order,
                           .rounds = t->cut->rounds,
                           .several = t->cut->several,
                           .apart = t->cut->apart,
                           .what = name_in_place(c, t)};
    if (!note_work(c, n, t, &step)) return wadi_flat_no_memory(c);
    return wadi_flat_push(c, step);
}

/* Whether the result takes over another value's memory, so that nothing need be allocated. */
static bool is_there(const wadi_flat *c, const target *t) {
    const wadi_val v = t->bind->results[0];
    return c->y->takes[v] != WADI_NONE && c->y->slot_of[v] == t->slot;
}

/* The steps that make the storage. */
static wadi_status storage_of(wadi_flat *c, const target *t, int place) {
    if (is_there(c, t)) return WADI_OK;
    if (c->y->slots.at[t->slot].rank > 0) WADI_TRY(shape_step(c, t, place));
    return wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_ALLOC,
                                              .nslots = 1,
                                              .slots = wadi_flat_one_slot(c, t->slot),
                                              .place = place});
}

static int place_of(wadi_flat *c, const target *t) {
    return wadi_layout_place(c->y, t->bind->op->name, "", t->bind->loc);
}

wadi_status wadi_flat_cut_all(wadi_flat *c, int n, const wadi_flat_part *parts) {
    for (int k = 0; k < n; k++) WADI_TRY(storage_of(c, &parts[k], place_of(c, &parts[k])));
    return run_step(c, n, parts, place_of(c, parts));
}

wadi_status wadi_flat_shape(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut) {
    const target t = {.bind = bind, .slot = slot, .cut = cut, .table = -1};
    return shape_step(c, &t, place_of(c, &t));
}

wadi_status wadi_flat_storage(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut,
                              const char *tag) {
    const target t = {.bind = bind, .slot = slot, .cut = cut, .tag = tag, .table = -1};
    return storage_of(c, &t, place_of(c, &t));
}

wadi_status wadi_flat_cut(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut,
                          const char *tag, int table, bool fresh) {
    const target t = {
        .bind = bind, .slot = slot, .cut = cut, .tag = tag, .table = table, .together = 1};
    return fresh ? wadi_flat_cut_all(c, 1, &t) : run_step(c, 1, &t, place_of(c, &t));
}

/* Rows longer than one block, or of unknown length, are cut into blocks. */
bool wadi_flat_has_long_rows(const wadi_flat *c, wadi_val array) {
    const int rank = c->y->m->values[array].type.array[0].rank;
    const wadi_ext e = wadi_shapes_extent(c->y->shapes, array, 0, rank - 1);
    int64_t n = 0;
    return !(e != WADI_EXT_NONE && wadi_ext_is_const(c->y->shapes->extents, e, &n) && n <= UNIT);
}
