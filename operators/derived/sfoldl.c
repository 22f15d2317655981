/* sfoldl: a loop in scalar code over one row of an array. */
#include "graph/lang/node.h"

typedef struct folding {
    wadi_fn2_env f;
    void *env;
    wadi_ix at; /* of the row, and a dimension more */
    wadi_acc a;
} folding;

static wadi_exp next(void *env, wadi_exp i, wadi_exp state) {
    const folding *s = env;
    wadi_ix at = s->at;
    at.at[at.rank - 1] = i;
    const wadi_exp e = WADI_ASK_EXP(s->f, s->env, state, wadi_index(s->a, at));
    if (!e.node) wadi_lang_fail(WADI_INVALID, "sfoldl: the function gives nothing");
    const wadi_elem *given = wadi_exp_elem(e), *expected = wadi_exp_elem(state);
    if (given && expected && !wadi_elem_equal(given, expected))
        wadi_lang_fail(WADI_TYPE, "sfoldl: the function gives %s, expected %s",
                       wadi_elem_text(given), wadi_elem_text(expected));
    return e;
}

/* `given`: whether there is a function of the user; f may be one that calls it. */
static wadi_exp folded(bool given, wadi_fn2_env f, void *env, wadi_exp z, wadi_ix row, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("sfoldl");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    if (!wadi_draft_failed(&d) && row.rank != t->rank - 1)
        wadi_draft_fail(&d, WADI_SHAPE, "the row's index has rank %d, expected %d", row.rank,
                        t->rank - 1);
    if (!given) wadi_draft_fail(&d, WADI_INVALID, "the function is NULL");
    if (wadi_draft_failed(&d)) return WADI_NO_EXP;
    folding s = {f, env, row, a};
    s.at.rank = row.rank + 1;
    return wadi_iterate_env(wadi_extent(a, row.rank), next, &s, z);
}

wadi_exp wadi_sfoldl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_ix row, wadi_acc a) {
    return folded(f != NULL, f, env, z, row, a);
}

wadi_exp wadi_sfoldl(wadi_fn2 f, wadi_exp z, wadi_ix row, wadi_acc a) {
    return folded(f != NULL, wadi_call2, &f, z, row, a);
}
