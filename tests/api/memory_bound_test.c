/* Memory does not grow with the stream: two GB in elements of 64 KiB pass through chunks bounded by 64 MiB.
 *
 * The test measures the resident set of the whole process. It includes the compiler's tables and the C library, so a few dozen
 * MiB are allowed for these. Sanitizers need memory of their own, so under them only a short stream passes and nothing is
 * measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "wadi/wadi.h"

enum { MIB = 1 << 20, BUDGET = 64 * MIB, SLACK = 64 * MIB, VALUES = 8192 };

static const char program[] =
    "program generated\n"
    "input n : i64\n"
    "blocks = produce n (i) {\n"
    "  block = generate 8192 (k) { mul (convert f64 k) (convert f64 (the i)) }\n"
    "  yield block\n"
    "}\n"
    "stream_out \"out\" blocks\n";

typedef struct reader {
    int64_t elements;
    bool wrong;
} reader;

/* Looks at two values of each element, and so touches what has been written. */
static wadi_status read_element(void *env, int64_t index, int parts, const wadi_array *a,
                                wadi_error *err) {
    reader *r = env;
    const double *x = a->column[0];
    (void)parts;
    (void)err;
    r->wrong = r->wrong || a->shape[0] != VALUES || index != r->elements || x[1] != (double)index ||
               x[VALUES - 1] != (double)index * (VALUES - 1);
    r->elements++;
    return WADI_OK;
}

static bool has_sanitizer(void) {
    const char *name = getenv("WADI_SANITIZE");
    return name != NULL && name[0] != '\0';
}

static int64_t resident_bytes(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (int64_t)used.ru_maxrss * 1024;
}

static void run(int64_t n, const wadi_exe *exe) {
    const wadi_run_options options = {.memory = BUDGET, .forget = true};
    const wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    wadi_error err = {.status = WADI_OK};
    wadi_sink *sink = NULL;
    wadi_run *r = NULL;
    reader seen = {0};
    assert_int_equal(wadi_sink_callback(read_element, &seen, &sink, &err), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &r, &err), WADI_OK);
    assert_int_equal(wadi_run_input(r, "n", &count, &err), WADI_OK);
    assert_int_equal(wadi_run_sink(r, "out", sink, &err), WADI_OK);
    if (wadi_run_go(r, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_run_stats stats = {0};
    wadi_run_stats_get(r, &stats);
    assert_int_equal(seen.elements, n);
    assert_false(seen.wrong);
    assert_true(stats.memory_peak <= BUDGET);
    wadi_run_destroy(r);
    wadi_sink_destroy(sink);
}

static void two_gigabytes_pass_through_64_megabytes(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    if (wadi_compile_text(program, "test", NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    const int64_t elements = has_sanitizer() ? 1000 : (INT64_C(2) << 30) / (VALUES * 8);
    run(elements, exe);
    wadi_exe_destroy(exe);
    if (has_sanitizer()) return;
    if (resident_bytes() > BUDGET + SLACK)
        fail_msg("%lld MiB resident", (long long)(resident_bytes() / MIB));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gigabytes_pass_through_64_megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
