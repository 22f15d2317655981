/* How C programs write stencils. Each place that the function reads becomes a parameter of it when it is first read. */
#include "operators/stencil.h"

/* A place that the function reads. */
typedef struct place {
    int array, param;
    int64_t at[WADI_STENCIL_DIMS];
    wadi_exp element;
} place;

typedef struct places {
    wadi_draft *d; /* NULL: the function has returned */
    int dims, n, cap, scalars;
    place *at; /* in the program's arena, like all of this */
} places;

struct wadi_window {
    places *all;
    int array;
    const wadi_elem *elem;
};

/* ---- reading ---- */

static bool may_read(const wadi_window *w, int dims, const int *distance) {
    if (!w) {
        wadi_lang_fail(WADI_INVALID, "near: the window is NULL");
    } else if (!w->all->d) {
        wadi_lang_fail(WADI_INVALID, "near: the function of the stencil has ended");
    } else if (w->all->d->program != wadi_program_number()) {
        wadi_lang_fail(WADI_INVALID, "near: the window belongs to another program");
    } else if (w->all->dims != dims) {
        wadi_lang_fail(WADI_SHAPE, "near: %d distances, expected %d", dims, w->all->dims);
    } else {
        for (int j = 0; j < dims; j++) {
            if (distance[j] >= -WADI_STENCIL_FAR && distance[j] <= WADI_STENCIL_FAR) continue;
            wadi_lang_fail(WADI_UNSUPPORTED, "near: the distance %d is larger than %d", distance[j],
                           WADI_STENCIL_FAR);
            return false;
        }
        return !wadi_draft_failed(w->all->d);
    }
    return false;
}

/* The order of places in the attributes: by array, then by distance, the outermost dimension first. */
static int compare(const place *x, const place *y, int dims) {
    if (x->array != y->array) return x->array < y->array ? -1 : 1;
    for (int j = 0; j < dims; j++)
        if (x->at[j] != y->at[j]) return x->at[j] < y->at[j] ? -1 : 1;
    return 0;
}

static bool make_room(places *all) {
    if (all->n < all->cap) return true;
    const int cap = all->cap ? 2 * all->cap : 8;
    place *at = WADI_NEW_N(wadi_program_current()->arena, place, (size_t)cap);
    if (!at) return false;
    for (int i = 0; i < all->n; i++) at[i] = all->at[i];
    all->at = at;
    all->cap = cap;
    return true;
}

static wadi_exp element_at(wadi_window *w, int dims, const int *distance) {
    if (!may_read(w, dims, distance)) return WADI_NO_EXP;
    places *all = w->all;
    place p = {.array = w->array, .param = all->n};
    for (int j = 0; j < dims; j++) p.at[j] = distance[j];
    int i = 0, before = -1;
    for (; i < all->n && (before = compare(&all->at[i], &p, dims)) < 0; i++) {
    }
    if (i < all->n && before == 0) return all->at[i].element;
    if (all->scalars + w->elem->fields > WADI_MAX_FUN_PARAMS) {
        wadi_draft_fail(all->d, WADI_UNSUPPORTED, "the neighbourhood has more than %d scalars",
                        WADI_MAX_FUN_PARAMS);
        return WADI_NO_EXP;
    }
    if (!make_room(all)) {
        wadi_draft_fail(all->d, WADI_MEMORY, "out of memory");
        return WADI_NO_EXP;
    }
    p.element = wadi_draft_param(all->d, w->elem);
    all->scalars += w->elem->fields;
    for (int k = all->n++; k > i; k--) all->at[k] = all->at[k - 1];
    all->at[i] = p;
    return p.element;
}

wadi_exp wadi_near1(wadi_window *w, int dx) {
    return element_at(w, 1, &dx);
}

wadi_exp wadi_near2(wadi_window *w, int dy, int dx) {
    return element_at(w, 2, (const int[]){dy, dx});
}

wadi_exp wadi_near3(wadi_window *w, int dz, int dy, int dx) {
    return element_at(w, 3, (const int[]){dz, dy, dx});
}

/* ---- edges ---- */

wadi_edge wadi_edge_clamp(void) {
    return (wadi_edge){.kind = WADI_EDGE_CLAMP};
}

wadi_edge wadi_edge_mirror(void) {
    return (wadi_edge){.kind = WADI_EDGE_MIRROR};
}

wadi_edge wadi_edge_wrap(void) {
    return (wadi_edge){.kind = WADI_EDGE_WRAP};
}

wadi_edge wadi_edge_constant(wadi_exp value) {
    return (wadi_edge){.kind = WADI_EDGE_FUNCTION, .value = value};
}

wadi_edge wadi_edge_function(wadi_ix_fn f) {
    return (wadi_edge){.kind = WADI_EDGE_FUNCTION, .f = f};
}

wadi_edge wadi_edge_function_env(wadi_ix_fn_env f, void *env) {
    return (wadi_edge){.kind = WADI_EDGE_FUNCTION, .f_env = f, .env = env};
}

static wadi_exp beyond(const wadi_edge *e, wadi_ix ix) {
    if (e->value.node) return e->value;
    return e->f_env ? WADI_ASK_EXP(e->f_env, e->env, ix) : WADI_ASK_EXP(e->f, ix);
}

static void add_edge(wadi_draft *d, const wadi_edge *e, const wadi_array_type *t) {
    if (e->kind != WADI_EDGE_FUNCTION || wadi_draft_failed(d)) return;
    wadi_draft_fun(d);
    const wadi_ix ix = wadi_draft_param_ix(d, t->rank);
    wadi_draft_gives_elem(d, beyond(e, ix), &t->elem);
}

/* ---- the stencil ---- */

static void add_arrays(wadi_draft *d, int dims, int n, const wadi_edge *edges,
                       const wadi_acc *arrays, const wadi_array_type **out) {
    int64_t digits = 0;
    if (dims < 1 || dims > WADI_STENCIL_DIMS)
        wadi_draft_fail(d, WADI_INVALID, "%d dimensions, expected 1 to %d", dims,
                        WADI_STENCIL_DIMS);
    if (n < 1 || n > WADI_STENCIL_ARRAYS)
        wadi_draft_fail(d, WADI_UNSUPPORTED, "%d arrays, expected 1 to %d", n, WADI_STENCIL_ARRAYS);
    wadi_draft_given(d, arrays, "arrays");
    wadi_draft_given(d, edges, "edges");
    for (int k = 0; k < n && !wadi_draft_failed(d); k++) {
        out[k] = wadi_draft_array(d, arrays[k]);
        wadi_expect_rank_from(d, out[k], dims);
        if (k > 0 && out[0]) wadi_expect_rank(d, out[k], out[0]->rank);
        if (edges[k].kind < WADI_EDGE_CLAMP || edges[k].kind > WADI_EDGE_FUNCTION)
            wadi_draft_fail(d, WADI_INVALID, "the edge of array %d is none", k + 1);
        digits = 10 * digits + (int64_t)edges[k].kind;
    }
    wadi_draft_attr(d, dims);
    wadi_draft_attr(d, digits);
}

/* The attribute near; and the parameters come into the order that it says. */
static void add_places(wadi_draft *d, const places *all, int arrays) {
    int64_t near[WADI_MAX_FUN_PARAMS * WADI_STENCIL_DIMS + WADI_STENCIL_ARRAYS];
    int order[WADI_MAX_FUN_PARAMS], n = 0;
    for (int k = 0, i = 0; k < arrays; k++) {
        const int count = n++;
        near[count] = 0;
        for (; i < all->n && all->at[i].array == k; i++, near[count]++)
            for (int j = 0; j < all->dims; j++) near[n++] = all->at[i].at[j];
    }
    for (int i = 0; i < all->n; i++) order[i] = all->at[i].param;
    wadi_draft_order_params(d, all->n, order);
    wadi_draft_attr_list(d, n, near);
}

/* Windows and places, in the program's arena: a window that is kept too long is still there to be refused. */
static places *make_windows(wadi_draft *d, int dims, int n, const wadi_array_type *const *t,
                            wadi_window **out) {
    wadi_arena *arena = wadi_program_current()->arena;
    places *all = WADI_NEW(arena, places);
    wadi_window *w = WADI_NEW_N(arena, wadi_window, (size_t)n);
    if (!all || !w) {
        wadi_draft_fail(d, WADI_MEMORY, "out of memory");
        return NULL;
    }
    *all = (places){.d = d, .dims = dims};
    for (int k = 0; k < n; k++) {
        w[k] = (wadi_window){all, k, &t[k]->elem};
        out[k] = &w[k];
    }
    return all;
}

wadi_acc wadi_stencil_n_env(int dims, wadi_stencil_n_fn_env f, void *env, int n,
                            const wadi_edge *edges, const wadi_acc *arrays) {
    const wadi_array_type *t[WADI_STENCIL_ARRAYS] = {NULL};
    wadi_window *w[WADI_STENCIL_ARRAYS] = {NULL};
    wadi_draft d = wadi_draft_begin("stencil");
    add_arrays(&d, dims, n, edges, arrays, t);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    places *all = make_windows(&d, dims, n, t, w);
    if (!all) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_exp result = WADI_ASK_EXP(f, env, n, w);
    if (wadi_program_back(d.what, d.program)) add_places(&d, all, n);
    all->d = NULL;
    const wadi_elem *e = wadi_draft_gives(&d, result);
    for (int k = 0; k < n; k++) add_edge(&d, &edges[k], t[k]);
    return wadi_draft_acc(&d, &wadi_op_stencil, t[0] ? t[0]->rank : 0, e);
}

/* ---- of one array, and of two ---- */

typedef struct one {
    wadi_stencil_fn_env f;
    void *env;
} one;

static wadi_exp call_one(void *env, int n, wadi_window *const *w) {
    const one *o = env;
    WADI_UNUSED(n);
    return WADI_ASK_EXP(o->f, o->env, w[0]);
}

wadi_acc wadi_stencil_env(int dims, wadi_stencil_fn_env f, void *env, wadi_edge edge, wadi_acc a) {
    one o = {f, env};
    return wadi_stencil_n_env(dims, call_one, &o, 1, &edge, &a);
}

static wadi_exp call_plain(void *env, wadi_window *w) {
    return WADI_ASK_EXP(*(wadi_stencil_fn *)env, w);
}

wadi_acc wadi_stencil(int dims, wadi_stencil_fn f, wadi_edge edge, wadi_acc a) {
    return wadi_stencil_env(dims, call_plain, &f, edge, a);
}

typedef struct two {
    wadi_stencil2_fn_env f;
    void *env;
} two;

static wadi_exp call_two(void *env, int n, wadi_window *const *w) {
    const two *t = env;
    WADI_UNUSED(n);
    return WADI_ASK_EXP(t->f, t->env, w[0], w[1]);
}

wadi_acc wadi_stencil2_env(int dims, wadi_stencil2_fn_env f, void *env, wadi_edge edge_a,
                           wadi_acc a, wadi_edge edge_b, wadi_acc b) {
    two t = {f, env};
    return wadi_stencil_n_env(dims, call_two, &t, 2, (const wadi_edge[]){edge_a, edge_b},
                              (const wadi_acc[]){a, b});
}

static wadi_exp call_plain2(void *env, wadi_window *x, wadi_window *y) {
    return WADI_ASK_EXP(*(wadi_stencil2_fn *)env, x, y);
}

wadi_acc wadi_stencil2(int dims, wadi_stencil2_fn f, wadi_edge edge_a, wadi_acc a, wadi_edge edge_b,
                       wadi_acc b) {
    return wadi_stencil2_env(dims, call_plain2, &f, edge_a, a, edge_b, b);
}
