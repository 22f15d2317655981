/* Whole runs of random programs on the device cuda, over the doubles of NVIDIA's libraries, while something fails: a run ends with the error of
 * the call that has failed, or with the right results, and gives back all that it has taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/trial.h"
#include "tests/devices/doubles.h"

/* Programs whose kernels emit, scan and gather. */
static const uint64_t seeds[] = {0, 2, 4};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

typedef enum ending { RIGHT, FAILED, WRONG } ending;

/* Compiles and runs the program of a seed while the double does what `words` say. why: what is told if it is not right. */
static ending run(const trial *t, const char *words, wadi_text *why) {
    static const char told[] = "the run failed: ";
    const conf_variant v = {.threads = 1, .chunk = 3, .device = "cuda"};
    wadi_text_clear(why);
    wadi_exe *exe = conf_compile(&t->c, NULL, why);
    assert_non_null(exe);
    doubles_set(words);
    const bool right = conf_run(&t->c, exe, &v, why);
    wadi_exe_destroy(exe);
    if (right) return RIGHT;
    return strncmp(wadi_text_str(why), told, sizeof told - 1) == 0 ? FAILED : WRONG;
}

typedef void (*judge)(const trial *t, wadi_text *why);

static void for_each_program(judge f) {
    for (int i = 0; i < SEEDS; i++) {
        trial t;
        wadi_text why = {0};
        if (!trial_init(&t, seeds[i], trial_size(seeds[i]), 0, -1, &why))
            fail_msg("%s", wadi_text_str(&why));
        assert_non_null(t.c.want);
        if (run(&t, "", &why) != RIGHT) fail_msg("%s", wadi_text_str(&why));
        assert_int_equal(doubles_held(), 0);
        f(&t, &why);
        trial_fini(&t);
        wadi_text_fini(&why);
        if (getenv("WADI_TEST_ALL") == NULL) break;
    }
    doubles_set("");
}

/* Numbers from 1 to n that come less and less often. */
static long next(long at) {
    return at + 1 + at / 2;
}

/* ---- calls that fail ---- */

static void fail_each_call(const trial *t, wadi_text *why) {
    static const struct {
        const char *name;
        bool
            silent; /* where it only gives back, an image is built anew, or all has been computed */
    } calls[] = {{"cuDevicePrimaryCtxRetain", true},
                 {"cuCtxPushCurrent", true},
                 {"cuMemGetInfo", false},
                 {"cuMemAlloc", true},
                 {"cuMemFree", true},
                 {"cuMemAllocHost", false},
                 {"cuMemcpyHtoDAsync", false},
                 {"cuMemcpyDtoHAsync", false},
                 {"cuStreamCreate", false},
                 {"cuStreamSynchronize", true},
                 {"cuModuleLoadData", true},
                 {"cuModuleGetFunction", true},
                 {"cuOccupancyMaxActiveBlocksPerMultiprocessor", false},
                 {"cuLaunchKernel", false},
                 {"kernel", false}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        assert_int_equal(run(t, "", why), RIGHT);
        const long n = doubles_calls(calls[i].name);
        const char *name = strcmp(calls[i].name, "kernel") == 0 ? "cu" : calls[i].name;
        assert_true(n > 0);
        for (long at = 1; at <= n; at = next(at)) {
            char words[100];
            (void)snprintf(words, sizeof words, "fail=%s:%ld:719", calls[i].name, at);
            const ending e = run(t, words, why);
            if (doubles_held() != 0) fail_msg("%s: %d are held", words, doubles_held());
            if (e == RIGHT && calls[i].silent) continue;
            if (e == RIGHT && doubles_calls(calls[i].name) < at)
                continue; /* how many there are depends on what ran beside: this run had fewer */
            if (e != FAILED) fail_msg("%s: %s", words, e == RIGHT ? "no harm" : wadi_text_str(why));
            if (strstr(wadi_text_str(why), name) == NULL ||
                strstr(wadi_text_str(why), "cuda:0: ") == NULL)
                fail_msg("%s: %s", words, wadi_text_str(why));
        }
    }
}

static void every_failure_is_told_and_nothing_is_kept(void **state) {
    (void)state;
    for_each_program(fail_each_call);
}

static void lose_at_each_call(const trial *t, wadi_text *why) {
    int told = 0;
    const long n = doubles_calls(NULL);
    for (long at = 1; at < n; at = next(at)) {
        char words[100];
        (void)snprintf(words, sizeof words, "lost=%ld", at);
        const ending e = run(t, words, why);
        if (doubles_held() != 0) fail_msg("%s: %d are held", words, doubles_held());
        if (e == WRONG) fail_msg("%s: %s", words, wadi_text_str(why));
        if (e == RIGHT)
            continue; /* when all had been computed, or while the context was not in use */
        told++;
        if (strstr(wadi_text_str(why), "cuda:0: the device is lost: ") == NULL)
            fail_msg("%s: %s", words, wadi_text_str(why));
    }
    assert_true(told > 3);
    assert_int_equal(run(t, "", why), RIGHT);
}

static void a_lost_device_is_called_that(void **state) {
    (void)state;
    for_each_program(lose_at_each_call);
}

/* ---- memory that ends ---- */

static void shrink_memory(const trial *t, wadi_text *why) {
    int right = 0, failed = 0;
    for (long bytes = 1 << 28; bytes > 256; bytes -= bytes / 5) {
        char words[100];
        (void)snprintf(words, sizeof words, "memory=%ld", bytes);
        const ending e = run(t, words, why);
        if (doubles_held() != 0) fail_msg("%s: %d are held", words, doubles_held());
        if (e == WRONG) fail_msg("%s: %s", words, wadi_text_str(why));
        if (e == RIGHT) right++;
        if (e == FAILED && failed++ == 0) print_message("%s: %s\n", words, wadi_text_str(why));
        if (e == FAILED && strstr(wadi_text_str(why), "memory") == NULL)
            fail_msg("%s: %s", words, wadi_text_str(why));
    }
    assert_true(right > 10);
    assert_true(failed > 10);
}

static void memory_may_end_at_any_size(void **state) {
    (void)state;
    for_each_program(shrink_memory);
}

int main(void) {
    if (!doubles_use() || setenv("WADI_DEVICE", "cuda", 1) != 0) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_is_told_and_nothing_is_kept),
        cmocka_unit_test(a_lost_device_is_called_that),
        cmocka_unit_test(memory_may_end_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
