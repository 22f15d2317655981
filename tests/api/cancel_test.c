/* A run ends soon after it was cancelled, whatever it is doing. The time limit only catches hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "wadi/wadi.h"

static const int64_t cap_ns = 30000000000;

typedef struct job {
    const char *text;
    wadi_schedule_option schedule;
    bool stream; /* reads "s" of f64[3], else the input "x" */
    bool scalar; /* elements without a dimension */
} job;

typedef struct canceller {
    wadi_run *run;
    const char *
        begun; /* it is cancelled when there is such a file; NULL: when it has computed for a while */
    int64_t called_ns;
    wadi_thread thread;
} canceller;

static int64_t worked_ns(void) {
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void cancel_later(void *env) {
    enum { WORK_MS = 100 }; /* more than it takes to come to the kernel */
    canceller *c = env;
    const struct timespec nap = {.tv_nsec = 5000000};
    const int64_t end = worked_ns() + WORK_MS * 1000000;
    while (c->begun != NULL ? access(c->begun, F_OK) != 0 : worked_ns() < end)
        (void)nanosleep(&nap, NULL);
    c->called_ns = wadi_clock_ns();
    wadi_run_cancel(c->run);
}

static wadi_exe *compile(const char *text) {
    wadi_exe *exe = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_compile_text(text, "cancel_test", NULL, &exe, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return exe;
}

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    (void)env;
    (void)index;
    (void)parts;
    (void)element;
    (void)err;
    return WADI_OK;
}

typedef struct bound {
    wadi_source *source;
    wadi_sink *sink;
} bound;

static bound bind(wadi_run *run, const job *j) {
    static double three[] = {1, 2, 3};
    static int64_t many[] = {INT64_C(100000000000)};
    bound b = {NULL, NULL};
    const wadi_array x = {.rank = j->scalar ? 0 : 1,
                          .fields = 1,
                          .type = {j->scalar ? WADI_I64 : WADI_F64},
                          .shape = {3},
                          .column = {j->scalar ? (void *)many : (void *)three}};
    if (!j->stream) {
        assert_int_equal(wadi_run_input(run, "x", &x, NULL), WADI_OK);
        return b;
    }
    wadi_array one = x; /* a stream of one element */
    one.rank++;
    one.shape[0] = 1;
    one.shape[1] = 3;
    assert_int_equal(wadi_source_memory(&one, &b.source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, NULL, &b.sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", b.source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "out", b.sink, NULL), WADI_OK);
    return b;
}

/* The program would run for ever, or for hours. */
static void ends(const job *j, const char *begun) {
    const wadi_run_options options = {.threads = 1, .schedule = j->schedule};
    wadi_exe *exe = compile(j->text);
    wadi_run *run = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_run_create(exe, &options, &run, &err), WADI_OK);
    const bound b = bind(run, j);
    canceller c = {.run = run, .begun = begun};
    assert_int_equal(wadi_thread_start(&c.thread, cancel_later, &c, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(run, &err);
    const int64_t ended_ns = wadi_clock_ns();
    wadi_thread_join(&c.thread);
    if (status != WADI_CANCELLED) fail_msg("%d: %s", (int)status, err.msg);
    assert_true(ended_ns - c.called_ns < cap_ns);
    wadi_run_destroy(run);
    wadi_source_destroy(b.source);
    wadi_sink_destroy(b.sink);
    wadi_exe_destroy(exe);
}

static void in_all_schedules(job j) {
    static const wadi_schedule_option schedules[] = {
        WADI_SCHEDULE_FORCE_INSIDE, WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_ACROSS};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        j.schedule = schedules[i];
        ends(&j, NULL);
    }
}

static void an_awhile_of_whole_arrays_ends(void **state) {
    (void)state;
    in_all_schedules((job){.text = "program p\n"
                                   "input x : f64[n]\n"
                                   "r = awhile x (v) {\n"
                                   "  c = unit { true }\n"
                                   "  yield c\n"
                                   "} do (v) {\n"
                                   "  y = map v (a) { add a 1.0 }\n"
                                   "  yield y\n"
                                   "}\n"
                                   "output r\n"});
}

static void an_awhile_of_elements_ends(void **state) {
    (void)state;
    in_all_schedules((job){.stream = true,
                           .text = "program p\n"
                                   "stream_in s : seq(f64[3])\n"
                                   "t = map_seq s (b) {\n"
                                   "  r = awhile b (v) {\n"
                                   "    c = unit { true }\n"
                                   "    yield c\n"
                                   "  } do (v) {\n"
                                   "    y = map v (a) { add a 1.0 }\n"
                                   "    yield y\n"
                                   "  }\n"
                                   "  yield r\n"
                                   "}\n"
                                   "stream_out \"out\" t\n"});
}

static void a_while_of_scalars_ends(void **state) {
    (void)state;
    in_all_schedules((job){.text =
                               "program p\n"
                               "input x : f64[n]\n"
                               "r = map x (a) { while (s) { ge s 0.0 } do { add s 1.0 } from a }\n"
                               "output r\n"});
    in_all_schedules(
        (job){.stream = true,
              .text = "program p\n"
                      "stream_in s : seq(f64[3])\n"
                      "t = map_seq s (b) {\n"
                      "  r = map b (a) { while (s) { ge s 0.0 } do { add s 1.0 } from a }\n"
                      "  yield r\n"
                      "}\n"
                      "stream_out \"out\" t\n"});
}

static void an_iteration_ends(void **state) {
    (void)state;
    in_all_schedules((job){.text = "program p\n"
                                   "input x : f64[n]\n"
                                   "r = map x (a) {\n"
                                   "  iterate 1000000000000 (i, t) { mul (add t 1.5) 0.5 } from a\n"
                                   "}\n"
                                   "output r\n"});
}

static void one_worker_folding_very_much_ends(void **state) {
    (void)state;
    in_all_schedules((job){.scalar = true,
                           .text = "program p\n"
                                   "input x : i64\n"
                                   "v = generate x (i) { sqrt (convert f64 i) }\n"
                                   "r = fold 0.0 v (p, q) { add p q }\n"
                                   "output r\n"});
    in_all_schedules((job){.scalar = true,
                           .stream = true,
                           .text = "program p\n"
                                   "stream_in s : seq(i64)\n"
                                   "t = map_seq s (n) {\n"
                                   "  v = generate n (i) { sqrt (convert f64 i) }\n"
                                   "  r = fold 0.0 v (p, q) { add p q }\n"
                                   "  yield r\n"
                                   "}\n"
                                   "stream_out \"out\" t\n"});
}

/* ---- before it has begun, and before there are kernels ---- */

static const char small[] = "program p\n"
                            "input x : f64[n]\n"
                            "r = map x (a) { add a 7.25 }\n"
                            "output r\n";

static void a_cancel_before_the_run_is_not_lost(void **state) {
    (void)state;
    const job j = {.text = small};
    wadi_exe *exe = compile(small);
    wadi_run *run = NULL;
    assert_int_equal(wadi_run_create(exe, NULL, &run, NULL), WADI_OK);
    (void)bind(run, &j);
    wadi_run_cancel(run);
    assert_int_equal(wadi_run_go(run, NULL), WADI_CANCELLED);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

/* ---- a compiler that hangs ---- */

static char place[] = "/tmp/wadi_cancel_XXXXXX";

static void in_place(char *out, size_t room, const char *name) {
    (void)snprintf(out, room, "%s/%s", place, name);
}

static int hanging_compiler(void **state) {
    char path[64];
    (void)state;
    if (mkdtemp(place) == NULL) return 1;
    in_place(path, sizeof path, "cc");
    FILE *f = fopen(path, "w");
    if (f == NULL || fprintf(f, "#!/bin/sh\ntrap '' TERM\n: >%s/begun\nsleep 1000\n", place) < 0 ||
        fclose(f) != 0)
        return 1;
    if (chmod(path, 0700) != 0 || setenv("WADI_CC", path, 1) != 0) return 1;
    in_place(path, sizeof path, "cache");
    return setenv("WADI_CACHE_DIR", path, 1);
}

static int usual_compiler(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", place);
    return unsetenv("WADI_CC") != 0 || unsetenv("WADI_CACHE_DIR") != 0 || system(command) != 0;
}

static void a_compiler_that_hangs_ends(void **state) {
    (void)state;
    char begun[64];
    in_place(begun, sizeof begun, "begun");
    ends(&(job){.text = small}, begun);
}

typedef struct heard {
    wadi_run *run;
    char line[1024];
} heard;

static void hear(void *env, wadi_log_level level, const char *line) {
    heard *h = env;
    (void)level;
    if (strstr(line, "the compiler") == NULL) return;
    (void)snprintf(h->line, sizeof h->line, "%s", line);
    wadi_run_cancel(h->run);
}

static atomic_llong now_ns;

/* A second goes by each time somebody looks. */
static int64_t hasty(void) {
    return atomic_fetch_add(&now_ns, 1000000000);
}

static void the_watchdog_names_the_compiler(void **state) {
    (void)state;
    const job j = {.text = small};
    heard h = {.line = ""};
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(setenv("WADI_CC_TIMEOUT", "0", 1), 0);
    wadi_clock_set(hasty);
    wadi_exe *exe = compile(small);
    assert_int_equal(wadi_run_create(exe, NULL, &h.run, NULL), WADI_OK);
    (void)bind(h.run, &j);
    wadi_log_set(hear, &h);
    assert_int_equal(wadi_run_go(h.run, &err), WADI_CANCELLED);
    wadi_log_set(NULL, NULL);
    wadi_run_destroy(h.run);
    wadi_exe_destroy(exe);
    wadi_clock_set(NULL);
    assert_int_equal(unsetenv("WADI_CC_TIMEOUT"), 0);
    assert_non_null(strstr(h.line, "no progress for"));
    assert_non_null(strstr(h.line, "compute waits"));
    assert_non_null(strstr(h.line, place));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_awhile_of_whole_arrays_ends),
        cmocka_unit_test(an_awhile_of_elements_ends),
        cmocka_unit_test(a_while_of_scalars_ends),
        cmocka_unit_test(an_iteration_ends),
        cmocka_unit_test(one_worker_folding_very_much_ends),
        cmocka_unit_test(a_cancel_before_the_run_is_not_lost),
    };
    const struct CMUnitTest hanging[] = {
        cmocka_unit_test(a_compiler_that_hangs_ends),
        cmocka_unit_test(the_watchdog_names_the_compiler),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(hanging, hanging_compiler, usual_compiler);
}
