/* Sharing recovery keeps meaning: random expressions with much sharing, evaluated here directly and lazily, must give
 * the same numbers, and the same faults, as the recovered program in the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/interp/interp.h"
#include "operators/table.h"

enum { NODES = 40, PROGRAMS = 400, MAX_LENGTH = 5 };

typedef enum kind { LITERAL, LENGTH, SUM, READ, PARAM, STATE, ADD, MUL, QUOT, COND, ITERATE } kind;

/* What an expression needs to exist: nothing, the function's parameter, the loop's state as well. */
typedef enum need { CLOSED, FUNCTION, LOOP } need;

typedef struct expr {
    kind kind;
    need need;
    bool loops; /* contains a loop */
    int64_t value;
    int a, b, c, d;
} expr;

typedef struct sample {
    expr e[NODES];
    int64_t data[MAX_LENGTH];
    int64_t n;
    uint64_t seed;
    /* while building */
    wadi_acc xs, sum;
    wadi_exp built[NODES];
    wadi_exp param, state;
} sample;

static uint64_t roll(sample *s, uint64_t below) {
    s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (s->seed >> 33) % below;
}

/* ---- random expressions ---- */

static int pick(sample *s, int below, need most, bool loops) {
    for (;;) {
        const int i = (int)roll(s, (uint64_t)below);
        if (s->e[i].need <= most && (loops || !s->e[i].loops)) return i;
    }
}

static expr compound(sample *s, int i, kind k) {
    expr e = {.kind = k};
    if (k == ITERATE) {
        e.value = (int64_t)roll(s, 3);
        e.a = pick(s, i, FUNCTION, true);
        e.b = pick(s, i, LOOP, false);
        e.loops = true;
        e.need = s->e[e.b].need == CLOSED ? s->e[e.a].need : FUNCTION;
        return e;
    }
    int *parts[4] = {&e.a, &e.b, &e.c, &e.d};
    const int n = k == COND ? 4 : 2;
    const need most = roll(s, 3) == 0 ? LOOP : roll(s, 3) == 0 ? CLOSED : FUNCTION;
    for (int p = 0; p < n; p++) {
        *parts[p] = pick(s, i, most, most != LOOP);
        const expr *part = &s->e[*parts[p]];
        if (part->need > e.need) e.need = part->need;
        e.loops = e.loops || part->loops;
    }
    return e;
}

static void make_sample(sample *s, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->n = (int64_t)roll(s, MAX_LENGTH + 1);
    for (int i = 0; i < s->n; i++) s->data[i] = (int64_t)roll(s, 5) - 2;
    s->e[0] = (expr){.kind = PARAM, .need = FUNCTION};
    s->e[1] = (expr){.kind = STATE, .need = LOOP};
    s->e[2] = (expr){.kind = LITERAL, .value = (int64_t)roll(s, 4)};
    s->e[3] = (expr){.kind = LENGTH};
    s->e[4] = (expr){.kind = SUM};
    s->e[5] = (expr){.kind = READ, .value = (int64_t)roll(s, 3)};
    for (int i = 6; i < NODES; i++) {
        static const kind kinds[] = {ADD, MUL, QUOT, COND, COND, ITERATE};
        s->e[i] = compound(s, i, kinds[roll(s, sizeof kinds / sizeof *kinds)]);
    }
}

/* ---- meaning ---- */

static int64_t wrap(uint64_t v) {
    return (int64_t)v;
}

/* False: a fault. */
static bool meaning(const sample *s, int i, int64_t x, int64_t state, int64_t *out);

static bool binary(const sample *s, const expr *e, int64_t x, int64_t state, int64_t *out) {
    int64_t a = 0, b = 0;
    if (!meaning(s, e->a, x, state, &a) || !meaning(s, e->b, x, state, &b)) return false;
    if (e->kind == QUOT && b == 0) return false;
    if (e->kind == ADD) *out = wrap((uint64_t)a + (uint64_t)b);
    if (e->kind == MUL) *out = wrap((uint64_t)a * (uint64_t)b);
    if (e->kind == QUOT) *out = b == -1 ? wrap(-(uint64_t)a) : a / b;
    return true;
}

static bool meaning(const sample *s, int i, int64_t x, int64_t state, int64_t *out) {
    const expr *e = &s->e[i];
    int64_t a = 0, b = 0;
    *out = 0;
    switch (e->kind) {
    case LITERAL:
        *out = e->value;
        return true;
    case LENGTH:
        *out = s->n;
        return true;
    case PARAM:
        *out = x;
        return true;
    case STATE:
        *out = state;
        return true;
    case SUM:
        for (int k = 0; k < s->n; k++) *out += s->data[k];
        return true;
    case READ:
        if (e->value < s->n) *out = s->data[e->value];
        return e->value < s->n;
    case COND:
        if (!meaning(s, e->a, x, state, &a) || !meaning(s, e->b, x, state, &b)) return false;
        return meaning(s, a < b ? e->c : e->d, x, state, out);
    case ITERATE:
        if (!meaning(s, e->a, x, state, out)) return false;
        for (int64_t k = 0; k < e->value; k++)
            if (!meaning(s, e->b, x, *out, out)) return false;
        return true;
    default:
        return binary(s, e, x, state, out);
    }
}

/* ---- the same with the builder: every expression is built once per function, closed ones once ---- */

static wadi_exp build(sample *s, int i);

static void forget(sample *s, need from) {
    for (int i = 0; i < NODES; i++)
        if (s->e[i].need >= from) s->built[i] = WADI_NO_EXP;
}

static wadi_exp body(void *env, wadi_exp k, wadi_exp state) {
    sample *s = env;
    (void)k;
    s->state = state;
    return build(s, (int)s->seed);
}

static wadi_exp build_loop(sample *s, const expr *e) {
    const wadi_exp init = build(s, e->a);
    forget(s, LOOP);
    s->seed = (uint64_t)e->b;
    const wadi_exp loop = wadi_iterate_env(wadi_i64(e->value), body, s, init);
    forget(s, LOOP);
    return loop;
}

static wadi_exp build_new(sample *s, const expr *e) {
    switch (e->kind) {
    case LITERAL:
        return wadi_i64(e->value);
    case LENGTH:
        return wadi_extent(s->xs, 0);
    case SUM:
        return wadi_the(s->sum);
    case READ:
        return wadi_index1(s->xs, wadi_i64(e->value));
    case PARAM:
        return s->param;
    case STATE:
        return s->state;
    case ADD:
        return wadi_add(build(s, e->a), build(s, e->b));
    case MUL:
        return wadi_mul(build(s, e->a), build(s, e->b));
    case QUOT:
        return wadi_quot(build(s, e->a), build(s, e->b));
    case COND: {
        const wadi_exp smaller = wadi_lt(build(s, e->a), build(s, e->b));
        return wadi_cond(smaller, build(s, e->c), build(s, e->d));
    }
    case ITERATE:
        return build_loop(s, e);
    }
    return WADI_NO_EXP;
}

static wadi_exp build(sample *s, int i) {
    if (!s->built[i].node) s->built[i] = build_new(s, &s->e[i]);
    return s->built[i];
}

typedef struct root {
    sample *s;
    int e;
} root;

static wadi_exp function(void *env, wadi_exp x) {
    root *r = env;
    forget(r->s, FUNCTION);
    r->s->param = x;
    return build(r->s, r->e);
}

static wadi_exp index_function(void *env, wadi_ix ix) {
    return function(env, ix.at[0]);
}

/* ---- one program: two maps and one generate, whose extent is an expression too ---- */

typedef struct wanted {
    bool fault;
    int64_t n[3];
    int64_t y[3][8];
} wanted;

static void want_map(const sample *s, int e, bool index, int64_t n, int number, wanted *w) {
    w->n[number] = n;
    for (int64_t i = 0; i < n; i++)
        if (!meaning(s, e, index ? i : s->data[i], 0, &w->y[number][i])) w->fault = true;
}

static void build_program(sample *s, const int e[3], int extent) {
    s->xs = wadi_input("xs", WADI_I64, 1, NULL);
    s->sum = wadi_fold(wadi_add, wadi_i64(0), s->xs);
    wadi_output("a", wadi_map_env(function, &(root){s, e[0]}, s->xs));
    wadi_output("b", wadi_map_env(function, &(root){s, e[1]}, s->xs));
    const wadi_exp n = wadi_and(build(s, extent), wadi_i64(7));
    wadi_output("c", wadi_generate_env(wadi_ix1(n), index_function, &(root){s, e[2]}));
}

static void compare(const wadi_module *m, const sample *s, const wanted *w, uint64_t seed) {
    int64_t data[MAX_LENGTH];
    memcpy(data, s->data, sizeof data);
    const wadi_interp_input in = {
        "xs", {.rank = 1, .fields = 1, .type = {WADI_I64}, .shape = {s->n}, .column = {data}}};
    const wadi_interp_io io = {.inputs = &in, .ninputs = 1};
    wadi_interp_results *r = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_status st = wadi_interp_run(m, &io, &r, &err);
    if (st != (w->fault ? WADI_FAULT : WADI_OK))
        fail_msg("seed %llu: %s, %s", (unsigned long long)seed, wadi_status_name(st), err.msg);
    for (int k = 0; st == WADI_OK && k < 3; k++) {
        const wadi_array *y = &r->outputs[k].array;
        assert_int_equal(y->shape[0], w->n[k]);
        if (w->n[k] > 0)
            assert_memory_equal(y->column[0], w->y[k], (size_t)w->n[k] * sizeof(int64_t));
    }
    wadi_interp_results_destroy(r);
}

/* Returns whether the program faults. */
static bool try_sample(uint64_t seed) {
    sample s;
    wanted w = {.fault = false};
    make_sample(&s, seed);
    const int e[3] = {pick(&s, NODES, FUNCTION, true), pick(&s, NODES, FUNCTION, true),
                      pick(&s, NODES, FUNCTION, true)};
    const int extent = pick(&s, NODES, CLOSED, true);
    int64_t n = 0;
    w.fault = !meaning(&s, extent, 0, 0, &n);
    want_map(&s, e[0], false, s.n, 0, &w);
    want_map(&s, e[1], false, s.n, 1, &w);
    want_map(&s, e[2], true, w.fault ? 0 : n & 7, 2, &w);
    wadi_program *p = wadi_program_create("random");
    build_program(&s, e, extent);
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.msg);
    wadi_program_destroy(p);
    compare(m, &s, &w, seed);
    wadi_module_destroy(m);
    return w.fault;
}

static void recovery_keeps_numbers_and_faults(void **state) {
    (void)state;
    int faults = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) faults += try_sample(seed);
    assert_true(faults > PROGRAMS / 10 && faults < PROGRAMS * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recovery_keeps_numbers_and_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
