/* Every law of the builder of loop IR, every sign and magnitude that it knows, and every bound that it proves or tests in front of
 * a loop, against exact numbers: random ones, the ends of every type, and all values of small loops. A law that is wrong or missing
 * makes this test fail. */
#include "tests/codegen/loop_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text.h"
#include "codegen/loop/bound.h"

enum { WORLDS = 700, SAMPLES = 20 };

static bool is_number(const world *w, int t) {
    return w->term[t].type == WADI_I64;
}

static _Noreturn void wrong_pair(world *w, const char *what, wadi_lv v, wadi_lv other) {
    wadi_text t;
    wadi_text_init(&t);
    while (w->b.scope->parent) wadi_lb_end(&w->b);
    wadi_lfun *funs[] = {w->b.fun};
    const wadi_lmodule m = {.name = "m", .nfuns = 1, .funs = funs};
    wadi_lmodule_print(&m, &t);
    print_error("%s: %%%u, %%%u\n%s", what, v, other, wadi_text_str(&t));
    for (uint32_t i = 0; i < w->b.fun->n; i++)
        print_error("%%%u = %lld\n", i, (long long)world_value(w, i));
    fail();
    abort();
}

static _Noreturn void wrong(world *w, const char *what, wadi_lv v) {
    wrong_pair(w, what, v, v);
}

/* ---- laws, signs, magnitudes ---- */

/* What the builder says of a value: not negative, and below 2^bits in magnitude. */
static void claims_hold(world *w, const wadi_linst *i) {
    if (!i->has_value || i->pointer) return;
    if (i->type != WADI_I64 && !wadi_type_is_unsigned(i->type)) return;
    const wide v = world_value(w, i->self);
    if (i->nonneg && v < 0) wrong(w, "not negative", i->self);
    if (i->kind == WADI_L_PRIM && i->nargs == 2 && i->op < WADI_SOP_SHL)
        for (int a = 0; a < 2; a++)
            if (wadi_lb_type(&w->b, i->args[a]) != i->type) wrong(w, "type", i->self);
    if (i->bits < 64 && (v < 0 ? -v : v) >= (wide)1 << i->bits) wrong(w, "magnitude", i->self);
}

static void values_are_right(world *w) {
    for (int t = 0; t < w->n; t++)
        if (!w->fault[t] && world_value(w, w->term[t].lv) != w->value[t])
            wrong(w, "value", w->term[t].lv);
    for (uint32_t i = 0; i < w->b.fun->n; i++) claims_hold(w, w->b.fun->inst[i]);
}

static void terms_keep_their_value(void **state) {
    (void)state;
    int sampled = 0;
    for (int i = 0; i < 2 * WORLDS; i++) {
        world w;
        world_open(&w, (uint64_t)i, i % 2);
        world_fill(&w, 40);
        for (int s = 0; s < SAMPLES; s++) {
            if (!world_sample(&w)) continue;
            values_are_right(&w);
            sampled++;
        }
        world_close(&w);
    }
    assert_true(sampled > WORLDS * SAMPLES / 2);
}

/* ---- proofs ---- */

typedef struct claim {
    int index, extent;
    wadi_lv condition; /* NONE: always */
} claim;

enum { CLAIMS = 4000 };

static void in_range(world *w, const claim *c) {
    if (w->fault[c->index] || !world_is_extent(w, c->extent)) return;
    if (c->condition != WADI_LV_NONE && !world_value(w, c->condition)) return;
    if (w->value[c->index] < 0 || w->value[c->index] >= w->value[c->extent])
        wrong_pair(w, c->condition == WADI_LV_NONE ? "proved" : "condition", w->term[c->index].lv,
                   w->term[c->extent].lv);
}

static void proofs_hold(void **state) {
    (void)state;
    static claim claims[CLAIMS];
    int proved = 0;
    for (int i = 0; i < WORLDS; i++) {
        world w;
        int n = 0;
        world_open(&w, 1000003 + (uint64_t)i, i % 4);
        world_fill(&w, 24);
        for (int x = 0; x < w.n; x++)
            for (int e = 0; e < w.n && n < CLAIMS; e++)
                if (is_number(&w, x) && is_number(&w, e) &&
                    wadi_bound_proved(&w.b, w.term[x].lv, w.term[e].lv))
                    claims[n++] = (claim){x, e, WADI_LV_NONE};
        for (int s = 0; s < SAMPLES; s++)
            for (int c = world_sample(&w) ? 0 : n; c < n; c++) in_range(&w, &claims[c]);
        proved += n;
        world_close(&w);
    }
    assert_true(proved > WORLDS * 10);
}

/* ---- conditions in front of loops ---- */

static void conditions_hold(void **state) {
    (void)state;
    int found = 0;
    for (int i = 0; i < 2 * WORLDS; i++) {
        world w;
        claim claims[40];
        int n = 0;
        world_open(&w, 2000003 + (uint64_t)i, i % 4);
        world_fill(&w, 24);
        for (int tries = 0; tries < 40; tries++) {
            const int x = w.n - 1 - world_pick(&w, w.n < 24 ? w.n : 24), e = world_pick(&w, w.n);
            wadi_lscope *home = w.scope[world_pick(&w, w.loops + 1)];
            if (!is_number(&w, x) || !is_number(&w, e)) continue;
            const wadi_lv c = wadi_bound_condition(&w.b, home, w.term[x].lv, w.term[e].lv);
            if (c != WADI_LV_NONE) claims[n++] = (claim){x, e, c};
        }
        for (int s = 0; s < SAMPLES; s++)
            for (int c = world_sample(&w) ? 0 : n; c < n; c++) {
                in_range(&w, &claims[c]);
                found += world_value(&w, claims[c].condition) != 0;
            }
        world_close(&w);
    }
    assert_true(found > 10 * WORLDS);
}

static void truths_hold_throughout(void **state) {
    (void)state;
    int found = 0;
    for (int i = 0; i < 2 * WORLDS; i++) {
        world w;
        claim claims[WORLD_TERMS];
        int n = 0;
        world_open(&w, 3000017 + (uint64_t)i, i % 4);
        world_fill(&w, 30);
        for (int t = 0; t < w.n; t++) {
            if (w.term[t].type != WADI_BOOL || w.term[t].kind != TERM_OP) continue;
            const wadi_lv c =
                wadi_bound_always(&w.b, w.scope[world_pick(&w, w.loops + 1)], w.term[t].lv);
            if (c != WADI_LV_NONE) claims[n++] = (claim){t, t, c};
        }
        for (int s = 0; s < SAMPLES; s++)
            for (int c = world_sample(&w) ? 0 : n; c < n; c++) {
                if (w.fault[claims[c].index] || !world_value(&w, claims[c].condition)) continue;
                if (!w.value[claims[c].index]) wrong(&w, "always", w.term[claims[c].index].lv);
                found++;
            }
        world_close(&w);
    }
    assert_true(found > WORLDS);
}

static void ranges_hold(void **state) {
    (void)state;
    int found = 0;
    for (int i = 0; i < WORLDS; i++) {
        world w;
        struct {
            int t;
            wadi_lv least, most, condition;
        } r[WORLD_TERMS];
        int n = 0;
        world_open(&w, 4000037 + (uint64_t)i, i % 4);
        world_fill(&w, 24);
        for (int t = 0; t < w.n; t++) {
            r[n].t = t;
            n += is_number(&w, t) &&
                 wadi_bound_range(&w.b, w.scope[world_pick(&w, w.loops + 1)], w.term[t].lv,
                                  &r[n].least, &r[n].most, &r[n].condition);
        }
        for (int s = 0; s < SAMPLES; s++)
            for (int c = world_sample(&w) ? 0 : n; c < n; c++) {
                if (w.fault[r[c].t]) continue;
                if (r[c].condition != WADI_LV_NONE && !world_value(&w, r[c].condition)) continue;
                const wide v = w.value[r[c].t];
                if (v < world_value(&w, r[c].least) || v > world_value(&w, r[c].most))
                    wrong(&w, "range", w.term[r[c].t].lv);
                found++;
            }
        world_close(&w);
    }
    assert_true(found > 10 * WORLDS);
}

/* ---- steps ---- */

/* Values of a loop variable a power of two apart: where a large stride wraps around to where it was. */
static void never_the_same(world *w, int t, int loop) {
    const wide before = w->value[t], at = w->value[loop];
    for (int shift = 0; shift < WADI_EXTENT_BITS; shift++) {
        const bool stepped = world_step(w, loop, at + (((wide)1) << shift));
        const wide after = w->value[t];
        const bool fault = !stepped || w->fault[t];
        (void)world_step(w, loop, at);
        if (!fault && !w->fault[t] && before == after) wrong(w, "steps", w->term[t].lv);
    }
}

static void steps_never_meet(void **state) {
    (void)state;
    int found = 0;
    for (int i = 0; i < 2 * WORLDS; i++) {
        world w;
        world_open(&w, 5000011 + (uint64_t)i, i % 4 == 0);
        const int zero = world_const(&w, 0), n = world_extent(&w, 0);
        const int factor = world_unknown(&w, -1, -1);
        const int loop = world_loop(&w, zero, n, 1);
        for (int k = 0; k < 6; k++) {
            const wadi_sop op = world_pick(&w, 2) ? WADI_SOP_MUL : WADI_SOP_ADD;
            const int x = w.term[w.n - 1].type == WADI_I64 ? w.n - 1 : loop;
            const int operand[] = {world_const(&w, INT64_C(1) << world_pick(&w, 31)), loop, factor};
            (void)world_op(&w, op, WADI_I64, world_pick(&w, 3) ? x : loop,
                           operand[world_pick(&w, 3)]);
        }
        if (i % 2) world_fill(&w, 20);
        int steps[WORLD_TERMS], m = 0;
        for (int t = 0; t < w.n; t++)
            if (is_number(&w, t) && wadi_bound_steps(&w.b, w.term[t].lv, w.term[loop].lv))
                steps[m++] = t;
        for (int s = 0; s < 4 && world_sample(&w); s++)
            for (int c = 0; c < m; c++) never_the_same(&w, steps[c], loop);
        found += m;
        world_close(&w);
    }
    assert_true(found > 2 * WORLDS);
}

/* ---- as sharp as documented ---- */

/* constant + a * i + b * j, written in one of many ways; every loop variable once. */
static int affine(world *w, int i, int j, int k) {
    int part[3] = {i, j, k};
    for (int p = 0; p < 3; p++) {
        if (part[p] < 0) continue;
        const int c = world_const(w, world_pick(w, 5) - 2);
        switch (world_pick(w, 4)) {
        case 0:
            part[p] = world_op(w, WADI_SOP_MUL, WADI_I64, part[p], c);
            break;
        case 1:
            part[p] = world_op(w, WADI_SOP_NEG, WADI_I64, part[p], -1);
            break;
        case 2:
            part[p] = world_op(w, WADI_SOP_SUB, WADI_I64, c, part[p]);
            break;
        default:
            part[p] = world_op(w, WADI_SOP_ADD, WADI_I64, part[p], c);
        }
    }
    int sum = part[0];
    for (int p = 1; p < 3; p++)
        if (part[p] >= 0)
            sum =
                world_op(w, world_pick(w, 2) ? WADI_SOP_ADD : WADI_SOP_SUB, WADI_I64, sum, part[p]);
    return sum;
}

/* The least and the greatest value of term `t` over all rounds of two loops. */
static void ends(world *w, int t, int i, int j, wide *least, wide *most) {
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (wide x = w->value[w->term[i].arg[0]]; x < w->value[w->term[i].arg[1]]; x++)
        for (wide y = w->value[w->term[j].arg[0]]; y < w->value[w->term[j].arg[1]]; y++) {
            assert_true(world_step(w, i, x) && world_step(w, j, y));
            if (w->value[t] < *least) *least = w->value[t];
            if (w->value[t] > *most) *most = w->value[t];
        }
}

static void affine_conditions_are_exact(void **state) {
    (void)state;
    int yes = 0;
    for (int run = 0; run < 2 * WORLDS; run++) {
        world w;
        wide least = 0, most = 0;
        world_open(&w, 6000011 + (uint64_t)run, true);
        const int zero = world_const(&w, 0), n = world_extent(&w, 0), m = world_extent(&w, 1);
        const int k = world_unknown(&w, -1, -1), extent = world_extent(&w, 2);
        const int i = world_loop(&w, zero, n, 1), j = world_loop(&w, zero, m, 1);
        const int t = affine(&w, i, j, world_pick(&w, 2) ? k : -1);
        const wadi_lv c = wadi_bound_condition(&w.b, w.scope[0], w.term[t].lv, w.term[extent].lv);
        assert_int_not_equal(c, WADI_LV_NONE);
        for (int s = 0; s < 8; s++) {
            if (!world_sample(&w)) continue;
            ends(&w, t, i, j, &least, &most);
            const bool fits = least >= 0 && most < w.value[extent];
            if (fits != (world_value(&w, c) != 0)) wrong(&w, "not exact", c);
            yes += fits;
        }
        world_close(&w);
    }
    assert_true(yes > WORLDS / 4);
}

static void affine_proofs_are_exact(void **state) {
    (void)state;
    int yes = 0;
    for (int run = 0; run < 2 * WORLDS; run++) {
        world w;
        wide least = 0, most = 0;
        world_open(&w, 7000003 + (uint64_t)run, true);
        const int from = world_pick(&w, 4) - 1, n = world_const(&w, from + 1 + world_pick(&w, 4));
        const int i = world_loop(&w, world_const(&w, from), n, 1);
        const int zero = world_const(&w, 0);
        const int j = world_loop(&w, zero, world_const(&w, 1 + world_pick(&w, 4)), 1);
        const int t = affine(&w, i, j, -1);
        const int extent = world_const(&w, 1 + world_pick(&w, 12));
        assert_true(world_sample(&w));
        ends(&w, t, i, j, &least, &most);
        const bool fits = least >= 0 && most < w.value[extent];
        if (fits != wadi_bound_proved(&w.b, w.term[t].lv, w.term[extent].lv))
            wrong(&w, "not exact", w.term[t].lv);
        yes += fits;
        world_close(&w);
    }
    assert_true(yes > WORLDS / 10);
}

/* In front of a loop: whether 0 <= index < extent is known to hold, or not to hold. */
static bool always_in_range(world *w, int index, int64_t extent) {
    int64_t known = 0;
    const wadi_lv c =
        wadi_bound_condition(&w->b, w->scope[0], w->term[index].lv, wadi_lb_i64(&w->b, extent));
    return c != WADI_LV_NONE && wadi_lb_is_const(&w->b, c, &known) && known;
}

/* What every value of a signed type is, and of a remainder or a mask, is known to the last one. */
static void values_of_types_are_bounded_exactly(void **state) {
    (void)state;
    static const struct {
        wadi_type type;
        int64_t least, most;
    } rows[] = {{WADI_BOOL, 0, 1}, {WADI_I8, -128, 127}, {WADI_I16, -32768, 32767}};
    world w;
    world_open(&w, 1, true);
    const int loop = world_loop(&w, world_const(&w, 0), world_extent(&w, 0), 1);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int64_t n = rows[r].most - rows[r].least + 1;
        const int x = world_op(&w, WADI_SOP_CONVERT, WADI_I64, world_loaded(&w, rows[r].type), -1);
        const int from_0 = world_op(&w, WADI_SOP_SUB, WADI_I64, x, world_const(&w, rows[r].least));
        const int low = world_op(&w, WADI_SOP_SUB, WADI_I64, x, world_const(&w, rows[r].least + 1));
        assert_true(always_in_range(&w, from_0, n));
        assert_false(always_in_range(&w, from_0, n - 1));
        assert_false(always_in_range(&w, low, n));
    }
    const int x = world_unknown(&w, -1, -1), seven = world_const(&w, 7);
    const int word = world_op(&w, WADI_SOP_CONVERT, WADI_I64, world_loaded(&w, WADI_U32), -1);
    assert_false(always_in_range(&w, word, INT64_C(1) << 32)); /* no array has so many */
    const int rows_of = world_op(&w, WADI_SOP_MUL, WADI_I64, loop, world_extent(&w, 1));
    assert_int_not_equal(
        wadi_bound_condition(&w.b, w.scope[0], w.term[rows_of].lv, w.term[world_extent(&w, 2)].lv),
        WADI_LV_NONE);
    for (int k = 0; k < 3; k++) {
        const wadi_sop op = k == 0 ? WADI_SOP_MOD : k == 1 ? WADI_SOP_REM : WADI_SOP_AND;
        const int t = world_op(&w, op, WADI_I64, k == 1 ? loop : x, seven);
        assert_true(always_in_range(&w, t, op == WADI_SOP_AND ? 8 : 7));
        assert_false(always_in_range(&w, t, op == WADI_SOP_AND ? 7 : 6));
    }
    world_close(&w);
}

/* What else is proved; each line is code that kernels have. */
static void usual_indices_are_proved(void **state) {
    (void)state;
    world w;
    world_open(&w, 1, true);
    const int zero = world_const(&w, 0), n = world_extent(&w, 0), m = world_extent(&w, 1);
    const int u = world_unknown(&w, -1, -1), byte = world_loaded(&w, WADI_U8);
    const int word = world_loaded(&w, WADI_U32), flag = world_loaded(&w, WADI_BOOL);
    const int one = world_const(&w, 1), last = world_op(&w, WADI_SOP_SUB, WADI_I64, n, one);
    const int i = world_loop(&w, zero, n, 1), j = world_loop(&w, zero, m, 1);
    const int many = world_const(&w, 4096), c = world_loop(&w, zero, many, 1);
    const int known = world_known(&w, zero, last, false);
    const int natural = world_known(&w, zero, -1, false);
    const int seven = world_const(&w, 7), eight = world_const(&w, 8);
#define OP(name, x, y) world_op(&w, WADI_SOP_##name, WADI_I64, x, y)
    const struct {
        int index, extent;
        bool proved;
    } rows[] = {
        {i, n, true},
        {known, n, true},
        {known, last, false},
        {i, OP(ADD, n, m), true},
        {OP(ADD, OP(MUL, i, many), c), OP(MUL, n, many), true},
        {OP(ADD, OP(MUL, i, many), c), OP(SUB, OP(MUL, n, many), one), false},
        {OP(ADD, OP(MUL, i, many), j), OP(MUL, n, many), false},
        {OP(MUL, i, m), OP(MUL, n, m), false}, /* m may be 0, and the product anything */
        {OP(QUOT, i, seven), n, true},
        {OP(QUOT, i, m), n, true},
        {OP(QUOT, u, seven), n, false},
        {OP(MOD, u, seven), seven, true},
        {OP(MOD, u, seven), OP(SUB, seven, one), false},
        {OP(REM, u, seven), seven, false},
        {OP(REM, i, seven), seven, true},
        {OP(AND, u, seven), eight, true},
        {OP(AND, u, seven), seven, false},
        {OP(MIN, OP(MAX, u, zero), last), n, false}, /* n may be 0 */
        {OP(MIN, i, u), n, false},
        {OP(MIN, i, natural), n, true},
        {OP(MIN, i, OP(ADD, natural, i)), n, false}, /* the sum may wrap */
        {OP(MAX, OP(MIN, i, u), zero), n, true},     /* n is not 0 where i is */
        {OP(MAX, OP(SUB, i, one), zero), n, true},
        {OP(MAX, OP(SUB, i, one), zero), m, false},
        {OP(MIN, i, OP(MAX, u, zero)), n, true},
        {OP(SUB, OP(SUB, n, one), i), n, true},
        {world_select(&w, flag, i, OP(SUB, last, i)), n, true},
        {world_select(&w, flag, i, u), n, false},
        {OP(CONVERT, byte, -1), world_const(&w, 256), true},
        {OP(CONVERT, byte, -1), world_const(&w, 255), false},
        {OP(CONVERT, word, -1), world_const(&w, INT64_C(1) << 32), true},
        {OP(CONVERT, flag, -1), world_const(&w, 2), true},
        {OP(CONVERT, flag, -1), one, false},
    };
#undef OP
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (wadi_bound_proved(&w.b, w.term[rows[r].index].lv, w.term[rows[r].extent].lv) !=
            rows[r].proved)
            fail_msg("row %zu", r);
    world_close(&w);
}

/* Every law gives the value that is there already: equal indices are one value. */
static void laws_find_values(void **state) {
    (void)state;
    world w;
    world_open(&w, 1, true);
    const int x = world_unknown(&w, -1, -1), y = world_unknown(&w, -1, -1), n = world_extent(&w, 0);
    const int zero = world_const(&w, 0), one = world_const(&w, 1), three = world_const(&w, 3),
              five = world_const(&w, 5);
    const int p = world_op(&w, WADI_SOP_LT, WADI_BOOL, x, y),
              q = world_op(&w, WADI_SOP_LT, WADI_BOOL, y, n);
    const int both = world_op(&w, WADI_SOP_LAND, WADI_BOOL, p, q),
              either = world_op(&w, WADI_SOP_LOR, WADI_BOOL, p, q);
    const int yes = world_op(&w, WADI_SOP_EQ, WADI_BOOL, one, one),
              no = world_op(&w, WADI_SOP_NE, WADI_BOOL, one, one);
#define OP(name, a, b) world_op(&w, WADI_SOP_##name, WADI_I64, a, b)
#define IS(name, a, b) world_op(&w, WADI_SOP_##name, WADI_BOOL, a, b)
    const int same[][2] = {
        {OP(ADD, x, zero), x},
        {OP(ADD, zero, x), x},
        {OP(SUB, x, zero), x},
        {OP(SUB, x, x), zero},
        {OP(SUB, OP(ADD, x, y), y), x},
        {OP(SUB, OP(ADD, x, y), x), y},
        {OP(ADD, OP(SUB, x, y), y), x},
        {OP(ADD, y, OP(SUB, x, y)), x},
        {OP(ADD, OP(ADD, x, three), world_const(&w, -3)), x},
        {OP(ADD, OP(SUB, x, three), five), OP(ADD, x, world_const(&w, 2))},
        {OP(SUB, OP(ADD, x, three), five), OP(SUB, x, world_const(&w, 2))},
        {OP(SUB, OP(SUB, x, three), five), OP(SUB, x, world_const(&w, 8))},
        {OP(SUB, x, world_const(&w, -3)), OP(ADD, three, x)},
        {OP(MUL, x, one), x},
        {OP(MUL, one, x), x},
        {OP(MUL, zero, x), zero},
        {OP(MUL, three, x), OP(MUL, x, three)},
        {OP(QUOT, x, one), x},
        {OP(DIV, x, one), x},
        {OP(REM, x, one), zero},
        {OP(MOD, x, one), zero},
        {OP(ADD, OP(MUL, OP(QUOT, x, y), y), OP(REM, x, y)), x},
        {OP(ADD, OP(MUL, y, OP(QUOT, x, y)), OP(REM, x, y)), x},
        {OP(MIN, x, x), x},
        {OP(MAX, n, zero), n},
        {OP(MAX, zero, n), n},
        {OP(MIN, n, zero), zero},
        {OP(CONVERT, x, -1), x},
        {IS(EQ, x, x), yes},
        {IS(LE, x, x), yes},
        {IS(GE, x, x), yes},
        {IS(NE, x, x), no},
        {IS(LT, x, x), no},
        {IS(GT, x, x), no},
        {IS(GE, n, zero), yes},
        {IS(LT, n, zero), no},
        {IS(LAND, p, yes), p},
        {IS(LAND, no, p), no},
        {IS(LOR, p, yes), yes},
        {IS(LOR, no, p), p},
        {IS(LAND, both, q), both},
        {IS(LAND, p, both), both},
        {IS(LOR, either, p), either},
        {world_select(&w, p, x, x), x},
        {world_select(&w, yes, x, y), x},
        {world_select(&w, no, x, y), y},
        {world_select(&w, p, q, no), IS(LAND, p, q)},
        {world_select(&w, p, yes, q), IS(LOR, p, q)},
    };
    const int apart[][2] = {
        {IS(GE, x, zero), yes}, {IS(LT, x, zero), no},    {IS(GT, n, zero), yes},
        {OP(MAX, x, zero), x},  {OP(MIN, x, zero), zero}, {IS(LAND, either, p), either},
        {IS(LOR, both, p), p},
    };
#undef IS
#undef OP
    for (size_t r = 0; r < sizeof same / sizeof *same; r++)
        if (w.term[same[r][0]].lv != w.term[same[r][1]].lv) fail_msg("law %zu is not found", r);
    for (size_t r = 0; r < sizeof apart / sizeof *apart; r++)
        if (w.term[apart[r][0]].lv == w.term[apart[r][1]].lv) fail_msg("%zu is no law", r);
    world_close(&w);
}

/* What is known of results: kernels lose checks by no less. 64 bits: nothing. */
static void signs_and_magnitudes_are_known(void **state) {
    (void)state;
    world w;
    world_open(&w, 1, true);
    const int u = world_unknown(&w, -1, -1), n = world_extent(&w, 0), five = world_const(&w, 5);
    const int zero = world_const(&w, 0), least = world_const(&w, INT64_MIN),
              minus = world_const(&w, -8);
    const int byte = world_loaded(&w, WADI_U8), small = world_loaded(&w, WADI_I16),
              real = world_loaded(&w, WADI_F64);
    const int flag = world_loaded(&w, WADI_BOOL), word = world_loaded(&w, WADI_U32),
              huge = world_loaded(&w, WADI_U64);
    const int u5 = world_op(&w, WADI_SOP_CONVERT, WADI_U32, five, -1);
    const int mask = world_op(&w, WADI_SOP_AND, WADI_U32, word, u5);
    const int wide_byte = world_op(&w, WADI_SOP_CONVERT, WADI_U32, byte, -1);
    const int i = world_loop(&w, zero, u, 1), odd = world_loop(&w, minus, n, 1);
    const int later = world_loop(&w, n, u, 1), any = world_loop(&w, u, n, 1);
#define OP(name, a, b) world_op(&w, WADI_SOP_##name, WADI_I64, a, b)
#define UN(name, a, b) world_op(&w, WADI_SOP_##name, WADI_U32, a, b)
    const struct {
        int t;
        bool nonneg;
        int bits;
    } rows[] = {
        {u, false, 64},
        {n, true, 44},
        {i, true, 44},
        {odd, false, 44},
        {later, true, 44},
        {any, false, 64},
        {five, true, 3},
        {zero, true, 0},
        {minus, false, 4},
        {least, false, 64},
        {OP(ADD, n, i), true, 45},
        {OP(ADD, n, u), false, 64},
        {OP(SUB, n, i), false, 45},
        {OP(MUL, i, five), true, 47},
        {OP(MUL, n, i), false, 64},
        {OP(NEG, n, -1), false, 44},
        {OP(QUOT, n, i), true, 45},
        {OP(QUOT, u, n), false, 64},
        {OP(QUOT, n, u), false, 45},
        {OP(DIV, n, odd), false, 45},
        {OP(REM, n, five), true, 3},
        {OP(REM, five, n), true, 3},
        {OP(REM, u, five), false, 3},
        {OP(MOD, u, five), true, 3},
        {OP(MOD, five, u), false, 64},
        {OP(MIN, n, i), true, 44},
        {OP(MIN, n, u), false, 64},
        {OP(MAX, u, n), true, 64},
        {OP(MAX, i, odd), true, 44},
        {OP(AND, u, five), true, 3},
        {OP(AND, n, five), true, 3},
        {OP(AND, odd, u), false, 64},
        {OP(CONVERT, byte, -1), true, 8},
        {OP(CONVERT, small, -1), false, 16},
        {OP(CONVERT, flag, -1), true, 1},
        {OP(CONVERT, world_loaded(&w, WADI_I32), -1), false, 32},
        {OP(CONVERT, word, -1), true, 32},
        {OP(CONVERT, huge, -1), false, 64},
        {OP(CONVERT, real, -1), false, 64},
        {OP(CONVERT, mask, -1), true, 3},
        {mask, true, 3},
        {wide_byte, true, 8},
        {UN(OR, wide_byte, mask), true, 8},
        {UN(XOR, wide_byte, mask), true, 8},
        {UN(MAX, wide_byte, mask), true, 8},
        {UN(MIN, wide_byte, mask), true, 3},
        {UN(REM, word, mask), true, 3},
        {UN(QUOT, wide_byte, word), true, 8},
        {UN(ADD, wide_byte, mask), true, 32},
        {world_select(&w, flag, n, i), true, 44},
        {world_select(&w, flag, n, u), false, 64},
        {world_select(&w, flag, minus, five), false, 4},
        {world_known(&w, zero, five, false), true, 3},
        {world_known(&w, -1, five, false), false, 64},
        {world_known(&w, minus, -1, false), false, 64},
    };
#undef UN
#undef OP
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const wadi_linst *x = wadi_lb_inst(&w.b, w.term[rows[r].t].lv);
        if (x->nonneg != rows[r].nonneg || x->bits != rows[r].bits)
            fail_msg("row %zu: %s, %d bits", r, x->nonneg ? "not negative" : "any sign", x->bits);
    }
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_keep_their_value),
        cmocka_unit_test(proofs_hold),
        cmocka_unit_test(conditions_hold),
        cmocka_unit_test(truths_hold_throughout),
        cmocka_unit_test(ranges_hold),
        cmocka_unit_test(steps_never_meet),
        cmocka_unit_test(affine_conditions_are_exact),
        cmocka_unit_test(affine_proofs_are_exact),
        cmocka_unit_test(values_of_types_are_bounded_exactly),
        cmocka_unit_test(usual_indices_are_proved),
        cmocka_unit_test(laws_find_values),
        cmocka_unit_test(signs_and_magnitudes_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
