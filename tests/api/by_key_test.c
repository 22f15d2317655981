/* scan_by_key against what it means: the elements are parted by key here, and each key's go through a scan_seq of their own, or through a loop in C. Many keys,
 * one, and those at the ends; elements that fail; more states than there is memory for. tests/conformance compares with the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/wadi.h"

enum { MANY = 1000000, SOME = 20000, KEYS = 7 };

static const char by_key[] =
    "program by_key\n"
    "stream_in s : seq({k: i64, x: f64})\n"
    "m = map_seq s (e) {\n"
    "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"
    "t = scan_by_key m 0.5 (z, k, x) {\n"
    "    n = unit { add (mul (the z) 0.7) (fdiv (the x) 3.0) }\n    yield n\n}\n"
    "stream_out \"t\" t\n";
static const char alone[] =
    "program alone\n"
    "stream_in s : seq({k: i64, x: f64})\n"
    "m = map_seq s (e) {\n    x = map e (k, x) { x }\n    yield x\n}\n"
    "t = scan_seq m 0.5 (z, x) {\n"
    "    n = unit { add (mul (the z) 0.7) (fdiv (the x) 3.0) }\n    yield n\n}\n"
    "stream_out \"t\" t\n";

static const char away[] = "null"; /* a device whose memory is not the host's */

static int64_t key[MANY];
static double value[MANY], result[MANY], want[MANY];

static int64_t given, peak; /* elements; bytes of chunks in the last run */

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    (void)index, (void)parts, (void)err; /* elements that are left out keep their numbers */
    ((double *)env)[given++] = *(const double *)element[0].column[0];
    return WADI_OK;
}

/* The states after each of n elements. */
static wadi_status go(const char *text, int64_t n, int64_t *k, double *x, double *out,
                      const wadi_run_options *o, wadi_error *err) {
    const wadi_array a = {
        .rank = 1, .fields = 2, .type = {WADI_I64, WADI_F64}, .shape = {n}, .column = {k, x}};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    if (wadi_compile_text(text, "by_key_test", NULL, &exe, err) != WADI_OK)
        fail_msg("%s", err ? err->msg : "it does not compile");
    assert_int_equal(wadi_run_create(exe, o, &run, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, out, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "t", sink, NULL), WADI_OK);
    given = 0;
    const wadi_status status = wadi_run_go(run, err);
    wadi_run_stats stats;
    wadi_run_stats_get(run, &stats);
    peak = stats.memory_peak;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    return status;
}

static uint64_t draw(void) {
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static void fill(int64_t n, int64_t (*of)(int64_t i)) {
    for (int64_t i = 0; i < n; i++) {
        key[i] = of(i);
        value[i] = (double)(draw() >> 40) / 1000 - 5000;
    }
}

static int64_t at_the_ends(int64_t i) {
    static const int64_t ends[KEYS] = {INT64_MIN,     INT64_MAX,    0, -1, 1,
                                       INT64_MIN + 1, INT64_MAX - 1};
    (void)i;
    return ends[draw() % KEYS];
}

static int64_t skewed(int64_t i) {
    (void)i;
    const int64_t most = (int64_t)(draw() % 64);
    return most < 50 ? 42 : most;
}

static int64_t the_same(int64_t i) {
    (void)i;
    return -7;
}

static int64_t its_own(int64_t i) {
    return i;
}

/* Keys whose low bits are alike, twice each. */
static int64_t far_apart(int64_t i) {
    return (int64_t)((uint64_t)(i / 2) << 40);
}

/* Parts the elements by key; each key's go through scan_seq. */
static void mean_it(int64_t n) {
    static bool done[SOME];
    static int64_t at[SOME], k[SOME];
    static double x[SOME], y[SOME];
    const wadi_run_options o = {.threads = 1};
    memset(done, 0, sizeof done);
    for (int64_t i = 0; i < n; i++) {
        int64_t m = 0;
        if (done[i]) continue;
        for (int64_t j = i; j < n; j++) {
            if (key[j] != key[i]) continue;
            done[j] = true;
            at[m] = j;
            k[m] = key[j];
            x[m++] = value[j];
        }
        assert_int_equal(go(alone, m, k, x, y, &o, NULL), WADI_OK);
        for (int64_t j = 0; j < m; j++) want[at[j]] = y[j];
    }
}

static void expect(int64_t n, const wadi_run_options *o) {
    wadi_error err = {0};
    memset(result, 0, sizeof result);
    if (go(by_key, n, key, value, result, o, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&result[i], &want[i], sizeof *want) != 0)
            fail_msg("element %lld of %lld, key %lld: %.17g, not %.17g", (long long)i, (long long)n,
                     (long long)key[i], result[i], want[i]);
}

static void each_key_is_a_scan_of_its_own(void **state) {
    static int64_t (*const of[])(int64_t) = {at_the_ends, skewed, the_same};
    static const int64_t counts[] = {0, 1, 2, 3, 1000, SOME};
    static const int64_t chunks[] = {0, 1, 7, SOME};
    (void)state;
    for (size_t p = 0; p < sizeof of / sizeof *of; p++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const int64_t n = counts[c];
            fill(n, of[p]);
            mean_it(n);
            for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
                for (int stages = 0; stages < 2; stages++) {
                    wadi_run_options o = {.threads = 2,
                                          .chunk = chunks[k],
                                          .stages =
                                              stages ? WADI_STAGES_APART : WADI_STAGES_JOINED};
                    if (chunks[k] != 1 || n < SOME) expect(n, &o);
                    o.device = away;
                    if (chunks[k] != 1 && stages == 0) expect(n, &o);
                }
        }
}

static void a_million_keys(void **state) {
    const wadi_run_options o = {.threads = 2};
    (void)state;
    fill(MANY, its_own);
    for (int64_t i = 0; i < MANY; i++) want[i] = 0.5 * 0.7 + value[i] / 3.0;
    expect(MANY, &o);
    fill(MANY, far_apart);
    for (int64_t i = 0; i < MANY; i++) want[i] = (i % 2 ? want[i - 1] : 0.5) * 0.7 + value[i] / 3.0;
    expect(MANY, &o);
}

/* Behind the end, each key in the order in which they first came, with scalars and with arrays. */
static void the_last_state_of_each_key(void **state) {
    static const char text[] =
        "program last\nstream_in s : seq({k: i64, x: f64})\n"
        "m = map_seq s (e) {\n"
        "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"
        "t = fold_by_key m 0.5 (z, k, x) {\n"
        "    n = unit { add (mul (the z) 0.7) (fdiv (the x) 3.0) }\n    yield n\n}\n"
        "u = map_seq t (k, n) {\n    y = unit { add (the n) (convert f64 (the k)) }\n    yield "
        "y\n}\n"
        "stream_out \"t\" u\n";
    static const char arrays[] =
        "program arrays\nstream_in s : seq({k: i64, x: f64})\n"
        "m = map_seq s (e) {\n"
        "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"
        "g = generate 2 (i) { sub 1.0 (mul 0.5 (convert f64 i)) }\n"
        "t = fold_by_key m g (z, k, x) {\n"
        "    n = map z (a) { add (mul a 0.7) (fdiv (the x) 3.0) }\n    yield n\n}\n"
        "u = map_seq t (k, n) {\n    y = unit { add (n ! 1) (convert f64 (the k)) }\n    yield "
        "y\n}\n"
        "stream_out \"t\" u\n";
    const wadi_run_options o = {.threads = 2};
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        const int64_t n = turn == 2 ? 40000 : MANY;
        wadi_error err = {0};
        fill(n, turn == 0 ? its_own : far_apart);
        int64_t keys = 0;
        for (int64_t i = 0; i < n; i++) {
            const bool again = turn > 0 && i % 2;
            want[keys - again] = (again ? want[keys - 1] : 0.5) * 0.7 + value[i] / 3.0;
            keys += !again;
        }
        for (int64_t i = 0; i < keys; i++) want[i] += (double)key[turn == 0 ? i : 2 * i];
        if (go(turn == 2 ? arrays : text, n, key, value, result, &o, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(given, keys);
        assert_memory_equal(result, want, (size_t)keys * sizeof *want);
    }
}

static void more_states_than_memory(void **state) {
    const wadi_run_options o = {.threads = 1, .memory = 4 << 20};
    wadi_error err = {0};
    (void)state;
    fill(MANY, its_own);
    assert_int_equal(go(by_key, MANY, key, value, result, &o, &err), WADI_MEMORY);
    assert_non_null(strstr(err.msg, "scan_by_key: the states of "));
    assert_non_null(strstr(err.msg, " bytes, more than the memory allowed"));
    fill(MANY, the_same);
    assert_int_equal(go(by_key, MANY, key, value, result, &o, NULL), WADI_OK);
}

/* Chunks of keys with large states fit into the memory for chunks, as others do, from the first on. */
static void large_states_come_in_small_chunks(void **state) {
    static const char text[] =
        "program large\nstream_in s : seq({k: i64, x: f64})\n"
        "m = map_seq s (e) {\n"
        "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"
        "g = generate 1000 (i) { convert f64 i }\n"
        "t = fold_by_key m g (z, k, x) {\n"
        "    n = map z (a) { add a (the x) }\n    yield n\n}\n"
        "u = map_seq t (k, n) {\n    y = map n (a) { mul a 2.0 }\n    yield y\n}\n"
        "stream_out \"t\" u\n";
    enum { N = 1000 };
    const wadi_run_options o = {.threads = 1, .memory = 10 << 20};
    wadi_error err = {0};
    (void)state;
    fill(N, its_own);
    if (go(text, N, key, value, result, &o, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(given, N);
    for (int64_t i = 0; i < N; i++) assert_true(result[i] == 2 * value[i]);
    assert_in_range(peak, 1, o.memory);
}

/* z is the state, or z and h with h beside it as an array. */
#define FAILS(first, state, next, results)                                         \
    "program fails\nstream_in s : seq({k: i64, x: f64})\n"                         \
    "m = map_seq s (e) {\n"                                                        \
    "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"  \
    "g = generate 3 (j) { j }\n"                                                   \
    "t = scan_by_key m " first " (" state ", k, x) {\n"                            \
    "    q = unit { quot 1 (rem (convert i64 (the x)) 5) }\n"                      \
    "    n = unit { add (mul (the z) 0.7) (add (the x) (convert f64 (the q))) }\n" \
    "    yield " next "\n}\n"                                                      \
    "u = map_seq t (" results ") {\n    yield n\n}\nstream_out \"t\" u\n"

/* Where the step fails, the run goes on without the element, and its key has the state that it had before. */
static void an_element_that_fails_changes_no_state(void **state) {
    static const char *const texts[] = {FAILS("0.5", "z", "n", "n"),
                                        FAILS("0.5 g", "z, h", "n, h", "n, h")};
    enum { N = 500 };
    (void)state;
    for (int64_t turn = 0; turn < 12; turn++) {
        const wadi_run_options o = {.threads = 1,
                                    .chunk = turn / 2 % 3 * 33,
                                    .on_fault = WADI_ON_FAULT_SKIP,
                                    .device = turn < 6 ? NULL : away};
        double of_key[KEYS];
        wadi_error err = {0};
        int64_t n = 0;
        for (int i = 0; i < KEYS; i++) of_key[i] = 0.5;
        for (int64_t i = 0; i < N; i++) {
            key[i] = (int64_t)(draw() % KEYS);
            value[i] = (double)(draw() % 64);
            const int64_t rest = (int64_t)value[i] % 5;
            if (rest == 0) continue;
            of_key[key[i]] = of_key[key[i]] * 0.7 + (value[i] + (double)(1 / rest));
            want[n++] = of_key[key[i]];
        }
        if (go(texts[turn % 2], N, key, value, result, &o, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_memory_equal(result, want, (size_t)n * sizeof *want);
    }
}

/* z is the state; its first has another shape than all that come. Of keys 7 i there is none without a fault. */
#define LAST(first, next, read)                                                   \
    "program last\nstream_in s : seq({k: i64, x: f64})\n"                         \
    "m = map_seq s (e) {\n"                                                       \
    "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n" \
    "g = generate 3 (j) { 0.5 }\nnone = take dim=0 g 0\nhalf = unit { 0.5 }\n"    \
    "t = fold_by_key m " first " (z, k, x) {\n"                                   \
    "    q = unit { convert f64 (quot 1 (convert i64 (the x))) }\n"               \
    "    n = " next "\n    yield n\n}\n"                                          \
    "u = map_seq t (k, n) {\n"                                                    \
    "    y = unit { add (convert f64 (the k)) " read " }\n    yield y\n}\n"       \
    "stream_out \"t\" u\n"

/* Without the elements that have failed, their keys have not come: they are not among the last states, and stand in no place. */
static void a_key_that_only_failed_has_not_come(void **state) {
    static const char *const texts[] = {
        LAST("half", "unit { add (the z) (add (the x) (the q)) }", "(the n)"),
        LAST("none", "generate 3 (j) { add (the x) (the q) }", "(n ! 2)")};
    enum { N = 300, OTHERS = 40 };
    (void)state;
    for (int64_t turn = 0; turn < 16; turn++) {
        const bool arrays = turn % 2, all = turn % 8 >= 6;
        const wadi_run_options o = {.threads = 1,
                                    .chunk = turn / 2 * 33 % 99,
                                    .on_fault = WADI_ON_FAULT_SKIP,
                                    .device = turn < 8 ? NULL : away};
        double of_key[OTHERS] = {0};
        int64_t order[OTHERS], n = 0;
        wadi_error err = {0};
        for (int64_t i = 0; i < N; i++) {
            key[i] = (int64_t)(draw() % OTHERS);
            value[i] = all || key[i] % 7 == 0 ? 0 : (double)(draw() % 3);
            if (value[i] == 0) continue;
            double *z = &of_key[key[i]];
            if (*z == 0) order[n++] = key[i];
            const double x = value[i] + (double)(1 / (int64_t)value[i]);
            *z = arrays ? x : (*z == 0 ? 0.5 : *z) + x;
        }
        for (int64_t i = 0; i < n; i++) want[i] = (double)order[i] + of_key[order[i]];
        if (go(texts[turn % 2], N, key, value, result, &o, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(given, n);
        assert_memory_equal(result, want, (size_t)n * sizeof *want);
    }
}

static int64_t few_keys(int64_t i) {
    return i / 3 % 40;
}

static int64_t many_keys(int64_t i) {
    return i % 3 == 0 ? i / 2 : i;
}

/* Where more elements come together than are folded at once, those that fail change no state, whichever of them and wherever it stands; and without leave to skip it,
 * the first is named. The state has fields of all sizes. */
static void elements_that_fail_among_many(void **state) {
    static const char text[] =
        "program many\nstream_in s : seq({k: i64, x: f64})\n"
        "m = map_seq s (e) {\n"
        "    k = map e (k, x) { k }\n    x = map e (k, x) { x }\n    yield k, x\n}\n"
        "a = unit { 0.5 }\nb = unit { convert u8 0 }\nc = unit { convert i16 0 }\n"
        "d = unit { convert f32 0 }\nh = unit { complex 0.0 0.0 }\n"
        "t = fold_by_key m a b c d h (z, v, w, r, p, k, x) {\n"
        "    q = unit { quot 1 (convert i64 (the x)) }\n"
        "    n = unit { add (mul (the z) 0.7) (add (the x) (convert f64 (the q))) }\n"
        "    v1 = unit { add (the v) (convert u8 1) }\n"
        "    w1 = unit { add (the w) (convert i16 1) }\n"
        "    r1 = unit { add (the r) (convert f32 1) }\n"
        "    p1 = unit { add (the p) (complex 1.0 1.0) }\n"
        "    yield n, v1, w1, r1, p1\n}\n"
        "u = map_seq t (k, n, v, w, r, p) {\n"
        "    sum = unit { add (convert f64 (the v)) (add (convert f64 (the w)) (convert f64 (the "
        "r))) }\n"
        "    y = unit { add (add (the n) (the sum)) (add (real (the p)) (imag (the p))) }\n    "
        "yield y\n}\n"
        "stream_out \"t\" u\n";
    static int64_t (*const of[])(int64_t) = {the_same, few_keys, many_keys};
    static const int64_t fails[] = {0, 1, 16383, 16384, 16385, 20000, 32767, 32768, 49999};
    enum { N = 50000 };
    static double z[N];
    static int64_t came[N], order[N];
    (void)state;
    for (int turn = 0; turn < 6; turn++) {
        const bool skips = turn % 2;
        const wadi_run_options o = {
            .threads = 1, .chunk = N, .on_fault = skips ? WADI_ON_FAULT_SKIP : WADI_ON_FAULT_FAIL};
        wadi_error err = {0};
        int64_t n = 0;
        fill(N, of[turn / 2 % 3]);
        memset(came, 0, sizeof came);
        for (int64_t i = 0; i < N; i++) value[i] = (double)(1 + draw() % 3);
        for (size_t i = skips ? 0 : 5; i < sizeof fails / sizeof *fails; i++) value[fails[i]] = 0;
        for (int64_t i = 0; i < N; i++) {
            const int64_t k = key[i] < 0 ? 0 : key[i];
            if (value[i] == 0) continue;
            if (came[k]++ == 0) order[n++] = k;
            z[k] = (came[k] == 1 ? 0.5 : z[k]) * 0.7 + (value[i] + (double)(1 / (int64_t)value[i]));
        }
        for (int64_t i = 0; i < n; i++) {
            const int64_t c = came[order[i]];
            want[i] = z[order[i]] +
                      ((double)(uint8_t)c + ((double)(int16_t)(uint16_t)c + (double)c)) +
                      (double)(2 * c);
        }
        const wadi_status status = go(text, N, key, value, result, &o, &err);
        if (skips) {
            if (status != WADI_OK) fail_msg("%s", err.msg);
            assert_int_equal(given, n);
            assert_memory_equal(result, want, (size_t)n * sizeof *want);
        } else {
            assert_int_equal(status, WADI_FAULT);
            if (strstr(err.msg, "20000") == NULL) fail_msg("%s", err.msg);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_is_a_scan_of_its_own),
                                       cmocka_unit_test(a_million_keys),
                                       cmocka_unit_test(the_last_state_of_each_key),
                                       cmocka_unit_test(more_states_than_memory),
                                       cmocka_unit_test(large_states_come_in_small_chunks),
                                       cmocka_unit_test(an_element_that_fails_changes_no_state),
                                       cmocka_unit_test(a_key_that_only_failed_has_not_come),
                                       cmocka_unit_test(elements_that_fail_among_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
