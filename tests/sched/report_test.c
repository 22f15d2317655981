/* Reports of workers: a kind travels until home has it, whatever is lost on the way; what is damaged or too long is no report; and what others tell takes no room without end, neither at home nor in
 * certificates and traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/text.h"
#include "sched/run.h"
#include "sched/run/certify_workers.h"
#include "sched/run/report.h"
#include "sched/trace.h"
#include "tests/sched/hand_plan.h"

/* ---- workers: a run, whose loader tells as many kernels as it likes ---- */

typedef struct worker {
    hand_program hand;
    wadi_run *run;
    wadi_reporter reporter;
    int kernels, asked;
    const char *name; /* of its kernels */
} worker;

static void put_kernels(void *self, wadi_text *out) {
    worker *w = self;
    w->asked++;
    for (int i = 0; i < w->kernels; i++)
        wadi_text_addf(out, "kernel %s%d inside c native 0%d\n", w->name, i, i % 10);
}

static int64_t loaded(void *self) {
    return ((worker *)self)->kernels;
}

static void begin(worker *w, wadi_reports asked, const char *name, int kernels) {
    static const wadi_run_options options = {.threads = 1, .forget = true};
    memset(w, 0, sizeof *w);
    w->kernels = kernels;
    w->name = name;
    hand_doubling(&w->hand, WADI_END_SINK);
    wadi_loader l = hand_loader(&w->hand);
    l.kernels = put_kernels;
    l.loaded = loaded;
    l.self = w;
    assert_int_equal(wadi_run_create_for(&w->hand.plan, &l, &options, &w->run, NULL), WADI_OK);
    wadi_reporter_begin(w->run, asked, &w->reporter);
}

static void end(worker *w) {
    wadi_reporter_fini(&w->reporter);
    wadi_run_destroy(w->run);
}

static void put(worker *w, wadi_text *out) {
    wadi_text_clear(out);
    wadi_reporter_put(&w->reporter, w->run, 5, out);
    assert_false(out->failed);
}

static wadi_status take(const wadi_text *t, wadi_reports asked, wadi_kinds *kinds,
                        wadi_report *out) {
    wadi_state_reader from = {t->at, t->n};
    const wadi_status status = wadi_report_take(&from, asked, kinds, out, NULL);
    if (status == WADI_OK) assert_int_equal(from.left, 0);
    return status;
}

static const wadi_kind *take_kind(const wadi_text *t, wadi_kinds *kinds) {
    wadi_report r;
    assert_int_equal(take(t, WADI_REPORTS_KINDS, kinds, &r), WADI_OK);
    assert_int_equal(r.ns, 5);
    assert_non_null(strchr(r.worker, ':'));
    assert_non_null(r.kind);
    return r.kind;
}

/* ---- kinds ---- */

static void a_kind_travels_until_home_has_it(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    wadi_kinds kinds = {.bytes = 0};
    begin(&w, WADI_REPORTS_KINDS, "a", 3);
    put(&w, &t);
    const size_t whole = t.n;
    put(&w, &t); /* the first is lost */
    assert_int_equal(t.n, whole);
    const wadi_kind *kind = take_kind(&t, &kinds);
    assert_string_equal(wadi_text_str(&kind->version), WADI_VERSION);
    assert_non_null(strstr(wadi_text_str(&kind->kernels), "kernel a2 inside c native 02\n"));
    put(&w, &t); /* no item has told it yet */
    assert_int_equal(t.n, whole);
    assert_ptr_equal(take_kind(&t, &kinds), kind);
    wadi_reporter_heard(&w.reporter, &kinds.told);
    put(&w, &t);
    assert_int_equal(t.n, whole - w.reporter.kind.n);
    assert_true(t.n < 200);
    assert_ptr_equal(take_kind(&t, &kinds), kind);
    assert_int_equal(w.asked, 1); /* for its kernels, which were the same */
    w.kernels++;
    put(&w, &t);
    assert_true(t.n > whole);
    assert_ptr_not_equal(take_kind(&t, &kinds), kind);
    wadi_kinds_fini(&kinds);
    end(&w);
    wadi_text_fini(&t);
}

static void a_kind_that_home_has_not_heard_of_is_none(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    wadi_kinds kinds = {.bytes = 0}, others = {.bytes = 0};
    wadi_report r;
    begin(&w, WADI_REPORTS_KINDS, "a", 3);
    put(&w, &t);
    (void)take_kind(&t, &kinds);
    wadi_reporter_heard(&w.reporter, &kinds.told);
    put(&w, &t);
    assert_int_equal(take(&t, WADI_REPORTS_KINDS, &others, &r), WADI_IO);
    assert_true(r.worker[0] != '\0'); /* of whom it can be told */
    wadi_kinds_fini(&kinds);
    end(&w);
    wadi_text_fini(&t);
}

static void a_trace_asks_for_no_kernels(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    wadi_report r;
    begin(&w, WADI_REPORTS_TIMES, "a", 3);
    put(&w, &t);
    assert_int_equal(take(&t, WADI_REPORTS_TIMES, NULL, &r), WADI_OK);
    assert_int_equal(r.ns, 5);
    assert_null(r.kind);
    assert_int_equal(w.asked, 0);
    assert_true(t.n < 128);
    end(&w);
    begin(&w, WADI_REPORTS_NONE, "a", 3);
    put(&w, &t);
    assert_int_equal(t.n, 0);
    end(&w);
    wadi_text_fini(&t);
}

/* ---- what is lost on the way ---- */

static size_t below(size_t n) {
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((seed >> 33) % n);
}

enum { WORKERS = 12, ON_THE_WAY = 40, ANSWERS = 3000 };

/* An answer on its way, and the kernels that its worker had. */
typedef struct sent {
    wadi_text report;
    wadi_text kernels;
} sent;

static void answer(worker *w, const wadi_known *item, sent *out) {
    wadi_reporter_heard(&w->reporter, item);
    if (below(40) == 0) w->kernels++;
    put(w, &out->report);
    wadi_text_clear(&out->kernels);
    put_kernels(w, &out->kernels);
}

/* Answers overtake each other, come twice, or never; items were made when home knew less; workers load kernels, and are begun anew. */
static void nothing_is_lost_of_what_computed_an_answer_that_is_used(void **state) {
    static const char *const names[] = {"a", "b", "c"};
    static worker all[WORKERS];
    static sent way[ON_THE_WAY];
    static wadi_known item[ON_THE_WAY];
    wadi_kinds kinds = {.bytes = 0};
    size_t shorter = 0;
    (void)state;
    for (int i = 0; i < WORKERS; i++) begin(&all[i], WADI_REPORTS_KINDS, names[i % 3], 1 + i % 2);
    for (int i = 0; i < ON_THE_WAY; i++) answer(&all[below(WORKERS)], &item[i], &way[i]);
    for (int i = 0; i < ANSWERS; i++) {
        sent *s = &way[below(ON_THE_WAY)];
        shorter += s->report.n < 200;
        const wadi_kind *kind = below(5) != 0 ? take_kind(&s->report, &kinds) : NULL;
        if (kind != NULL)
            assert_string_equal(wadi_text_str(&kind->kernels), wadi_text_str(&s->kernels));
        const size_t who = below(WORKERS);
        if (below(100) == 0) {
            end(&all[who]);
            begin(&all[who], WADI_REPORTS_KINDS, names[below(3)], 1);
        }
        item[below(ON_THE_WAY)] = kinds.told;
        if (below(5) != 0) answer(&all[who], &item[below(ON_THE_WAY)], s);
    }
    assert_true(shorter > ANSWERS / 2);
    assert_false(kinds.full);
    for (int i = 0; i < WORKERS; i++) end(&all[i]);
    for (int i = 0; i < ON_THE_WAY; i++) {
        wadi_text_fini(&way[i].report);
        wadi_text_fini(&way[i].kernels);
    }
    wadi_kinds_fini(&kinds);
}

/* ---- damage, and length ---- */

static void a_flipped_bit_is_no_report(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    begin(&w, WADI_REPORTS_KINDS, "a", 2);
    put(&w, &t);
    for (size_t i = 0; i < 8 * t.n; i++) {
        wadi_kinds kinds = {.bytes = 0};
        wadi_report r;
        t.at[i / 8] = (char)(t.at[i / 8] ^ (1 << i % 8));
        assert_int_equal(take(&t, WADI_REPORTS_KINDS, &kinds, &r), WADI_IO);
        assert_int_equal(kinds.all.n, 0);
        t.at[i / 8] = (char)(t.at[i / 8] ^ (1 << i % 8));
        wadi_kinds_fini(&kinds);
    }
    end(&w);
    wadi_text_fini(&t);
}

static void put_long(wadi_text *out, size_t n) {
    static const char some[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    wadi_state_put(out, (int64_t)n);
    for (; n > 64; n -= 64) wadi_text_add(out, some);
    wadi_text_add_n(out, some, n);
}

/* A report as a worker would not write it, with texts of so many bytes. */
static void write_report(size_t name, size_t words, size_t kernels, int64_t number,
                         wadi_text *out) {
    wadi_text kind = {0}, body = {0};
    put_long(&kind, words);
    wadi_state_put(&kind, 1);
    wadi_text_addf(&kind, "%c", (int)('a' + number % 26));
    put_long(&kind, kernels);
    put_long(&body, name);
    wadi_state_put(&body, 5);
    wadi_state_put(&body, (int64_t)(wadi_hash_bytes(kind.at, kind.n) >> 2));
    wadi_state_put(&body, (int64_t)kind.n);
    wadi_text_add_n(&body, kind.at, kind.n);
    wadi_text_clear(out);
    wadi_state_put(out, (int64_t)body.n);
    wadi_text_add_n(out, body.at, body.n);
    wadi_state_put(out, (int64_t)wadi_crc32c(0, body.at, body.n));
    assert_false(out->failed);
    wadi_text_fini(&kind);
    wadi_text_fini(&body);
}

static wadi_status take_long(size_t name, size_t words, size_t kernels) {
    wadi_text t = {0};
    wadi_kinds kinds = {.bytes = 0};
    wadi_report r;
    write_report(name, words, kernels, 0, &t);
    const wadi_status status = take(&t, WADI_REPORTS_KINDS, &kinds, &r);
    wadi_kinds_fini(&kinds);
    wadi_text_fini(&t);
    return status;
}

static void what_is_too_long_is_no_report(void **state) {
    (void)state;
    assert_int_equal(take_long(WADI_REPORT_NAME - 1, WADI_REPORT_WORDS, WADI_REPORT_KERNELS),
                     WADI_OK);
    assert_int_equal(take_long(WADI_REPORT_NAME, 10, 10), WADI_IO);
    assert_int_equal(take_long(10, WADI_REPORT_WORDS + 1, 10), WADI_IO);
    assert_int_equal(take_long(10, 10, WADI_REPORT_KERNELS + 1), WADI_IO);
    assert_int_equal(take_long(10, 10, 8 << 20), WADI_IO);
}

static void a_worker_with_more_kernels_tells_the_first(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    wadi_kinds kinds = {.bytes = 0};
    begin(&w, WADI_REPORTS_KINDS, "a", 10000);
    put(&w, &t);
    const wadi_text *told = &take_kind(&t, &kinds)->kernels;
    assert_in_range(told->n, WADI_REPORT_KERNELS - 100, WADI_REPORT_KERNELS);
    assert_int_equal(told->at[told->n - 1], '\n');
    wadi_kinds_fini(&kinds);
    end(&w);
    wadi_text_fini(&t);
}

static void control_characters_of_names_are_replaced(void **state) {
    (void)state;
    worker w;
    wadi_text t = {0};
    wadi_kinds kinds = {.bytes = 0};
    wadi_report r;
    begin(&w, WADI_REPORTS_KINDS, "a", 1);
    wadi_text_clear(&w.reporter.worker);
    wadi_text_add(&w.reporter.worker, "sky\n\x1b[2J:\x7f");
    put(&w, &t);
    assert_int_equal(take(&t, WADI_REPORTS_KINDS, &kinds, &r), WADI_OK);
    assert_string_equal(r.worker, "sky??[2J:?");
    wadi_kinds_fini(&kinds);
    end(&w);
    wadi_text_fini(&t);
}

/* ---- room ---- */

static void kinds_without_end_are_others(void **state) {
    enum { MORE = 2 * WADI_KINDS, BYTES = 100000 };
    (void)state;
    wadi_text t = {0};
    for (int large = 0; large < 2; large++) {
        wadi_kinds kinds = {.bytes = 0};
        const wadi_kind *first = NULL, *last = NULL;
        wadi_report r;
        for (int i = 0; i < MORE; i++) {
            write_report(5, 5, (size_t)(large ? BYTES + i : i), i, &t);
            assert_int_equal(take(&t, WADI_REPORTS_KINDS, &kinds, &r), WADI_OK);
            if (i == 0) first = r.kind;
            last = r.kind;
        }
        assert_true(kinds.full);
        assert_ptr_equal(last, &kinds.others);
        assert_true(kinds.bytes <= WADI_KINDS_BYTES && kinds.all.n <= WADI_KINDS);
        assert_int_equal(kinds.told.n, WADI_KNOWN);
        write_report(5, 5, large ? BYTES : 0, 0, &t); /* what is there stays there */
        assert_int_equal(take(&t, WADI_REPORTS_KINDS, &kinds, &r), WADI_OK);
        assert_ptr_equal(r.kind, first);
        wadi_kinds_fini(&kinds);
    }
    wadi_text_fini(&t);
}

/* ---- certificates ---- */

static void count(wadi_certified_workers *w, const char *version, const char *kernels, int phase,
                  int stage, int64_t elements) {
    wadi_kind k = {.digest = (int64_t)(wadi_hash_bytes(kernels, strlen(kernels)) >> 2)};
    const wadi_certified_share share = {phase, stage, elements};
    wadi_text_add(&k.version, version);
    wadi_text_add(&k.device, "cpu A");
    wadi_text_add(&k.kernels, kernels);
    assert_int_equal(wadi_certified_workers_add(w, &k, share, NULL), WADI_OK);
    wadi_text_fini(&k.version);
    wadi_text_fini(&k.device);
    wadi_text_fini(&k.kernels);
}

static void assert_lines(const wadi_certified_workers *w, const char *want) {
    wadi_text t = {0};
    wadi_certified_workers_put(w, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void each_stretch_is_counted(void **state) {
    static wadi_certified_workers w;
    (void)state;
    count(&w, "1", "kernel a x\n", 2, 0, 10);
    count(&w, "1", "kernel b x\n", 0, 3, 20);
    count(&w, "2", "kernel a x\n", 0, 3, 5);
    count(&w, "1", "kernel a x\nkernel b x\nno kernel\n", 0, 1, 30);
    count(&w, "1", "", 0, 3, 1);
    assert_lines(&w, "worker 30 1 cpu%20A 0.1\nworker 21 1 cpu%20A 0.3\nworker 10 1 cpu%20A 2.0\n"
                     "kernel a x\nkernel b x\nworker 5 2 cpu%20A 0.3\nkernel a x\n");
    assert_false(w.lacks);
    wadi_certified_workers_fini(&w);
}

/* A run that goes on computes streams before the saved one anew, by whom ever. */
static void of_what_was_saved_the_saved_stream_counts(void **state) {
    static wadi_certified_workers w, again;
    wadi_text saved = {0};
    (void)state;
    count(&w, "1", "kernel a x\n", 0, 0, 10);
    count(&w, "1", "kernel b x\n", 2, 0, 7);
    count(&w, "2", "kernel c x\n", 0, 0, 10);
    wadi_certified_workers_save(&w, &saved);
    count(&again, "3", "kernel d x\n", 0, 0, 20);
    wadi_state_reader from = {saved.at, saved.n};
    assert_int_equal(wadi_certified_workers_load(&again, 2, &from, NULL), WADI_OK);
    assert_int_equal(from.left, 0);
    count(&again, "3", "kernel d x\n", 2, 0, 1);
    assert_lines(&again, "worker 20 3 cpu%20A 0.0\nworker 1 3 cpu%20A 2.0\nkernel d x\n"
                         "worker 7 1 cpu%20A 2.0\nkernel a x\nkernel b x\n");
    wadi_text_fini(&saved);
    wadi_certified_workers_fini(&w);
    wadi_certified_workers_fini(&again);
}

static void certificates_have_room_for_so_many(void **state) {
    enum { LONG = 900 };
    static wadi_certified_workers w;
    wadi_text t = {0};
    (void)state;
    for (int i = 0; i < 3 * WADI_CERTIFY_WORKERS; i++) {
        char version[16];
        (void)snprintf(version, sizeof version, "%d", i);
        count(&w, version, "kernel a x\n", 0, 0, 1);
    }
    assert_int_equal(w.n, WADI_CERTIFY_WORKERS);
    assert_true(w.lacks);
    wadi_certified_workers_put(&w, &t);
    assert_non_null(strstr(wadi_text_str(&t), "\nworker 129 - others 0.0\n"));
    wadi_certified_workers_fini(&w);
    for (int large = 0; large < 2; large++) {
        w.lacks = false;
        for (int i = 0; i < 2 * WADI_CERTIFY_KERNELS; i++) {
            wadi_text_clear(&t);
            wadi_text_addf(&t, "kernel %d ", i);
            for (int k = 0; k < LONG && large; k++) wadi_text_add(&t, "x");
            wadi_text_add(&t, "\n");
            assert_true(!w.lacks || i > 200);
            count(&w, "1", wadi_text_str(&t), 0, 0, 1);
        }
        assert_true(w.lacks && w.at[0].kernels.n <= WADI_CERTIFY_BYTES);
        wadi_certified_workers_fini(&w);
    }
    wadi_text_fini(&t);
}

/* ---- traces ---- */

typedef struct lanes {
    int n, others;
} lanes;

static const char *no_name(void *env, const void *key) {
    (void)env;
    (void)key;
    return NULL;
}

static wadi_status count_lanes(void *env, const wadi_text *part, wadi_error *err) {
    lanes *of = env;
    (void)err;
    for (const char *at = wadi_text_str(part); (at = strstr(at, "\"elsewhere ")) != NULL; at++) {
        of->n++;
        of->others += strncmp(at, "\"elsewhere others\"", 18) == 0;
    }
    return WADI_OK;
}

static void workers_without_end_share_a_lane(void **state) {
    (void)state;
    lanes of = {0};
    wadi_trace *t = wadi_trace_create(0);
    assert_non_null(t);
    for (int i = 0; i < 6 * WADI_TRACE_NAMES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "sky:%d", i % (3 * WADI_TRACE_NAMES));
        wadi_trace_add_behind(t, "elsewhere", name, "map", 10 * i, 10 * i + 5,
                              (wadi_trace_amount){"elements", 1, true, i});
    }
    const wadi_trace_names names = {no_name, NULL};
    assert_int_equal(wadi_trace_write(t, "p", names, (wadi_trace_writer){count_lanes, &of}, NULL),
                     WADI_OK);
    assert_int_equal(of.n, WADI_TRACE_NAMES + 1);
    assert_int_equal(of.others, 1);
    assert_int_equal(wadi_trace_shared(t), 4 * WADI_TRACE_NAMES);
    assert_int_equal(wadi_trace_lost(t), 0);
    wadi_trace_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_travels_until_home_has_it),
        cmocka_unit_test(a_kind_that_home_has_not_heard_of_is_none),
        cmocka_unit_test(a_trace_asks_for_no_kernels),
        cmocka_unit_test(nothing_is_lost_of_what_computed_an_answer_that_is_used),
        cmocka_unit_test(a_flipped_bit_is_no_report),
        cmocka_unit_test(what_is_too_long_is_no_report),
        cmocka_unit_test(a_worker_with_more_kernels_tells_the_first),
        cmocka_unit_test(control_characters_of_names_are_replaced),
        cmocka_unit_test(kinds_without_end_are_others),
        cmocka_unit_test(each_stretch_is_counted),
        cmocka_unit_test(of_what_was_saved_the_saved_stream_counts),
        cmocka_unit_test(certificates_have_room_for_so_many),
        cmocka_unit_test(workers_without_end_share_a_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
