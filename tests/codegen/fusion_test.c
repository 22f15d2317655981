/* Fusion of well-known programs: how many kernels they have, which values are stored, and what is reported about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/codegen/programs.h"

static wadi_storage storage_of(const compiled *c, const char *name) {
    return c->m->values[value_named(c->m, name)].storage;
}

static void assert_kernels(const char *text, int n) {
    compiled c = compile(text, NULL);
    if (kernels(c.m) != n) {
        char *after = text_of(c.m);
        print_message("%s", after);
        free(after);
    }
    assert_int_equal(kernels(c.m), n);
    compiled_free(&c);
}

static void dot_product_is_one_kernel(void **state) {
    (void)state;
    compiled c = compile("program dotp\n"
                         "input xs : f32[n]\n"
                         "input ys : f32[n]\n"
                         "prods = zip_with xs ys (x, y) { mul x y }\n"
                         "dot = fold 0.0f32 prods (a, x) { add a x }\n"
                         "output dot\n",
                         NULL);
    assert_int_equal(kernels(c.m), 1);
    assert_int_equal(storage_of(&c, "prods"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "dot"), WADI_STORE_MANIFEST);
    const wadi_note *n = wadi_diag_find(c.d, WADI_NOTE_FUSED, value_named(c.m, "prods"));
    assert_non_null(n);
    assert_int_equal(n->reader, value_named(c.m, "dot"));
    compiled_free(&c);
}

static void without_fuse_everything_is_stored(void **state) {
    (void)state;
    compiled c = compile("program chain\n"
                         "input xs : f32[n]\n"
                         "a = map xs (x) { sqrt x }\n"
                         "b = map a (x) { sqrt x }\n"
                         "output b\n",
                         "fuse");
    assert_int_equal(kernels(c.m), 2);
    compiled_free(&c);
}

static void chain_of_maps_is_one_kernel(void **state) {
    (void)state;
    assert_kernels("program chain\n"
                   "input xs : f32[n]\n"
                   "a = map xs (x) { sqrt x }\n"
                   "b = map a (x) { mul x x }\n"
                   "c = reverse dim=0 b\n"
                   "d = map c (x) { sub x 1.0f32 }\n"
                   "output d\n",
                   1);
}

static void diamond_computes_its_shared_producer_once(void **state) {
    (void)state;
    compiled c = compile("program diamond\n"
                         "input xs : f32[n]\n"
                         "ys = map xs (x) { sqrt x }\n"
                         "zs = map ys (x) { add x 1.0f32 }\n"
                         "out = zip_with ys zs (x, y) { mul x y }\n"
                         "output out\n",
                         NULL);
    assert_int_equal(kernels(c.m), 2);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    assert_int_equal(storage_of(&c, "zs"), WADI_STORE_DELAYED);
    assert_non_null(wadi_diag_find(c.d, WADI_NOTE_KEPT, value_named(c.m, "ys")));
    compiled_free(&c);
}

static void zip_of_a_value_with_itself_computes_it_once(void **state) {
    (void)state;
    assert_kernels("program square\n"
                   "input xs : f32[n]\n"
                   "ys = map xs (x) { sqrt x }\n"
                   "out = zip_with ys ys (x, y) { mul x y }\n"
                   "output out\n",
                   2);
}

static void map_after_fold_is_part_of_its_kernel(void **state) {
    (void)state;
    compiled c = compile("program norms\n"
                         "input m : f32[r, k]\n"
                         "squares = map m (x) { mul x x }\n"
                         "sums = fold 0.0f32 squares (a, x) { add a x }\n"
                         "norms = map sums (x) { sqrt x }\n"
                         "output norms\n",
                         NULL);
    assert_int_equal(kernels(c.m), 1);
    assert_int_equal(storage_of(&c, "sums"), WADI_STORE_DELAYED);
    compiled_free(&c);
}

/* The product of a sparse matrix and a vector: one kernel, in which nothing but the result is stored. */
static void products_of_rows_are_folded_where_they_are_made(void **state) {
    (void)state;
    compiled c = compile("program smvm\n"
                         "input offsets : i64[k]\n"
                         "input columns : i32[n]\n"
                         "input values : f64[n]\n"
                         "input x : f64[m]\n"
                         "picked = gather columns x\n"
                         "prods = zip_with values picked (v, p) { mul v p }\n"
                         "rows = fold_seg 0.0 offsets prods (a, v) { add a v }\n"
                         "scaled = map rows (r) { mul r 0.85 }\n"
                         "output scaled\n",
                         NULL);
    assert_int_equal(kernels(c.m), 1);
    assert_int_equal(storage_of(&c, "picked"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "prods"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "rows"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "scaled"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

/* The predicate is part of both kernels, the count's and the filter's; what is filtered is stored once. */
static void a_filter_computes_its_array_once(void **state) {
    (void)state;
    compiled c = compile("program filter\n"
                         "input xs : f64[n]\n"
                         "ys = map xs (x) { sqrt x }\n"
                         "ones = map ys (y) { convert i64 (gt y 1.0) }\n"
                         "count = fold 0 ones (a, b) { add a b }\n"
                         "kept = compact count ys (y) { gt y 1.0 }\n"
                         "output kept\n",
                         NULL);
    assert_int_equal(kernels(c.m), 3);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    assert_int_equal(storage_of(&c, "ones"), WADI_STORE_DELAYED);
    compiled_free(&c);
}

static void fold_is_stored_when_its_reader_rearranges(void **state) {
    (void)state;
    assert_kernels("program sums\n"
                   "input m : f32[r, k]\n"
                   "sums = fold 0.0f32 m (a, x) { add a x }\n"
                   "back = reverse dim=0 sums\n"
                   "out = map back (x) { sqrt x }\n"
                   "output out\n",
                   2);
}

static void matrix_times_vector_is_one_kernel(void **state) {
    (void)state;
    compiled c = compile("program mvm\n"
                         "input mat : f32[r, k]\n"
                         "input vec : f32[k]\n"
                         "rows = unit { extent mat 0 }\n"
                         "vecs = replicate new=1,0 vec rows\n"
                         "prods = zip_with mat vecs (x, y) { mul x y }\n"
                         "out = fold 0.0f32 prods (a, x) { add a x }\n"
                         "output out\n",
                         NULL);
    assert_int_equal(kernels(c.m), 1);
    assert_int_equal(storage_of(&c, "vecs"), WADI_STORE_DELAYED);
    compiled_free(&c);
}

static void costly_function_is_not_repeated_by_replicate(void **state) {
    (void)state;
    compiled c = compile("program repeat\n"
                         "input xs : f32[n]\n"
                         "ys = map xs (x) { sin (exp x) }\n"
                         "out = replicate new=1,0 ys 3i64\n"
                         "output out\n",
                         NULL);
    assert_int_equal(kernels(c.m), 2);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static void light_function_is_repeated_by_replicate(void **state) {
    (void)state;
    assert_kernels("program repeat\n"
                   "input xs : f32[n]\n"
                   "ys = map xs (x) { mul x 0.5f32 }\n"
                   "out = replicate new=1,0 ys 3i64\n"
                   "output out\n",
                   1);
}

static void index_in_scalar_code_needs_memory(void **state) {
    (void)state;
    compiled c = compile("program pick\n"
                         "input xs : f32[n]\n"
                         "input is : i64[k]\n"
                         "ys = map xs (x) { sqrt x }\n"
                         "out = map is (i) { ys ! i }\n"
                         "output out\n",
                         NULL);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    assert_string_equal(wadi_diag_find(c.d, WADI_NOTE_KEPT, value_named(c.m, "ys"))->reason,
                        "scalar code reads it by index");
    compiled_free(&c);
}

static void index_reads_through_cheap_producers(void **state) {
    (void)state;
    assert_kernels("program pick\n"
                   "input xs : f32[n]\n"
                   "input is : i64[k]\n"
                   "ys = reverse dim=0 xs\n"
                   "out = map is (i) { ys ! i }\n"
                   "output out\n",
                   1);
}

static void reads_of_a_cheap_producer_count_for_its_source(void **state) {
    (void)state;
    compiled c = compile("program through\n"
                         "input xs : f32[n]\n"
                         "ys = map xs (x) { sin x }\n"
                         "zs = reverse dim=0 ys\n"
                         "out = zip_with zs zs (x, y) { mul x y }\n"
                         "output out\n",
                         NULL);
    assert_int_equal(storage_of(&c, "zs"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static void reading_the_extent_alone_does_not_count(void **state) {
    (void)state;
    compiled c = compile("program shapes\n"
                         "input xs : f32[n]\n"
                         "ys = map xs (x) { sqrt x }\n"
                         "n = unit { mul (extent ys 0) 2i64 }\n"
                         "twos = generate n (i) { convert f32 (extent ys 0) }\n"
                         "total = fold 0.0f32 ys (a, x) { add a x }\n"
                         "output twos\n"
                         "output total\n",
                         NULL);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_DELAYED);
    assert_int_equal(kernels(c.m), 2);
    compiled_free(&c);
}

static void compute_is_a_barrier(void **state) {
    (void)state;
    compiled c = compile("program barrier\n"
                         "input xs : f32[n]\n"
                         "a = map xs (x) { sqrt x }\n"
                         "b = compute a\n"
                         "c = map b (x) { sqrt x }\n"
                         "output c\n",
                         NULL);
    assert_int_equal(kernels(c.m), 2);
    assert_int_equal(storage_of(&c, "a"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "b"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static void scan_and_permute_are_stored(void **state) {
    (void)state;
    compiled c = compile("program counts\n"
                         "input xs : i64[n]\n"
                         "zeros = generate 8i64 (i) { 0i64 }\n"
                         "ones = map xs (x) { mul x x }\n"
                         "hist = permute zeros ones (x, y) { add x y } (i) { true, rem i 8i64 }\n"
                         "sums = scanl1 hist (a, x) { add a x }\n"
                         "out = map sums (x) { add x 1i64 }\n"
                         "output out\n",
                         NULL);
    assert_int_equal(kernels(c.m), 3);
    assert_int_equal(storage_of(&c, "zeros"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "ones"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "hist"), WADI_STORE_MANIFEST);
    assert_int_equal(storage_of(&c, "sums"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static void values_read_in_a_branch_are_stored(void **state) {
    (void)state;
    compiled c = compile("program branch\n"
                         "input xs : f32[n]\n"
                         "p = unit { gt (extent xs 0) 3i64 }\n"
                         "ys = map xs (x) { sqrt x }\n"
                         "zs = acond p {\n"
                         "    a = map ys (x) { add x 1.0f32 }\n"
                         "    yield a\n"
                         "} else {\n"
                         "    yield xs\n"
                         "}\n"
                         "output zs\n",
                         NULL);
    assert_int_equal(storage_of(&c, "ys"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static void gather_reads_its_indices_in_place(void **state) {
    (void)state;
    assert_kernels("program gathered\n"
                   "input xs : f32[n]\n"
                   "input is : i64[k]\n"
                   "js = map is (i) { rem (mul i i) 2i64 }\n"
                   "ys = map xs (x) { mul x 2.0f32 }\n"
                   "out = gather js ys\n"
                   "output out\n",
                   1);
}

/* Two steps of four places cost less than memory, and a third would not; nor would a function of nine operations. */
static void stencils_fuse_where_recomputing_is_cheaper(void **state) {
    (void)state;
#define STEP(to, from)                                             \
#to " = stencil dims=2 edge=1 near=4,-1,0,0,-1,0,1,1,0 " #from \
        " (n, w, e, s) { add (add n s) (add w e) }\n"
    compiled c = compile("program steps\n"
                         "input xs : f32[n, m]\n" STEP(a, xs) STEP(b, a)
                             STEP(c, b) "d = map c (x) { mul x 0.25f32 }\n"
                                        "output d\n",
                         NULL);
#undef STEP
    assert_int_equal(storage_of(&c, "c"), WADI_STORE_DELAYED); /* a map reads one place */
    assert_int_equal(storage_of(&c, "b"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "a"), WADI_STORE_MANIFEST);
    assert_int_equal(kernels(c.m), 2);
    compiled_free(&c);
    c = compile("program steps\n"
                "input xs : f32[n]\n"
                "a = map xs (x) { mul x 0.5f32 }\n"
                "b = stencil dims=1 edge=1 near=5,-2,-1,0,1,2 a (p, q, r, s, t) {\n"
                "    add (add (mul p 0.1f32) (mul q 0.2f32)) (add (add (mul r 0.4f32) (mul s "
                "0.2f32)) (mul t 0.1f32))\n"
                "}\n"
                "c = stencil dims=1 edge=2 near=5,-2,-1,0,1,2 b (p, q, r, s, t) { add (add p q) "
                "(add r (add s t)) }\n"
                "output c\n",
                NULL);
    assert_int_equal(storage_of(&c, "a"), WADI_STORE_DELAYED);
    assert_int_equal(storage_of(&c, "b"), WADI_STORE_MANIFEST);
    compiled_free(&c);
}

static wadi_storage stored_for(const char *reader) {
    char text[600];
    (void)snprintf(text, sizeof text,
                   "program edges\n"
                   "input g : f32[n]\n"
                   "f = stencil dims=1 edge=2 near=3,-1,0,1 g (l, c, r) { add l (add c r) }\n"
                   "m = map f (v) { mul v 2.0f32 }\n"
                   "%s\noutput v\n",
                   reader);
    compiled c = compile(text, NULL);
    const wadi_storage storage = storage_of(&c, "f");
    assert_int_equal(storage_of(&c, "m"), WADI_STORE_DELAYED);
    compiled_free(&c);
    return storage;
}

/* Loops of folds and scans have no interior (docs/decisions/0063-stencils.md). */
static void stencils_are_stored_for_loops_without_interior(void **state) {
    (void)state;
    assert_int_equal(stored_for("v = fold 0.0f32 m (a, x) { add a x }"), WADI_STORE_MANIFEST);
    assert_int_equal(stored_for("v = scanl1 m (a, x) { add a x }"), WADI_STORE_MANIFEST);
    assert_int_equal(stored_for("v = map m (x) { sqrt x }"), WADI_STORE_DELAYED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_product_is_one_kernel),
        cmocka_unit_test(without_fuse_everything_is_stored),
        cmocka_unit_test(chain_of_maps_is_one_kernel),
        cmocka_unit_test(diamond_computes_its_shared_producer_once),
        cmocka_unit_test(zip_of_a_value_with_itself_computes_it_once),
        cmocka_unit_test(map_after_fold_is_part_of_its_kernel),
        cmocka_unit_test(products_of_rows_are_folded_where_they_are_made),
        cmocka_unit_test(a_filter_computes_its_array_once),
        cmocka_unit_test(fold_is_stored_when_its_reader_rearranges),
        cmocka_unit_test(matrix_times_vector_is_one_kernel),
        cmocka_unit_test(costly_function_is_not_repeated_by_replicate),
        cmocka_unit_test(light_function_is_repeated_by_replicate),
        cmocka_unit_test(index_in_scalar_code_needs_memory),
        cmocka_unit_test(index_reads_through_cheap_producers),
        cmocka_unit_test(reads_of_a_cheap_producer_count_for_its_source),
        cmocka_unit_test(reading_the_extent_alone_does_not_count),
        cmocka_unit_test(compute_is_a_barrier),
        cmocka_unit_test(scan_and_permute_are_stored),
        cmocka_unit_test(values_read_in_a_branch_are_stored),
        cmocka_unit_test(gather_reads_its_indices_in_place),
        cmocka_unit_test(stencils_fuse_where_recomputing_is_cheaper),
        cmocka_unit_test(stencils_are_stored_for_loops_without_interior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
