/* A loop takes no memory from the system in each turn: as many turns as one likes take as many blocks, because the two buffers of a state pass
 * from turn to turn and scratch memory is used again. The linker sends what takes memory here (tests/CMakeLists.txt). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "wadi/wadi.h"

static atomic_long taken;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from);

void *__wrap_malloc(size_t n) {
    atomic_fetch_add(&taken, 1);
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    atomic_fetch_add(&taken, 1);
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
    atomic_fetch_add(&taken, 1);
    return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n) {
    atomic_fetch_add(&taken, 1);
    return __real_aligned_alloc(align, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from) {
    atomic_fetch_add(&taken, 1);
    return __real_mmap(at, n, prot, flags, fd, from);
}

enum { N = 20000, ELEMENTS = 3, FEW = 20, MANY = 1020 };

static double xs[ELEMENTS * N];

typedef struct looping {
    wadi_exe *exe;
    wadi_schedule_option schedule;
    int threads;
    bool streams;
} looping;

/* How often one run of so many turns takes memory. */
static long taken_by(const looping *g, int64_t turns) {
    wadi_run *r = NULL;
    wadi_source *source = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_run_options options = {
        .threads = g->threads, .schedule = g->schedule, .chunk = ELEMENTS};
    wadi_array a = {.rank = g->streams ? 2 : 1, .fields = 1, .type = {WADI_F64}};
    a.shape[0] = g->streams ? ELEMENTS : N;
    a.shape[1] = N;
    a.column[0] = xs;
    wadi_array count = {.fields = 1, .type = {WADI_I64}};
    count.column[0] = &turns;
    if (wadi_run_create(g->exe, &options, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_input(r, "turns", &count, NULL), WADI_OK);
    if (g->streams) {
        assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
        assert_int_equal(wadi_run_source(r, "xs", source, NULL), WADI_OK);
    } else {
        assert_int_equal(wadi_run_input(r, "xs", &a, NULL), WADI_OK);
    }
    const long before = atomic_load(&taken);
    if (wadi_run_go(r, &err) != WADI_OK) fail_msg("%s", err.msg);
    const long after = atomic_load(&taken);
    wadi_run_destroy(r);
    wadi_source_destroy(source);
    return after - before;
}

/* Runs once before it counts, so that kernels are there. A block that is grown now and then may come in either run. */
static void assert_turns_take_nothing(const char *text, bool streams) {
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_FLAT,
                                                     WADI_SCHEDULE_FORCE_INSIDE};
    wadi_error err = {.status = WADI_OK};
    looping g = {.streams = streams};
    for (int i = 0; i < ELEMENTS * N; i++) xs[i] = (i * 7919) % 1000;
    if (wadi_compile_text(text, "p", NULL, &g.exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int k = 0; k < 4; k++) {
        g.schedule = schedules[k / 2];
        g.threads = 1 + k % 2;
        (void)taken_by(&g, FEW);
        const long few = taken_by(&g, FEW), many = taken_by(&g, MANY);
        if (many - few >= (MANY - FEW) / 20)
            fail_msg("schedule %d, %d threads: %ld blocks in %d turns, %ld in %d", (int)g.schedule,
                     g.threads, few, FEW, many, MANY);
    }
    wadi_exe_destroy(g.exe);
}

/* The state is an array and a number, or two arrays that change places; a next state is computed by one loop, or by several. */
#define LOOP(xs, body)                               \
    "    w, e = awhile " xs " 0 (s, l) {\n"          \
    "        on = unit { lt (the l) (the turns) }\n" \
    "        yield on\n"                             \
    "    } do (s, l) {\n"                            \
    "        m = unit { add (the l) 1 }\n" body "    }\n"

#define STEP                                                                                      \
    "        h = stencil dims=1 edge=1 near=3,-1,0,1 s (a, b, c) { mul 0.25 (add (add a b) (add " \
    "b c)) }\n"
#define ONE STEP "        yield h, m\n"
#define SEVERAL                                                     \
    STEP "        total = fold 0.0 h (a, b) { add a b }\n"          \
         "        o = scanl1 h (a, b) { add a b }\n"                \
         "        p = zip_with h o (a, b) { sub a (mul 1e-9 b) }\n" \
         "        q = map p (a) { sub a (mul 1e-9 (the total)) }\n" \
         "        yield q, m\n"

static void loops_over_whole_arrays(void **state) {
    (void)state;
#define WHOLE(body) \
    "program p\ninput xs : f64[n]\ninput turns : i64\n" LOOP("xs", body) "output w\n"
    assert_turns_take_nothing(WHOLE(ONE), false);
    assert_turns_take_nothing(WHOLE(SEVERAL), false);
}

static void loops_within_elements(void **state) {
    (void)state;
#define STREAM(body)                                                                           \
    "program p\nxs = stream_in \"xs\" : seq(f64[n])\ninput turns : i64\n"                      \
    "ws = map_seq xs (x) {\n" LOOP(                                                            \
        "x", body) "    r = fold 0.0 w (a, b) { add a b }\n    yield r\n}\nt = unit { 0.0 }\n" \
                   "all = fold_seq ws t (a, b) {\n    c = unit { add (the a) (the b) }\n"      \
                   "    yield c\n}\noutput all\n"
    assert_turns_take_nothing(STREAM(ONE), true);
    assert_turns_take_nothing(STREAM(SEVERAL), true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_over_whole_arrays),
        cmocka_unit_test(loops_within_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
