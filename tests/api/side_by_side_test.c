/* A saved run with two sources side by side, of which one has read further than the other: whoever looks at the run that goes on sees each with its own numbers. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "sched/stream.h"
#include "sched/view.h"
#include "wadi/wadi.h"

/* a reads CHUNK elements at a time, and b one: where a run is saved, a is between b and the next multiple of CHUNK. */
enum { ELEMENTS = 300, CHUNK = 7, STEP = 10 * CHUNK };

static const char text[] =
    "program sums\n"
    "stream_in a : seq(i64)\n"
    "stream_in b : seq(i64)\n"
    "t = map_seq a b (x, y) {\n    z = unit { add (the x) (the y) }\n    yield z\n}\n"
    "stream_out \"sums\" t\n";

static char folder[64];

static int make_folder(void **unused) {
    (void)unused;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi_side_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **unused) {
    char command[96];
    (void)unused;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* ---- sources of 0, 1, .. ---- */

static atomic_llong delivered; /* elements, of all runs */

typedef struct numbers {
    wadi_source base;
    wadi_run *run;
    int node;              /* of the view */
    int64_t index, pieces; /* elements at a time, at most */
    int64_t began;         /* where it stood when it was asked first; -1: it has not been */
    int64_t drain_at;      /* before it reads this element, the run ends; -1: never */
} numbers;

static void numbers_destroy(wadi_source *self) {
    (void)self;
}

/* What those see who look at the run and tap the source. */
static void check(numbers *n) {
    wadi_view v;
    wadi_sample *s = NULL;
    assert_int_equal(wadi_view_take(n->run, &v, NULL), WADI_OK);
    assert_int_equal(v.nodes.at[n->node].elements, n->index);
    assert_int_equal(v.nodes.at[n->node].began, n->began);
    assert_int_equal(wadi_view_tap(n->run, v.nodes.at[n->node].id, &s, NULL), WADI_OK);
    if (s != NULL) {
        assert_true(s->value[0] == (double)s->first);
        assert_int_equal(s->first + s->count, n->index);
    }
    free(s);
    wadi_view_fini(&v);
}

/* Saves the run here, or one element further: all that was read has been delivered. */
static void drain(const numbers *n) {
    while (atomic_load(&delivered) < n->index) (void)sched_yield();
    wadi_run_drain(n->run);
}

static wadi_status numbers_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    numbers *n = (numbers *)self;
    if (n->began < 0) n->began = n->index;
    check(n);
    if (n->index == n->drain_at) drain(n);
    for (; b->count < k && b->count < n->pieces && n->index < ELEMENTS; n->index++) {
        wadi_array a;
        assert_int_equal(wadi_builder_array(b, 0, NULL, &a, err), WADI_OK);
        *(int64_t *)a.column[0] = n->index;
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
    }
    return WADI_OK;
}

static wadi_status numbers_tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    (void)err;
    *out = (wadi_position){.element = ((numbers *)self)->index};
    return WADI_OK;
}

static wadi_status numbers_seek(wadi_source *self, wadi_position to, wadi_error *err) {
    (void)err;
    ((numbers *)self)->index = to.element;
    return WADI_OK;
}

static numbers make_numbers(int node, int64_t pieces, int64_t drain_at) {
    static const wadi_source_ops ops = {.destroy = numbers_destroy,
                                        .next = numbers_next,
                                        .tell = numbers_tell,
                                        .seek = numbers_seek};
    numbers n = {.node = node, .pieces = pieces, .began = -1, .drain_at = drain_at};
    n.base = (wadi_source){.ops = &ops, .kind = "numbers", .wake_fd = -1, .parts = 1};
    n.base.part[0] = wadi_part_irregular(WADI_I64, 0);
    return n;
}

/* ---- runs ---- */

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    (void)env;
    (void)parts;
    (void)err;
    assert_true(index <= atomic_load(&delivered));
    assert_int_equal(*(const int64_t *)element[0].column[0], 2 * index);
    atomic_store(&delivered, index + 1);
    return WADI_OK;
}

static wadi_status go(numbers *a, numbers *b) {
    const wadi_run_options options = {
        .threads = 1, .chunk = CHUNK, .state = folder, .save_every_s = 1e-9};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_sink *sink = NULL;
    assert_int_equal(wadi_compile_text(text, "side_by_side_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    a->run = b->run = run;
    assert_int_equal(wadi_run_source(run, "a", &a->base, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "b", &b->base, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, NULL, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "sums", sink, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(run, NULL);
    wadi_run_destroy(run);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    return status;
}

static void each_source_goes_on_with_its_own_numbers(void **unused) {
    (void)unused;
    for (int64_t at = CHUNK / 2; at - STEP < ELEMENTS; at += STEP) {
        numbers a = make_numbers(0, CHUNK, -1), b = make_numbers(1, 1, at);
        assert_int_equal(go(&a, &b), at < ELEMENTS ? WADI_CANCELLED : WADI_OK);
        if (at > STEP) assert_true(b.began >= at - STEP && a.began > b.began);
    }
    assert_int_equal(atomic_load(&delivered), ELEMENTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_source_goes_on_with_its_own_numbers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
