/* Permutes whose targets data decides: in any order, in the order of the source, never meeting. All schedules give the bits of the interpreter,
 * for results of one element up to more than one pass of the sort of schedule group tells apart (codegen/kernel/sorting.h), and for sources around
 * the sizes where its forms change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* n numbers, and where they go among m: all over the place, dropping some. */
static void add_source(wadi_text *t, int64_t n, int64_t m) {
    wadi_text_addf(t,
                   "program targets\n"
                   "k = generate %lld (i) { rem (rem (mul (add i 7) 7919) 100003) %lld }\n"
                   "x = generate %lld (i) { fdiv 1.0 (convert f64 (add i 3)) }\n"
                   "q = generate %lld (i) { rem (mul i 37) 1009 }\n"
                   "z = generate %lld (i) { fdiv (convert f64 i) 3.0 }\n"
                   "w = generate %lld (i) { rem i 5 }\n",
                   (long long)n, (long long)m, (long long)n, (long long)n, (long long)m,
                   (long long)m);
}

static void check(void **state, wadi_text *t, bool faults) {
    texts_check(state, wadi_text_str(t), faults);
    wadi_text_fini(t);
}

static void results_of_all_sizes(void **state) {
    static const int64_t sizes[] = {1, 2, 63, 65, 1024, 1025, 65537, 70001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wadi_text t = {0};
        add_source(&t, 9001, sizes[i]);
        wadi_text_addf(&t, "a = permute z x k (new, old) { add new old } (i, k) { ne (rem i 11) 4, "
                           "k }\noutput a\n"
                           "b = permute w q k (new, old) { add new old } (i, k) { true, k }\n"
                           "output b\n"
                           "c = permute w q k (new, old) { new } (i, k) { ne (rem i 5) 0, k }\n"
                           "output c\n");
        check(state, &t, false);
    }
}

static void sources_of_all_sizes(void **state) {
    static const int64_t sizes[] = {0, 1, 511, 512, 4095, 4096, 4097, 40000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wadi_text t = {0};
        add_source(&t, sizes[i], 300);
        wadi_text_addf(&t,
                       "a = permute z x k (new, old) { sub (mul old 0.5) new } (i, k) { true, k "
                       "}\noutput a\n"
                       "b = permute w q k (new, old) { max new old } (i, k) { true, k }\n"
                       "output b\n");
        check(state, &t, false);
    }
}

/* All in one place, all nowhere, and results that have no element. */
static void extremes_of_contention(void **state) {
    wadi_text t = {0};
    add_source(&t, 20000, 3000);
    wadi_text_addf(
        &t, "a = permute z x (new, old) { add new old } (i) { ge i 0, mul 2999 (min i 1) }\n"
            "output a\n"
            "b = permute w q k (new, old) { add new old } (i, k) { ge k 0, sub k k }\noutput b\n"
            "c = permute z x k (new, old) { add new old } (i, k) { lt k 0, k }\noutput c\n"
            "none = generate 0 (i) { 0.5 }\n"
            "d = permute none x k (new, old) { add new old } (i, k) { lt k 0, k }\noutput d\n"
            "e = permute w q k (new, old) { min new old } (i, k) { ge k 0, rem k 2 }\noutput e\n"
            "f = permute w q k (new, old) { xor new old } (i, k) { ge k 0, rem k 2 }\noutput f\n"
            "small = map w (x) { convert i8 x }\nbytes = map q (x) { convert i8 (rem x 100) }\n"
            "g = permute small bytes k (new, old) { add new old } (i, k) { true, k }\noutput g\n"
            "h = permute small bytes k (new, old) { mul new old } (i, k) { true, k }\noutput h\n");
    check(state, &t, false);
}

/* Records, several dimensions on both sides, and sources that are delayed. */
static void arrays_of_all_shapes(void **state) {
    wadi_text t = {0};
    add_source(&t, 12000, 800);
    wadi_text_addf(
        &t,
        "m = reshape x 12 40 25\nl = reshape k 12 40 25\n"
        "grid = generate 20 40 (i, j) { fdiv (convert f64 (add i j)) 7.0 }\n"
        "counts = generate 20 40 (i, j) { sub i j }\n"
        "a = permute grid m l (new, old) { add new old } (h, i, j, k) { ne i 3, quot k 40, rem k "
        "40 }\noutput a\n"
        "b = permute counts l l (new, old) { add new old } (h, i, j, k) { ne j 3, quot k 40, rem "
        "k 40 }\noutput b\n"
        "r = zip_with x q (a, b) { x: a, y: b }\n"
        "s = zip_with z w (a, b) { x: a, y: b }\n"
        "c = permute s r k (nx, ny, ox, oy) { x: add nx ox, y: max ny oy } (i, k) { true, k }\n"
        "output c\n"
        "g = map k (i) { x ! (mul i 3) }\n"
        "d = permute z g k (new, old) { add new old } (i, k) { true, k }\noutput d\n"
        "e = permute z x (new, old) { add new old } (i) { lt i 800, sub 799 i }\noutput e\n");
    check(state, &t, false);
}

/* Elements of a stream, some long and some short. */
static void elements_of_streams(void **state) {
    texts_check(state,
                "program streams\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "u = map_seq s (k) {\n"
                "    n = unit { mul (mul (the k) (the k)) 77 }\n"
                "    m = unit { add 1 (mul (rem (the k) 3) 500) }\n"
                "    x = generate n (i) { fdiv 1.0 (convert f64 (add i 1)) }\n"
                "    z = generate m (i) { 0.5 }\n"
                "    a = permute z x (new, old) { add new old } (i) { ne (rem i 7) 2, rem (mul i "
                "i) (the m) }\n"
                "    yield a\n}\n"
                "v = map_seq s (k) {\n"
                "    n = unit { mul (mul (the k) (the k)) 77 }\n"
                "    m = unit { add 1 (mul (rem (the k) 3) 500) }\n"
                "    y = generate n (i) { sub i (the k) }\n"
                "    w = generate m (i) { i }\n"
                "    b = permute w y (new, old) { add new old } (i) { ne (rem i 7) 2, rem (mul i "
                "i) (the m) }\n"
                "    yield b\n}\n"
                "a = elements u\nb = elements v\noutput a\noutput b\n",
                false);
}

/* The least element in the order of the source tells. */
static void the_first_fault_is_told(void **state) {
    static const char *const bodies[] = {
        "a = permute z x k (new, old) { add new old } (i, k) { true, add k (mul 300 (quot i 8000)) "
        "}\n",
        "g = map k (i) { x ! (mul i 60) }\n"
        "a = permute z g k (new, old) { add new old } (i, k) { true, k }\n",
        "g = map k (i) { x ! (mul i 60) }\n"
        "a = permute z g k (new, old) { add new old } (i, k) { true, add k (mul 300 (quot i 7)) "
        "}\n",
        "a = permute w q k (new, old) { add new old } (i, k) { true, add k (mul 300 (quot i 8000)) "
        "}\n",
        "a = permute z x k (new, old) { add new old } (i, k) { true, quot k (sub i 8111) }\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        wadi_text t = {0};
        add_source(&t, 9001, 300);
        wadi_text_addf(&t, "%soutput a\n", bodies[i]);
        check(state, &t, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_all_sizes),   cmocka_unit_test(sources_of_all_sizes),
        cmocka_unit_test(extremes_of_contention), cmocka_unit_test(arrays_of_all_shapes),
        cmocka_unit_test(elements_of_streams),    cmocka_unit_test(the_first_fault_is_told),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
