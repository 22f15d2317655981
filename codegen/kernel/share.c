/* Sharing an array among workers by its rows: bands of rows are dealt out to the units in turn (permute.c). */
#include "codegen/kernel/permute.h"
enum {
    MOST = 64,     /* units */
    TIMES = 2,     /* units per worker, so that workers end at about the same time */
    WORTH = 32768, /* the fewest elements of the source that are worth sharing */
    PATCH = 16     /* the fewest elements of a patch */
};

/* The number of units: 1 if there is one worker or sharing is not worth it. */
wadi_lv wadi_lower_shares(wadi_lower *l, wadi_lv all, wadi_lv patch) {
    wadi_lb *b = &l->b;
    const wadi_lv workers = wadi_lb_leaf(b, WADI_L_ARG, -1, 3, WADI_LV_NONE);
    const wadi_lv wanted = wadi_lb_bin(b, WADI_SOP_MUL, workers, wadi_lb_i64(b, TIMES));
    wadi_lv n = wadi_lb_i64(b, MOST);
    for (int64_t k = MOST / 2; k > 1; k /= 2)
        n = wadi_lb_select(b, WADI_I64, wadi_lb_bin(b, WADI_SOP_LE, wanted, wadi_lb_i64(b, k)),
                           wadi_lb_i64(b, k), n);
    const wadi_lv many = wadi_lb_bin(b, WADI_SOP_GE, all, wadi_lb_i64(b, WORTH));
    const wadi_lv large = wadi_lb_bin(b, WADI_SOP_LAND, many,
                                      wadi_lb_bin(b, WADI_SOP_GE, patch, wadi_lb_i64(b, PATCH)));
    const wadi_lv worth = wadi_lb_bin(
        b, WADI_SOP_LAND, wadi_lb_bin(b, WADI_SOP_GT, workers, wadi_lb_i64(b, 1)), large);
    return wadi_lb_select(b, WADI_I64, worth, n, wadi_lb_i64(b, 1));
}
