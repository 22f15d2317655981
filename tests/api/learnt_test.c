/* A run saves what a library has learnt only if it uses that library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "sched/foreign.h"
#include "wadi/lang_fft.h"
#include "wadi/wadi.h"

enum { N = 64, COUNT = 256 };

static char directory[] = "/tmp/wadi_learnt_XXXXXX";

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) != NULL && setenv("WADI_CACHE_DIR", directory, 1) == 0 ? 0 : 1;
}

static int remove_directory(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static wadi_exp twice(wadi_exp z) {
    return wadi_add(z, z);
}

/* A run of a program that transforms its input, or does something else with it. */
static wadi_run *start(bool transforms, wadi_exe **out_exe) {
    wadi_error err = {.status = WADI_OK};
    wadi_run *run = NULL;
    wadi_program *p = wadi_program_create("p");
    const wadi_acc x = wadi_input("x", WADI_C128, 1, NULL);
    wadi_output("y", transforms ? wadi_fft(x) : wadi_compute(wadi_map(twice, x)));
    if (wadi_compile(p, NULL, out_exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_create(*out_exe, NULL, &run, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return run;
}

/* Until the library has measured what it does so often. */
static void transform_much(void) {
    static double in[2 * N * COUNT], out[2 * N * COUNT];
    wadi_call c = {.routine = "fft", .count = COUNT, .nin = 1, .nout = 1};
    c.array[0] = (wadi_call_array){in, NULL, N, WADI_C128, 1, {N}};
    c.array[1] = (wadi_call_array){out, NULL, N, WADI_C128, 1, {N}};
    for (int64_t done = 0; done < (int64_t)3 << 27; done += N * COUNT)
        assert_true(wadi_foreign_run(&c, NULL));
}

static void transforms_keep_what_was_learnt_and_nobody_else(void **state) {
    (void)state;
    char path[64];
    wadi_exe *transforms = NULL, *passes = NULL;
    if (!wadi_foreign_has("fft")) skip();
    (void)snprintf(path, sizeof path, "%s/fftw.wisdom", directory);
    wadi_run *first = start(true, &transforms);
    transform_much();
    wadi_run_destroy(start(false, &passes));
    assert_false(wadi_file_exists(path));
    wadi_run_destroy(first);
    assert_true(wadi_file_exists(path));
    wadi_exe_destroy(transforms);
    wadi_exe_destroy(passes);
    wadi_foreign_forget();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_keep_what_was_learnt_and_nobody_else),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
