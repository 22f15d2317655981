/* Lifting: how each value of a stage body is stored over a chunk of the stream.
 *
 * Nothing is rewritten. Every value of a body is thought of as a function of the stream's index, and the dependence analysis
 * says whether its elements and its shape depend on that index:
 *   neither shape nor elements  avoid      one array for the whole run; the pass hoist has moved it out of the body
 *   elements alone              regular    rank + 1, the stream's index outermost
 *   the shape                   irregular  a segment descriptor and flat columns
 * An avoid value that is still in the body is stored like a regular one, which is always right.
 */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/text.h"

typedef struct lifting {
    wadi_module *m;
    wadi_pass_cx *cx;
} lifting;

/* ---- telling why ---- */

/* The extents that are not constants, for the reason of an irregular value. */
static void why_irregular(const lifting *s, wadi_val v, wadi_text *t) {
    const wadi_array_type *type = s->m->values[v].type.array;
    for (int d = 0; d < type->rank; d++) {
        int64_t value;
        const wadi_ext e = wadi_shapes_extent(s->cx->shapes, v, 0, d);
        if (e == WADI_EXT_NONE || wadi_ext_is_const(s->cx->shapes->extents, e, &value)) continue;
        wadi_text_addf(t, "%sextent %d is ", t->n > 0 ? ", " : "", d);
        wadi_ext_print(s->cx->shapes->extents, e, t);
    }
    wadi_text_add(t,
                  t->n > 0 ? ": it varies along the stream" : "its shape varies along the stream");
}

static const char *why_regular(bool avoid, bool in_region) {
    if (!avoid) return "one shape for the whole stream, elements differ";
    return in_region
               ? "the same along the stream, but made inside a branch or loop that may not run"
               : "the same along the stream, but not computed before it";
}

static void mark(lifting *s, wadi_val v, bool in_region) {
    const wadi_rep found = wadi_rep_of(wadi_deps_get(s->cx->deps, v, 0));
    const wadi_rep rep = found == WADI_REP_AVOID ? WADI_REP_REGULAR : found;
    s->m->values[v].rep = rep;
    if (!s->cx->diag) return;
    wadi_text t;
    wadi_text_init(&t);
    if (rep == WADI_REP_IRREGULAR)
        why_irregular(s, v, &t);
    else
        wadi_text_add(&t, why_regular(found == WADI_REP_AVOID, in_region));
    wadi_diag_rep(s->cx->diag, v, rep, "%s", wadi_text_str(&t));
    wadi_text_fini(&t);
}

/* ---- the walk ---- */

static void mark_block(lifting *s, const wadi_block *block, bool in_region) {
    for (int p = 0; p < block->nparams; p++) mark(s, block->params[p], in_region);
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++) mark(s, b->results[r], in_region);
        for (int k = 0; k < b->nblocks; k++) mark_block(s, b->blocks[k], true);
    }
}

static void lift_block(lifting *s, const wadi_block *block) {
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int k = 0; k < b->nblocks; k++) {
            if (b->op->kind == WADI_OP_SEQUENCE)
                mark_block(s, b->blocks[k], false);
            else
                lift_block(s, b->blocks[k]);
        }
    }
}

wadi_status wadi_pass_lift(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    WADI_UNUSED(err);
    lifting s = {m, cx};
    lift_block(&s, m->main);
    return WADI_OK;
}
