/* States of folds that are arrays: scattered sums and other changes that can be made in place, and changes that only look as if
 * they could. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { N = 29, ROWS = 20, COLUMNS = 17 };

static const char *const any2[] = {"rows", "columns"};

static wadi_exp plus(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_add(x, old);
}

/* ---- patches: element k is { row, column, values[h, w] } ---- */

typedef struct patches {
    bool ragged;
} patches;

static wadi_exp mixed(wadi_exp k, int64_t by, int64_t modulus) {
    return wadi_mod(wadi_mul(wadi_add(k, wadi_i64(3)), wadi_i64(by)), wadi_i64(modulus));
}

static wadi_exp value_at(void *env, wadi_ix ix) {
    const wadi_exp *k = env;
    const wadi_exp i = wadi_add(wadi_mul(ix.at[0], wadi_i64(7)), ix.at[1]);
    const wadi_exp x = wadi_add(wadi_mul(*k, wadi_i64(31)), i);
    const wadi_exp re = wadi_div(wadi_convert(WADI_F64, mixed(x, 7919, 1009)), wadi_f64(7));
    return wadi_complex(re, wadi_div(wadi_f64(1), wadi_add(wadi_abs(re), wadi_f64(0.3))));
}

static wadi_acc patch(void *env, wadi_exp k) {
    const patches *g = env;
    const wadi_exp h = g->ragged ? wadi_add(wadi_i64(1), wadi_mod(k, wadi_i64(4))) : wadi_i64(4),
                   w = g->ragged ? wadi_add(wadi_i64(1), wadi_mod(k, wadi_i64(6))) : wadi_i64(5);
    const wadi_acc parts[] = {wadi_unit(mixed(k, 7, ROWS - 3)),
                              wadi_unit(mixed(k, 11, COLUMNS - 5)),
                              wadi_generate_env(wadi_ix2(h, w), value_at, &k)};
    return wadi_tuple(3, parts);
}

static wadi_seq all_patches(patches *g) {
    return wadi_produce_env(wadi_i64(N), patch, g);
}

static wadi_acc number_grid(void) {
    return wadi_input("grid", WADI_C128, 2, any2);
}

/* ---- element by element ---- */

static wadi_ix at_patch(void *env, wadi_ix ix) {
    const wadi_acc *e = env;
    return wadi_ix2(wadi_add(wadi_the(wadi_tuple_get(*e, 0)), ix.at[0]),
                    wadi_add(wadi_the(wadi_tuple_get(*e, 1)), ix.at[1]));
}

static wadi_ix kept_at_patch(void *env, wadi_ix ix) {
    const wadi_acc *e = env;
    const wadi_exp row = wadi_the(wadi_tuple_get(*e, 0));
    return wadi_keep_if(wadi_ne(wadi_mod(row, wadi_i64(3)), wadi_i64(1)), at_patch(env, ix));
}

/* Beyond the border by up to 2 on each side, and clipped. */
static wadi_ix clipped(void *env, wadi_ix ix) {
    const wadi_ix at = at_patch(env, ix);
    const wadi_exp r = wadi_sub(wadi_mul(at.at[0], wadi_i64(2)), wadi_i64(2)),
                   c = wadi_sub(wadi_mul(at.at[1], wadi_i64(2)), wadi_i64(2));
    const wadi_exp inside =
        wadi_and(wadi_and(wadi_ge(r, wadi_i64(0)), wadi_lt(r, wadi_i64(ROWS))),
                 wadi_and(wadi_ge(c, wadi_i64(0)), wadi_lt(c, wadi_i64(COLUMNS))));
    return wadi_keep_if(inside, wadi_ix2(r, c));
}

static wadi_ix transposed(void *env, wadi_ix ix) {
    const wadi_ix at = at_patch(env, ix);
    return wadi_ix2(wadi_min(at.at[1], wadi_i64(ROWS - 1)),
                    wadi_min(at.at[0], wadi_i64(COLUMNS - 1)));
}

typedef wadi_ix (*target)(void *env, wadi_ix ix);

static wadi_acc add_patch(void *env, wadi_acc grid, wadi_acc e) {
    const target *t = env;
    return wadi_permute_env(plus, grid, *t, &e, wadi_tuple_get(e, 2));
}

static wadi_exp halved(wadi_exp x) {
    return wadi_mul(x, wadi_complex(wadi_f64(0.5), wadi_f64(-0.25)));
}

static wadi_acc decay_and_add(void *env, wadi_acc grid, wadi_acc e) {
    return add_patch(env, wadi_map(halved, grid), e);
}

static wadi_acc twice(void *env, wadi_acc grid, wadi_acc e) {
    return add_patch(env, wadi_map(halved, add_patch(env, grid, e)), e);
}

static void check(wadi_program *p, double *cells) {
    static const int64_t shape[] = {ROWS, COLUMNS};
    for (int64_t i = 0; i < 2 * (int64_t)ROWS * COLUMNS; i++)
        cells[i] = (double)(i * 7919 % 1009 - 500) / 3;
    const wadi_interp_input in = {"grid", conf_array(WADI_C128, 2, shape, cells)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

typedef wadi_acc (*step)(void *env, wadi_acc grid, wadi_acc e);

static void check_steps(int n, const step *f, target t, bool ragged) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    double cells[2 * ROWS * COLUMNS];
    patches g = {.ragged = ragged};
    wadi_program *p = wadi_program_create("patches");
    const wadi_acc grid = number_grid();
    for (int i = 0; i < n; i++)
        wadi_output(names[i], wadi_consume(wadi_fold_seq_env(f[i], &t, grid, all_patches(&g))));
    check(p, cells);
}

static void patches_are_added(void **state) {
    (void)state;
    static const target targets[] = {at_patch, kept_at_patch, clipped, transposed};
    static const step steps[] = {add_patch, decay_and_add, twice};
    for (int i = 0; i < 4; i++) check_steps(i == 0 ? 3 : 1, steps, targets[i], i % 2 == 0);
}

/* ---- chunk by chunk ---- */

typedef struct chunk {
    wadi_acc rows, columns;
} chunk;

static wadi_ix in_chunk(void *env, wadi_ix ix) {
    const chunk *c = env;
    const wadi_exp row = wadi_index1(c->rows, ix.at[0]);
    return wadi_keep_if(
        wadi_ne(row, wadi_i64(5)),
        wadi_ix2(wadi_add(row, ix.at[1]), wadi_add(wadi_index1(c->columns, ix.at[0]), ix.at[2])));
}

static wadi_acc add_chunk(wadi_acc grid, wadi_acc e) {
    chunk c = {wadi_tuple_get(e, 1), wadi_tuple_get(e, 3)};
    const wadi_acc v = wadi_reshape(wadi_ix3(wadi_extent(c.rows, 0), wadi_i64(4), wadi_i64(5)),
                                    wadi_tuple_get(e, 5));
    return wadi_permute_env(plus, grid, in_chunk, &c, v);
}

/* ---- single elements, to a vector ---- */

typedef struct spots {
    wadi_exp k;
} spots;

static wadi_exp spot(void *env, wadi_ix ix) {
    const spots *s = env;
    return mixed(wadi_add(s->k, ix.at[0]), 7, 50);
}

static wadi_exp spot_value(void *env, wadi_ix ix) {
    const spots *s = env;
    return wadi_div(wadi_f64(1), wadi_convert(WADI_F64, wadi_add(mixed(s->k, 5, 13),
                                                                 wadi_add(ix.at[0], wadi_i64(1)))));
}

static wadi_acc some_spots(wadi_exp k) {
    spots s = {k};
    const wadi_ix shape = wadi_ix1(wadi_mod(k, wadi_i64(5)));
    const wadi_acc parts[] = {wadi_generate_env(shape, spot, &s),
                              wadi_generate_env(shape, spot_value, &s)};
    return wadi_tuple(2, parts);
}

static wadi_ix at_key(void *env, wadi_ix ix, int n, const wadi_exp *key) {
    (void)env;
    (void)ix;
    (void)n;
    return wadi_ix1(key[0]);
}

static wadi_acc add_spots(wadi_acc sums, wadi_acc e) {
    const wadi_acc keys[] = {wadi_tuple_get(e, 1)};
    return wadi_permute_by_env(plus, sums, at_key, NULL, wadi_tuple_get(e, 3), 1, keys);
}

static wadi_exp real_part(wadi_exp z) {
    return wadi_real(z);
}

static void spots_are_added_by_chunks(void **state) {
    (void)state;
    double cells[2 * ROWS * COLUMNS];
    wadi_program *p = wadi_program_create("spots");
    const wadi_acc start = wadi_flatten(wadi_map(real_part, number_grid()));
    const wadi_acc end =
        wadi_consume(wadi_fold_batch(add_spots, start, wadi_produce(wadi_i64(N), some_spots)));
    wadi_output("sum", wadi_reshape(wadi_ix2(wadi_i64(ROWS), wadi_i64(COLUMNS)), end));
    check(p, cells);
}

static void patches_are_added_by_chunks(void **state) {
    (void)state;
    double cells[2 * ROWS * COLUMNS];
    patches g = {.ragged = false};
    wadi_program *p = wadi_program_create("chunks");
    const wadi_acc grid = number_grid();
    wadi_output("sum", wadi_consume(wadi_fold_batch(add_chunk, grid, all_patches(&g))));
    check(p, cells);
}

/* ---- what must not be done in place ---- */

static wadi_exp total_of(wadi_acc grid) {
    return wadi_the(
        wadi_fold(wadi_add, wadi_complex(wadi_f64(0), wadi_f64(0)), wadi_flatten(grid)));
}

typedef struct scaling {
    wadi_acc grid;
} scaling;

static wadi_exp first_of(void *env, wadi_exp x) {
    const scaling *s = env;
    return wadi_add(x, wadi_index2(s->grid, wadi_i64(0), wadi_i64(0)));
}

/* Every element reads the first one of the old state. */
static wadi_acc reads_another(void *env, wadi_acc grid, wadi_acc e) {
    scaling s = {grid};
    return add_patch(env, wadi_map_env(first_of, &s, grid), e);
}

static wadi_acc reads_mirror(void *env, wadi_acc grid, wadi_acc e) {
    return add_patch(env, wadi_zip_with(wadi_sub, grid, wadi_reverse(grid)), e);
}

static wadi_exp shifted(void *env, wadi_exp x) {
    return wadi_add(x, *(const wadi_exp *)env);
}

/* The sum of the old state is wanted when the new one is there. */
static wadi_acc reads_later(void *env, wadi_acc grid, wadi_acc e) {
    const wadi_acc next = add_patch(env, grid, e);
    wadi_exp total = wadi_mul(total_of(grid), wadi_complex(wadi_f64(0.01), wadi_f64(0)));
    return wadi_map_env(shifted, &total, next);
}

/* The source itself reads the old state. */
static wadi_acc reads_source(void *env, wadi_acc grid, wadi_acc e) {
    (void)env;
    scaling s = {grid};
    target t = at_patch;
    const wadi_acc v = wadi_map_env(first_of, &s, wadi_tuple_get(e, 2));
    return wadi_permute_env(plus, grid, t, &e, v);
}

static void old_states_are_read_as_they_were(void **state) {
    (void)state;
    static const step steps[] = {reads_another, reads_mirror, reads_later, reads_source};
    check_steps(4, steps, at_patch, true);
}

/* ---- several states ---- */

static wadi_acc pair_of(wadi_acc a, wadi_acc b) {
    const wadi_acc both[] = {a, b};
    return wadi_tuple(2, both);
}

static wadi_acc with_count(void *env, wadi_acc states, wadi_acc e) {
    const wadi_acc grid = wadi_tuple_get(states, 0), n = wadi_tuple_get(states, 1);
    const wadi_exp corner = wadi_real(wadi_index2(grid, wadi_i64(4), wadi_i64(4)));
    return pair_of(add_patch(env, grid, e),
                   wadi_unit(wadi_add(wadi_the(n), wadi_max(corner, wadi_f64(1)))));
}

/* The count is made from the new state. */
static wadi_acc with_count_after(void *env, wadi_acc states, wadi_acc e) {
    const wadi_acc next = add_patch(env, wadi_tuple_get(states, 0), e);
    const wadi_exp corner = wadi_real(wadi_index2(next, wadi_i64(4), wadi_i64(4)));
    return pair_of(next, wadi_unit(wadi_add(wadi_the(wadi_tuple_get(states, 1)), corner)));
}

static wadi_acc exchanged(void *env, wadi_acc states, wadi_acc e) {
    return pair_of(add_patch(env, wadi_tuple_get(states, 1), e), wadi_tuple_get(states, 0));
}

static wadi_acc crossed(void *env, wadi_acc states, wadi_acc e) {
    const wadi_acc a = wadi_tuple_get(states, 0), b = wadi_tuple_get(states, 1);
    return pair_of(add_patch(env, a, e), wadi_zip_with(wadi_add, a, b));
}

static wadi_acc crossed_new(void *env, wadi_acc states, wadi_acc e) {
    const wadi_acc a = add_patch(env, wadi_tuple_get(states, 0), e);
    return pair_of(a, wadi_zip_with(wadi_add, a, wadi_tuple_get(states, 1)));
}

static wadi_acc unchanged(void *env, wadi_acc states, wadi_acc e) {
    const wadi_acc a = wadi_tuple_get(states, 0), b = wadi_tuple_get(states, 1);
    (void)a;
    return pair_of(add_patch(env, b, e), b);
}

static void check_two(bool second_is_grid, int n, const step *f) {
    static const char *const names[] = {"a", "b", "c", "d"}, *const more[] = {"a2", "b2", "c2",
                                                                              "d2"};
    double cells[2 * ROWS * COLUMNS];
    target t = at_patch;
    patches g = {.ragged = true};
    wadi_program *p = wadi_program_create("two");
    const wadi_acc grid = number_grid(), first = wadi_map(halved, grid);
    const wadi_acc z = pair_of(first, second_is_grid ? grid : wadi_unit(wadi_f64(3)));
    for (int i = 0; i < n; i++) {
        const wadi_acc both = wadi_consume(wadi_fold_seq_env(f[i], &t, z, all_patches(&g)));
        wadi_output(names[i], wadi_tuple_get(both, 0));
        wadi_output(more[i], wadi_tuple_get(both, 1));
    }
    wadi_output("start", first);
    check(p, cells);
}

static void an_array_and_a_number_go_on_together(void **state) {
    (void)state;
    static const step steps[] = {with_count, with_count_after};
    check_two(false, 2, steps);
}

static void two_arrays_go_on_together(void **state) {
    (void)state;
    static const step steps[] = {exchanged, crossed, crossed_new, unchanged};
    check_two(true, 4, steps);
}

/* ---- states after each element ---- */

static void states_after_each_element_are_kept(void **state) {
    (void)state;
    double cells[2 * ROWS * COLUMNS];
    target t = at_patch;
    patches g = {.ragged = true};
    wadi_program *p = wadi_program_create("scan");
    const wadi_acc grid = number_grid();
    const wadi_seq s = wadi_scan_seq_env(add_patch, &t, wadi_map(halved, grid), all_patches(&g));
    wadi_output("all", wadi_consume(wadi_tabulate(s)));
    check(p, cells);
}

/* ---- a start that is wanted afterwards, and one that is not ---- */

static void starts_stay_what_they_were(void **state) {
    (void)state;
    double cells[2 * ROWS * COLUMNS];
    target t = at_patch;
    patches g = {.ragged = false};
    wadi_program *p = wadi_program_create("starts");
    const wadi_acc grid = number_grid(), kept = wadi_compute(wadi_map(halved, grid)),
                   lost = wadi_compute(wadi_map(halved, kept));
    wadi_output("a", wadi_consume(wadi_fold_seq_env(add_patch, &t, kept, all_patches(&g))));
    wadi_output("b", wadi_consume(wadi_fold_seq_env(add_patch, &t, lost, all_patches(&g))));
    wadi_output("c", wadi_consume(wadi_fold_batch(add_chunk, kept, all_patches(&g))));
    wadi_output("kept", kept);
    const wadi_acc zero = wadi_fill(wadi_ix2(wadi_i64(ROWS), wadi_i64(COLUMNS)),
                                    wadi_complex(wadi_f64(0), wadi_f64(0)));
    wadi_output("d", wadi_consume(wadi_fold_seq_env(add_patch, &t, zero, all_patches(&g))));
    check(p, cells);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_added),
        cmocka_unit_test(patches_are_added_by_chunks),
        cmocka_unit_test(spots_are_added_by_chunks),
        cmocka_unit_test(old_states_are_read_as_they_were),
        cmocka_unit_test(an_array_and_a_number_go_on_together),
        cmocka_unit_test(two_arrays_go_on_together),
        cmocka_unit_test(states_after_each_element_are_kept),
        cmocka_unit_test(starts_stay_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
