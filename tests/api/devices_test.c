/* One executable on several devices and for several targets at once: each is given versions of its own, and a target that does not fit a
 * device is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/thread.h"
#include "codegen/targets.h"
#include "exe/exe.h"
#include "sched/cpu/image.h"
#include "sched/run.h"
#include "tests/api/counted.h"
#include "wadi/wadi.h"

enum { N = 5000, ROUNDS = 20 };

static wadi_exp squared(wadi_exp x) {
    return wadi_mul(x, x);
}

static wadi_exe *compile_for(const char *target) {
    wadi_error err = {.status = WADI_OK};
    const wadi_compile_options options = {.target = target};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("devices");
    wadi_output("y", wadi_sum(wadi_map(squared, wadi_input("x", WADI_F64, 1, NULL))));
    if (wadi_compile(p, &options, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return exe;
}

/* ---- runs, several at once ---- */

typedef struct runs {
    const wadi_exe *exe;
    const wadi_loader *loader; /* NULL: the executable's */
    const char *device;
    double sum; /* of each run: the same */
    wadi_status status;
    wadi_error err;
} runs;

static wadi_status run_once(runs *r, const wadi_array *x, double *out) {
    const wadi_run_options options = {.threads = 1, .device = r->device};
    wadi_run *run = NULL;
    wadi_array y;
    WADI_TRY(r->loader ? wadi_run_create_for(r->exe->plan, r->loader, &options, &run, &r->err)
                       : wadi_run_create(r->exe, &options, &run, &r->err));
    wadi_status st = wadi_run_input(run, "x", x, &r->err);
    if (st == WADI_OK) st = wadi_run_go(run, &r->err);
    if (st == WADI_OK) st = wadi_run_result(run, "y", &y, &r->err);
    if (st == WADI_OK) *out = *(const double *)y.column[0];
    wadi_run_destroy(run);
    return st;
}

static void run_often(void *env) {
    runs *r = env;
    double value[N], sum = 0;
    const wadi_array x = {
        .rank = 1, .fields = 1, .shape = {N}, .type = {WADI_F64}, .column = {value}};
    for (int i = 0; i < N; i++) value[i] = 1.0 / (i + 1);
    for (int i = 0; i < ROUNDS && r->status == WADI_OK; i++) {
        r->status = run_once(r, &x, &sum);
        if (r->status == WADI_OK && i > 0 && memcmp(&sum, &r->sum, sizeof sum) != 0)
            r->status = WADI_INTERNAL;
        r->sum = sum;
    }
}

/* Both at once, with the same bits. */
static void run_both(runs *a, runs *b) {
    wadi_thread thread;
    assert_int_equal(wadi_thread_start(&thread, run_often, a, NULL), WADI_OK);
    run_often(b);
    wadi_thread_join(&thread);
    if (a->status != WADI_OK || b->status != WADI_OK) fail_msg("%s%s", a->err.msg, b->err.msg);
    assert_true(a->sum > 1.6 && a->sum < 1.7);
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
}

/* They take the same images, so one compilation serves both. */
static void two_devices_share_what_both_take(void **state) {
    (void)state;
    wadi_exe *exe = compile_for(NULL);
    runs cpu = {.exe = exe, .device = "cpu"}, null = {.exe = exe, .device = "null"};
    run_both(&cpu, &null);
    assert_int_equal(counted_compilations(), 1);
    assert_non_null(exe->sets);
    assert_null(exe->sets->next);
    wadi_exe_destroy(exe);
}

/* Kernels are explained without a device, and what was made for that the first device loads. */
static void a_device_takes_over_what_was_only_looked_at(void **state) {
    (void)state;
    wadi_error err = {0};
    const wadi_compile_options options = {.explain = true};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("devices");
    wadi_output("y", wadi_sum(wadi_map(squared, wadi_input("x", WADI_F64, 1, NULL))));
    if (wadi_compile(p, &options, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    assert_null(exe->sets->images);
    runs null = {.exe = exe, .device = "null"}, again = {.exe = exe, .device = "null"};
    run_both(&null, &again);
    assert_ptr_equal(exe->sets->images, &wadi_cpu_images);
    assert_null(exe->sets->next);
    wadi_exe_destroy(exe);
}

/* A run tells what is wrong; what is made ahead of it is nothing. */
static void nothing_is_made_for_a_device_that_is_not_there(void **state) {
    (void)state;
    static const char *const absent[] = {"gpu", "cpu:0", "null:7"};
    wadi_exe *exe = compile_for(NULL);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        const wadi_run_options options = {.device = absent[i]};
        wadi_error err = {0};
        wadi_run *run = NULL;
        wadi_exe_warm(exe, &options);
        assert_int_equal(exe->turns, 0);
        assert_int_equal(wadi_run_create(exe, &options, &run, &err), WADI_INVALID);
        assert_null(run);
        assert_non_null(strstr(err.msg, absent[i]));
    }
    wadi_exe_destroy(exe);
}

/* Loads from the set of one target. */
typedef struct aim {
    wadi_exe *exe;
    const wadi_target *target;
    atomic_uintptr_t code; /* of the last kernel loaded */
} aim;

static wadi_status load_aimed(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                              wadi_plan_code *out, wadi_error *err) {
    aim *a = self;
    wadi_exe_set *set = NULL;
    (void)plan;
    assert_ptr_equal(version.images, &wadi_cpu_images); /* the run says whose code it wants */
    wadi_mutex_lock(&a->exe->lock);
    wadi_status st = wadi_exe_set_of(a->exe, version.images, a->target, &set, err);
    if (st == WADI_OK) {
        wadi_exe_version *v = wadi_exe_version_of(set, body, version);
        st = wadi_exe_load(a->exe, v, WADI_EXE_NEEDED, err);
        if (st == WADI_OK) {
            assert_ptr_equal(v->made->target, a->target);
            const int n = v->made->version.nsteps;
            *out = (wadi_plan_code){&v->made->version, v->kernels, v->kernels + n};
            for (int i = 0; i < 2 * n; i++)
                if (v->kernels[i].handle != 0) atomic_store(&a->code, v->kernels[i].handle);
        }
    }
    wadi_mutex_unlock(&a->exe->lock);
    return st;
}

static void two_targets_have_versions_of_their_own(void **state) {
    (void)state;
    const wadi_target *other = NULL;
    for (const wadi_target *t = wadi_targets + 1; t->name != NULL && other == NULL; t++)
        if (wadi_target_find(t->name, &other, NULL) != WADI_OK) other = NULL;
    if (other == NULL) skip();
    wadi_exe *exe = compile_for(wadi_targets[0].name);
    aim one = {.exe = exe, .target = &wadi_targets[0]}, two = {.exe = exe, .target = other};
    const wadi_loader first = {.load = load_aimed, .self = &one},
                      second = {.load = load_aimed, .self = &two};
    runs a = {.exe = exe, .loader = &first, .device = "cpu"},
         b = {.exe = exe, .loader = &second, .device = "null"};
    run_both(&a, &b);
    assert_int_equal(counted_compilations(), 2);
    assert_true(atomic_load(&one.code) != atomic_load(&two.code));
    assert_ptr_equal(exe->sets->target, one.target);
    assert_ptr_equal(exe->sets->next->target, two.target);
    wadi_exe_destroy(exe);
}

/* ---- a device that loads in a way of its own ---- */

static int loaded, unloaded;

static wadi_status load_counting(const wadi_image_ops *self, const wadi_image *image,
                                 const char *key, wadi_kernels *out, wadi_error *err) {
    loaded++;
    return wadi_cpu_images.load(self, image, key, out, err);
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    return wadi_cpu_images.find(kernels, name, out, err);
}

static void unload_counting(wadi_kernels *kernels) {
    unloaded++;
    wadi_cpu_images.unload(kernels);
}

/* A run may ask for code of another device than its own. */
static void code_is_loaded_as_the_device_that_asks_for_it_does(void **state) {
    (void)state;
    static const wadi_image_ops counting = {"C", load_counting, find, unload_counting};
    wadi_exe *exe = compile_for(NULL);
    const wadi_loader l = wadi_exe_loader(exe);
    wadi_plan_code ours, theirs, again;
    wadi_version_key key = {.schedule = WADI_SCHEDULE_FIRST};
    assert_int_equal(l.load(l.self, exe->plan, 0, key, &ours, NULL), WADI_OK);
    assert_int_equal(loaded, 0);
    key.images = &counting;
    assert_false(l.offer(l.self, exe->plan, 0, key, 0));
    assert_int_equal(l.load(l.self, exe->plan, 0, key, &theirs, NULL), WADI_OK);
    assert_true(l.offer(l.self, exe->plan, 0, key, 0));
    assert_int_equal(loaded, 1);
    assert_int_equal(counted_compilations(), 1); /* the image is the same */
    assert_ptr_not_equal(ours.kernels, theirs.kernels);
    key.images = &wadi_cpu_images;
    assert_int_equal(l.load(l.self, exe->plan, 0, key, &again, NULL), WADI_OK);
    assert_ptr_equal(ours.kernels, again.kernels);
    assert_int_equal(loaded, 1);
    wadi_exe_destroy(exe);
    assert_int_equal(unloaded, 1);
}

/* ---- what fits what ---- */

static void a_target_that_does_not_fit_the_device_is_refused(void **state) {
    (void)state;
    static const wadi_image_ops strange = {.language = "verse"};
    static const wadi_device_row poet = {
        .name = "poet", .about = "for this test", .language = "verse"};
    wadi_error err = {0};
    wadi_exe *exe = compile_for(wadi_targets[1].name);
    assert_int_equal(wadi_exe_check_fit(exe, wadi_devices, &err), WADI_OK);
    assert_int_equal(wadi_exe_check_fit(exe, &poet, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, wadi_targets[1].name));
    assert_non_null(strstr(err.msg, "poet"));
    assert_non_null(strstr(err.msg, "verse"));
    wadi_exe_destroy(exe);
    exe = compile_for(NULL); /* nobody asked: that nothing writes verse is what is wrong */
    assert_int_equal(wadi_exe_check_fit(exe, &poet, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "poet"));
    const wadi_loader l = wadi_exe_loader(exe);
    const wadi_version_key key = {.images = &strange};
    wadi_plan_code code;
    assert_int_equal(l.load(l.self, exe->plan, 0, key, &code, &err), WADI_UNSUPPORTED);
    assert_false(l.offer(l.self, exe->plan, 0, key, INT64_MAX - 1));
    wadi_exe_destroy(exe);
}

/* The same as runs see it, for a target of which there is none like it in the table. */
static void a_run_is_refused_by_name(void **state) {
    (void)state;
    static const wadi_language verse = {.name = "verse"};
    static const wadi_target sonnet = {.name = "sonnet", .language = &verse, .about = "14 lines"};
    const wadi_run_options options = {.device = "null"};
    wadi_error err = {0};
    wadi_run *run = NULL;
    wadi_exe *exe = compile_for(NULL);
    const wadi_target *fits = exe->target;
    exe->target = &sonnet;
    exe->asked = true;
    assert_int_equal(wadi_run_create(exe, &options, &run, &err), WADI_INVALID);
    assert_null(run);
    assert_non_null(strstr(err.msg, "sonnet"));
    assert_non_null(strstr(err.msg, "null"));
    wadi_exe_expect(exe, &options, false);
    assert_int_equal(exe->turns, 0); /* nothing is made ahead for it either */
    exe->asked = false;              /* the device has a target of its own */
    assert_int_equal(wadi_run_create(exe, &options, &run, &err), WADI_OK);
    wadi_run_destroy(run);
    exe->target = fits;
    wadi_exe_destroy(exe);
}

static int targets_of(const wadi_device_row *d) {
    int n = 0;
    for (const wadi_target *t = wadi_targets; t->name != NULL; t++)
        n += wadi_exe_takes(d->language, t);
    return n;
}

static int devices_of(const wadi_target *t) {
    int n = 0;
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++)
        n += wadi_exe_takes(d->language, t);
    return n;
}

/* A device without a target could run nothing, and what is made for a target without a device nobody could run. */
static void every_device_has_a_target_and_every_target_a_device(void **state) {
    (void)state;
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++)
        if (targets_of(d) == 0) fail_msg("device %s has no target", d->name);
    for (const wadi_target *t = wadi_targets; t->name != NULL; t++)
        if (devices_of(t) == 0) fail_msg("target %s has no device", t->name);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, counted_set_up, counted_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(two_devices_share_what_both_take),
        CASE(a_device_takes_over_what_was_only_looked_at),
        CASE(nothing_is_made_for_a_device_that_is_not_there),
        CASE(two_targets_have_versions_of_their_own),
        CASE(code_is_loaded_as_the_device_that_asks_for_it_does),
        CASE(a_target_that_does_not_fit_the_device_is_refused),
        CASE(a_run_is_refused_by_name),
        cmocka_unit_test(every_device_has_a_target_and_every_target_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
