/* Reading and writing elements by arrays of indices. gather_if is a conditional read; the others are permutes whose target
 * comes with the element. */
#include "graph/lang/node.h"

/* ---- gather_if ---- */

static wadi_exp read_if(void *env, wadi_exp flag, wadi_exp index, wadi_exp otherwise) {
    return wadi_cond(flag, wadi_index1(*(const wadi_acc *)env, index), otherwise);
}

wadi_acc wadi_gather_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a) {
    return wadi_zip_with3_env(read_if, &a, flags, indices, defaults);
}

/* ---- scatter ---- */

static wadi_exp newest(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    (void)old;
    return element;
}

static wadi_ix place(void *env, wadi_ix ix, int n, const wadi_exp *key) {
    (void)env;
    (void)ix;
    return n == 1 ? wadi_ix1(key[0]) : wadi_keep_if(key[1], wadi_ix1(key[0]));
}

wadi_acc wadi_scatter(wadi_acc indices, wadi_acc defaults, wadi_acc a) {
    const char *outer = wadi_lang_call("scatter");
    return wadi_acc_called(outer,
                           wadi_permute_by_env(newest, defaults, place, NULL, a, 1, &indices));
}

wadi_acc wadi_scatter_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a) {
    const char *outer = wadi_lang_call("scatter_if");
    const wadi_acc keys[] = {indices, flags};
    return wadi_acc_called(outer, wadi_permute_by_env(newest, defaults, place, NULL, a, 2, keys));
}

/* ---- histogram ---- */

typedef struct combining {
    wadi_fn2_env f;
    void *env;
} combining;

static wadi_exp combine(void *env, wadi_exp element, wadi_exp old) {
    const combining *c = env;
    return WADI_ASK_EXP(c->f, c->env, element, old);
}

wadi_acc wadi_histogram_env(wadi_fn2_env comb, void *env, wadi_exp n, wadi_exp z, wadi_acc indices,
                            wadi_acc values) {
    const char *outer = wadi_lang_call("histogram");
    combining c = {comb, env};
    const wadi_acc start = wadi_fill(wadi_ix1(n), z);
    return wadi_acc_called(outer,
                           wadi_permute_by_env(combine, start, place, &c, values, 1, &indices));
}

wadi_acc wadi_histogram(wadi_fn2 comb, wadi_exp n, wadi_exp z, wadi_acc indices, wadi_acc values) {
    return wadi_histogram_env(wadi_call2, &comb, n, z, indices, values);
}
