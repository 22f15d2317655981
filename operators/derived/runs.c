/* Runs of equal neighbours in rows, and searching in sorted rows. */
#include "operators/derived/sort_keys.h"

/* ---- runs ---- */

/* Whether an element begins a run. */
static wadi_exp begins(void *env, wadi_ix ix, wadi_exp x) {
    const wadi_acc *a = env;
    const int last = ix.rank - 1;
    wadi_ix before = ix;
    before.at[last] = wadi_sub(ix.at[last], wadi_i64(1));
    const wadi_exp same = wadi_sort_same(x, wadi_index(*a, before));
    return wadi_cond(wadi_eq(ix.at[last], wadi_i64(0)), wadi_bool(true), wadi_lnot(same));
}

/* Bools of the shape of `a`: whether an element begins a run. */
static wadi_acc beginnings(const char *what, wadi_acc a) {
    wadi_draft d = wadi_draft_begin(what);
    wadi_expect_rank_from(&d, wadi_draft_array(&d, a), 1);
    return wadi_draft_failed(&d) ? WADI_NO_ACC : wadi_imap_env(begins, &a, a);
}

static wadi_exp in_all_rows(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    return wadi_to_index(wadi_shape_of(*a), ix);
}

typedef struct lengths {
    wadi_acc starts;
    wadi_exp size;
} lengths;

/* From where a run begins to where the next one does, or to the end. */
static wadi_exp length_of(void *env, wadi_ix ix, wadi_exp start) {
    const lengths *l = env;
    const wadi_exp next = wadi_add(ix.at[0], wadi_i64(1));
    const wadi_exp is_last = wadi_eq(next, wadi_extent(l->starts, 0));
    return wadi_sub(wadi_cond(is_last, l->size, wadi_index1(l->starts, next)), start);
}

wadi_acc wadi_unique(wadi_acc a) {
    const char *outer = wadi_lang_call("unique");
    const wadi_acc flags = beginnings("unique", a);
    if (!flags.node) return wadi_acc_called(outer, WADI_NO_ACC);
    const wadi_acc values = wadi_compact(flags, a);
    const wadi_acc places = wadi_generate_env(wadi_shape_of(a), in_all_rows, &a);
    lengths l = {wadi_tuple_get(wadi_compact(flags, places), 0), wadi_size(a)};
    const wadi_acc runs[] = {wadi_tuple_get(values, 0), wadi_imap_env(length_of, &l, l.starts),
                             wadi_tuple_get(values, 1)};
    return wadi_acc_called(outer, wadi_tuple(3, runs));
}

static wadi_exp one_if(wadi_exp flag) {
    return wadi_convert(WADI_I64, flag);
}

static wadi_exp less_one(wadi_exp n) {
    return wadi_sub(n, wadi_i64(1));
}

wadi_acc wadi_group_ids(wadi_acc a) {
    const char *outer = wadi_lang_call("group_ids");
    const wadi_acc flags = beginnings("group_ids", a);
    if (!flags.node) return wadi_acc_called(outer, WADI_NO_ACC);
    return wadi_acc_called(outer,
                           wadi_map(less_one, wadi_scanl1(wadi_add, wadi_map(one_if, flags))));
}

/* ---- searching ---- */

typedef struct searching {
    wadi_acc row;
    bool upper; /* elements equal to the needle are passed too */
    wadi_ix ix; /* of the needle */
    wadi_exp needle;
} searching;

static wadi_exp not_found(void *env, wadi_exp state) {
    (void)env;
    return wadi_lt(wadi_get(state, "low"), wadi_get(state, "high"));
}

static wadi_exp halved(void *env, wadi_exp state) {
    const searching *s = env;
    const wadi_exp low = wadi_get(state, "low"), high = wadi_get(state, "high");
    const wadi_exp middle = wadi_add(low, wadi_shr(wadi_sub(high, low), wadi_i32(1)));
    wadi_ix at = s->ix;
    at.rank = wadi_rank(s->row);
    at.at[at.rank - 1] = middle;
    const wadi_exp x = wadi_index(s->row, at);
    const wadi_exp right =
        s->upper ? wadi_lnot(wadi_sort_before(s->needle, x)) : wadi_sort_before(x, s->needle);
    return wadi_rec2("low", wadi_cond(right, wadi_add(middle, wadi_i64(1)), low), "high",
                     wadi_cond(right, high, middle));
}

static wadi_exp found(void *env, wadi_ix ix, wadi_exp needle) {
    searching s = *(const searching *)env;
    s.ix = ix;
    s.needle = needle;
    const wadi_exp n = wadi_extent(s.row, wadi_rank(s.row) - 1);
    const wadi_exp start = wadi_rec2("low", wadi_i64(0), "high", n);
    return wadi_get(wadi_while_env(not_found, halved, &s, start), "low");
}

static wadi_acc bound(const char *what, bool upper, wadi_acc sorted, wadi_acc needles) {
    const char *outer = wadi_lang_call(what);
    searching s = {.row = sorted, .upper = upper};
    wadi_draft d = wadi_draft_begin(what);
    const wadi_array_type *row = wadi_draft_array(&d, sorted);
    wadi_expect_rank_from(&d, row, 1);
    wadi_expect_plain(&d, row);
    if (!wadi_draft_failed(&d) && wadi_type_is_complex(row->elem.type[0]))
        wadi_draft_fail(&d, WADI_TYPE, "argument 1 is %s, which has no order",
                        wadi_elem_text(&row->elem));
    const wadi_array_type *n = wadi_draft_array(&d, needles);
    if (!wadi_draft_failed(&d)) wadi_expect_elem(&d, n, &row->elem);
    if (!wadi_draft_failed(&d) && row->rank > 1) wadi_expect_rank(&d, n, row->rank);
    const bool fine = !wadi_draft_failed(&d);
    return wadi_acc_called(outer, fine ? wadi_imap_env(found, &s, needles) : WADI_NO_ACC);
}

wadi_acc wadi_lower_bound(wadi_acc sorted, wadi_acc needles) {
    return bound("lower_bound", false, sorted, needles);
}

wadi_acc wadi_upper_bound(wadi_acc sorted, wadi_acc needles) {
    return bound("upper_bound", true, sorted, needles);
}
