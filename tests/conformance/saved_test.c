/* A run that is saved between any two chunks of a stream, and a new one that goes on from what was saved, give what one run gives: with
 * every change, every end, and several sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/run/stream.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/seekable.h"
#include "tests/conformance/sparse.h"

/* ---- ragged vectors of i32, and single f64 ---- */

enum { ROWS = 19, NUMBERS = 25 };

static int32_t data[ROWS][ROWS];
static double number[NUMBERS];
static wadi_array row[ROWS], single[NUMBERS];
static const wadi_interp_source sources[] = {{.name = "rows", .n = ROWS, .elements = row},
                                             {.name = "numbers", .n = NUMBERS, .elements = single}};

static void make_elements(void) {
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) data[i][j] = i * 37 % 50 + j - 20;
        row[i] = conf_vector(WADI_I32, i * 5 % 7 + (i % 9 == 4 ? 9 : 0), data[i]);
    }
    for (int i = 0; i < NUMBERS; i++) {
        number[i] = i * 0.37 - 3;
        single[i] = conf_scalar(WADI_F64, &number[i]);
    }
}

static wadi_seq rows(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    return wadi_stream_in("rows", 1, &c);
}

static wadi_seq numbers(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_F64), 0, NULL};
    return wadi_stream_in("numbers", 1, &c);
}

/* ---- functions ---- */

static wadi_exp add_one(wadi_exp x) {
    return wadi_add(x, wadi_i32(1));
}

static wadi_acc increased(wadi_acc a) {
    return wadi_map(add_one, a);
}

static wadi_acc itself(wadi_acc a) {
    return a;
}

static wadi_acc is_long(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(2)));
}

static wadi_acc is_short(wadi_acc a) {
    return wadi_unit(wadi_lt(wadi_extent(a, 0), wadi_i64(3)));
}

static wadi_acc is_positive(wadi_acc x) {
    return wadi_unit(wadi_gt(wadi_the(x), wadi_f64(0)));
}

static wadi_acc total(wadi_acc a) {
    return wadi_sum(a);
}

/* A state whose bits depend on the order. */
static wadi_acc mixed(wadi_acc state, wadi_acc x) {
    return wadi_zip_with(wadi_add, wadi_zip_with(wadi_mul, state, wadi_unit(wadi_f64(0.7))), x);
}

/* A state that is an array. */
static wadi_acc longer(wadi_acc state, wadi_acc a) {
    return wadi_acond(wadi_ge(wadi_extent(a, 0), wadi_extent(state, 0)), a, state);
}

static wadi_acc beside(wadi_acc a, wadi_acc b) {
    return wadi_tuple2(a, b);
}

static wadi_acc squared(wadi_exp i) {
    return wadi_unit(wadi_mul(i, i));
}

static wadi_acc all_added(wadi_acc state, wadi_acc chunk) {
    return wadi_zip_with(wadi_add, state,
                         wadi_fold(wadi_add, wadi_i32(0), wadi_tuple_get(chunk, 1)));
}

static wadi_acc none(void) {
    return wadi_fill(wadi_ix1(wadi_i64(0)), wadi_i32(0));
}

/* ---- programs: every change and every end, and several sources ---- */

static void collectors(void) {
    const wadi_seq s = wadi_map_seq(increased, rows());
    wadi_output("elements", wadi_consume(wadi_elements(s)));
    wadi_output("least", wadi_consume(wadi_tabulate_min(wadi_filter_seq(is_long, s))));
    wadi_output("all", wadi_consume(wadi_from_seq(s)));
    wadi_output("sums", wadi_consume(wadi_tabulate(wadi_map_seq(total, s))));
    wadi_stream_out(s, "out");
}

static void folds(void) {
    wadi_output("last", wadi_consume(wadi_fold_seq(longer, none(), rows())));
    wadi_output("sum", wadi_consume(wadi_fold_batch(all_added, wadi_unit(wadi_i32(5)), rows())));
}

static void scans(void) {
    const wadi_seq mixes = wadi_scan_seq(mixed, wadi_unit(wadi_f64(0.1)), numbers());
    wadi_output("mix", wadi_consume(wadi_fold_seq(mixed, wadi_unit(wadi_f64(3)), mixes)));
    wadi_output("mixes", wadi_consume(wadi_tabulate(mixes)));
    wadi_stream_out(wadi_scan_seq(longer, none(), rows()), "out");
}

static void picks(void) {
    const wadi_seq s = wadi_filter_seq(is_long, rows());
    wadi_output("rest", wadi_consume(wadi_from_seq(wadi_drop_seq(wadi_i64(2), s))));
    wadi_stream_out(wadi_take_seq(wadi_i64(5), s), "out");
}

static void changes(void) {
    const wadi_seq samples = wadi_expand_seq(itself, rows());
    wadi_output("samples", wadi_consume(wadi_elements(samples)));
    wadi_output("kept", wadi_consume(wadi_from_seq(
                            wadi_windows(wadi_i64(5), wadi_i64(3), WADI_LAST_KEEP, rows()))));
    wadi_output("padded", wadi_consume(wadi_tabulate(
                              wadi_windows(wadi_i64(2), wadi_i64(7), WADI_LAST_PAD, rows()))));
    wadi_stream_out(wadi_batch(wadi_i64(4), samples), "out");
}

/* One of the inputs of the second zip is ahead of the other. */
static void zips(void) {
    wadi_stream_out(wadi_zip_with_seq(beside, rows(), numbers()), "out");
    const wadi_seq ahead = wadi_zip_with_seq(beside, wadi_filter_seq(is_long, rows()),
                                             wadi_filter_seq(is_short, rows()));
    wadi_output("ahead", wadi_consume(wadi_from_seq(ahead)));
}

/* One stage that reads two sources, which give other counts of elements at a time. */
static void sides(void) {
    wadi_stream_out(wadi_zip_with_seq(beside, numbers(), rows()), "out");
}

/* Two stages that read; what stands behind both hears when both have ended. */
static void joined(void) {
    const wadi_seq sums = wadi_map_seq(total, wadi_filter_seq(is_long, rows()));
    const wadi_seq both = wadi_zip_with_seq(beside, sums, wadi_filter_seq(is_positive, numbers()));
    wadi_stream_out(wadi_batch(wadi_i64(5), both), "out");
}

/* Values that bodies write in their places, until the run is saved; and a source that is only counted. */
static void counted(void) {
    const wadi_seq n = wadi_produce(wadi_i64(23), squared);
    wadi_output("squares", wadi_consume(wadi_tabulate(n)));
    wadi_output("numbers", wadi_consume(wadi_elements(numbers())));
}

static wadi_acc with_length(wadi_acc a) {
    return wadi_tuple2(wadi_unit(wadi_mod(wadi_extent(a, 0), wadi_i64(3))), a);
}

static wadi_acc with_floor(wadi_acc x) {
    const wadi_exp whole = wadi_convert(WADI_I64, wadi_floor(wadi_the(x)));
    return wadi_tuple2(wadi_unit(wadi_rec2("k", wadi_mod(whole, wadi_i64(4)), "l", wadi_u8(3))), x);
}

static wadi_acc longer_by_key(wadi_acc state, wadi_acc element) {
    return longer(state, wadi_tuple_get(element, 1));
}

static wadi_acc mixed_by_key(wadi_acc state, wadi_acc element) {
    return mixed(state, wadi_tuple_get(element, 1));
}

/* States of arrays, and of scalars whose keys are records. */
static void keys(void) {
    wadi_stream_out(wadi_scan_by_key(longer_by_key, none(), wadi_map_seq(with_length, rows())),
                    "out");
    const wadi_acc folded = wadi_consume(wadi_tabulate(wadi_fold_by_key(
        mixed_by_key, wadi_unit(wadi_f64(0.2)), wadi_map_seq(with_floor, numbers()))));
    wadi_output("floors", wadi_tuple_get(folded, 0));
    wadi_output("folded", wadi_tuple_get(folded, 1));
    wadi_output("mixes",
                wadi_consume(wadi_tabulate(wadi_scan_by_key(mixed_by_key, wadi_unit(wadi_f64(0.1)),
                                                            wadi_map_seq(with_floor, numbers())))));
}

static void (*const programs[])(void) = {collectors, folds, scans,  picks,   changes,
                                         zips,       sides, joined, counted, keys};

static wadi_program *program(size_t i) {
    wadi_program *p = wadi_program_create("saved");
    programs[i]();
    return p;
}

static void a_run_goes_on_from_every_chunk(void **state) {
    (void)state;
    static const int64_t chunks[] = {1, 3, 4, 100};
    const wadi_interp_io io = {.sources = sources, .nsources = 2};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        wadi_program *p = program(i);
        wadi_text why = {0};
        conf_case c;
        if (!conf_case_init(&c, p, &io, &why)) fail_msg("%s", wadi_text_str(&why));
        wadi_exe *exe = conf_compile(&c, NULL, &why);
        if (!exe) fail_msg("%s", wadi_text_str(&why));
        for (size_t k = 0; k < 2 * sizeof chunks / sizeof *chunks; k++) {
            int before = -1, cuts = 0;
            if (!conf_sparse_part((int)i, (int)k, 5)) continue;
            for (int cut = 1; conf_cuts() > before; cut++, cuts++) {
                const conf_variant v = {.threads = 1 + (int)k % 2,
                                        .chunk = chunks[k / 2],
                                        .schedule = WADI_SCHEDULE_AUTO,
                                        .cut = cut};
                before = conf_cuts();
                if (!conf_run(&c, exe, &v, &why)) {
                    conf_variant_print(&v, &why);
                    fail_msg("program %zu: %s", i, wadi_text_str(&why));
                }
            }
            if (chunks[k / 2] == 3) assert_true(cuts > 5);
        }
        wadi_exe_destroy(exe);
        conf_case_fini(&c);
        wadi_program_destroy(p);
        wadi_text_fini(&why);
    }
}

/* ---- what is in it, and what is refused ---- */

typedef struct keeper {
    wadi_text text;
    int chunks;
} keeper;

static wadi_status keep(void *env, wadi_stream *s, bool last, wadi_error *err) {
    WADI_UNUSED(last);
    keeper *k = env;
    if (--k->chunks != 0) return WADI_OK;
    WADI_TRY(wadi_run_save(s, &k->text, err));
    return wadi_fail(err, WADI_CANCELLED, "saved");
}

static wadi_source *seekable(int i) {
    const wadi_part part[] = {wadi_part_irregular(WADI_I32, 1), wadi_part_fixed(WADI_F64, 0, NULL)};
    return seekable_create(&sources[i], 1, &part[i], 0);
}

/* A run of program i in chunks of `chunk` elements (0: as the policy learned, or its own), from what *k holds, saved there again behind
 * k->chunks chunks. */
static wadi_status go(size_t i, int64_t chunk, keeper *k, wadi_source *in[2], int64_t *out_chunk,
                      wadi_error *err) {
    const wadi_run_options o = {.chunk = chunk, .policy = "fixed", .threads = 1};
    wadi_run_stats stats = {0};
    wadi_sink *sink = NULL;
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_text from = k->text;
    k->text = (wadi_text){0};
    wadi_program *p = program(i);
    assert_int_equal(wadi_compile(p, NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &o, &run, NULL), WADI_OK);
    assert_int_equal(wadi_sink_memory(&sink, NULL), WADI_OK);
    (void)!wadi_run_source(run, "rows", in[0], NULL); /* the program may have no such */
    (void)!wadi_run_source(run, "numbers", in[1], NULL);
    (void)!wadi_run_sink(run, "out", sink, NULL);
    run->saver = (wadi_run_saver){keep, k};
    run->saved = (wadi_state_reader){from.at, from.n};
    const wadi_status status = wadi_run_go(run, err);
    wadi_run_stats_get(run, &stats);
    *out_chunk = stats.chunk_elements;
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
    wadi_sink_destroy(sink);
    for (int n = 0; n < 2; n++) wadi_source_destroy(in[n]);
    wadi_text_fini(&from);
    return status;
}

static wadi_status go_on(size_t i, int64_t chunk, keeper *k, int64_t *out_chunk, wadi_error *err) {
    return go(i, chunk, k, (wadi_source *[2]){seekable(0), seekable(1)}, out_chunk, err);
}

static void learned_sizes_are_saved(void **state) {
    (void)state;
    keeper k = {.chunks = 2};
    wadi_error err = {0};
    int64_t chunk = 0;
    assert_int_equal(go_on(3, 3, &k, &chunk, &err), WADI_CANCELLED);
    assert_int_equal(chunk, 3);
    if (go_on(3, 0, &k, &chunk, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(chunk, 3); /* not the 64 the policy begins with */
    wadi_text_fini(&k.text);
}

static void what_is_saved_of_another_program_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs - 1; i++) {
        keeper k = {.chunks = 2};
        wadi_error err = {0};
        int64_t chunk = 0;
        assert_int_equal(go_on(i, 3, &k, &chunk, &err), WADI_CANCELLED);
        assert_int_equal(go_on(i + 1, 3, &k, &chunk, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "saved state: "));
        wadi_text_fini(&k.text);
    }
}

static void damaged_bytes_are_refused_of(size_t program) {
    keeper k = {.chunks = 2};
    wadi_error err = {0};
    int64_t chunk = 0;
    assert_int_equal(go_on(program, 3, &k, &chunk, &err), WADI_CANCELLED);
    const wadi_text whole = k.text;
    for (size_t n = 1; n <= whole.n + 1; n += 1 + whole.n / 37) {
        keeper part = {.chunks = -1};
        wadi_text_add_n(&part.text, whole.at, n < whole.n ? n : whole.n);
        if (n > whole.n) wadi_text_add(&part.text, "x");
        if (part.text.n == whole.n) continue;
        assert_int_not_equal(go_on(program, 3, &part, &chunk, &err), WADI_OK);
        assert_true(err.msg[0] != '\0');
        wadi_text_fini(&part.text);
    }
    wadi_text_fini(&k.text);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    damaged_bytes_are_refused_of(4);
    damaged_bytes_are_refused_of(9);
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    (void)env, (void)index, (void)yield, (void)err;
    fail_msg("nothing is read");
    return WADI_OK;
}

static void a_source_that_cannot_go_back_is_refused_before_anything_is_read(void **state) {
    (void)state;
    keeper k = {.chunks = -1};
    wadi_error err = {0};
    int64_t chunk = 0;
    wadi_source *in[2] = {seekable(0), NULL};
    const wadi_part part = wadi_part_fixed(WADI_F64, 0, NULL);
    assert_int_equal(wadi_source_callback(1, &part, pull, NULL, &in[1], NULL), WADI_OK);
    assert_int_equal(go(8, 3, &k, in, &chunk, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "a run that reads \"numbers\" cannot be saved: a callback source "
                                 "cannot say where it stands");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_from_every_chunk),
        cmocka_unit_test(learned_sizes_are_saved),
        cmocka_unit_test(what_is_saved_of_another_program_is_refused),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(a_source_that_cannot_go_back_is_refused_before_anything_is_read),
    };
    make_elements();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
