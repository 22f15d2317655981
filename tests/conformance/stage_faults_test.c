/* Faults in streams of several stages: interpreter and compiled code name the same element, counted in the stream of the
 * stage that faults, and the sink has got what comes before, however the stream is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

/* Element i of the stream is a vector of i numbers i, i + 1, .. */
enum { N = 20 };

typedef struct counting {
    int64_t data[N][N];
    wadi_array element[N];
    wadi_interp_source source;
    wadi_interp_input table[2];
    wadi_interp_io io;
} counting;

static void counting_init(counting *c) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) c->data[i][j] = i + j;
        c->element[i] = conf_vector(WADI_I64, i, c->data[i]);
    }
    c->source = (wadi_interp_source){.name = "s", .n = N, .elements = c->element};
    c->table[0] = (wadi_interp_input){"table", conf_vector(WADI_I64, 6, c->data[0])};
    c->table[1] = (wadi_interp_input){"beside", conf_vector(WADI_I64, 6, c->data[0])};
    c->io = (wadi_interp_io){c->table, 2, &c->source, 1};
}

static wadi_seq counting_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 1, NULL};
    return wadi_stream_in("s", 1, &c);
}

static int line; /* of the call that faults */

static bool names(const char *text, const char *op, int64_t element, wadi_text *why) {
    char place[64], number[32];
    snprintf(place, sizeof place, "stage_faults_test.c:%d", line);
    snprintf(number, sizeof number, "element %lld", (long long)element);
    if (strstr(text, op) && strstr(text, place) && (element < 0 || strstr(text, number)))
        return true;
    wadi_text_addf(why, "\"%s\" does not name %s, %s and %s\n", text, op, number, place);
    return false;
}

static bool faults(const conf_case *c, const conf_variant *v, const char *op, int64_t element,
                   int64_t delivered, wadi_text *why) {
    wadi_error err = {0};
    int64_t got = 0;
    wadi_exe *exe = conf_compile(c, v->disable, why);
    if (!exe) return false;
    const wadi_status st = conf_go(c, exe, v, &got, &err);
    wadi_exe_destroy(exe);
    if (st != WADI_FAULT) wadi_text_addf(why, "status %s: %s\n", wadi_status_name(st), err.msg);
    if (got != delivered) wadi_text_addf(why, "%lld elements were delivered\n", (long long)got);
    return st == WADI_FAULT && got == delivered && names(err.msg, op, element, why);
}

/* The stream `s` goes to a sink, which gets `delivered` elements before `op` faults in `element` (-1: in none). */
static void assert_faults(wadi_seq (*stream)(void), const char *op, int64_t element,
                          int64_t delivered) {
    static const int64_t chunks[] = {1, 2, 3, 7, 100};
    counting given;
    counting_init(&given);
    wadi_program *p = wadi_program_create(op);
    wadi_stream_out(stream(), "out");
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool right = conf_case_init(&c, p, &given.io, &why) && !c.want;
    right = right && names(c.fault.msg, "", element, &why);
    for (int i = 0; right && i < 10; i++) {
        const conf_variant v = {i % 3 == 2 ? "all" : NULL,
                                i % 2 ? WADI_SCHEDULE_FORCE_FLAT : WADI_SCHEDULE_FORCE_INSIDE,
                                1 + i % 2, chunks[i / 2]};
        right = faults(&c, &v, op, element, delivered, &why);
        if (!right) conf_variant_print(&v, &why);
    }
    if (!right) print_error("%s\n", wadi_text_str(&why));
    conf_case_fini(&c);
    wadi_program_destroy(p);
    wadi_text_fini(&why);
    assert_true(right);
}

/* ---- bodies ---- */

/* Faults when the element has `bad` values, or for bad < 0 never. */
static wadi_acc fails_at(wadi_acc a, int64_t bad) {
    const wadi_exp zero = wadi_sub(wadi_extent(a, 0), wadi_i64(bad));
    line = __LINE__ + 1;
    return wadi_unit(wadi_quot(wadi_i64(7), zero));
}

static wadi_acc fails_at_9(wadi_acc a) {
    return wadi_tuple2(a, fails_at(a, 9));
}

static wadi_acc passes_or_fails_at_9(wadi_acc a) {
    return wadi_unit(wadi_ne(wadi_the(fails_at(a, 9)), wadi_i64(2)));
}

static wadi_acc is_odd(wadi_acc a) {
    return wadi_unit(wadi_eq(wadi_mod(wadi_extent(a, 0), wadi_i64(2)), wadi_i64(1)));
}

static wadi_acc itself(wadi_acc a) {
    return a;
}

static wadi_acc first_is_odd(wadi_acc t) {
    return is_odd(wadi_tuple_get(t, 0));
}

/* ---- streams ---- */

static wadi_seq behind_a_filter(void) {
    return wadi_map_seq(fails_at_9, wadi_filter_seq(is_odd, counting_in()));
}

static wadi_seq in_front_of_a_filter(void) {
    return wadi_filter_seq(first_is_odd, wadi_map_seq(fails_at_9, counting_in()));
}

static wadi_seq in_a_predicate(void) {
    return wadi_filter_seq(passes_or_fails_at_9, counting_in());
}

static wadi_seq behind_drop_and_take(void) {
    const wadi_seq s = wadi_take_seq(wadi_i64(12), wadi_drop_seq(wadi_i64(4), counting_in()));
    return wadi_map_seq(fails_at_9, s);
}

static wadi_acc quotient(wadi_acc a) {
    line = __LINE__ + 1;
    return wadi_unit(wadi_quot(wadi_i64(7), wadi_sub(wadi_the(a), wadi_i64(9))));
}

/* Element k of the expansion of element i is i + k: 9 first comes as 5 + 4, behind 0 + 1 + 2 + 3 + 4 others and four more. */
static wadi_seq behind_an_expansion(void) {
    return wadi_map_seq(quotient, wadi_expand_seq(itself, counting_in()));
}

static wadi_acc starts_with_eight(wadi_acc a) {
    const wadi_exp zero = wadi_sub(wadi_index1(a, wadi_i64(0)), wadi_i64(8));
    line = __LINE__ + 1;
    return wadi_unit(wadi_quot(wadi_i64(7), zero));
}

/* Of the samples 1 | 2 3 | 3 4 5 | .. number 28 is the first of those at the start of a window that is 8. */
static wadi_seq behind_windows(void) {
    const wadi_seq w = wadi_windows(wadi_i64(2), wadi_i64(4), WADI_LAST_KEEP, counting_in());
    return wadi_map_seq(starts_with_eight, w);
}

static wadi_acc reads_beyond(wadi_acc a) {
    const wadi_acc beside = wadi_input("beside", WADI_I64, 1, NULL);
    const wadi_exp n = wadi_extent(a, 0);
    const wadi_exp x = wadi_index1(beside, wadi_min(n, wadi_i64(2)));
    line = __LINE__ + 1;
    return wadi_unit(wadi_add(x, wadi_index1(wadi_input("table", WADI_I64, 1, NULL), n)));
}

static wadi_seq in_one_of_several_arrays(void) {
    return wadi_map_seq(reads_beyond, counting_in());
}

static wadi_seq unlike_arrays_in_a_batch(void) {
    line = __LINE__ + 1;
    return wadi_batch(wadi_i64(2), wadi_drop_seq(wadi_i64(1), counting_in()));
}

static wadi_acc two_extents(wadi_acc a) {
    const wadi_exp n = wadi_extent(a, 0);
    const wadi_exp m = wadi_cond(wadi_lt(n, wadi_i64(6)), n, wadi_i64(2));
    return wadi_tuple2(a, wadi_iota(WADI_F32, m));
}

static wadi_seq unlike_extents_in_an_expansion(void) {
    line = __LINE__ + 1;
    return wadi_expand_seq(two_extents, counting_in());
}

static wadi_seq unlike_extents_in_windows(void) {
    const wadi_seq s = wadi_map_seq(two_extents, counting_in());
    line = __LINE__ + 1;
    return wadi_windows(wadi_i64(1), wadi_i64(1), WADI_LAST_DROP, s);
}

static wadi_acc step(wadi_acc state, wadi_acc a) {
    const wadi_acc seven = fails_at(a, 9);
    return wadi_zip_with(wadi_add, state, seven);
}

static wadi_seq in_a_scan(void) {
    return wadi_scan_seq(step, wadi_unit(wadi_i64(0)), counting_in());
}

static wadi_acc second(wadi_acc a, wadi_acc b) {
    (void)a;
    return fails_at(b, 9);
}

static wadi_seq behind_a_zip(void) {
    const wadi_seq s = counting_in();
    return wadi_zip_with_seq(second, wadi_filter_seq(is_odd, s), wadi_drop_seq(wadi_i64(4), s));
}

static wadi_seq a_batch_of_none(void) {
    line = __LINE__ + 1;
    return wadi_batch(wadi_i64(0), counting_in());
}

static wadi_seq a_hop_of_none(void) {
    line = __LINE__ + 1;
    return wadi_windows(wadi_i64(3), wadi_i64(-1), WADI_LAST_DROP, counting_in());
}

/* ---- faults in sequences within an element name that element ---- */

static wadi_exp not_nine(wadi_exp x) {
    line = __LINE__ + 1;
    return wadi_quot(wadi_i64(7), wadi_sub(x, wadi_i64(9)));
}

static wadi_acc quotients(wadi_acc a) {
    return wadi_map(not_nine, a);
}

static wadi_acc at_nine(wadi_acc a) {
    const wadi_seq s = wadi_map_seq(quotients, wadi_to_seq(a));
    return wadi_consume(wadi_elements(s));
}

static wadi_acc at_nine_in_windows(wadi_acc a) {
    const wadi_seq s = wadi_windows(wadi_i64(3), wadi_i64(2), WADI_LAST_KEEP, wadi_to_seq(a));
    return wadi_consume(wadi_elements(wadi_map_seq(quotients, s)));
}

static wadi_acc at_nine_deeper(wadi_acc a) {
    const wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(4)), a);
    return wadi_consume(wadi_elements(wadi_map_seq(at_nine, s)));
}

/* Element i is i, i + 1, .., 2 i - 1: the first with a 9 is number 5. */
static wadi_seq in_a_sequence(void) {
    return wadi_map_seq(at_nine, counting_in());
}

static wadi_seq in_windows_of_an_element(void) {
    return wadi_map_seq(at_nine_in_windows, counting_in());
}

static wadi_seq in_a_sequence_of_a_sequence(void) {
    return wadi_map_seq(at_nine_deeper, counting_in());
}

static wadi_acc long_window(wadi_acc a) {
    const wadi_exp size = wadi_sub(wadi_i64(7), wadi_extent(a, 0));
    const wadi_seq s = wadi_to_seq(a);
    line = __LINE__ + 1;
    const wadi_seq w = wadi_windows(size, wadi_i64(1), WADI_LAST_DROP, s);
    return wadi_consume(wadi_elements(w));
}

static wadi_acc hopping(wadi_acc a) {
    const wadi_exp hop = wadi_sub(wadi_i64(7), wadi_extent(a, 0));
    const wadi_seq s = wadi_to_seq(a);
    line = __LINE__ + 1;
    const wadi_seq w = wadi_windows(wadi_i64(2), hop, WADI_LAST_KEEP, s);
    return wadi_consume(wadi_elements(w));
}

static wadi_acc so_many_of_it(wadi_acc x) {
    const wadi_exp n = wadi_max(wadi_sub(wadi_the(x), wadi_i64(8)), wadi_i64(2));
    return wadi_fill(wadi_ix1(n), wadi_the(x));
}

static wadi_acc unlike(wadi_acc a) {
    const wadi_seq s = wadi_map_seq(so_many_of_it, wadi_to_seq(a));
    line = __LINE__ + 1;
    const wadi_seq b = wadi_batch(wadi_i64(3), s);
    return wadi_consume(wadi_elements(b));
}

static wadi_acc unlike_pair(wadi_acc x) {
    return wadi_tuple2(so_many_of_it(x), wadi_fill(wadi_ix1(wadi_i64(2)), wadi_the(x)));
}

static wadi_acc unlike_samples(wadi_acc a) {
    const wadi_seq s = wadi_map_seq(unlike_pair, wadi_to_seq(a));
    line = __LINE__ + 1;
    const wadi_seq w = wadi_windows(wadi_i64(3), wadi_i64(3), WADI_LAST_DROP, s);
    return wadi_consume(wadi_elements(w));
}

static wadi_seq sizes_within(void) {
    return wadi_map_seq(long_window, counting_in());
}

static wadi_seq hops_within(void) {
    return wadi_map_seq(hopping, counting_in());
}

static wadi_seq batches_within(void) {
    return wadi_map_seq(unlike, counting_in());
}

static wadi_seq samples_within(void) {
    return wadi_map_seq(unlike_samples, counting_in());
}

static void faults_in_an_element_s_own_sequences_name_the_element(void **state) {
    (void)state;
    assert_faults(in_a_sequence, "quot", 5, 5);
    assert_faults(in_windows_of_an_element, "quot", 5, 5);
    assert_faults(in_a_sequence_of_a_sequence, "quot", 5, 5);
}

static void faults_of_windows_and_batches_within_an_element(void **state) {
    (void)state;
    assert_faults(sizes_within, "windows", 7, 7);
    assert_faults(hops_within, "windows", 7, 7);
    assert_faults(batches_within, "batch", 6, 6);
    assert_faults(samples_within, "windows", 6, 6);
}

static void an_index_names_its_array(void **state) {
    (void)state;
    assert_faults(in_one_of_several_arrays, "!: index 6 out of range 0..5 in dimension 0 of table,",
                  6, 6);
}

static void a_fault_behind_a_filter(void **state) {
    (void)state;
    assert_faults(behind_a_filter, "quot", 4, 4);
}

static void a_fault_in_front_of_a_filter(void **state) {
    (void)state;
    assert_faults(in_front_of_a_filter, "quot", 9, 4);
}

static void a_fault_in_a_predicate(void **state) {
    (void)state;
    assert_faults(in_a_predicate, "quot", 9, 9);
}

static void a_fault_behind_drop_and_take(void **state) {
    (void)state;
    assert_faults(behind_drop_and_take, "quot", 5, 5);
}

static void a_fault_behind_an_expansion(void **state) {
    (void)state;
    assert_faults(behind_an_expansion, "quot", 14, 14);
}

static void a_fault_behind_windows(void **state) {
    (void)state;
    assert_faults(behind_windows, "quot", 7, 7);
}

static void a_fault_in_a_batch(void **state) {
    (void)state;
    assert_faults(unlike_arrays_in_a_batch, "batch", 1, 0);
}

static void a_fault_in_an_expansion(void **state) {
    (void)state;
    assert_faults(unlike_extents_in_an_expansion, "expand_seq", 6, 15);
}

static void a_fault_in_windows(void **state) {
    (void)state;
    assert_faults(unlike_extents_in_windows, "windows", 6, 15);
}

static void a_fault_in_a_scan(void **state) {
    (void)state;
    assert_faults(in_a_scan, "quot", 9, 9);
}

static void a_fault_behind_a_zip(void **state) {
    (void)state;
    assert_faults(behind_a_zip, "quot", 5, 5);
}

static wadi_acc three_of(wadi_exp i) {
    return wadi_fill(wadi_ix1(wadi_i64(3)), i);
}

static wadi_acc without_an_element(wadi_acc all) {
    return wadi_drop_on(0, wadi_i64(1), all);
}

static wadi_acc without_a_value(wadi_acc all) {
    return wadi_drop_on(1, wadi_i64(1), all);
}

static wadi_acc lacks_an_element(wadi_acc a) {
    return wadi_with_lifted(itself, without_an_element, a);
}

static wadi_acc lacks_a_value(wadi_acc a) {
    return wadi_with_lifted(itself, without_a_value, a);
}

/* A computation lifted by hand that does not give what the chunk's elements are, in number or in shape, is not used: what is
 * meant is the one it was made from. */
static void what_is_lifted_must_fit_the_chunk(void **state) {
    (void)state;
    static const wadi_acc_fn1 bodies[] = {lacks_an_element, lacks_a_value};
    for (int i = 0; i < 2; i++) {
        const wadi_interp_io nothing = {0};
        conf_case c;
        wadi_text why;
        wadi_text_init(&why);
        wadi_program *p = wadi_program_create("lifted");
        wadi_stream_out(wadi_map_seq(bodies[i], wadi_produce(wadi_i64(6), three_of)), "out");
        bool right = conf_case_init(&c, p, &nothing, &why);
        for (int64_t chunk = 1; right && chunk <= 6; chunk += 5) {
            const conf_variant flat = {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, chunk};
            right = conf_check(&c, &flat, &why);
        }
        if (!right) fail_msg("%s", wadi_text_str(&why));
        conf_case_fini(&c);
        wadi_text_fini(&why);
        wadi_program_destroy(p);
    }
}

static void sizes_must_be_one_or_more(void **state) {
    (void)state;
    assert_faults(a_batch_of_none, "batch", -1, 0);
    assert_faults(a_hop_of_none, "windows", -1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_names_its_array),
        cmocka_unit_test(a_fault_behind_a_filter),
        cmocka_unit_test(a_fault_in_front_of_a_filter),
        cmocka_unit_test(a_fault_in_a_predicate),
        cmocka_unit_test(a_fault_behind_drop_and_take),
        cmocka_unit_test(a_fault_behind_an_expansion),
        cmocka_unit_test(a_fault_behind_windows),
        cmocka_unit_test(a_fault_in_a_batch),
        cmocka_unit_test(a_fault_in_an_expansion),
        cmocka_unit_test(a_fault_in_windows),
        cmocka_unit_test(a_fault_in_a_scan),
        cmocka_unit_test(a_fault_behind_a_zip),
        cmocka_unit_test(what_is_lifted_must_fit_the_chunk),
        cmocka_unit_test(sizes_must_be_one_or_more),
        cmocka_unit_test(faults_in_an_element_s_own_sequences_name_the_element),
        cmocka_unit_test(faults_of_windows_and_batches_within_an_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
