/* Sharing an array among workers by its rows: a worker has the rows whose number, shifted, is its unit's number (permute.c). */
#include "codegen/kernel/permute.h"
enum {
    MOST = 64,     /* units */
    TIMES = 2,     /* so many units for each worker, that they end together */
    WORTH = 32768, /* elements of the source at least, */
    PATCH = 16     /* and so many in a patch */
};

/* 1 for one worker, or when it is not worth more. */
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
