/* Making arrays of a sequence within an element: folds here, collections in collect.c. */
#include "base/error.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/sequence/nested.h"

typedef struct folding {
    wadi_inner *in;
    const wadi_bind *bind;
    wadi_round_state state;
} folding;

static void folded(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const folding *f = env;
    const wadi_block *r = f->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_round_state_place(l, &f->state, r->params);
    wadi_round_state_aim(l, &f->state, r);
    (void)wadi_inner_params(l, r, f->state.n, f->bind->args[0], e);
    wadi_inner_compute(l, r, &values);
    if (l->status || l->b.failed) return;
    wadi_round_state_next(l, &f->state);
    if (!f->state.keeps_shape) wadi_inner_keep(l, f->in, NULL);
    wadi_give_back(l, &values);
}

static void fold(wadi_lower *l, wadi_inner *in, const wadi_bind *bind) {
    folding f = {in, bind, wadi_inner_state(bind)};
    f.state.results = bind->results;
    wadi_round_state_start(l, &f.state);
    if (!f.state.now || !f.state.spare || l->status) return;
    wadi_inner_each(l, in, bind->args[0], folded, &f);
    for (int i = 0; i < bind->nresults && !l->status && !l->b.failed; i++)
        l->loc[bind->results[i]] = wadi_holder_get(l, &f.state.now[i]);
}

void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind) {
    if (bind->op->seq.form == WADI_SEQ_FOLD) {
        wadi_inner in = wadi_inner_start(l, NULL);
        fold(l, &in, bind);
    } else if (!wadi_inner_collect(l, bind)) {
        wadi_lower_fail(l, bind->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        bind->op->name);
    }
}
