/* Dependence analysis: runs the operators' dependence rules over all blocks, in the order of the program.
 *
 * Outside every sequence body nothing depends on the stream index. Inside, the index and the elements of the stream do, and
 * the rules carry that on. A value that does not depend is one value for the whole stream. A value whose shape does not depend
 * makes a regular array of its elements. */
#include "graph/analysis/depend.h"

#include "base/error.h"

typedef struct depending {
    wadi_depend_cx cx; /* first: rules see this */
    const wadi_module *m;
    const wadi_shapes *s;
    wadi_deps *d;
    int bodies; /* sequence bodies around the binding */
    bool out_of_memory;
} depending;

static wadi_dep get(wadi_depend_cx *cx, wadi_val v, int comp) {
    return wadi_deps_get(((depending *)cx)->d, v, comp);
}

static void set(wadi_depend_cx *cx, wadi_val v, int comp, wadi_dep dep) {
    depending *dp = (depending *)cx;
    const size_t n = (size_t)dp->m->values[v].type.arrays;
    if (!dp->d->dep[v]) dp->d->dep[v] = WADI_NEW_N(dp->d->arena, wadi_dep, n);
    if (dp->d->dep[v])
        dp->d->dep[v][comp] = dep;
    else
        dp->out_of_memory = true;
}

/* ---- what an extent mentions ---- */

typedef struct asking {
    depending *dp;
    wadi_val about;
} asking;

static bool atom_depends(void *env, const wadi_ext_node *atom) {
    const asking *ask = env;
    if (atom->kind == WADI_EXT_SYMBOL) return false;
    if (ask->dp->m->values[atom->val].type.is_seq) return true;
    if (atom->kind == WADI_EXT_SCALAR) return get(&ask->dp->cx, atom->val, 0).elems;
    /* the extent is known only from the array itself: all that can be said is whether the array is inside a sequence body */
    if (atom->val == ask->about && !ask->dp->d->dep[ask->about]) return ask->dp->bodies > 0;
    return get(&ask->dp->cx, atom->val, atom->comp).shape;
}

static bool extent(wadi_depend_cx *cx, wadi_val v, int comp, int dim) {
    depending *dp = (depending *)cx;
    const wadi_ext e = wadi_shapes_extent(dp->s, v, comp, dim);
    if (e == WADI_EXT_NONE) return dp->bodies > 0;
    asking ask = {dp, v};
    return wadi_ext_any_atom(dp->s->extents, e, atom_depends, &ask);
}

static bool shape_depends(depending *dp, wadi_val v, int comp) {
    const int rank = dp->m->values[v].type.array[comp].rank;
    for (int d = 0; d < rank; d++)
        if (extent(&dp->cx, v, comp, d)) return true;
    return false;
}

static bool same_shape(wadi_depend_cx *cx, wadi_val a, wadi_val b) {
    const depending *dp = (depending *)cx;
    return wadi_shapes_same(dp->s, dp->m, a, b);
}

/* ---- scalar functions ---- */

static bool sblock_depends(depending *dp, const wadi_sblock *b) {
    for (int k = 0; k < b->ninsts; k++) {
        const wadi_sinst *i = b->insts[k];
        if (i->op == WADI_SOP_EXTENT) {
            if (extent(&dp->cx, i->array, 0, i->dim)) return true;
        } else if (i->array != WADI_NONE) {
            const wadi_dep d = get(&dp->cx, i->array, 0);
            if (d.elems || d.shape) return true;
        }
        for (int r = 0; r < 2; r++)
            if (i->block[r] && sblock_depends(dp, i->block[r])) return true;
    }
    return false;
}

static bool fun(wadi_depend_cx *cx, const wadi_fun *f) {
    return sblock_depends((depending *)cx, f->body);
}

/* ---- blocks ---- */

static void analyse_bind(depending *dp, const wadi_bind *b);

static void region(wadi_depend_cx *cx, const wadi_block *b) {
    depending *dp = (depending *)cx;
    for (int i = 0; i < b->nbinds && !dp->out_of_memory; i++) analyse_bind(dp, b->binds[i]);
}

/* The parameters of a stage body: the index or the state, then the components of the sequences in order. */
static void seed_body(depending *dp, const wadi_bind *b) {
    const wadi_block *body = b->blocks[0];
    for (int p = 0; p < body->nparams; p++) {
        const bool shape = shape_depends(dp, body->params[p], 0);
        set(&dp->cx, body->params[p], 0, (wadi_dep){shape, true});
    }
    if (wadi_seq_has(&b->op->seq, WADI_FORM_CHUNKS)) return;
    int total = 0;
    for (int i = 0; i < b->nargs; i++)
        if (dp->m->values[b->args[i]].type.is_seq) total += dp->m->values[b->args[i]].type.arrays;
    int next = body->nparams - total;
    for (int i = 0; i < b->nargs && next >= 0; i++) {
        const wadi_val_type *t = &dp->m->values[b->args[i]].type;
        for (int comp = 0; t->is_seq && comp < t->arrays; comp++, next++)
            /* the stage before has proved one shape for all elements, though its extents have no name out here */
            if (!get(&dp->cx, b->args[i], comp).shape)
                set(&dp->cx, body->params[next], 0, (wadi_dep){false, true});
    }
}

/* What a sequence hands to the next stage: shapes as its source declares them or as its body yields them. */
static void set_sequence(depending *dp, const wadi_bind *b, wadi_val v) {
    const wadi_block *body = b->nblocks > 0 ? b->blocks[0] : NULL;
    for (int comp = 0; comp < dp->m->values[v].type.arrays; comp++) {
        bool shape = shape_depends(dp, v, comp);
        if (body && comp < body->nyields) shape = get(&dp->cx, body->yields[comp], 0).shape;
        set(&dp->cx, v, comp, (wadi_dep){shape, true});
    }
}

static void analyse_sequence(depending *dp, const wadi_bind *b) {
    if (b->nblocks > 0) {
        dp->bodies++;
        seed_body(dp, b);
        for (int i = 0; i < b->nblocks; i++) region(&dp->cx, b->blocks[i]);
        dp->bodies--;
    }
    for (int r = 0; r < b->nresults; r++) {
        if (dp->m->values[b->results[r]].type.is_seq && b->op->depend)
            b->op->depend(&dp->cx, b);
        else if (dp->m->values[b->results[r]].type.is_seq)
            set_sequence(dp, b, b->results[r]);
        else
            set(&dp->cx, b->results[r], 0,
                (wadi_dep){shape_depends(dp, b->results[r], 0), dp->bodies > 0});
    }
}

static void analyse_bind(depending *dp, const wadi_bind *b) {
    if (b->op->kind == WADI_OP_SEQUENCE)
        analyse_sequence(dp, b);
    else if (b->op->depend)
        b->op->depend(&dp->cx, b);
    else
        wadi_depend_default(&dp->cx, b);
}

/* ---- the analysis ---- */

static wadi_deps *deps_create(const wadi_module *m) {
    wadi_arena *arena = wadi_arena_create();
    wadi_deps *d = arena ? WADI_NEW(arena, wadi_deps) : NULL;
    if (d) {
        d->arena = arena;
        d->nvalues = m->nvalues;
        d->dep = WADI_NEW_N(arena, wadi_dep *, m->nvalues);
    }
    if (d && d->dep) return d;
    wadi_arena_destroy(arena);
    return NULL;
}

void wadi_deps_destroy(wadi_deps *d) {
    if (d) wadi_arena_destroy(d->arena);
}

wadi_dep wadi_deps_get(const wadi_deps *d, wadi_val v, int comp) {
    if (v >= d->nvalues || !d->dep[v]) return (wadi_dep){false, false};
    return d->dep[v][comp];
}

wadi_rep wadi_rep_of(wadi_dep d) {
    if (d.shape) return WADI_REP_IRREGULAR;
    return d.elems ? WADI_REP_REGULAR : WADI_REP_AVOID;
}

wadi_status wadi_depend_analyse(const wadi_module *m, const wadi_shapes *s, wadi_deps **out,
                                wadi_error *err) {
    depending dp = {.m = m, .s = s, .d = deps_create(m)};
    if (!dp.d) return wadi_fail(err, WADI_MEMORY, "out of memory");
    dp.cx = (wadi_depend_cx){.module = (wadi_module *)m, /* rules read it */
                             .get = get,
                             .set = set,
                             .fun = fun,
                             .region = region,
                             .extent = extent,
                             .same_shape = same_shape};
    region(&dp.cx, m->main);
    if (dp.out_of_memory) {
        wadi_deps_destroy(dp.d);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    *out = dp.d;
    return WADI_OK;
}
