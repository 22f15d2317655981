/* Operations of a step, as a number for each element of a space whose extents are those of slots: the largest array that the binding goes
 * through, which need not be stored itself. */
#include "codegen/kernel/work.h"

#include "base/error.h"
#include "codegen/operations.h"

enum { ARRAYS = 8 };

/* Arrays in slots that have to do with a binding. */
typedef struct near {
    const wadi_layout *y;
    wadi_val of[ARRAYS];
    int n;
} near;

static bool is_delayed(const void *env, wadi_val v) {
    const near *x = env;
    return x->y->m->values[v].def == WADI_DEF_BIND && !wadi_is_stored(x->y, v);
}

static void add(near *x, wadi_val v) {
    v = wadi_layout_resolved(x->y, v);
    if (x->n < ARRAYS && x->y->slot_of[v] >= 0) x->of[x->n++] = v;
}

static void read_by(void *env, wadi_val v, int picked) {
    WADI_UNUSED(picked);
    add(env, v);
}

static bool is_array(const wadi_layout *y, wadi_val v) {
    const wadi_value *value = &y->m->values[v];
    return value->def != WADI_DEF_CONST && !value->type.is_seq;
}

static int rank_of(const wadi_layout *y, wadi_val v) {
    return y->m->values[v].type.array[0].rank;
}

/* What the binding goes through: a fold gives less than it reads. */
static wadi_val space_of(const wadi_layout *y, const wadi_bind *b) {
    wadi_val most = b->results[0];
    for (int i = 0; i < b->nargs; i++)
        if (is_array(y, b->args[i]) && rank_of(y, b->args[i]) > rank_of(y, most)) most = b->args[i];
    return most;
}

static bool is_wide(const wadi_layout *y, wadi_val v) {
    const wadi_elem *e = &y->m->values[v].type.array[0].elem;
    for (int f = 0; f < e->fields; f++)
        if (wadi_type_size(e->type[f]) > 4) return true;
    return false;
}

/* Finds a slot that has the extent. */
static bool find(const near *x, wadi_ext e, wadi_plan_where *out) {
    const wadi_shapes *shapes = x->y->shapes;
    if (e == WADI_EXT_NONE) return false;
    *out = (wadi_plan_where){.slot = -1};
    if (wadi_ext_is_const(shapes->extents, e, &out->value)) return true;
    for (int i = 0; i < x->n; i++)
        for (int d = 0; d < rank_of(x->y, x->of[i]); d++) {
            const wadi_ext is = wadi_shapes_extent(shapes, x->of[i], 0, d);
            if (is == WADI_EXT_NONE || !wadi_ext_same(shapes->extents, is, e)) continue;
            *out = (wadi_plan_where){.slot = x->y->slot_of[x->of[i]], .dim = d};
            return true;
        }
    return false;
}

static bool describe(wadi_operations_of *of, near *x, const wadi_bind *b, bool whole,
                     wadi_plan_work *out) {
    if (b->nresults != 1 || b->nblocks > 0 || b->nfuns == 0 || !is_array(x->y, b->results[0]))
        return false;
    const wadi_val space = space_of(x->y, b);
    x->n = 0;
    *out = (wadi_plan_work){.operations = wadi_operations(of, b), .rank = rank_of(x->y, space)};
    /* what is read comes first */
    out->by = whole || x->n == 0 ? -1 : x->y->slot_of[x->of[0]];
    add(x, b->results[0]);
    out->wide = is_wide(x->y, b->results[0]);
    for (int i = 0; i < b->nargs; i++)
        out->wide = out->wide || (is_array(x->y, b->args[i]) && is_wide(x->y, b->args[i]));
    for (int d = 0; d < out->rank; d++)
        if (!find(x, wadi_shapes_extent(x->y->shapes, space, 0, d), &out->extent[d])) return false;
    return out->operations > 0;
}

bool wadi_lower_note_work(const wadi_layout *y, int n, const wadi_bind *const *binds, bool whole,
                          wadi_plan_step *step) {
    near x = {.y = y};
    wadi_operations_of of = {.m = y->m,
                             .is_delayed = is_delayed,
                             .read = read_by,
                             .env = &x,
                             .seen = WADI_NEW_N(y->arena, uint32_t, (size_t)y->m->nvalues + 1)};
    wadi_plan_work *works = WADI_NEW_N(y->keep, wadi_plan_work, (size_t)n + 1);
    if (!of.seen || !works) return false;
    step->works = works;
    for (int i = 0; i < n; i++)
        if (describe(&of, &x, binds[i], whole, &works[step->nworks])) step->nworks++;
    return true;
}
