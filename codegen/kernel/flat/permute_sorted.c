/* Schedule group of permutes that keep the order of the source, whose targets data decides: sums of floats, or the last of the elements that
 * meet. One lane alone would take as long as the memory takes to answer, for each element.
 *
 * The steps: the defaults; a list of where each element goes; the list, sorted stably by buckets of targets (codegen/kernel/sorting.c), each pass
 * in three steps; and one group for each bucket, which combines in the order of the list. So the bits are those of the source's order.
 * Elements that are delayed and may fault are computed and stored first.
 *
 * If all elements go to one place, one lane combines them all, as the law says; but all lanes of its group load them. */
#include "base/error.h"
#include "base/type.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/sorting.h"

enum { BLOCK = WADI_SORT_BLOCK, MOST_BYTES = 128 };

static wadi_lv from_of(wadi_lower *l, const wadi_unit *u) {
    return bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, BLOCK));
}

static wadi_lv below_of(wadi_lower *l, const wadi_sorting *s, wadi_lv from) {
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, BLOCK)), s->n);
}

static wadi_lv blocks(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_sorting(l, bind).blocks;
}

/* ---- elements ---- */

static void value_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[0] = wadi_lower_sorting(l, bind).n;
}

static void value_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv extent[WADI_MAX_RANK];
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    const wadi_lv from = from_of(l, u);
    const wadi_keyed list = {.dropped = num(l, 0), .value = u->pointer};
    wadi_lower_extents(l, u->bind->results[0], extent);
    wadi_lower_permute_keys(l, u->bind, extent, from, below_of(l, &s, from), &list);
}

/* ---- keys ---- */

static void key_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[1] = wadi_lower_sorting(l, bind).n;
    extent[0] = num(l, 2);
}

static void key_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    const wadi_lv from = from_of(l, u);
    wadi_lower_sort_keys(l, u->bind, &s, u->pointer, from, below_of(l, &s, from));
}

/* ---- a pass ---- */

static void count_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const wadi_sorting s = wadi_lower_sorting(l, bind);
    extent[0] = wadi_lb_select(&l->b, WADI_I64, s.sorted, s.digits, num(l, 0));
    extent[1] = s.blocks;
}

/* Blocks, if there is a second pass. */
static wadi_lv blocks_again(wadi_lower *l, const wadi_bind *bind) {
    const wadi_sorting s = wadi_lower_sorting(l, bind);
    const wadi_lv again = bin(l, WADI_SOP_GT, s.passes, num(l, 1));
    return wadi_lb_select(&l->b, WADI_I64, again, s.blocks, num(l, 0));
}

static wadi_lv digits(wadi_lower *l, const wadi_bind *bind) {
    const wadi_sorting s = wadi_lower_sorting(l, bind);
    return wadi_lb_select(&l->b, WADI_I64, s.sorted, s.digits, num(l, 0));
}

static wadi_lv digits_again(wadi_lower *l, const wadi_bind *bind) {
    const wadi_sorting s = wadi_lower_sorting(l, bind);
    const wadi_lv again = bin(l, WADI_SOP_GT, s.passes, num(l, 1));
    return wadi_lb_select(&l->b, WADI_I64, again, s.digits, num(l, 0));
}

static void count(wadi_lower *l, const wadi_unit *u, int pass) {
    wadi_lv keys[WADI_MAX_FIELDS];
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    wadi_flat_table(l, u, keys);
    wadi_lower_sort_count(l, &s, pass, keys, u->pointer[0], wadi_flat_piece(l, u));
}

static void count_first(wadi_lower *l, const wadi_unit *u) {
    count(l, u, 0);
}

static void count_second(wadi_lower *l, const wadi_unit *u) {
    count(l, u, 1);
}

static void sum_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    wadi_lower_sort_sum(l, &s, u->pointer[0], wadi_flat_piece(l, u));
}

static void place(wadi_lower *l, const wadi_unit *u, int pass) {
    wadi_lv counts[WADI_MAX_FIELDS];
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    wadi_flat_table(l, u, counts);
    wadi_lower_sort_place(l, &s, pass, u->pointer, counts[0], wadi_flat_piece(l, u));
}

static void place_first(wadi_lower *l, const wadi_unit *u) {
    place(l, u, 0);
}

static void place_second(wadi_lower *l, const wadi_unit *u) {
    place(l, u, 1);
}

/* ---- the result ---- */

static wadi_lv buckets(wadi_lower *l, const wadi_bind *bind) {
    const wadi_sorting s = wadi_lower_sorting(l, bind);
    return wadi_lb_select(&l->b, WADI_I64, s.sorted, s.buckets, num(l, 1));
}

/* `values`: the slot behind the keys. */
static void combine(wadi_lower *l, const wadi_unit *u, bool values) {
    wadi_lv keys[WADI_MAX_FIELDS], value[WADI_MAX_FIELDS];
    const wadi_sorting s = wadi_lower_sorting(l, u->bind);
    wadi_unit of_values = *u;
    of_values.table++;
    wadi_flat_table(l, u, keys);
    if (values) wadi_flat_table(l, &of_values, value);
    wadi_lb_if(&l->b, s.sorted);
    wadi_lower_sort_combine(l, u->bind, &s, keys, values ? value : NULL, u->extent, u->pointer,
                            wadi_flat_piece(l, u));
    wadi_lb_else(&l->b);
    wadi_lower_scatter(l, u->bind, u->extent, u->pointer, NULL);
    wadi_lb_end(&l->b);
}

static void combine_read(wadi_lower *l, const wadi_unit *u) {
    combine(l, u, false);
}

static void combine_values(wadi_lower *l, const wadi_unit *u) {
    combine(l, u, true);
}

/* ---- the steps ---- */

/* The number of elements of `v`, if it is known; sizes above `most` are `most`. */
static bool size_is_known(const wadi_flat *c, wadi_val v, int64_t most, int64_t *out) {
    *out = 1;
    for (int d = 0; d < c->y->m->values[v].type.array[0].rank; d++) {
        const wadi_ext e = wadi_shapes_extent(c->y->shapes, v, 0, d);
        int64_t n = 0;
        if (e == WADI_EXT_NONE || !wadi_ext_is_const(c->y->shapes->extents, e, &n)) return false;
        *out = n > 0 && *out > most / n ? most : *out * n;
    }
    return true;
}

/* Whether the result is known to be so small that one pass sorts it. */
static bool takes_one_pass(const wadi_flat *c, const wadi_bind *bind) {
    int64_t size = 0;
    return size_is_known(c, bind->results[0], WADI_SORT_ONE_PASS + 1, &size) &&
           size <= WADI_SORT_ONE_PASS;
}

static wadi_status pass(wadi_flat *c, const wadi_bind *bind, int keys, int counts, bool first,
                        const char *tag) {
    static const wadi_cut count_cuts[2] = {
        {count_extents, NULL, count_first, blocks, .whole = true, .lanes = true},
        {count_extents, NULL, count_second, blocks_again, .whole = true, .lanes = true}};
    static const wadi_cut sum_cuts[2] = {
        {count_extents, NULL, sum_unit, digits, .whole = true, .lanes = true},
        {count_extents, NULL, sum_unit, digits_again, .whole = true, .lanes = true}};
    static const wadi_cut place_cuts[2] = {
        {key_extents, NULL, place_first, blocks, .whole = true, .lanes = true},
        {key_extents, NULL, place_second, blocks_again, .whole = true, .lanes = true}};
    const int k = first ? 0 : 1;
    const char *before = tag ? tag : "";
    const char *counting = wadi_arena_printf(c->y->arena, "%scounts%d", before, k);
    const char *summing = wadi_arena_printf(c->y->arena, "%ssums%d", before, k);
    const char *placing = wadi_arena_printf(c->y->arena, "%splaces%d", before, k);
    if (!counting || !summing || !placing) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_cut(c, bind, counts, &count_cuts[k], counting, keys, first));
    WADI_TRY(wadi_flat_cut(c, bind, counts, &sum_cuts[k], summing, -1, false));
    return wadi_flat_cut(c, bind, keys, &place_cuts[k], placing, counts, false);
}

wadi_status wadi_flat_permute_sorted(wadi_flat *c, const wadi_bind *bind, int slot,
                                     const char *tag) {
    static const wadi_cut value_cut = {value_extents, NULL,          value_unit,
                                       blocks,        .whole = true, .lanes = true};
    static const wadi_cut key_cut = {key_extents, NULL,          key_unit,
                                     blocks,      .whole = true, .lanes = true};
    static const wadi_cut combine_cuts[2] = {
        {.rows = buckets, .unit = combine_read, .whole = true, .lanes = true},
        {.rows = buckets, .unit = combine_values, .whole = true, .lanes = true}};
    wadi_array_type key = {.rank = 2, .elem = {.fields = 2, .type = {WADI_U32, WADI_U32}}};
    wadi_array_type value = {.rank = 1, .elem = c->y->m->values[bind->args[1]].type.array[0].elem};
    const wadi_array_type count = {.rank = 2, .elem = wadi_elem_scalar(WADI_U32)};
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *before = tag ? tag : "";
    const char *valuing = wadi_arena_printf(c->y->arena, "%svalues", before);
    const char *keying = wadi_arena_printf(c->y->arena, "%skeys", before);
    const bool stores = !wadi_flat_is_harmless(c, bind->args[1], true);
    int keys = -1, values = -1, counts = -1;
    if (!valuing || !keying) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_permute_defaults(c, bind, slot, tag));
    WADI_TRY(wadi_flat_slot(c, "keys", kind, &key, &keys));
    if (stores) WADI_TRY(wadi_flat_slot(c, "values", kind, &value, &values));
    WADI_TRY(wadi_flat_slot(c, "counts", kind, &count, &counts));
    if (stores) WADI_TRY(wadi_flat_cut(c, bind, values, &value_cut, valuing, -1, true));
    WADI_TRY(wadi_flat_cut(c, bind, keys, &key_cut, keying, -1, true));
    WADI_TRY(pass(c, bind, keys, counts, true, tag));
    if (!takes_one_pass(c, bind)) WADI_TRY(pass(c, bind, keys, counts, false, tag));
    return wadi_flat_cut(c, bind, slot, &combine_cuts[stores], tag, keys, false);
}

bool wadi_flat_permute_sorts(wadi_flat *c, const wadi_bind *bind) {
    const wadi_elem *e = &c->y->m->values[bind->args[1]].type.array[0].elem;
    const int64_t limit = INT64_C(1) << WADI_SORT_SIZES;
    int64_t from = 0, to = 0;
    if (wadi_fields_size(e->type, e->fields) > MOST_BYTES) return false;
    if (size_is_known(c, bind->args[1], limit, &from) && (from < WADI_SORT_LEAST || from == limit))
        return false;
    return !(size_is_known(c, bind->results[0], limit, &to) && (to == 0 || to == limit));
}
