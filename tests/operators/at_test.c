/* Index functions against `eval`: the `at` of every producer, run on numbers, gives the elements that the interpreter gives, and
 * never reads out of range. Code generation uses `at` only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/interp/state.h"
#include "tests/graph/module_copy.h"
#include "tests/operators/support.h"

/* ---- a builder of scalar code that computes at once: a scalar is its place in a list ---- */

typedef struct numbers {
    wadi_interp in; /* value[] holds every array of the program */
    wadi_bind *bind;
    wadi_scalar *at;
    size_t n, cap;
    int checked; /* reads that are checked */
} numbers;

static wadi_sx add(numbers *s, wadi_scalar x) {
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->at = realloc(s->at, s->cap * sizeof *s->at);
        assert_non_null(s->at);
    }
    s->at[s->n] = x;
    return (wadi_sx)s->n++;
}

static wadi_sx constant(wadi_at *cx, wadi_scalar x) {
    return add(cx->self, x);
}

static wadi_sx prim(wadi_at *cx, wadi_sop op, wadi_type result, int n, const wadi_sx *args) {
    numbers *s = cx->self;
    wadi_scalar in[4], out = {result, 0};
    for (int i = 0; i < n; i++) in[i] = s->at[args[i]];
    assert_true(wadi_scalar_eval(op, result, in, &out));
    return add(s, out);
}

static wadi_sx choose(wadi_at *cx, wadi_type type, wadi_sx c, wadi_sx a, wadi_sx b) {
    numbers *s = cx->self;
    assert_int_equal(s->at[a].type, type);
    return s->at[c].bits ? a : b;
}

static void read_element(wadi_at *cx, wadi_val v, const wadi_sx *ix, wadi_sx *out) {
    numbers *s = cx->self;
    const wadi_iarray *a = s->in.value[v];
    int64_t at[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) {
        assert_int_equal(s->at[ix[d]].type, WADI_I64);
        at[d] = (int64_t)s->at[ix[d]].bits;
        assert_in_range(at[d], 0, a->shape[d] - 1);
    }
    const uint64_t *fields = wadi_eval_get(a, at);
    for (int f = 0; f < a->elem.fields; f++)
        out[f] = add(s, (wadi_scalar){a->elem.type[f], fields[f]});
}

static void read_checked(wadi_at *cx, wadi_val v, const wadi_sx *ix, wadi_loc loc, wadi_sx *out) {
    (void)loc;
    ((numbers *)cx->self)->checked++;
    read_element(cx, v, ix, out);
}

static void apply(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out) {
    numbers *s = cx->self;
    uint64_t in[WADI_MAX_FUN_PARAMS], results[WADI_MAX_FUN_PARAMS];
    for (int i = 0; i < f->body->nparams; i++) in[i] = s->at[args[i]].bits;
    assert_int_equal(wadi_interp_apply(&s->in, s->bind, f, in, results), WADI_OK);
    for (int y = 0; y < f->body->nyields; y++)
        out[y] = add(s, (wadi_scalar){f->types[f->body->yields[y]], results[y]});
}

static wadi_sx extent(wadi_at *cx, wadi_val v, int dim) {
    numbers *s = cx->self;
    return add(s, (wadi_scalar){WADI_I64, (uint64_t)s->in.value[v]->shape[dim]});
}

static void choose_side(wadi_at *cx, wadi_sx c, int n, const wadi_type *types, bool light,
                        wadi_at_side side, void *env, wadi_sx *out) {
    const numbers *s = cx->self;
    (void)n, (void)types, (void)light;
    side(cx, env, s->at[c].bits != 0, out);
}

static const wadi_at_ops ops = {constant,     prim,  choose, read_element,
                                read_checked, apply, extent, choose_side};

/* ---- every array of a program ---- */

/* Makes every array of the main block an output, so that the interpreter hands all of them over. */
static void yield_all(wadi_module *m) {
    int n = 0;
    m->main->nyields = 0;
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (!m->values[v].type.is_seq) n++;
    m->outputs = WADI_NEW_N(m->arena, const char *, (size_t)n);
    for (wadi_val v = 0; v < m->nvalues; v++) {
        if (m->values[v].type.is_seq) continue;
        m->outputs[m->main->nyields] = "";
        assert_true(wadi_block_yield(m, m->main, v));
    }
}

static void load_values(numbers *s, const wadi_interp_results *r) {
    s->in.value = calloc(s->in.m->nvalues, sizeof *s->in.value);
    for (int i = 0; i < r->noutputs; i++) {
        const wadi_array *a = &r->outputs[i].array;
        const wadi_val v = s->in.m->main->yields[i];
        wadi_iarray *own = wadi_iarray_create(a->rank, &s->in.m->values[v].type.array->elem,
                                              a->shape, wadi_array_size(a));
        assert_non_null(own);
        wadi_cells_load(a, own->cell);
        s->in.value[v] = own;
    }
}

/* How many reads of an element are at an index from data, which nobody knows to be in range. */
static int from_data(const wadi_bind *b) {
    if (strcmp(b->op->name, "slice") == 0) return b->nargs > 1;
    return strcmp(b->op->name, "gather") == 0 || strcmp(b->op->name, "backpermute") == 0;
}

static void compare(numbers *s, wadi_at *cx, wadi_bind *b) {
    const wadi_iarray *want = s->in.value[b->results[0]];
    int64_t ix[WADI_MAX_RANK] = {0};
    s->bind = b;
    for (int64_t i = 0; i < want->size; i++) {
        wadi_sx args[WADI_MAX_RANK], out[WADI_MAX_FIELDS];
        s->n = 0;
        s->checked = 0;
        for (int d = 0; d < want->rank; d++) args[d] = wadi_at_i64(cx, ix[d]);
        b->op->at(cx, b, args, out);
        if (s->checked != from_data(b))
            fail_msg("%s: %d reads are checked, expected %d", b->op->name, s->checked,
                     from_data(b));
        for (int f = 0; f < want->elem.fields; f++) {
            const wadi_scalar got = s->at[out[f]];
            assert_int_equal(got.type, want->elem.type[f]);
            if (got.bits != want->cell[i * want->elem.fields + f])
                fail_msg("%s: element %lld, field %d", b->op->name, (long long)i, f);
        }
        wadi_eval_next(want->rank, want->shape, ix);
    }
}

/* ---- a program with every producer ---- */

static wadi_exp pair(wadi_ix ix, wadi_exp x) {
    return wadi_rec2("x", x, "sum", wadi_add(ix.at[0], ix.at[ix.rank - 1]));
}

static wadi_exp swap(wadi_exp r) {
    return wadi_rec2("x", wadi_get(r, "sum"), "sum", wadi_get(r, "x"));
}

static wadi_exp mix(wadi_exp a, wadi_exp b) {
    return wadi_sub(wadi_get(a, "x"), wadi_get(b, "sum"));
}

static wadi_ix twisted(wadi_ix ix) {
    return wadi_ix3(ix.at[1], ix.at[0], wadi_i64(1));
}

/* An output needs a name of its own. */
static void keep(wadi_acc a) {
    static int made;
    char name[16];
    snprintf(name, sizeof name, "x%d", made++);
    wadi_output(name, a);
}

static wadi_exp steep(wadi_window *w) {
    return wadi_sub(wadi_near2(w, 1, -5), wadi_mul(wadi_near2(w, -1, 2), wadi_near2(w, 0, 0)));
}

static wadi_exp sum_of_index(wadi_ix ix) {
    return wadi_add(ix.at[0], wadi_mul(ix.at[1], ix.at[2]));
}

static void stencils(wadi_acc a) {
    keep(wadi_stencil(2, steep, wadi_edge_clamp(), a));
    keep(wadi_stencil(2, steep, wadi_edge_mirror(), a));
    keep(wadi_stencil(2, steep, wadi_edge_wrap(), a));
    keep(wadi_stencil(2, steep, wadi_edge_constant(wadi_i64(9)), a));
    keep(wadi_stencil(2, steep, wadi_edge_function(sum_of_index), a));
}

static void places(wadi_acc a) {
    keep(wadi_replicate(5,
                        (wadi_spec[]){wadi_all(), wadi_fix(wadi_i64(2)), wadi_all(),
                                      wadi_fix(wadi_i64(3)), wadi_all()},
                        a));
    wadi_output(
        "slice",
        wadi_slice(3, (wadi_spec[]){wadi_fix(wadi_i64(1)), wadi_all(), wadi_fix(wadi_i64(2))}, a));
    keep(wadi_slice(3, (wadi_spec[]){wadi_all(), wadi_fix(wadi_i64(2)), wadi_all()}, a));
    keep(wadi_slice(3, (wadi_spec[]){wadi_all(), wadi_all(), wadi_all()}, a));
    keep(wadi_reshape(wadi_ix2(wadi_i64(6), wadi_i64(4)), a));
    keep(wadi_flatten(a));
    keep(wadi_reshape(wadi_ix3(wadi_i64(2), wadi_i64(3), wadi_i64(4)), wadi_flatten(a)));
    keep(wadi_reshape(wadi_ix0(), wadi_take(wadi_i64(1), wadi_flatten(a))));
    keep(wadi_reshape(wadi_ix3(wadi_i64(1), wadi_i64(1), wadi_i64(1)), wadi_unit(wadi_i64(8))));
    keep(wadi_transpose_on((const int[]){1, 2, 0}, a));
    keep(wadi_backpermute(wadi_ix2(wadi_i64(3), wadi_i64(2)), twisted, a));
    for (int d = 0; d < 3; d++) {
        keep(wadi_reverse_on(d, a));
        for (int64_t n = -1; n < 6; n++) {
            keep(wadi_take_on(d, wadi_i64(n), a));
            keep(wadi_drop_on(d, wadi_i64(n), a));
        }
    }
}

static void index_functions_agree_with_meanings(void **state) {
    (void)state;
    begin();
    const wadi_acc a = counting(3, I64S(2, 3, 4)), records = wadi_imap(pair, a);
    keep(wadi_zip_with(mix, wadi_map(swap, records), records));
    keep(wadi_gather(wadi_fill(wadi_ix1(wadi_i64(3)), wadi_u8(5)), wadi_flatten(records)));
    keep(wadi_compute(a));
    places(a);
    stencils(a);
    wadi_module *m = module_copy(lowered());
    yield_all(m);
    wadi_error err = {0};
    wadi_interp_results *r = NULL;
    assert_int_equal(wadi_interp_run(m, NULL, &r, &err), WADI_OK);
    numbers s = {.in = {.m = m, .cx = {.err = &err, .element = -1, .index_rank = -1}}};
    load_values(&s, r);
    wadi_at cx = {&ops, m, &s};
    int compared = 0;
    for (int i = 0; i < m->main->nbinds; i++) {
        if (!m->main->binds[i]->op->at) continue;
        compare(&s, &cx, m->main->binds[i]);
        compared++;
    }
    assert_true(compared > 40);
    for (wadi_val v = 0; v < m->nvalues; v++)
        wadi_iarray_destroy((wadi_iarray *)(uintptr_t)s.in.value[v]);
    free(s.in.value);
    free(s.in.row);
    free(s.at);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
    end();
}

static void every_producer_has_an_index_function(void **state) {
    (void)state;
    const wadi_op_table *t = wadi_operators();
    for (int i = 0; i < t->n; i++) {
        const wadi_op *op = t->ops[i];
        assert_int_equal(op->skeleton == WADI_SKEL_GENERATE, op->at != NULL);
        assert_int_equal(op->kind == WADI_OP_SEQUENCE, op->eval == NULL);
        assert_int_equal(op->nfuns != 0, op->fun_params != NULL);
        assert_true(wadi_op_find(t, op->name) == op);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_functions_agree_with_meanings),
        cmocka_unit_test(every_producer_has_an_index_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
