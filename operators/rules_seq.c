/* What the rules of the sequence operators share: the components of streams as parameters of
 * regions. */
#include "operators/rules.h"

int wadi_rule_component_types(const wadi_module *m, const wadi_bind *b, int from, int to,
                              wadi_array_type *types, int n) {
    for (int i = from; i < to; i++) {
        const wadi_val_type *s = wadi_rule_seq(m, b, i);
        if (!s || n + s->arrays > WADI_MAX_PARAMS) return -1;
        for (int c = 0; c < s->arrays; c++)
            types[n++] = (wadi_array_type){.rank = s->array[c].rank, .elem = s->array[c].elem};
    }
    return n;
}

void wadi_rule_seq_shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    for (int c = 0; c < r->nyields; c++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, r->yields[c]); d++)
            cx->set(cx, b->results[0], c, d, cx->get(cx, r->yields[c], 0, d));
}
