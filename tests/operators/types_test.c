/* Type rules: what each operator refuses, with the line of the program's text in the message. */
#include <string.h>

#include "tests/operators/support.h"

static void refused(const char *text, const char *part) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_ir_parse(text, "t.ir", wadi_operators(), &m, &err);
    if (st == WADI_OK) fail_msg("accepted:\n%s", text);
    if (!strstr(err.msg, part)) fail_msg("\"%s\", expected \"%s\" for\n%s", err.msg, part, text);
    wadi_module_destroy(m);
}

#define INPUTS "program p\ninput v : f32[n]\ninput k : i64[n]\ninput m : f32[r, c]\ninput z : f32\n"

static void producers_refuse_what_does_not_fit(void **state) {
    (void)state;
    refused(INPUTS "x = map v (a: f64) { a }\n", "parameter 1 of function 1 is f64, expected f32");
    refused(INPUTS "x = zip_with v m (a, b) { a }\n",
            "zip_with: argument 2 is f32[?, ?], expected rank 1");
    refused(INPUTS "x = zip_with v (a) { a }\n", "zip_with: 1 argument, expected 2..9");
    refused(INPUTS "x = generate z (i) { i }\n",
            "generate: argument 1 is f32, expected i64 of rank 0");
    refused(INPUTS "x = backpermute m 3 (i) { i }\n", "function 1 gives 1 value, expected 2");
    refused(INPUTS "x = replicate new=1,1 v 3\n",
            "replicate: argument 1 is f32[?], expected rank 0");
    refused(INPUTS "x = replicate new=1,0 v\n", "replicate: 0 extents for 1 new dimension");
    refused(INPUTS "x = slice dropped=1 m 3\n", "slice: argument 1 is f32[?, ?], expected rank 1");
    refused(INPUTS "x = reshape v z\n", "reshape: argument 2 is f32, expected i64 of rank 0");
    refused(INPUTS "x = transpose perm=0,0 m\n", "not a permutation of 0..1");
    refused(INPUTS "x = transpose perm=0 m\n", "transpose: 1 attribute, expected 2");
    refused(INPUTS "x = reverse dim=1 v\n", "reverse: attribute dim is 1, expected 0..0");
    refused(INPUTS "x = take dim=0 v z\n", "take: argument 2 is f32, expected i64 of rank 0");
    refused(INPUTS "x = drop dim=2 m 1\n", "drop: attribute dim is 2, expected 0..1");
    refused(INPUTS "x = gather v v\n", "gather: the indices are not integers");
    refused(INPUTS "x = gather k m\n", "gather: argument 2 is f32[?, ?], expected rank 1");
}

static void consumers_refuse_what_does_not_fit(void **state) {
    (void)state;
    refused(INPUTS "x = fold v v (a, b) { add a b }\n",
            "fold: argument 1 is f32[?], expected rank 0");
    refused(INPUTS "x = fold 0 v (a, b) { add a b }\n", "fold: argument 1 is i64");
    refused(INPUTS "w = map v (a) { x: a, n: 1 }\nx = spread dim=0 w\n",
            "spread: fields of different types");
    refused(INPUTS "w = map v (a) { x: a, y: a }\nx = spread dim=2 w\n",
            "spread: attribute dim is 2, expected 0..1");
    refused(INPUTS "x = partition v m (a) { gt a 1.0f32 }\n", "partition: the counts are not i64");
    refused(INPUTS "x = partition k v (a) { gt a 1.0f32 }\n", "partition: argument 2 is f32[?]");
    refused(INPUTS "x = partition k m (a) { a }\n", "result 1 of function 1 is f32, expected bool");
    refused(INPUTS "x = compact z v (a) { gt a 1.0f32 }\n",
            "compact: argument 1 is f32, expected i64 of rank 0");
    refused(INPUTS "x = compact 1 m (a) { gt a 1.0f32 }\n", "compact: argument 2 is f32[?, ?]");
    refused(INPUTS "x = expand z k v (a, j) { a }\n", "expand: argument 1 is f32");
    refused(INPUTS "x = expand 1 v v (a, j) { a }\n", "expand");
    refused(INPUTS "x = concat dim=0 v k\n", "concat: argument 2 is i64[?]");
    refused(INPUTS "x = concat dim=1 v v\n", "concat: attribute dim is 1, expected 0..0");
    refused(INPUTS "x = fold z v (a, b) { lt a b }\n",
            "result 1 of function 1 is bool, expected f32");
    refused(INPUTS "x = fold1 z (a, b) { add a b }\n",
            "fold1: argument 1 is f32, expected rank 1 or more");
    refused(INPUTS "x = scanl 1 v (a, b) { add a b }\n", "scanl: argument 1 is i64");
    refused(INPUTS "x = scanl1 v (a) { a }\n", "expected a function of 2 parameters, not 1");
    refused(INPUTS "x = permute v k (a, b) { a } (i) { true, i }\n",
            "permute: argument 2 is i64[?]");
    refused(INPUTS "x = permute v v (a, b) { a } (i) { i }\n",
            "function 2 gives 1 value, expected 2");
    refused(INPUTS "x = permute v v (a, b) { a } (i) { i, i }\n",
            "result 1 of function 2 is i64, expected bool");
}

static void regions_refuse_what_does_not_fit(void **state) {
    (void)state;
    refused(INPUTS "x = acond z {\n    yield v\n} else {\n    yield v\n}\n",
            "acond: argument 1 is f32, expected bool of rank 0");
    refused(INPUTS "x = acond true {\n    yield v\n} else {\n    yield k\n}\n",
            "acond: yield 1 of region 2 is i64[?], expected f32[?]");
    refused(INPUTS "x = awhile v (s) {\n    yield s\n} do (s) {\n    yield s\n}\n",
            "awhile: yield 1 of region 1 is f32[?], expected bool");
    refused(INPUTS "x = awhile v (s) {\n    yield true\n} do (s) {\n    yield s, s\n}\n",
            "awhile: region 2 yields 2 arrays, expected 1");
    refused(INPUTS "x = elements v\n", "elements: argument 1 is f32[?], expected a sequence");
    refused(INPUTS "s = produce 3 (i) {\n    yield i\n}\nx = compute s\n",
            "compute: argument 1 is a sequence, expected an array");
    refused(INPUTS "s = produce 3 (i) {\n    yield i\n}\n"
                   "x = fold_seq s v (a, b) {\n    yield b\n}\n",
            "fold_seq: yield 1 of region 1 is i64, expected f32[?]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(producers_refuse_what_does_not_fit),
        cmocka_unit_test(consumers_refuse_what_does_not_fit),
        cmocka_unit_test(regions_refuse_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
