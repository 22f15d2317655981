/* How the values of wadi-flac's stage are stored: arrays as long as the block are irregular (the last block of a stream is shorter),
 * tables of coefficients and costs have one shape for the whole stream, and few values are stored at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "apps/audio/analysis.h"
#include "tests/structure/stage.h"

static stage stage_at(int level, int channels) {
    const flac_recipe recipe = flac_recipe_for(level, 44100, channels, 16);
    wadi_program *p = wadi_program_create("flac");
    flac_analysis_build(&recipe);
    const stage s = stage_of(p);
    wadi_program_destroy(p);
    return s;
}

typedef void (*visitor)(void *env, const stage *s, wadi_val v);

static void each_value(const stage *s, visitor visit, void *env) {
    for (int i = 0; i < s->body->nbinds; i++)
        for (int r = 0; r < s->body->binds[i]->nresults; r++)
            visit(env, s, s->body->binds[i]->results[r]);
}

static bool has_constant_shape(const stage *s, wadi_val v) {
    const int rank = s->m->values[v].type.array[0].rank;
    for (int d = 0; d < rank; d++) {
        const wadi_ext e = wadi_shapes_extent(s->facts.shapes, v, 0, d);
        int64_t n;
        if (!wadi_ext_is_const(s->facts.shapes->extents, e, &n)) return false;
    }
    return true;
}

static void check_constant(void *env, const stage *s, wadi_val v) {
    int *seen = env;
    if (!has_constant_shape(s, v)) return;
    (*seen)++;
    assert_int_not_equal(s->m->values[v].rep, WADI_REP_IRREGULAR);
}

static void tables_of_constant_shape_are_never_irregular(void **state) {
    (void)state;
    for (int level = 0; level <= FLAC_MAX_LEVEL; level++) {
        int seen = 0;
        stage s = stage_at(level, 2);
        each_value(&s, check_constant, &seen);
        assert_true(seen > 0);
        stage_fini(&s);
    }
}

static void check_varying(void *env, const stage *s, wadi_val v) {
    int *seen = env;
    if (has_constant_shape(s, v)) return;
    (*seen)++;
    assert_int_equal(s->m->values[v].rep, WADI_REP_IRREGULAR);
}

static void what_is_as_long_as_the_block_is_irregular(void **state) {
    (void)state;
    int seen = 0;
    stage s = stage_at(FLAC_MAX_LEVEL, 2);
    check_varying(&seen, &s, s.body->params[0]);
    each_value(&s, check_varying, &seen);
    assert_true(seen > 1);
    stage_fini(&s);
}

/* Stored arrays by representation; scalars live beside the loops. */
static void count_stored(void *env, const stage *s, wadi_val v) {
    int *count = env;
    const wadi_value *value = &s->m->values[v];
    if (value->storage == WADI_STORE_MANIFEST && value->type.array[0].rank > 0) count[value->rep]++;
}

static void so_many_arrays_of_the_best_level_are_stored(void **state) {
    (void)state;
    int count[4] = {0};
    stage s = stage_at(FLAC_MAX_LEVEL, 2);
    each_value(&s, count_stored, count);
    stage_fini(&s);
    assert_int_equal(count[WADI_REP_NONE], 0);
    assert_int_equal(count[WADI_REP_AVOID], 0);
    assert_int_equal(count[WADI_REP_REGULAR], 23);
    assert_int_equal(count[WADI_REP_IRREGULAR], 12);
}

static void fewer_arrays_without_linear_prediction(void **state) {
    (void)state;
    int least[4] = {0}, most[4] = {0};
    stage s = stage_at(0, 2);
    each_value(&s, count_stored, least);
    stage_fini(&s);
    s = stage_at(FLAC_MAX_LEVEL, 2);
    each_value(&s, count_stored, most);
    stage_fini(&s);
    assert_true(least[WADI_REP_REGULAR] < most[WADI_REP_REGULAR]);
    assert_true(least[WADI_REP_IRREGULAR] < most[WADI_REP_IRREGULAR]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_constant_shape_are_never_irregular),
        cmocka_unit_test(what_is_as_long_as_the_block_is_irregular),
        cmocka_unit_test(so_many_arrays_of_the_best_level_are_stored),
        cmocka_unit_test(fewer_arrays_without_linear_prediction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
