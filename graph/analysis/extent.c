/* Symbolic extents: polynomials in a normal form, hash-consed, under the equalities learned so far.
 *
 * The terms of a sum are sorted by node number, and like terms are merged. The factors of a product are sorted. No sum stands
 * inside a product. So two polynomials are equal exactly if they are the same node. Arithmetic wraps like the i64
 * arithmetic of programs.
 *
 * An equality is learned by solving it for one atom that stands in it linearly with coefficient 1 or -1. The solution
 * mentions no atom that was solved before, so substitution ends. If an equality can be solved for no atom, it is kept as a
 * polynomial that is known to be zero. Such polynomials are only compared with; nothing is searched or rewritten with them. */
#include "graph/analysis/extent.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

/* If a program's extents grow beyond these limits, they are too complex, and the analysis fails. */
enum { MAX_TERMS = 1024, MAX_FACTORS = 64, MAX_NESTING = 200, MAX_SIZE = 20000, MAX_FACTS = 256 };

typedef struct slot {
    wadi_ext_node node;
    int nesting;     /* how deep minima and maxima are nested in it */
    int size;        /* how many nodes a walk over it visits: shared nodes count each time */
    wadi_ext solved; /* an atom's value that an equality gave, or WADI_EXT_NONE */
    wadi_ext norm;   /* its representative, valid while `version` is the current one */
    uint32_t version;
} slot;

typedef struct term {
    int64_t coef;
    wadi_ext mono;
} term;

/* A polynomial being put together. */
typedef struct poly {
    int64_t value;
    WADI_VEC(term) terms;
} poly;

struct wadi_extents {
    wadi_arena *arena;
    WADI_VEC(slot) slots;
    wadi_ext *table;           /* open addressing; WADI_EXT_NONE is free */
    uint32_t ntable;           /* a power of two */
    WADI_VEC(wadi_ext) solved; /* the atoms that have a value */
    WADI_VEC(wadi_ext) zeros;  /* polynomials known to be zero that no atom solves */
    uint32_t version;          /* grows with each equality learned */
    bool (*may_solve)(const void *env, wadi_val v);
    const void *may_solve_env;
    wadi_status failed;
};

/* ---- nodes ---- */

const wadi_ext_node *wadi_ext_get(const wadi_extents *x, wadi_ext e) {
    return &x->slots.at[e].node;
}

wadi_status wadi_extents_failed(const wadi_extents *x) {
    return x->failed;
}

/* Gives the constant 0, which is node 0, so that callers always have a node. */
static wadi_ext give_up(wadi_extents *x, wadi_status why) {
    if (x->failed == WADI_OK) x->failed = why;
    return 0;
}

static uint64_t mixed(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_of(const wadi_ext_node *n) {
    uint64_t h = mixed((uint64_t)n->kind, (uint64_t)n->value);
    h = mixed(h, (uint64_t)n->val << 32 | (uint64_t)(n->comp * WADI_MAX_RANK + n->dim));
    for (const char *c = n->name; c && *c; c++) h = mixed(h, (unsigned char)*c);
    for (int i = 0; i < n->n; i++) {
        h = mixed(h, n->term[i]);
        if (n->coef) h = mixed(h, (uint64_t)n->coef[i]);
    }
    return h;
}

static bool same_node(const wadi_ext_node *a, const wadi_ext_node *b) {
    if (a->kind != b->kind || a->value != b->value || a->val != b->val) return false;
    if (a->comp != b->comp || a->dim != b->dim || a->n != b->n) return false;
    if ((a->name || b->name) && (!a->name || !b->name || strcmp(a->name, b->name) != 0))
        return false;
    for (int i = 0; i < a->n; i++) {
        if (a->term[i] != b->term[i]) return false;
        if (a->coef && a->coef[i] != b->coef[i]) return false;
    }
    return true;
}

/* The place of a node in the table, or the free place for it. */
static uint32_t place_of(const wadi_extents *x, const wadi_ext_node *n) {
    uint32_t i = (uint32_t)hash_of(n) & (x->ntable - 1);
    while (x->table[i] != WADI_EXT_NONE && !same_node(&x->slots.at[x->table[i]].node, n))
        i = (i + 1) & (x->ntable - 1);
    return i;
}

static bool grow_table(wadi_extents *x) {
    const uint32_t want = x->ntable ? 2 * x->ntable : 256;
    wadi_ext *fresh = malloc(want * sizeof *fresh);
    if (!fresh) return false;
    for (uint32_t i = 0; i < want; i++) fresh[i] = WADI_EXT_NONE;
    free(x->table);
    x->table = fresh;
    x->ntable = want;
    for (wadi_ext e = 0; e < x->slots.n; e++) x->table[place_of(x, &x->slots.at[e].node)] = e;
    return true;
}

static void measure(const wadi_extents *x, slot *s) {
    s->size = 1;
    for (int i = 0; i < s->node.n; i++) {
        const slot *inside = &x->slots.at[s->node.term[i]];
        if (inside->nesting > s->nesting) s->nesting = inside->nesting;
        s->size += inside->size;
    }
    if (s->node.kind == WADI_EXT_MIN || s->node.kind == WADI_EXT_MAX) s->nesting++;
}

/* Copies what the node points to into the arena. */
static bool keep_lists(wadi_extents *x, wadi_ext_node *n) {
    const size_t count = (size_t)n->n;
    wadi_ext *terms = WADI_NEW_N(x->arena, wadi_ext, count);
    int64_t *coefs = n->coef ? WADI_NEW_N(x->arena, int64_t, count) : NULL;
    if (!terms || (n->coef && !coefs)) return false;
    if (count > 0) memcpy(terms, n->term, count * sizeof *terms);
    if (coefs) memcpy(coefs, n->coef, count * sizeof *coefs);
    n->term = terms;
    n->coef = coefs;
    return !n->name || (n->name = wadi_arena_strdup(x->arena, n->name));
}

/* The node equal to `n`; it is made if there is none. The lists of `n` are copied. */
static wadi_ext interned(wadi_extents *x, wadi_ext_node n) {
    if (2 * (x->slots.n + 1) > x->ntable && !grow_table(x)) return give_up(x, WADI_MEMORY);
    const uint32_t place = place_of(x, &n);
    if (x->table[place] != WADI_EXT_NONE) return x->table[place];
    slot s = {.node = n, .solved = WADI_EXT_NONE, .norm = WADI_EXT_NONE};
    measure(x, &s);
    if (s.nesting > MAX_NESTING || s.size > MAX_SIZE) return give_up(x, WADI_UNSUPPORTED);
    if (!keep_lists(x, &n)) return give_up(x, WADI_MEMORY);
    s.node = n;
    const wadi_ext e = (wadi_ext)x->slots.n;
    if (!wadi_vec_push(&x->slots, s)) return give_up(x, WADI_MEMORY);
    x->table[place] = e;
    return e;
}

wadi_extents *wadi_extents_create(void) {
    wadi_extents *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->version = 1;
    x->arena = wadi_arena_create();
    if (x->arena) (void)wadi_ext_const(x, 0);
    if (x->slots.n == 1) return x;
    wadi_extents_destroy(x);
    return NULL;
}

void wadi_extents_destroy(wadi_extents *x) {
    if (!x) return;
    wadi_vec_free(&x->slots);
    wadi_vec_free(&x->solved);
    wadi_vec_free(&x->zeros);
    free(x->table);
    wadi_arena_destroy(x->arena);
    free(x);
}

static wadi_ext_node blank(wadi_ext_kind kind) {
    return (wadi_ext_node){.kind = kind, .val = WADI_NONE};
}

wadi_ext wadi_ext_const(wadi_extents *x, int64_t v) {
    wadi_ext_node n = blank(WADI_EXT_CONST);
    n.value = v;
    return interned(x, n);
}

wadi_ext wadi_ext_symbol(wadi_extents *x, const char *name) {
    wadi_ext_node n = blank(WADI_EXT_SYMBOL);
    n.name = name;
    return interned(x, n);
}

wadi_ext wadi_ext_dim(wadi_extents *x, wadi_val v, int comp, int dim) {
    wadi_ext_node n = blank(WADI_EXT_DIM);
    n.val = v;
    n.comp = comp;
    n.dim = dim;
    return interned(x, n);
}

wadi_ext wadi_ext_scalar(wadi_extents *x, wadi_val v) {
    wadi_ext_node n = blank(WADI_EXT_SCALAR);
    n.val = v;
    return interned(x, n);
}

/* ---- polynomials ---- */

static int64_t wrapping_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_term(wadi_extents *x, poly *p, int64_t coef, wadi_ext mono) {
    if (!wadi_vec_push(&p->terms, (term){coef, mono})) (void)give_up(x, WADI_MEMORY);
}

/* p += factor * e */
static void accumulate(wadi_extents *x, poly *p, int64_t factor, wadi_ext e) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    if (n->kind != WADI_EXT_CONST && n->kind != WADI_EXT_SUM) {
        add_term(x, p, factor, e);
        return;
    }
    p->value = wrapping_add(p->value, wrapping_mul(factor, n->value));
    for (int i = 0; i < n->n; i++) add_term(x, p, wrapping_mul(factor, n->coef[i]), n->term[i]);
}

static int by_mono(const void *a, const void *b) {
    const wadi_ext l = ((const term *)a)->mono;
    const wadi_ext r = ((const term *)b)->mono;
    return (l > r) - (l < r);
}

/* Sorts the terms, merges like ones and drops those that vanish. */
static void tidy(poly *p) {
    if (p->terms.n == 0) return;
    qsort(p->terms.at, p->terms.n, sizeof *p->terms.at, by_mono);
    size_t n = 0;
    for (size_t i = 0; i < p->terms.n; i++) {
        const term t = p->terms.at[i];
        if (n > 0 && p->terms.at[n - 1].mono == t.mono)
            p->terms.at[n - 1].coef = wrapping_add(p->terms.at[n - 1].coef, t.coef);
        else
            p->terms.at[n++] = t;
        if (p->terms.at[n - 1].coef == 0) n--;
    }
    p->terms.n = n;
}

static wadi_ext sum_of(wadi_extents *x, const poly *p) {
    const size_t n = p->terms.n;
    if (n == 0) return wadi_ext_const(x, p->value);
    if (n == 1 && p->value == 0 && p->terms.at[0].coef == 1) return p->terms.at[0].mono;
    if (n > MAX_TERMS) return give_up(x, WADI_UNSUPPORTED);
    int64_t coef[MAX_TERMS];
    wadi_ext mono[MAX_TERMS];
    for (size_t i = 0; i < n; i++) {
        coef[i] = p->terms.at[i].coef;
        mono[i] = p->terms.at[i].mono;
    }
    wadi_ext_node node = blank(WADI_EXT_SUM);
    node.value = p->value;
    node.n = (int)n;
    node.coef = coef;
    node.term = mono;
    return interned(x, node);
}

/* The node of a finished polynomial; frees the polynomial. */
static wadi_ext finished(wadi_extents *x, poly *p) {
    tidy(p);
    const wadi_ext e = x->failed == WADI_OK ? sum_of(x, p) : 0;
    wadi_vec_free(&p->terms);
    return e;
}

wadi_ext wadi_ext_add(wadi_extents *x, wadi_ext a, wadi_ext b) {
    poly p = {0};
    accumulate(x, &p, 1, a);
    accumulate(x, &p, 1, b);
    return finished(x, &p);
}

wadi_ext wadi_ext_sub(wadi_extents *x, wadi_ext a, wadi_ext b) {
    poly p = {0};
    accumulate(x, &p, 1, a);
    accumulate(x, &p, -1, b);
    return finished(x, &p);
}

static wadi_ext scaled(wadi_extents *x, int64_t factor, wadi_ext e) {
    poly p = {0};
    accumulate(x, &p, factor, e);
    return finished(x, &p);
}

static int factors_of(const wadi_extents *x, wadi_ext mono, wadi_ext *out, int n) {
    const wadi_ext_node *node = wadi_ext_get(x, mono);
    if (node->kind != WADI_EXT_PROD) {
        out[n] = mono;
        return n + 1;
    }
    memcpy(out + n, node->term, (size_t)node->n * sizeof *out);
    return n + node->n;
}

static int by_number(const void *a, const void *b) {
    const wadi_ext l = *(const wadi_ext *)a;
    const wadi_ext r = *(const wadi_ext *)b;
    return (l > r) - (l < r);
}

/* The product of two products or atoms. */
static wadi_ext mono_mul(wadi_extents *x, wadi_ext a, wadi_ext b) {
    wadi_ext factor[2 * MAX_FACTORS];
    const int n = factors_of(x, b, factor, factors_of(x, a, factor, 0));
    if (n > MAX_FACTORS) return give_up(x, WADI_UNSUPPORTED);
    qsort(factor, (size_t)n, sizeof *factor, by_number);
    wadi_ext_node node = blank(WADI_EXT_PROD);
    node.n = n;
    node.term = factor;
    return interned(x, node);
}

/* A copy of a node's terms as a polynomial. Making nodes moves the others in memory, so terms must not be read from a node
 * while new ones are made. */
static poly spread(wadi_extents *x, wadi_ext e) {
    poly p = {0};
    accumulate(x, &p, 1, e);
    return p;
}

wadi_ext wadi_ext_mul(wadi_extents *x, wadi_ext a, wadi_ext b) {
    poly pa = spread(x, a);
    poly pb = spread(x, b);
    poly p = {.value = wrapping_mul(pa.value, pb.value)};
    if (pa.terms.n * pb.terms.n > MAX_TERMS) (void)give_up(x, WADI_UNSUPPORTED);
    for (size_t i = 0; i < pa.terms.n && x->failed == WADI_OK; i++) {
        const term s = pa.terms.at[i];
        add_term(x, &p, wrapping_mul(s.coef, pb.value), s.mono);
        for (size_t j = 0; j < pb.terms.n && x->failed == WADI_OK; j++) {
            const term t = pb.terms.at[j];
            add_term(x, &p, wrapping_mul(s.coef, t.coef), mono_mul(x, s.mono, t.mono));
        }
    }
    for (size_t j = 0; j < pb.terms.n; j++)
        add_term(x, &p, wrapping_mul(pb.terms.at[j].coef, pa.value), pb.terms.at[j].mono);
    wadi_vec_free(&pa.terms);
    wadi_vec_free(&pb.terms);
    return finished(x, &p);
}

/* ---- minima and maxima ---- */

/* Whether `e` is 0 or more for all values of its atoms. An extent is never negative; a scalar may be. */
static bool not_negative(const wadi_extents *x, wadi_ext e) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    switch (n->kind) {
    case WADI_EXT_CONST:
        return n->value >= 0;
    case WADI_EXT_SYMBOL:
    case WADI_EXT_DIM:
        return true;
    case WADI_EXT_SCALAR:
        return false;
    case WADI_EXT_MAX:
        return not_negative(x, n->term[0]) || not_negative(x, n->term[1]);
    case WADI_EXT_SUM:
    case WADI_EXT_PROD:
    case WADI_EXT_MIN:
        break;
    }
    for (int i = 0; i < n->n; i++)
        if ((n->coef && n->coef[i] < 0) || !not_negative(x, n->term[i])) return false;
    return n->kind != WADI_EXT_SUM || n->value >= 0;
}

/* Whether `e` is of this kind (a minimum or a maximum) and has the side `side`. */
static bool has_side(const wadi_extents *x, wadi_ext e, wadi_ext_kind kind, wadi_ext side) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    return n->kind == kind && (n->term[0] == side || n->term[1] == side);
}

static wadi_ext pair(wadi_extents *x, wadi_ext_kind kind, wadi_ext a, wadi_ext b) {
    wadi_ext side[2] = {a < b ? a : b, a < b ? b : a};
    wadi_ext_node n = blank(kind);
    n.n = 2;
    n.term = side;
    return interned(x, n);
}

/* The lesser and the greater of the two; false if neither is proved to be the lesser. */
static bool ordered(wadi_extents *x, wadi_ext a, wadi_ext b, wadi_ext *out_less,
                    wadi_ext *out_more) {
    const bool a_less = not_negative(x, wadi_ext_sub(x, b, a)) || has_side(x, a, WADI_EXT_MIN, b) ||
                        has_side(x, b, WADI_EXT_MAX, a);
    const bool b_less = not_negative(x, wadi_ext_sub(x, a, b)) || has_side(x, b, WADI_EXT_MIN, a) ||
                        has_side(x, a, WADI_EXT_MAX, b);
    *out_less = a_less ? a : b;
    *out_more = a_less ? b : a;
    return a_less || b_less;
}

wadi_ext wadi_ext_min(wadi_extents *x, wadi_ext a, wadi_ext b) {
    wadi_ext less, more;
    return ordered(x, a, b, &less, &more) ? less : pair(x, WADI_EXT_MIN, a, b);
}

wadi_ext wadi_ext_max(wadi_extents *x, wadi_ext a, wadi_ext b) {
    wadi_ext less, more;
    return ordered(x, a, b, &less, &more) ? more : pair(x, WADI_EXT_MAX, a, b);
}

/* ---- equalities ---- */

static bool is_atom(const wadi_ext_node *n) {
    return n->kind == WADI_EXT_SYMBOL || n->kind == WADI_EXT_DIM || n->kind == WADI_EXT_SCALAR;
}

/* Builds `e` anew from the representatives of its parts. */
static wadi_ext rebuilt(wadi_extents *x, wadi_ext e) {
    const wadi_ext_node n = *wadi_ext_get(x, e);
    if (n.kind == WADI_EXT_MIN)
        return wadi_ext_min(x, wadi_ext_norm(x, n.term[0]), wadi_ext_norm(x, n.term[1]));
    if (n.kind == WADI_EXT_MAX)
        return wadi_ext_max(x, wadi_ext_norm(x, n.term[0]), wadi_ext_norm(x, n.term[1]));
    if (n.kind == WADI_EXT_PROD) {
        wadi_ext product = wadi_ext_const(x, 1);
        for (int i = 0; i < n.n; i++)
            product = wadi_ext_mul(x, product, wadi_ext_norm(x, n.term[i]));
        return product;
    }
    poly p = {.value = n.value};
    for (int i = 0; i < n.n; i++) accumulate(x, &p, n.coef[i], wadi_ext_norm(x, n.term[i]));
    return finished(x, &p);
}

wadi_ext wadi_ext_norm(wadi_extents *x, wadi_ext e) {
    const slot s = x->slots.at[e];
    if (s.version == x->version) return s.norm;
    wadi_ext norm = e;
    if (s.solved != WADI_EXT_NONE)
        norm = wadi_ext_norm(x, s.solved);
    else if (s.node.n > 0)
        norm = rebuilt(x, e);
    x->slots.at[e].norm = norm;
    x->slots.at[e].version = x->version;
    return norm;
}

static bool occurs(const wadi_extents *x, wadi_ext atom, wadi_ext e) {
    if (e == atom) return true;
    const wadi_ext_node *n = wadi_ext_get(x, e);
    for (int i = 0; i < n->n; i++)
        if (occurs(x, atom, n->term[i])) return true;
    return false;
}

/* Whether term `at` of the polynomial is an atom that may be solved for. */
static bool solvable(const wadi_extents *x, const poly *p, size_t at) {
    const term t = p->terms.at[at];
    const wadi_ext_node *n = wadi_ext_get(x, t.mono);
    if (!is_atom(n) || (t.coef != 1 && t.coef != -1)) return false;
    if (x->may_solve && (n->kind == WADI_EXT_SYMBOL || !x->may_solve(x->may_solve_env, n->val)))
        return false;
    for (size_t i = 0; i < p->terms.n; i++)
        if (i != at && occurs(x, t.mono, p->terms.at[i].mono)) return false;
    return true;
}

/* The term for which `p` = 0 is solved: the youngest atom, or a named extent if there is no other; -1: none. */
static int best_term(const wadi_extents *x, const poly *p) {
    int best = -1;
    bool best_named = true;
    for (size_t i = 0; i < p->terms.n; i++) {
        if (!solvable(x, p, i)) continue;
        const bool named = wadi_ext_get(x, p->terms.at[i].mono)->kind == WADI_EXT_SYMBOL;
        if (best >= 0 && named && !best_named) continue;
        best = (int)i; /* terms are sorted, so a later one is younger */
        best_named = named;
    }
    return best;
}

/* Solves zero = 0 for an atom; false if there is none to solve for. `zero` is in normal form. */
static bool solve(wadi_extents *x, wadi_ext zero) {
    poly p = spread(x, zero);
    const int at = best_term(x, &p);
    if (at >= 0) {
        const term t = p.terms.at[at];
        /* coef * atom + rest = 0 with coef = 1 or -1 */
        const wadi_ext value = wadi_ext_sub(x, t.mono, scaled(x, t.coef, zero));
        if (!wadi_vec_push(&x->solved, t.mono)) (void)give_up(x, WADI_MEMORY);
        x->slots.at[t.mono].solved = value;
        x->version++;
        /* every chain of solutions stays one step long, so that wadi_ext_norm does not recurse along it */
        for (size_t i = 0; i < x->solved.n; i++) {
            const wadi_ext old = x->slots.at[x->solved.at[i]].solved;
            const wadi_ext now = wadi_ext_norm(x, old);
            x->slots.at[x->solved.at[i]].solved = now;
        }
    }
    wadi_vec_free(&p.terms);
    return at >= 0;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static uint64_t magnitude(int64_t v) {
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* A polynomial that is zero, in its simplest form: no common factor, the first coefficient positive. */
static wadi_ext reduced(wadi_extents *x, wadi_ext zero) {
    poly p = spread(x, zero);
    uint64_t common = magnitude(p.value);
    for (size_t i = 0; i < p.terms.n; i++) common = gcd(common, magnitude(p.terms.at[i].coef));
    if (p.terms.n > 0 && common <= INT64_MAX) {
        const int64_t sign = p.terms.at[0].coef < 0 ? -1 : 1;
        p.value = wrapping_mul(sign, p.value / (int64_t)common);
        for (size_t i = 0; i < p.terms.n; i++)
            p.terms.at[i].coef = wrapping_mul(sign, p.terms.at[i].coef / (int64_t)common);
    }
    return finished(x, &p);
}

static wadi_ext difference(wadi_extents *x, wadi_ext a, wadi_ext b) {
    return reduced(x, wadi_ext_norm(x, wadi_ext_sub(x, a, b)));
}

/* After an equality was learned, some of the kept polynomials can perhaps be solved. */
static void retry_zeros(wadi_extents *x) {
    for (size_t i = 0; i < x->zeros.n;) {
        const wadi_ext zero = reduced(x, wadi_ext_norm(x, x->zeros.at[i]));
        x->zeros.at[i] = zero;
        if (wadi_ext_get(x, zero)->kind != WADI_EXT_CONST && !solve(x, zero)) {
            i++;
            continue;
        }
        x->zeros.at[i] = wadi_vec_pop(&x->zeros);
        i = 0;
    }
}

void wadi_ext_unify(wadi_extents *x, wadi_ext a, wadi_ext b) {
    const wadi_ext zero = difference(x, a, b);
    if (wadi_ext_get(x, zero)->kind == WADI_EXT_CONST) return;
    if (solve(x, zero))
        retry_zeros(x);
    else if (!x->may_solve && x->zeros.n < MAX_FACTS && !wadi_vec_push(&x->zeros, zero))
        (void)give_up(x, WADI_MEMORY);
}

void wadi_extents_limit(wadi_extents *x, bool (*may_solve)(const void *env, wadi_val v),
                        const void *env) {
    x->may_solve = may_solve;
    x->may_solve_env = env;
}

bool wadi_ext_same(wadi_extents *x, wadi_ext a, wadi_ext b) {
    return a == b || (wadi_ext_sub(x, a, b) == wadi_ext_const(x, 0) && x->failed == WADI_OK);
}

bool wadi_ext_equal(wadi_extents *x, wadi_ext a, wadi_ext b) {
    if (a == b) return true;
    const wadi_ext zero = difference(x, a, b);
    const wadi_ext_node *n = wadi_ext_get(x, zero);
    if (n->kind == WADI_EXT_CONST) return n->value == 0 && x->failed == WADI_OK;
    for (size_t i = 0; i < x->zeros.n; i++)
        if (reduced(x, wadi_ext_norm(x, x->zeros.at[i])) == zero) return true;
    return false;
}

bool wadi_ext_is_const(wadi_extents *x, wadi_ext e, int64_t *out_value) {
    const wadi_ext_node *n = wadi_ext_get(x, wadi_ext_norm(x, e));
    if (n->kind != WADI_EXT_CONST) return false;
    *out_value = n->value;
    return true;
}
