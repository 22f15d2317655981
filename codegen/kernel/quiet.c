/* Reading ahead of one's turn. Whoever reads elements in another order than that of the source must not tell the faults that he meets. So
 * a check opens a branch for what needs it. Where the branch is not taken, that is noted, and code that goes in order tells it later.
 *
 * Branches and loops of scalar code are quiet within: each side and each round has branches of its own. What follows a check that has failed goes
 * on with values that mean nothing. So no loop begins or goes on once something has been noted: it might not end. */
#include "codegen/kernel/check.h"

void wadi_lower_quietly(wadi_lower *l, wadi_lv bad, wadi_quiet *q) {
    *q = (wadi_quiet){.scope = l->b.scope, .bad = bad, .around = l->checking.quiet};
    l->checking.quiet = q;
}

bool wadi_lower_is_quiet(wadi_lower *l, wadi_lv fine) {
    wadi_quiet *q = l->checking.quiet;
    if (q == NULL || q->scope != l->b.scope) return false;
    wadi_lb_if(&l->b, fine);
    q->scope = l->b.scope;
    q->open++;
    return true;
}

void wadi_lower_quiet_end(wadi_lower *l, const wadi_quiet *q) {
    for (int k = 0; k < q->open; k++) {
        wadi_lb_else(&l->b);
        wadi_lb_set(&l->b, q->bad, wadi_lb_i64(&l->b, 1));
        wadi_lb_end(&l->b);
    }
    l->checking.quiet = q->around;
}

bool wadi_lower_quietly_within(wadi_lower *l, wadi_quiet *q) {
    const wadi_quiet *around = l->checking.quiet;
    if (around == NULL) return false;
    wadi_lower_quietly(l, around->bad, q);
    return true;
}

wadi_lv wadi_lower_is_well(wadi_lower *l, const wadi_quiet *q) {
    return wadi_lb_bin(&l->b, WADI_SOP_EQ, wadi_lb_get(&l->b, q->bad), wadi_lb_i64(&l->b, 0));
}
