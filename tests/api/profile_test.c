/* Profiles of runs: which lines there are, under which names, and what they count, against numbers worked out by hand. Times are those of a clock
 * that goes on whenever it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "wadi/wadi.h"

/* b is stored, since two passes read it. Integers are scanned in any order, so the map joins. */
static const char arrays[] = "program arrays\n"
                             "input xs : f64[n]\n"
                             "a = map xs (x) { mul x 2.0 }\n"
                             "is = map xs (x) { bitcast i64 x }\n"
                             "b = scanl 0 is (x, y) { add x y }\n"
                             "ra = reverse dim=0 b\n"
                             "fs = map b (x) { bitcast f64 x }\n"
                             "s = fold 0.0 fs (x, y) { max x y }\n"
                             "output a\noutput ra\noutput s\n";

static const char stream[] = "program sums\n"
                             "stream_in s : seq(f64[3])\n"
                             "sums = map_seq s (v) {\n"
                             "    sum = fold 0.0 v (x, y) { add x y }\n"
                             "    yield sum\n"
                             "}\n"
                             "stream_out \"out\" sums\n";

enum { N = 5000, ELEMENTS = 25, CHUNK = 10 };

typedef struct profiled {
    wadi_exe *exe;
    wadi_run *run;
    wadi_source *source;
    wadi_sink *sink;
    const wadi_profile_row *row;
    int n;
} profiled;

static double xs[N], elements[ELEMENTS][3];

static wadi_status ignore(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    (void)env, (void)index, (void)parts, (void)element, (void)err;
    return WADI_OK;
}

static wadi_array vector(void) {
    wadi_array a = {.rank = 1, .fields = 1, .shape = {N}, .type = {WADI_F64}};
    a.column[0] = xs;
    return a;
}

static profiled begin(const char *text, wadi_run_options options) {
    profiled p = {NULL};
    wadi_error err = {.status = WADI_OK};
    options.profile = true;
    options.forget = true;
    if (wadi_compile_text(text, "p", NULL, &p.exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_create(p.exe, &options, &p.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    return p;
}

static void go(profiled *p) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_run_go(p->run, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_profile(p->run, &p->row, &p->n, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void end(profiled *p) {
    wadi_run_destroy(p->run);
    wadi_exe_destroy(p->exe);
    wadi_source_destroy(p->source);
    wadi_sink_destroy(p->sink);
}

/* Reads of few elements, and a scan that is so long that its steps run in rounds. */
static const char few[] = "program few\n"
                          "input xs : f64[n]\n"
                          "ys = scanl1 xs (x, y) { add x y }\n"
                          "at = use : i64[3] [4, 0, 9]\n"
                          "g = gather at ys\n"
                          "one = unit { ys ! 7 }\n"
                          "none = generate 8 (i) { 0.0 }\n"
                          "h = permute none xs (x, y) { add x y } (i) { true, rem (convert i64 "
                          "(xs ! i)) 8 }\n"
                          "output g\noutput one\noutput h\n";
enum { LONG = 1 << 17 };

static profiled run_few(void) {
    static double many[LONG];
    wadi_array a = {.rank = 1, .fields = 1, .shape = {LONG}, .type = {WADI_F64}};
    a.column[0] = many;
    profiled p = begin(few, (wadi_run_options){.threads = 2, .device = "cpu"});
    assert_int_equal(wadi_run_input(p.run, "xs", &a, NULL), WADI_OK);
    go(&p);
    return p;
}

static profiled run_arrays(wadi_run_options options) {
    const wadi_array a = vector();
    profiled p = begin(arrays, options);
    assert_int_equal(wadi_run_input(p.run, "xs", &a, NULL), WADI_OK);
    go(&p);
    return p;
}

static void bind_stream(profiled *p) {
    wadi_array a = {.rank = 2, .fields = 1, .shape = {ELEMENTS, 3}, .type = {WADI_F64}};
    a.column[0] = elements;
    assert_int_equal(wadi_source_memory(&a, &p->source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(ignore, NULL, &p->sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(p->run, "s", p->source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(p->run, "out", p->sink, NULL), WADI_OK);
}

static profiled run_stream(wadi_run_options options) {
    options.chunk = CHUNK;
    profiled p = begin(stream, options);
    bind_stream(&p);
    go(&p);
    return p;
}

static const wadi_profile_row *named(const profiled *p, const char *name) {
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->row[i].name, name) == 0) return &p->row[i];
    fail_msg("there is no line %s", name);
    return NULL;
}

static const wadi_profile_row *of_kind(const profiled *p, wadi_profile_kind kind) {
    for (int i = 0; i < p->n; i++)
        if (p->row[i].kind == kind) return &p->row[i];
    return NULL;
}

static void is(const wadi_profile_row *r, int64_t calls, int64_t n, int64_t read, int64_t written) {
    assert_int_equal(r->calls, calls);
    assert_int_equal(r->elements, n);
    assert_int_equal(r->bytes_read, read);
    assert_int_equal(r->bytes_written, written);
}

static void computes(const wadi_profile_row *r, double narrow, double wide) {
    if (r->operations_f32 != narrow || r->operations_f64 != wide)
        fail_msg("%s computes %g and %g, expected %g and %g", r->name, r->operations_f32,
                 r->operations_f64, narrow, wide);
}

/* ---- what is counted ---- */

static void check_arrays(const profiled *p, const char *device) {
    const wadi_profile_row *ra = named(p, "ra");
    is(ra, 1, N + 1, 8 * (N + 1), 8 * (N + 1));
    assert_int_equal(ra->kind, WADI_PROFILE_KERNEL);
    assert_int_equal(ra->phase, 0);
    assert_int_equal(ra->stage, -1);
    assert_string_equal(ra->schedule, "flat");
    assert_string_equal(ra->device, device);
    assert_false(ra->beside);
}

static void passes_have_the_names_of_their_values(void **state) {
    static const char *const device[] = {"cpu", "null"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        profiled p = run_arrays((wadi_run_options){
            .threads = 2, .schedule = WADI_SCHEDULE_FORCE_FLAT, .device = device[i]});
        check_arrays(&p, device[i]);
        /* The scan has two blocks: what the first one carries into the second is written, combined, and read. The map goes along. */
        is(named(&p, "a, b: carries"), 1, N, 8 * N, 8);
        is(named(&p, "a, b"), 1, N + 1, 8 * N + 8, 8 * N + 8 * (N + 1));
        assert_int_equal(named(&p, "s: parts")->bytes_read, 8 * (N + 1));
        computes(named(&p, "a, b"), 0, N + N + 1);
        computes(named(&p, "s: parts"), 0, N + 1);
        computes(named(&p, "s"), 0, 0);
        assert_int_equal(named(&p, "s")->bytes_read, named(&p, "s: parts")->bytes_written);
        assert_int_equal(named(&p, "s")->bytes_written, 8);
        end(&p);
    }
}

static void reads_of_few_elements_are_few_bytes(void **state) {
    (void)state;
    profiled p = run_few();
    is(named(&p, "g"), 1, 3, 24 + 24, 24);
    is(named(&p, "one"), 1, 1, 8, 8);
    /* the steps of the scan run in rounds: xs is in the cache when it is read again */
    assert_int_equal(named(&p, "ys")->elements, LONG);
    for (int i = 0; i < p.n; i++) assert_null(strstr(p.row[i].name, "carries"));
    assert_true(named(&p, "ys")->bytes_read < 9 * LONG);
    /* all are read to be added up in a few places */
    assert_true(named(&p, "h")->bytes_read >= 8 * LONG);
    end(&p);
}

/* Rows of a matrix in arrays that are the same for all chunks: each number is read once, however many chunks there are. */
static void rows_that_data_tell_are_read_once(void **state) {
    static const char text[] = "program smvm\ninput lengths : i64[rows]\ninput xs : f64[n]\n"
                               "starts = scanl 0 lengths (a, b) { add a b }\n"
                               "rows = unit { extent lengths 0 }\n"
                               "sums = produce rows (row) {\n"
                               "    begin = unit { starts ! (the row) }\n"
                               "    length = unit { lengths ! (the row) }\n"
                               "    each = generate length (k) { xs ! (add (the begin) k) }\n"
                               "    sum = fold 0.0 each (a, b) { add a b }\n    yield sum\n}\n"
                               "result = elements sums\noutput result\n";
    enum { ROWS = N / 50 };
    static int64_t lengths[ROWS];
    const wadi_array x = vector();
    wadi_array a = {.rank = 1, .fields = 1, .shape = {ROWS}, .type = {WADI_I64}};
    a.column[0] = lengths;
    for (int i = 0; i < ROWS; i++) lengths[i] = 50;
    (void)state;
    profiled p = begin(text, (wadi_run_options){.threads = 1,
                                                .device = "cpu",
                                                .chunk = ROWS / 10,
                                                .schedule = WADI_SCHEDULE_FORCE_INSIDE});
    assert_int_equal(wadi_run_input(p.run, "lengths", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(p.run, "xs", &x, NULL), WADI_OK);
    go(&p);
    const wadi_profile_row *r = named(&p, "sum");
    assert_int_equal(r->calls, 10);
    assert_int_equal(r->bytes_written, 8 * ROWS);
    assert_in_range(r->bytes_read, 8 * N, 8 * N + 4 * 8 * ROWS);
    end(&p);
}

/* A scan is written by the pass; the folds beside it are complete only later. */
static void a_pass_has_the_names_of_all_its_members(void **state) {
    static const char text[] = "program beside\ninput xs : f64[n]\n"
                               "total = fold 0.0 xs (a, b) { add a b }\n"
                               "most = fold -inf_f64 xs (a, b) { max a b }\n"
                               "is = map xs (x) { bitcast i64 x }\n"
                               "sums = scanl 0 is (a, b) { add a b }\n"
                               "output total\noutput most\noutput sums\n";
    (void)state;
    const wadi_array a = vector();
    profiled p = begin(text, (wadi_run_options){.schedule = WADI_SCHEDULE_FORCE_FLAT});
    assert_int_equal(wadi_run_input(p.run, "xs", &a, NULL), WADI_OK);
    go(&p);
    (void)named(&p, "sums, total, most");
    end(&p);
}

/* The space of a fold over all pairs is in no slot; its extents are those of the two arrays. */
static void operations_are_counted_over_spaces_that_are_not_stored(void **state) {
    static const char text[] =
        "program pairs\ninput xs : f64[n]\nuse_of = map xs (x) { convert f32 x }\n"
        "three = compute use_of\nm = take dim=0 three 7\nk = compute m\n"
        "a = replicate new=1,0 three 7\nb = replicate new=0,1 k 5000\n"
        "p = zip_with a b (u, v) { mul (add u v) u }\n"
        "c = fold 0.0f32 p (u, v) { add u v }\noutput c\n";
    (void)state;
    const wadi_array a = vector();
    profiled p = begin(text, (wadi_run_options){.schedule = WADI_SCHEDULE_FORCE_FLAT});
    assert_int_equal(wadi_run_input(p.run, "xs", &a, NULL), WADI_OK);
    go(&p);
    (void)named(&p, "three");
    double all = 0;
    for (int i = 0; i < p.n; i++) all += p.row[i].operations_f32;
    if (all != 3.0 * 7 * N) fail_msg("%g operations", all);
    end(&p);
}

static void a_body_of_a_stream_is_one_kernel(void **state) {
    static const char *const device[] = {"cpu", "null"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        profiled p = run_stream(
            (wadi_run_options){.device = device[i], .schedule = WADI_SCHEDULE_FORCE_INSIDE});
        const wadi_profile_row *r = named(&p, "sum");
        is(r, 3, ELEMENTS, 24 * ELEMENTS, 8 * ELEMENTS);
        computes(r, 0, 3 * ELEMENTS);
        assert_int_equal(r->phase, 0);
        assert_int_equal(r->stage, 0);
        assert_string_equal(r->schedule, "inside");
        const wadi_profile_row *w = of_kind(&p, WADI_PROFILE_WRITING);
        assert_non_null(w);
        assert_int_equal(w->bytes_written, 8 * ELEMENTS);
        assert_true(w->beside);
        end(&p);
    }
}

static void copies_are_what_the_statistics_say(void **state) {
    (void)state;
    wadi_run_stats s;
    profiled p = run_arrays((wadi_run_options){.device = "null"});
    wadi_run_stats_get(p.run, &s);
    const wadi_profile_row *r = of_kind(&p, WADI_PROFILE_COPY);
    assert_non_null(r);
    assert_int_equal(r->bytes_read, s.bytes_put);
    assert_int_equal(r->bytes_written, s.bytes_got);
    assert_true(s.bytes_put >= 8 * N);
    end(&p);
    p = run_arrays((wadi_run_options){.device = "cpu"});
    assert_null(of_kind(&p, WADI_PROFILE_COPY));
    end(&p);
}

/* A device that shares the stream works beside the compute thread; all elements are counted once. */
static void devices_have_lines_of_their_own(void **state) {
    (void)state;
    profiled p = run_stream(
        (wadi_run_options){.device = "cpu,null", .schedule = WADI_SCHEDULE_FORCE_INSIDE});
    int64_t n = 0;
    for (int i = 0; i < p.n; i++)
        if (p.row[i].kind == WADI_PROFILE_KERNEL) n += p.row[i].elements;
    assert_true(n >= ELEMENTS);
    end(&p);
}

/* ---- time ---- */

static atomic_llong ticks;

static int64_t tick(void) {
    return atomic_fetch_add(&ticks, 1000);
}

/* With one thread, nobody else reads the clock. */
static void lines_add_up_to_the_run(void **state) {
    (void)state;
    wadi_run_stats s;
    wadi_clock_set(tick);
    profiled p = run_arrays((wadi_run_options){.threads = 1});
    wadi_run_stats_get(p.run, &s);
    wadi_clock_set(NULL);
    double sum = 0;
    for (int i = 0; i < p.n; i++) {
        if (!p.row[i].beside) sum += p.row[i].seconds;
        const bool works = p.row[i].kind == WADI_PROFILE_KERNEL;
        if (works) assert_true(p.row[i].busy > 0 && p.row[i].busy < p.row[i].seconds);
    }
    assert_true(s.elapsed_s > 20e-6);
    assert_true(sum >= s.elapsed_s - 4e-6 && sum <= s.elapsed_s + 4e-6);
    assert_non_null(of_kind(&p, WADI_PROFILE_REST));
    assert_non_null(of_kind(&p, WADI_PROFILE_COMPILE));
    assert_non_null(of_kind(&p, WADI_PROFILE_SHAPES));
    end(&p);
}

/* ---- runs within runs ---- */

static int inner_profiles;

static wadi_status run_within(void *env, int64_t index, int parts, const wadi_array *element,
                              wadi_error *err) {
    (void)index, (void)parts, (void)element, (void)err;
    const bool *profiles = env;
    profiled p = begin(arrays, (wadi_run_options){.schedule = WADI_SCHEDULE_FORCE_FLAT});
    const wadi_array a = vector();
    wadi_run_options plain = {.schedule = WADI_SCHEDULE_FORCE_FLAT};
    if (!*profiles) {
        wadi_run_destroy(p.run);
        assert_int_equal(wadi_run_create(p.exe, &plain, &p.run, NULL), WADI_OK);
    }
    assert_int_equal(wadi_run_input(p.run, "xs", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(p.run, NULL), WADI_OK);
    if (*profiles) {
        assert_int_equal(wadi_run_profile(p.run, &p.row, &p.n, NULL), WADI_OK);
        check_arrays(&p, "cpu");
        inner_profiles++;
    }
    end(&p);
    return WADI_OK;
}

/* Short streams call their sinks in the compute thread. */
static void a_run_within_a_run_has_lines_of_its_own(void **state) {
    (void)state;
    for (int with = 0; with < 2; with++) {
        bool profiles = with == 1;
        profiled p = begin(stream, (wadi_run_options){.chunk = CHUNK});
        wadi_sink *sink = NULL;
        inner_profiles = 0;
        bind_stream(&p);
        assert_int_equal(wadi_sink_callback(run_within, &profiles, &sink, NULL), WADI_OK);
        assert_int_equal(wadi_run_sink(p.run, "out", sink, NULL), WADI_OK);
        go(&p);
        assert_int_equal(inner_profiles, profiles ? ELEMENTS : 0);
        is(named(&p, "sum"), 3, ELEMENTS, 24 * ELEMENTS, 8 * ELEMENTS);
        for (int i = 0; i < p.n; i++) assert_string_not_equal(p.row[i].name, "ra");
        end(&p);
        wadi_sink_destroy(sink);
    }
}

/* ---- misuse ---- */

static void who_asks_too_early_or_for_nothing_is_told(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    profiled p = begin(arrays, (wadi_run_options){.threads = 1});
    assert_int_equal(wadi_run_profile(p.run, &p.row, &p.n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "has not ended"));
    assert_int_equal(wadi_run_profile(NULL, &p.row, &p.n, &err), WADI_INVALID);
    wadi_run_destroy(p.run);
    assert_int_equal(wadi_run_create(p.exe, NULL, &p.run, NULL), WADI_OK);
    assert_int_equal(wadi_run_profile(p.run, &p.row, &p.n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "no profile"));
    end(&p);
}

/* What is kept of the bandwidth: the only file of that kind in the cache folder. */
static void find_kept(const char *folder, char *out, size_t room) {
    glob_t found;
    char pattern[1100];
    snprintf(pattern, sizeof pattern, "%s/memory-*.speed", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(out, room, "%s", found.gl_pathv[0]);
    globfree(&found);
}

/* Whether a process that has not asked yet gets a bandwidth between the two. */
static bool gets_between(double least, double most) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        const double bandwidth = wadi_machine_bandwidth();
        _exit(bandwidth >= least && bandwidth <= most ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

static void say_kept(const char *path, double bandwidth, int tries) {
    char text[100];
    const int n = snprintf(text, sizeof text, "# so\n%.0f\n%d\n", bandwidth, tries);
    assert_int_equal(wadi_file_write(path, text, (size_t)n, 0600, NULL), WADI_OK);
}

static void expect_kept(const char *path, const char *tries) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_non_null(strstr(text, tries));
    free(text);
}

/* A few processes measure it, and the greatest result stays. */
static void the_bandwidth_is_kept(void **state) {
    (void)state;
    const double absurd = 9e14;
    wadi_folder folder;
    char path[1200];
    assert_int_equal(wadi_folder_make(wadi_folder_parent(), "profile_test-", &folder, NULL),
                     WADI_OK);
    assert_int_equal(setenv("WADI_CACHE_DIR", folder.path, 1), 0);
    assert_true(gets_between(2e6, absurd / 2));
    find_kept(folder.path, path, sizeof path);
    expect_kept(path, "\n1\n");
    say_kept(path, absurd, 1);
    assert_true(gets_between(absurd, absurd));
    expect_kept(path, "\n2\n");
    say_kept(path, 1.5e6, 3);
    assert_true(gets_between(2e6, absurd / 2));
    expect_kept(path, "\n4\n");
    say_kept(path, 1.5e6, 4);
    const double first = wadi_machine_bandwidth();
    assert_true(first > 1.4e6 && first < 1.6e6);
    say_kept(path, absurd, 4);
    assert_true(wadi_machine_bandwidth() < 1.6e6); /* of a process always the same */
    assert_int_equal(unsetenv("WADI_CACHE_DIR"), 0);
    wadi_folder_remove(&folder);
}

int main(void) {
    /* the first forks, before there are threads */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bandwidth_is_kept),
        cmocka_unit_test(passes_have_the_names_of_their_values),
        cmocka_unit_test(reads_of_few_elements_are_few_bytes),
        cmocka_unit_test(rows_that_data_tell_are_read_once),
        cmocka_unit_test(a_pass_has_the_names_of_all_its_members),
        cmocka_unit_test(operations_are_counted_over_spaces_that_are_not_stored),
        cmocka_unit_test(a_body_of_a_stream_is_one_kernel),
        cmocka_unit_test(copies_are_what_the_statistics_say),
        cmocka_unit_test(devices_have_lines_of_their_own),
        cmocka_unit_test(lines_add_up_to_the_run),
        cmocka_unit_test(a_run_within_a_run_has_lines_of_its_own),
        cmocka_unit_test(who_asks_too_early_or_for_nothing_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
